"""verl's agent loop with somebody else's agent in it hands verl what our own loop hands it. Run in .venv-verl."""

import asyncio
import importlib
from types import SimpleNamespace

import pytest
from character_chat import END, CharacterChat
from lab_worlds import bookstore, bookstore_items
from test_verl_agent_loop import agent_loop, load, tokenizer  # noqa: F401  # fixtures
from verl_models import real_model

from tvlab.learning.verl.golden_policy import GoldenPolicy
from tvlab.learning.verl.rollout import Limits
from tvlab.learning.verl.simulated_users import ScriptedUser
from tvlab.learning.verl.token_rollout import TokenRollout
from tvlab.tasks.dataset_export import SYSTEM, verl_row
from tvlab.tasks.episode import Episode


def golden_texts(item):
    """What a model that makes no mistake writes, message by message."""
    written = []

    def encode(text):
        written.append(text)
        return [*map(ord, text), END]

    episode = Episode(bookstore(), item)
    limits = Limits(turn_tokens=10_000, response_tokens=200_000, prompt_tokens=100_000)
    asyncio.run(
        TokenRollout(episode, GoldenPolicy(episode, encode), CharacterChat(), ScriptedUser(), "s", limits).play()
    )
    return written


@pytest.mark.parametrize("packing", ["sequence", "turns"])
def test_verl_gets_the_same_rows_from_an_agent_of_somebody_else(agent_loop, tokenizer, packing):  # noqa: F811
    from omegaconf import OmegaConf

    pytest.importorskip("openai")
    item = max(bookstore_items()["bookstore"][:20], key=lambda one: len(one.turns))
    row = verl_row(item, "train", 0)
    texts = golden_texts(item)
    wrap = importlib.import_module("verl.experimental.agent_loop.agent_loop").DictConfigWrap

    def played(agent):
        left = list(texts)

        class Server:
            async def generate(self, request_id, *, prompt_ids, sampling_params):
                ids = [*tokenizer.encode(left.pop(0), add_special_tokens=False), tokenizer.eos_token_id]
                extra = {"min_global_steps": 4, "max_global_steps": 4}
                return SimpleNamespace(token_ids=ids, log_probs=[-1.0] * len(ids), extra_fields=extra)

        config = OmegaConf.create(
            {
                "tvlab": {
                    "environments": [str(bookstore().path)],
                    "sandbox": "off",
                    "packing": packing,
                    "agent": agent,
                    "limits": {"turn_tokens": 4096},
                },
                "algorithm": {"adv_estimator": "tvlab_tara"},
                "data": {},
                "actor_rollout_ref": {
                    "model": {"path": str(real_model())},
                    "rollout": {"prompt_length": 8192, "response_length": 24_000, "multi_turn": {"format": "hermes"}},
                },
            }
        )

        async def play():
            loop = agent_loop.GustAgentLoop(wrap(config), Server(), tokenizer, None, None, wrap(config.data), "llama")
            told = {"raw_prompt": [{"role": "system", "content": SYSTEM}], "extra_info": row["extra_info"]}
            return await asyncio.gather(loop.run({"temperature": 1.0}, **told))

        (outputs,) = asyncio.run(play())
        assert left == []
        return outputs

    ours, theirs = played({}), played({"path": "outside_agents:openai_agent"})
    assert len(ours) == len(theirs) == (1 if packing == "sequence" else len(item.turns))
    for one, other in zip(ours, theirs, strict=True):
        for name in ("prompt_ids", "response_ids", "response_mask", "response_logprobs", "reward_score", "num_turns"):
            assert getattr(one, name) == getattr(other, name), name
        assert one.extra_fields["turn_rewards"] == other.extra_fields["turn_rewards"] == [1.0] * len(item.turns)
        assert one.extra_fields["turn_ids"] == other.extra_fields["turn_ids"]
        assert other.extra_fields["failure"] == ""
