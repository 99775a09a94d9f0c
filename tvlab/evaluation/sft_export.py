"""Right conversations of items that a model failed, as lines to fine-tune on (error-driven replay).

Where a stronger model solved the item its conversation is taken as it was; else the golden trace is written as
one: the user's words, the golden calls with what they returned, and a closing message that states the facts the
user asked for.  Golden traces make no look-ups beyond what is needed and their closing words are plain, so the
teacher's are the better material where there are some.

One line: ``{"messages": [...], "tools": [...], "id": ITEM, "source": "golden" or "teacher"}``; the messages have
``tool_calls`` with arguments as JSON text, as chat templates take them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tvlab.environments.environment import Environment
from tvlab.evaluation.score_rows import job_of
from tvlab.evaluation.score_store import load_scores
from tvlab.foundation.atomic_files import read_json
from tvlab.tasks.dataset_export import SYSTEM
from tvlab.tasks.endpoint_teacher import LONGEST, tool_for_model
from tvlab.tasks.item import Item, Turn
from tvlab.tasks.outcome import spelled
from tvlab.tasks.teachers import replay

ASKING = "I need one more thing before I can do this: what is the missing value?"
DECLINING = "None of my tools can do this, so I have not changed anything."


def right_conversations(
    rows: Sequence[Mapping[str, Any]],
    items: Mapping[str, Item],
    environments: Mapping[str, Environment],
    teacher: str | Path | None = None,
) -> list[dict[str, Any]]:
    """Return one line for each GUST item that was failed at least once, in order of the items' ids.

    Args:
        rows: scores of the model that is to learn.
        items: by id.
        environments: by name.
        teacher: folder of scores of another model whose solved conversations are taken first.

    An item that is not among ``items`` is left out.
    """
    failed = {row["task"] for row in rows if row["bench"] == "gust" and row["score"] is not None and row["score"] < 1}
    taught = _solved_conversations(Path(teacher)) if teacher else {}
    lines = []
    for name in sorted(failed & items.keys()):
        item = items[name]
        source = "teacher" if name in taught else "golden"
        messages = taught[name] if name in taught else golden_conversation(environments[item.environment], item)
        tools = [tool_for_model(tool) for tool in environments[item.environment].tools]
        lines.append({"id": name, "source": source, "messages": messages, "tools": tools})
    return lines


def golden_conversation(environment: Environment, item: Item) -> list[dict[str, Any]]:
    """Return an item's golden trace as chat messages, each result as the environment gives it."""
    episode = replay(environment, item)
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
    for t, turn in enumerate(item.turns):
        words = f"{turn.context}\n\n{turn.user}" if turn.context else turn.user
        messages.append({"role": "user", "content": words})
        if turn.answer:
            messages += [{"role": "assistant", "content": ASKING}, {"role": "user", "content": turn.answer}]
        for j, call in enumerate(episode.calls[t]):
            name = f"call_{t}_{j}"
            function = {"name": call.tool, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
            calls = [{"id": name, "type": "function", "function": function}]
            shown = json.dumps(call.observation, ensure_ascii=False)[:LONGEST]
            messages.append({"role": "assistant", "content": "", "tool_calls": calls})
            messages.append({"role": "tool", "tool_call_id": name, "content": shown})
        messages.append({"role": "assistant", "content": _closing(turn)})
    return messages


def _closing(turn: Turn) -> str:
    if not turn.calls:
        return DECLINING
    told = [f"{fact.path.rpartition('.')[2].strip('[]#') or 'count'}: {spelled(fact.value)}" for fact in turn.facts]
    return f"Done. {'; '.join(told)}." if told else "Done."


def _solved_conversations(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Conversations of items that a run solved, the first of each item."""
    found: dict[str, list[dict[str, Any]]] = {}
    _, rows = load_scores(folder)
    for row in rows:
        path = folder / "logs" / job_of(row).key / "messages.json"
        if row["bench"] == "gust" and row["score"] == 1 and row["task"] not in found and path.is_file():
            found[row["task"]] = read_json(path)["messages"]
    return found
