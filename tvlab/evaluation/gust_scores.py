"""GUST as a benchmark: a model plays held-out items, and every turn says what went wrong.

Three scores of an item, and the one of the table:

    trace score       share of golden calls covered, averaged over turns; a turn without golden calls counts r_t
    validation score  1 if the outcome holds: final state and the facts asked for
    turn reward       mean of r_t
    score             1 if every turn is covered and the outcome holds

The paper names trace and validation score in its Figure 6 and does not define them; these are our readings.
Nobody judges wording: a fact counts as told if a call showed it or a closing message says it.  An answer that is
nothing but calls written as JSON counts as these calls (``bare_calls``), in either mode of the endpoint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tvlab.environments.environment import Environment
from tvlab.evaluation.failures import turn_failures
from tvlab.evaluation.score_rows import Job, Outcome, Setting
from tvlab.foundation.atomic_files import write_json
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.foundation.errors import UserError
from tvlab.tasks.bare_calls import with_calls
from tvlab.tasks.coverage import compile_turn, match_turn
from tvlab.tasks.endpoint_teacher import play
from tvlab.tasks.episode import Episode
from tvlab.tasks.equality import CallKey
from tvlab.tasks.item import Item
from tvlab.tasks.teachers import resolve

SAID = 500
"""Characters of a closing message that a row keeps."""


class GustHarness:
    """Items as a benchmark.

    Args:
        items: what is played; ids must differ.
        environments: by name; those of the items.
        label: where the items come from, in a few words.

    Raises:
        UserError: an item's environment is not there, or was built on another state.
    """

    name = "gust"

    def __init__(self, items: Sequence[Item], environments: Mapping[str, Environment], label: str = "sample") -> None:
        for item in items:
            environment = environments.get(item.environment)
            if environment is None:
                raise UserError(f"item {item.id} needs the environment {item.environment!r}: give --environments")
            if environment.state_hash != item.state_hash:
                raise UserError(f"item {item.id} was made on another state of {item.environment!r}: build it again")
        self.items = {item.id: item for item in items}
        self.environments = environments
        self.label = label

    def missing(self) -> str:
        """Return "" if there are items, else what to do."""
        return "" if self.items else "GUST has no items: give --items FILE"

    def version(self) -> str:
        """Return where the items come from, how many there are, and a hash of them."""
        digest = content_hash([item.to_json() for item in self.items.values()])
        return f"GUST {self.label}, {len(self.items)} items, {digest}"

    def floor(self) -> float:
        """Return the score of an agent that only ends its turns."""
        solved = []
        for item in self.items.values():
            episode = Episode(self.environments[item.environment], item)
            while not episode.done:
                episode.end_turn()
            solved.append(all(episode.rewards) and episode.outcome_met())
        return sum(solved) / max(len(solved), 1)

    def tasks(self, category: str) -> list[str]:
        """Return the ids of all items."""
        return list(self.items)

    def play(self, job: Job, setting: Setting, folder: Path) -> Outcome:
        """Play an item; the conversation goes to ``messages.json`` in the job's folder.

        Raises:
            UserError: the endpoint does not answer.
        """
        item = self.items[job.task]
        config = EndpointConfig(setting.agent_url, setting.model, timeout=setting.timeout, retries=0)
        model = _Watched(Endpoint(config), item)
        episode = play(self.environments[item.environment], item, model, job.run)
        write_json(folder / "messages.json", {"tools": episode.environment.tools, "messages": model.messages})
        return outcome_of(episode, model.finishes)

    def close(self) -> None:
        """Keep nothing open."""


def outcome_of(episode: Episode, finishes: Mapping[int, Sequence[tuple[str, int]]] | None = None) -> Outcome:
    """Return the outcome of a finished episode with a record of every turn.

    Args:
        episode: done.
        finishes: by turn, (why an answer ended, its unreadable calls) of each; none where no model wrote.
    """
    turns = _turn_records(episode, finishes or {})
    met = episode.outcome_met()
    shares = [record["matched"] / record["golden"] if record["golden"] else record["reward"] for record in turns]
    scores = {
        "trace": sum(shares) / len(shares),
        "validation": float(met),
        "turn_reward": sum(episode.rewards) / len(turns),
    }
    capped = any(record["ended"] == "step_limit" for record in turns)
    item = episode.item
    return Outcome(
        float(met and all(episode.rewards)),
        "step_limit" if capped else "finished",
        calls=sum(map(len, episode.calls)),
        partial=scores["turn_reward"],
        details={**scores, "environment": item.environment, "depth": item.provenance.get("depth"), "turns": turns},
    )


class _Watched:
    """A model that keeps the conversation, and how its answers ended in each turn."""

    def __init__(self, endpoint: Endpoint, item: Item) -> None:
        self.endpoint, self.item = endpoint, item
        self.messages: Sequence[dict[str, Any]] = []
        self.finishes: dict[int, list[tuple[str, int]]] = {}

    def message(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]] = (), attempt: int = 0
    ) -> dict[str, Any]:
        answer = self.endpoint.answer(messages, tools, attempt)
        offered = {tool["function"]["name"] for tool in tools}
        calls = with_calls(answer.message, offered).get("tool_calls")
        unreadable = 0 if calls else answer.text.count("<tool_call>")
        turn = current_turn(self.item, messages)
        self.finishes.setdefault(turn, []).append((answer.finish, unreadable))
        self.messages = messages
        return answer.message


def current_turn(item: Item, messages: Sequence[Mapping[str, Any]]) -> int:
    """Return the index of the turn that a conversation is in; the user's answer to a question opens none."""
    turn, answered = -1, True
    for message in messages:
        if message["role"] == "user":
            if not answered and message["content"] == item.turns[turn].answer:
                answered = True
            else:
                turn += 1
                answered = not item.turns[turn].answer
    return turn


