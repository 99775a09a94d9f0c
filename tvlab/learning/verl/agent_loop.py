"""verl's agent loop for GUST items: a `TokenRollout` whose model is verl's rollout server.

Registered as agent "tvlab" (the `agent_name` of `tasks.dataset_export`). Settings stand under `tvlab` (`settings`).
What verl is given: one output, or one a user turn; turn rewards and turn ids in each one's `extra_fields` for the
trainer, and in its token rewards (`turn_marks`) where these can carry them.

This module subclasses verl's classes, so that it imports verl when it is imported: only verl itself does that.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from uuid import uuid4

import numpy as np
import torch
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput, register
from verl.experimental.agent_loop.tool_parser import ToolParser

from tvlab.environments.tool_calls import MalformedCallError, ToolCall
from tvlab.learning.advantages import advantage, required_signals
from tvlab.learning.lab_signals import signals
from tvlab.learning.reward_functions import rewards_of
from tvlab.learning.verl.agent_endpoint import play_at_hand_of
from tvlab.learning.verl.agent_rollout import AgentRollout
from tvlab.learning.verl.chat_tokens import Extended, Message, packing_for
from tvlab.learning.verl.estimators import PREFIX
from tvlab.learning.verl.rollout import Rollout
from tvlab.learning.verl.segments import Sample, Segment
from tvlab.learning.verl.settings import LoopSettings, environment_of, simulated_user
from tvlab.learning.verl.token_rollout import TokenRollout
from tvlab.learning.verl.turn_marks import mark_turn_ends
from tvlab.learning.verl.written_calls import Malformed, Written, read_hermes
from tvlab.tasks.dataset_export import AGENT
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import Item


class TurnOutput(AgentLoopOutput):
    """An output that writes its turn rewards into the token rewards."""

    def as_dict(self) -> dict[str, Any]:
        """verl's row of this output."""
        row = super().as_dict()
        notes = row["extra_fields"]
        row["rm_scores"] = torch.tensor(token_rewards(notes["turn_rewards"], notes["turn_ids"], notes["turns"]))
        return row


def token_rewards(turn_rewards: Sequence[float], turn_ids: Sequence[int], turns: int) -> np.ndarray:
    """(L,) float32: each turn's reward on its last token in this row; marked if the row has all turns."""
    ids = np.asarray(turn_ids, dtype=np.int64)
    if len(turn_rewards) == turns and np.array_equal(np.unique(ids[ids >= 0]), np.arange(turns)):
        return mark_turn_ends(turn_rewards, ids)
    out = np.zeros(len(ids), dtype=np.float32)
    for turn in np.unique(ids[ids >= 0]):
        out[np.flatnonzero(ids == turn)[-1]] = turn_rewards[turn]
    return out


class VerlChat:
    """`ChatTokens` by verl's continuous tokens and tool parsers.

    Args:
        tokenizer: of the model.
        builder: verl's continuous token builder.
        parser: name of the form of calls; "hermes" is read here, others by verl.
        stop_ids: ids that end a message beside the tokenizer's own.
    """

    def __init__(self, tokenizer: Any, builder: Any, parser: str, stop_ids: Sequence[int] = ()) -> None:
        self.tokenizer = tokenizer
        self.builder = builder
        self.parser = None if parser == "hermes" else ToolParser.get_tool_parser(parser, tokenizer)
        own = self.parser.stop_token_ids if self.parser else []
        self.stop_ids = frozenset([tokenizer.eos_token_id, *stop_ids, *own])
        self.end_id: int = tokenizer.eos_token_id
        self.separator = self._separator()

    def start(self, messages: Sequence[Message], tools: Sequence[Message]) -> list[int]:
        return list(self.builder.build_initial_tokens(list(messages), tools=list(tools) or None))

    def extend(
        self, before: Sequence[Message], after: Sequence[Message], ids: Sequence[int], tools: Sequence[Message]
    ) -> Extended:
        merged = self.builder.merge_context_tokens(list(before), list(after), list(ids), tools=list(tools) or None)
        kept, new = len(ids) - merged.removed_prefix_token_count, list(merged.token_ids)
        if kept == len(ids) and not merged.inserted_token_ids and ids[-1] in self.stop_ids:
            new[kept:kept] = self.separator
        return Extended(new, kept)

    def _separator(self) -> list[int]:
        """What the template puts behind the end of a message; verl's builders add it for the families they know."""
        said = [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]
        whole = self.tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=False)
        _, end, rest = whole.rpartition(self.tokenizer.decode([self.end_id]))
        return list(self.tokenizer.encode(rest, add_special_tokens=False)) if end else []

    def read(self, ids: Sequence[int]) -> Written:
        text = self.tokenizer.decode(ids, skip_special_tokens=True)
        if self.parser is None:
            return read_hermes(text)
        content, calls = asyncio.run(self.parser.extract_tool_calls(list(ids)))
        return Written(content, tuple(_parsed(call) for call in calls))


def chat_of(model: str, parser: str = "hermes") -> VerlChat:
    """The chat of a model's folder, as the agent loop has it."""
    from transformers import AutoConfig, AutoTokenizer
    from verl.utils.tokenizer.continuous_token_wiring import create_continuous_token_builder

    tokenizer = AutoTokenizer.from_pretrained(model)
    builder = create_continuous_token_builder(tokenizer, hf_model_type=AutoConfig.from_pretrained(model).model_type)
    return VerlChat(tokenizer, builder, parser, _generation_stops(model))


