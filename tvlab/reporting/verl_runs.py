"""A training run of verl for people: its own log as tables, and rollouts with every token coloured by its advantage.

verl writes the log (its "file" logger) and our trainer the rollouts (`learning/verl/rollout_record.py`). A record of a
two-step run comes with the package, for machines without verl.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import pandas as pd

from tvlab.foundation.atomic_files import read_json, read_jsonl
from tvlab.foundation.errors import UserError
from tvlab.reporting.conversations import DOWN, UP
from tvlab.reporting.shown import BOX, CODE, Shown, chip, escaped, tag, tint
from tvlab.tasks.gust import read_items
from tvlab.tasks.item import Item

MEASURES = {
    "tvlab/turn_reward": "turn reward",
    "tvlab/trace_score": "trace score",
    "tvlab/turns_reached": "turns reached",
    "tvlab/truncated": "truncated share",
    "tvlab/trained_tokens": "trained tokens",
    "actor/grad_norm": "gradient norm",
    "training/rollout_probs_diff_max": "largest difference of probabilities",
    "tvlab/seconds": "seconds",
    "tvlab/gpu_hours": "GPU-hours",
}
_PROMPT_SHOWN = 200
LABELS = {
    "turn reward": "mean turn reward",
    "advantage size": "mean size of the advantage, by user turn",
    "seconds": "seconds a step, on this machine",
}
_BEGIN, _END = "<|im_start|>", "<|im_end|>"
_MESSAGE = re.compile(r"<\|im_start\|>(?:user|tool)\n(.*?)<\|im_end\|>", re.DOTALL)
_RESULT = re.compile(r"<tool_response>\n?(.*?)\n?</tool_response>", re.DOTALL)
WORDS = "background:rgba(86,180,233,.18);border-radius:6px;padding:5px 10px;margin:4px 0;white-space:pre-wrap"
WRITTEN, NEUTRAL = "border-radius:3px;padding:2px 6px;margin:3px 0 3px 12px", "rgba(128,128,128,.2)"
TURN = "border-left:4px solid rgba(128,128,128,.4);padding-left:8px;margin:8px 0"
_TURN = re.compile(r"tvlab/turn_(\d+)/(\w+)")


def committed_run() -> Path:
    """The folder of the record that comes with the package: rows.jsonl, rollouts.jsonl, about.json."""
    return Path(str(resources.files("tvlab") / "data" / "verl_two_steps"))


def about_run(folder: Path) -> Mapping[str, Any]:
    """What is said of a run in its about.json."""
    about: Mapping[str, Any] = read_json(folder / "about.json", "description of a run")
    return about


def course_of(folder: Path) -> pd.DataFrame:
    """verl's rows as a table: step, measure, value; and by turn where there are turns: turn (0 means all).

    Raises:
        UserError: no rows.
    """
    rows = []
    for line in read_jsonl(folder / "rows.jsonl", "log of verl"):
        for name, value in line["data"].items():
            if name in MEASURES:
                rows.append({"step": line["step"], "turn": 0, "measure": MEASURES[name], "value": float(value)})
            elif found := _TURN.fullmatch(name):
                measure = found[2].replace("_", " ")
                rows.append({"step": line["step"], "turn": int(found[1]), "measure": measure, "value": float(value)})
    if not rows:
        raise UserError(f"{folder / 'rows.jsonl'} holds no rows of tvlab's trainer: was it another run?")
    return pd.DataFrame(rows)


def read_rollouts(folder: Path) -> list[dict[str, Any]]:
    """The rollouts that the trainer wrote."""
    return list(read_jsonl(folder / "rollouts.jsonl", "rollouts of a run"))


def item_of_rollout(folder: Path, rollout: Mapping[str, Any]) -> Item:
    """The item that a rollout played.

    Raises:
        UserError: it is not in the run's items.jsonl.
    """
    found = [item for item in read_items(folder / "items.jsonl") if item.id == rollout["item"]]
    if not found:
        raise UserError(f"{folder / 'items.jsonl'} has no item {rollout['item']}: it is of another run")
    return found[0]


def telling_rollout(rollouts: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The rollout to look at: the one with the most different advantages, then the most turns."""
    return max(rollouts, key=lambda one: (len({value for _, turn, value in one["tokens"] if turn >= 0}), one["turns"]))


