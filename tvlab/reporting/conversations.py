"""Items and episodes as conversations: in Markdown, and drawn with rewards and coloured advantages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tvlab.reporting.palette import GREY, SERIES, arm_label
from tvlab.reporting.shown import BOX, CODE, Shown, chip, escaped, shortened, tag, tint
from tvlab.tasks.call_texts import call_text
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import Item
from tvlab.tasks.play import Told
from tvlab.tasks.turn_report import TurnReport, turn_reports
from tvlab.tasks.typed_calls import typed

UP, DOWN = SERIES[0], SERIES[3]
_GOOD, _BAD, _USER = "#009E73", "#D55E00", "#56B4E9"


def conversation(item: Item) -> str:
    """Return the item turn by turn; a reference reads ``<order_id of turn 1, call 2>``, counted from 1."""
    lines = [f"**{item.environment}**, {len(item.turns)} turns", ""]
    for number, turn in enumerate(item.turns, start=1):
        lines += [f"{number}. **User:** {turn.user}", ""]
        lines += [f"    * `{call_text(call)}`" for call in turn.calls]
        lines += [
            f"    * asked for: `{fact.path}` = `{json.dumps(fact.value, ensure_ascii=False)}`"
            for fact in turn.facts
        ]
        lines.append("")
    return "\n".join(lines)


def draw_item(item: Item) -> Shown:
    """Return an item as a conversation: the user's words, and the golden calls that answer them."""
    parts = [tag("b", escaped(f"{item.id}: {len(item.turns)} user turns"))]
    for number, turn in enumerate(item.turns, start=1):
        parts.append(_said(f"Turn {number}", turn.user, turn.kind))
        parts += [_line(escaped(call_text(call)), SERIES[4] if call.writes else GREY) for call in turn.calls]
        asked = [f"asked for: {fact.path} = {json.dumps(fact.value, ensure_ascii=False)}" for fact in turn.facts]
        parts += [_line(escaped(text), "") for text in asked]
        if turn.answer:
            parts.append(_said("asked back", turn.answer, ""))
    return Shown(tag("div", "".join(parts), BOX), conversation(item))


def draw_episode(episode: Episode, advantages: Mapping[str, Sequence[float]] | None = None, title: str = "") -> Shown:
    """Return an episode as a conversation: words, calls, what they gave, reward and why, advantages in colour.

    Args:
        episode: ended or not; turns that were not reached are left out.
        advantages: {arm: one advantage a turn of this episode}; blue pushes up, vermilion down, the
            stronger the larger.
        title: stands on top.
    """
    given = advantages or {}
    largest = max((abs(value) for values in given.values() for value in values), default=0.0) or 1.0
    parts, lines = ([tag("b", escaped(title))] if title else []), ([title] if title else [])
    for report in turn_reports(episode):
        t, turn = report.turn, episode.item.turns[report.turn]
        values = {arm: float(values[t]) for arm, values in given.items()}
        inside = [_said(f"Turn {t + 1}", turn.words, turn.kind)]
        lines.append(f"Turn {t + 1}. User: {turn.words}")
        for index, call in enumerate(episode.calls[t]):
            covers = [at for at, golden in enumerate(report.golden) if golden.covered_by == index]
            mark = _GOOD if covers else GREY if call.ok else _BAD
            said, gave = typed(call.tool, call.arguments), shortened(call.observation)
            inside.append(_call(said, gave, mark))
            lines.append(f"  {'+' if covers else ' ' if call.ok else '!'} {said}\n      <- {gave}")
        if episode.messages[t]:
            inside.append(_line(escaped(f"agent: {episode.messages[t]}"), ""))
        inside.append(_paid(report, values, largest))
        lines.append(f"  {_paid_text(report, values)}")
        parts.append(tag("div", "".join(inside), f"border-left:6px solid {_edge(values, largest)};padding-left:8px"))
    return Shown(tag("div", "".join(parts), BOX), "\n".join(lines))


def draw_played(told: Iterable[Told]) -> Shown:
    """Return what a game told (``play.play_lines``) as a page."""
    parts, lines = [], []
    heads = {"typed": "> ", "tool": "<- ", "error": "! ", "user": "User: "}
    for role, text in told:
        lines.append(f"{heads.get(role, '')}{text}")
        if role == "user":
            parts.append(_said("User", text, ""))
        elif role == "reward":
            parts.append(tag("div", escaped(text), f"{CODE};background:{tint(SERIES[4], 0.2)};padding:4px 8px"))
        else:
            mark = {"typed": UP, "tool": _GOOD, "error": _BAD}.get(role, "")
            parts.append(_line(escaped(f"{heads.get(role, '')}{shortened(text) if role == 'tool' else text}"), mark))
    return Shown(tag("div", "".join(parts), BOX), "\n".join(lines))


def _said(who: str, words: str, kind: str) -> str:
    label = f"{who} ({kind})" if kind and kind != "plain" else who
    style = f"background:{tint(_USER, 0.18)};border-radius:6px;padding:5px 10px;margin:8px 0 4px 0;white-space:pre-wrap"
    return tag("div", f"{tag('b', escaped(label))} {escaped(shortened(words))}", style)


def _line(inside: str, colour: str) -> str:
    edge = f"border-left:3px solid {colour};" if colour else ""
    return tag("div", inside, f"{CODE};{edge}padding-left:8px;margin:3px 0 3px 12px")


def _call(said: str, gave: str, mark: str) -> str:
    folded = tag("div", f"&larr; {escaped(gave)}", "opacity:.75")
    return _line(f"{escaped(said)}{folded}", mark)


def _paid(report: TurnReport, values: Mapping[str, float], largest: float) -> str:
    labels = [chip(f"reward {report.reward:g}", _GOOD if report.reward else _BAD)]
    labels += [
        chip(f"{arm_label(arm)} {_signed(value)}", _push(value), 0.1 + 0.45 * abs(value) / largest)
        for arm, value in values.items()
    ]
    missed = "".join(
        _line(escaped(f"missed: {call_text(golden.call)} ({golden.reason})"), _BAD)
        for golden in report.golden
        if golden.covered_by is None
    )
    return missed + tag("div", "".join(labels) + escaped(report.why), "margin:4px 0 8px 12px")


def _paid_text(report: TurnReport, values: Mapping[str, float]) -> str:
    signed = "".join(f", {arm_label(arm)} {_signed(value)}" for arm, value in values.items())
    return f"reward {report.reward:g}{signed}: {report.why}"


def _signed(value: float) -> str:
    return f"{value:+.2f}" if abs(value) >= 0.005 else "0"


def _push(value: float) -> str:
    """Return the colour of the direction in which an advantage pushes."""
    return GREY if abs(value) < 0.005 else UP if value > 0 else DOWN


def _edge(values: Mapping[str, Any], largest: float) -> str:
    """Return the colour of a turn's left edge: that of its last arm's advantage."""
    value = list(values.values())[-1] if values else 0.0
    return tint(_push(value), 0.15 + 0.85 * abs(value) / largest) if values else "transparent"