def _parsed(call: Any) -> ToolCall | Malformed:
    try:
        return ToolCall.parse({"name": call.name, "arguments": call.arguments})
    except MalformedCallError as error:
        return Malformed(str(error))


@register(AGENT)
class GustAgentLoop(AgentLoopBase):
    """One object plays one rollout."""

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> list[TurnOutput]:
        """Play the item of a dataset row and return its sequences."""
        began = time.monotonic()
        settings = LoopSettings.of(self.config)
        item = _item(row["extra_info"]["item"])
        environment = environment_of(settings.environments, item.environment, settings.sandbox)
        episode = Episode(
            environment, item, step_cap=settings.limits.turn_calls, reward=settings.reward,
            on_failed_turn=settings.on_failed_turn,
        )  # fmt: skip
        model = self.config.actor_rollout_ref.model.path
        chat = VerlChat(self.tokenizer, self.continuous_token_builder, self.rollout_config.multi_turn.format,
                        _generation_stops(model))  # fmt: skip
        policy = ServerPolicy(self.server_manager, sampling_params)
        system = row["raw_prompt"][0]["content"]
        kind = AgentRollout if settings.agent.path else TokenRollout
        rollout = kind(episode, policy, chat, simulated_user(settings), system, settings.limits,
                       _packing(settings.packing, chat, model))  # fmt: skip
        if isinstance(rollout, AgentRollout):
            await play_at_hand_of(rollout, str(settings.agent.path), settings.agent.timeout)
        else:
            await rollout.play()
        return self._outputs(rollout, policy, settings, time.monotonic() - began)

    def _outputs(
        self,
        rollout: Rollout,
        policy: ServerPolicy,
        settings: LoopSettings,
        seconds: float,
    ) -> list[TurnOutput]:
        reached, episode = rollout.turns_reached, rollout.episode
        rewards = rewards_of(settings.turn_reward, [episode])[0].tolist()
        common = {
            **policy.versions,
            "turn_rewards": rewards[:reached],
            "turns": len(episode.item.turns),
            "rows": len(rollout.segments),
            "truncated": rollout.truncated,
            "malformed": rollout.malformed,
            "calls": sum(map(len, episode.calls)),
            "fallbacks": rollout.user.fallbacks,
            "item": episode.item.id,
            "signals": self._signals(rollout),
            "failure": rollout.failure,
        }
        score = sum(rewards) / len(rewards)
        said = {
            "acc": float(all(rewards)), "turn_reward": score, "outcome": float(episode.outcome_met()),
            "turns_reached": float(reached), "truncated": float(bool(rollout.truncated)),
            "calls": float(common["calls"]),
        }  # fmt: skip
        metrics = AgentLoopMetrics(generate_sequences=policy.seconds, tool_calls=max(seconds - policy.seconds, 0.0))
        return [
            TurnOutput(
                prompt_ids=segment.prompt_ids, response_ids=segment.response_ids, response_mask=segment.mask,
                num_turns=reached, metrics=metrics, reward_score=score,
                extra_fields={**common, "turn_ids": segment.turn_ids, "reward_extra_info": said},
                **_log_probs(rollout, segment),
            )
            for segment in rollout.segments
        ]  # fmt: skip

    def _signals(self, rollout: Rollout) -> dict[str, Any]:
        """What the estimator needs beside rewards: labels a turn, or one number."""
        name = str(self.config.algorithm.adv_estimator)
        if not name.startswith(PREFIX):
            return {}
        needed = required_signals(advantage(name.removeprefix(PREFIX)))
        made = signals(needed, [rollout.watched], len(rollout.episode.item.turns))
        return {key: values[0].tolist() for key, values in made.items()}


class ServerPolicy:
    """Asks verl's rollout server for one message."""

    def __init__(self, server: Any, sampling: dict[str, Any]) -> None:
        self.server = server
        self.sampling = sampling
        self.request = uuid4().hex  # one server keeps the prefix of a rollout
        self.seconds = 0.0
        self.versions: dict[str, Any] = {}

    async def __call__(self, ids: list[int], most: int) -> Sample:
        began = time.monotonic()
        output = await self.server.generate(
            request_id=self.request, prompt_ids=ids, sampling_params={**self.sampling, "max_tokens": most}
        )
        self.seconds += time.monotonic() - began
        for key in ("min_global_steps", "max_global_steps"):
            new = output.extra_fields.get(key)
            if key == "max_global_steps" or key not in self.versions:
                self.versions[key] = new
        return Sample(list(output.token_ids), output.log_probs)


def _log_probs(rollout: Rollout, segment: Segment) -> dict[str, Any]:
    return {"response_logprobs": segment.log_probs} if rollout.has_log_probs else {}


@lru_cache(maxsize=8192)
def _item(line: str) -> Item:
    """The item of a line; one object for all its rollouts, as the episode's cache wants it."""
    return Item.from_json(json.loads(line))


@lru_cache(maxsize=4)
def _generation_stops(model: str) -> tuple[int, ...]:
    from transformers import GenerationConfig

    try:
        found = GenerationConfig.from_pretrained(model).eos_token_id
    except OSError:  # the model has none
        return ()
    return tuple(found) if isinstance(found, list) else (found,) if found is not None else ()


_PACKINGS: dict[tuple[str, str], Any] = {}


def _packing(choice: str, chat: VerlChat, model: str) -> Any:
    key = (choice, model)
    if key not in _PACKINGS:
        _PACKINGS[key] = packing_for(choice, chat)
    return _PACKINGS[key]