def draw_rollout(rollout: Mapping[str, Any]) -> Shown:
    """Return a rollout as a person reads it: words, what tools gave, and what the model wrote; a box a user turn.

    In HTML every token of the model is coloured by its advantage: blue pushes up, vermilion down, the stronger the
    larger. As text it stands in brackets with its advantage. Marks of a ChatML template are left out; what has none
    is shown as it is.
    """
    largest = max((abs(value) for _, turn, value in rollout["tokens"] if turn >= 0), default=0.0) or 1.0
    head = f"{rollout['item']}, step {rollout['step']}, rollout {rollout['rollout']} of its item"
    boxes: dict[int, list[str]] = {}
    lines, turn = [head], 0
    for kind, of, value, text in _pieces(rollout):
        turn = of if of >= 0 else turn
        inside = boxes.setdefault(turn, [])
        if kind == "written":
            colour = tint(UP if value > 0 else DOWN, 0.1 + 0.6 * abs(value) / largest) if value else NEUTRAL
            inside.append(tag("div", escaped(text), f"{CODE};background:{colour};{WRITTEN}"))
            lines.append(f"[turn {of + 1}, advantage {value:+.2f}: {text}]")
        elif kind == "words":
            inside.append(tag("div", f"{tag('b', 'User')} {escaped(text)}", WORDS))
            lines.append(f"User: {text}")
        else:
            sign = "&larr; " if kind == "observation" else ""
            inside.append(tag("div", sign + escaped(text), f"{CODE};opacity:.7;margin:3px 0 3px 12px"))
            lines.append(f"<- {text}" if kind == "observation" else text)
    paid = [f"turn {at + 1}: reward {r:g}{_advantage(rollout, at)}" for at, r in enumerate(rollout["turn_rewards"])]
    parts = [tag("b", escaped(head))]
    for at, inside in sorted(boxes.items()):
        chips = chip(paid[at], "#009E73" if rollout["turn_rewards"][at] else "#D55E00") if at < len(paid) else ""
        parts.append(tag("div", "".join(inside) + tag("div", chips, "margin:4px 0 0 12px"), TURN))
    never = rollout["turns"] - len(rollout["turn_rewards"])
    if never:
        parts.append(chip(f"{never} turns never reached", "#8A8A8A"))
    lines.append("; ".join(paid) + (f"; {never} turns never reached" if never else ""))
    return Shown(tag("div", "".join(parts), BOX), "\n".join(lines))


def _pieces(rollout: Mapping[str, Any]) -> Iterator[tuple[str, int, float, str]]:
    """(kind, turn, advantage, text): "words", "observation", "context" or "written"; the turn of what is read is the
    one of what the model writes next.
    """
    runs = _runs(rollout["tokens"])
    heard = [*_heard(rollout["prompt"])][-1:] or [("context", rollout["prompt"][-_PROMPT_SHOWN:])]
    first = next((turn for turn, _, _ in runs if turn >= 0), 0)
    yield from ((kind, first, 0.0, text) for kind, text in heard)
    for at, (turn, value, text) in enumerate(runs):
        if turn >= 0:
            yield "written", turn, value, text.removesuffix(_END) or text
            continue
        following = next((later for later, _, _ in runs[at:] if later >= 0), -1)
        plain = [] if _BEGIN in text or not text.strip() else [("context", text)]
        yield from ((kind, following, 0.0, said) for kind, said in [*_heard(text), *plain])


def _heard(text: str) -> Iterator[tuple[str, str]]:
    """Words of the user and results of calls in a piece of a ChatML conversation."""
    for content in _MESSAGE.findall(text):
        results = _RESULT.findall(content)
        yield from (("observation", result) for result in results)
        if not results:
            yield "words", content.strip()


def plot_verl_course(axis: Any, course: pd.DataFrame, measure: str) -> Any:
    """Draw one measure over verl's steps, all turns together, or a line a turn."""
    own = course[course["measure"] == measure]
    for turn, rows in own.groupby("turn"):
        axis.plot(rows["step"], rows["value"], marker="o", label=f"turn {turn}" if turn else measure)
    axis.set_xlabel("step of verl's trainer")
    axis.set_ylabel(LABELS.get(measure, measure))
    axis.set_xticks(sorted(course["step"].unique())[:: max(1, course["step"].nunique() // 8)])
    if own["turn"].nunique() > 1:
        axis.legend(fontsize=8)
    return axis


def _advantage(rollout: Mapping[str, Any], turn: int) -> str:
    """The advantage that the turn's tokens share, and whether a limit cut the turn."""
    values = sorted({value for _, of, value in rollout["tokens"] if of == turn})
    said = f", advantage {values[0]:+.2f}" if len(values) == 1 else ""
    return said + (", cut" if turn in rollout["truncated"] else "")


def _runs(tokens: Sequence[Sequence[Any]]) -> list[tuple[int, float, str]]:
    """Neighbouring tokens of one turn and one advantage, as (turn, advantage, text)."""
    runs: list[tuple[int, float, str]] = []
    for text, turn, value in tokens:
        if runs and runs[-1][:2] == (turn, value):
            runs[-1] = (turn, value, runs[-1][2] + text)
        else:
            runs.append((turn, value, text))
    return runs