def _turn_records(episode: Episode, finishes: Mapping[int, Sequence[tuple[str, int]]]) -> list[dict[str, Any]]:
    observations: dict[CallKey, Any] = {}
    records = []
    for t, turn in enumerate(episode.item.turns):
        made, answers = episode.calls[t], finishes.get(t, ())
        patterns = compile_turn(episode.environment, t, turn.calls)
        found = match_turn(patterns, made, observations)
        observations |= {key: made[index].observation for key, index in found.items()}
        golden = [_golden(call, observations) for call in turn.calls]
        shown = [_made(episode, call) for call in made]
        failed = turn_failures(
            golden,
            shown,
            {key[1]: index for key, index in found.items()},
            unreadable=sum(count for _, count in answers),
            cut=any(finish == "length" for finish, _ in answers),
        )
        records.append(
            {
                "kind": turn.kind,
                "golden": len(golden),
                "matched": len(found),
                "reward": episode.rewards[t],
                "ended": _ended(episode, t),
                "calls": shown,
                "said": episode.messages[t][:SAID] if t < len(episode.messages) else "",
                "failures": [failure.to_json() for failure in failed],
            }
        )
    return records


def _ended(episode: Episode, turn: int) -> str:
    if not episode.reached[turn]:
        return "not_reached"
    return "step_limit" if len(episode.calls[turn]) >= episode.step_cap else "message"


def _golden(call: Any, observations: Mapping[CallKey, Any]) -> dict[str, Any]:
    try:
        arguments = resolve(call.arguments, observations)
    except LookupError:  # the call that makes the id was never matched: nothing could have been right here
        arguments = call.arguments
    return {"tool": call.tool, "arguments": arguments, "writes": call.writes}


def _made(episode: Episode, call: Any) -> dict[str, Any]:
    shown = {"tool": call.tool, "arguments": call.arguments, "ok": call.ok}
    writes = call.tool in episode.environment.writers
    error = {} if call.ok else {"error": str(call.observation.get("error"))[:200]}
    return {**shown, "writes": writes, **error}
