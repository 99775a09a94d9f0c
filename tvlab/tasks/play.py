"""A person plays the agent on one item: lines typed in, lines told back.

``Play`` is the game without a terminal: ``answer(line)`` takes what was typed and yields what is told, so a
pipe, a notebook and a terminal play the same game.  A line is a tool call (``typed_calls.py``) or a command
that starts with a slash.  Golden calls stay hidden until a turn has ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tvlab.environments.environment import Environment
from tvlab.environments.state_difference import difference
from tvlab.environments.tool_calls import observation_text
from tvlab.environments.tool_environment import nouns
from tvlab.tasks.call_texts import call_text
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import Item
from tvlab.tasks.teachers import replay
from tvlab.tasks.turn_report import TurnReport, turn_reports
from tvlab.tasks.typed_calls import TypingError, completions, read_call, signature, typed

COMMANDS = {
    "/say": "/say TEXT: tell the user something and end the turn",
    "/end": "/end: end the turn without a word",
    "/tools": "/tools [NAME]: the tools, or one of them with its schema",
    "/changes": "/changes: what your calls have changed so far",
    "/help": "/help: this list",
    "/quit": "/quit: leave; turns that are left count as not reached",
}


class Told(NamedTuple):
    """One thing told: ``role`` is user|tool|error|reward|note, ``text`` one or more lines."""

    role: str
    text: str


class Play:
    """One item being played.

    Args:
        environment: the item's environment.
        item: what is played.
        step_cap: calls after which a turn ends by itself.
        reward: coverage|outcome|both.

    Attributes:
        episode: the episode underneath; its rewards, calls and state are those of any rollout.
        quit: True after ``/quit``.
    """

    def __init__(self, environment: Environment, item: Item, step_cap: int = 8, reward: str = "coverage") -> None:
        self.episode = Episode(environment, item, step_cap=step_cap, reward=reward)
        self.quit = False
        self._before = self.episode.session.snapshot()

    @property
    def over(self) -> bool:
        """True if no line is expected any more."""
        return self.quit or self.episode.done

    def begin(self) -> Iterator[Told]:
        """Yield what stands at the beginning: what is played, the tools, the user's first words."""
        item = self.episode.item
        yield Told("note", f"Item {item.id}: {len(item.turns)} user turns, {len(self.episode.tools)} tools.")
        yield Told("note", self._tools(""))
        yield Told("note", "Call tools as NAME key=value; /say TEXT answers the user and ends the turn; /help.")
        yield self._words()

    def answer(self, line: str) -> Iterator[Told]:
        """Take one typed line and yield what is told; a blank line or one that starts with ``#`` does nothing."""
        line = line.strip()
        if self.over or not line or line.startswith("#"):
            return
        if line.startswith("/"):
            yield from self._command(*line.partition(" ")[::2])
            return
        try:
            call = read_call(line, self.episode.tools)
        except TypingError as error:
            spoken = " " in line and not line.startswith("{") and "=" not in line
            yield Told("error", f"{error}{'; to say this to the user, type /say in front' if spoken else ''}")
            return
        turn = self.episode.turn
        result = self.episode.call(call.name, call.arguments)
        yield Told("tool" if result.ok else "error", observation_text(result))
        if self.episode.turn != turn:
            yield from self._ended()

    def end(self) -> Iterator[Told]:
        """Yield the result: reward of every turn, outcome, all that was changed."""
        episode = self.episode
        paid = ", ".join(
            f"turn {t + 1} {f'{r:g}' if reached else 'not reached (0)'}"
            for t, (r, reached) in enumerate(zip(episode.rewards, episode.reached, strict=True))
        )
        yield Told("reward", f"Rewards: {paid}. Mean {sum(episode.rewards) / len(episode.rewards):.2f}.")
        yield Told("note", f"Outcome {'reached' if episode.outcome_met() else 'not reached'}.")

    def complete(self, line: str) -> list[str]:
        """Return what the last word of a line may become."""
        return completions(line, self.episode.tools, tuple(COMMANDS))

    def _command(self, name: str, rest: str) -> Iterator[Told]:
        if name in ("/say", "/end"):
            if name == "/say" and not rest.strip():
                yield Told("error", "/say needs words; /end ends the turn without any")
                return
            answered = self.episode.asks_first
            self.episode.end_turn(rest.strip())
            if answered:
                yield Told("user", self.episode.item.turns[self.episode.turn].answer)
            else:
                yield from self._ended()
        elif name == "/tools":
            yield Told("note", self._tools(rest.strip()))
        elif name == "/changes":
            yield Told("note", self._changes(self.episode.environment.state))
        elif name == "/quit":
            self.quit = True
        else:
            unknown = "" if name == "/help" else f"there is no command {name}\n"
            yield Told("error" if unknown else "note", unknown + "\n".join(COMMANDS.values()))

    def _ended(self) -> Iterator[Told]:
        report = turn_reports(self.episode)[-1]
        yield Told("note", f"Changed in this turn: {self._changes(self._before)}")
        yield Told("reward", reward_text(report))
        self._before = self.episode.session.snapshot()
        if not self.episode.done:
            yield self._words()

    def _changes(self, since: dict) -> str:
        return difference(since, self.episode.session.state).words(nouns(self.episode.environment))

    def _words(self) -> Told:
        return Told("user", f"[turn {self.episode.turn + 1} of {len(self.episode.item.turns)}] {self.episode.words}")

    def _tools(self, name: str) -> str:
        tools = self.episode.tools
        if not name:
            return "\n".join(f"  {signature(tool)}" for tool in tools)
        found = [tool for tool in tools if tool["name"] == name]
        if not found:
            return f"there is no tool {name!r}; /tools lists those there are"
        schema = json.dumps(found[0].get("inputSchema", {}), indent=2, ensure_ascii=False)
        return f"{signature(found[0])}\n{found[0].get('description', '')}\n{schema}"


def reward_text(report: TurnReport) -> str:
    """Return a turn's reward, why, and which call covered which golden call."""
    lines = [f"Turn {report.turn + 1}: reward {report.reward:g}: {report.why}."]
    for golden in report.golden:
        by = f"call {golden.covered_by + 1}" if golden.covered_by is not None else f"not covered: {golden.reason}"
        lines.append(f"  {'+' if golden.covered_by is not None else '-'} {call_text(golden.call)}  [{by}]")
    return "\n".join(lines)


def play_lines(game: Play, lines: Iterable[str]) -> Iterator[Told]:
    """Play a game with given lines and yield all that is told, what was typed included (role ``typed``)."""
    yield from game.begin()
    for line in lines:
        yield Told("typed", line.strip())
        yield from game.answer(line)
        if game.over:
            break
    yield from game.end()


def play_by_hand(game: Play, show: Callable[[str], object] = print) -> list[Told]:
    """Let a person play in a notebook: shows all as it is told, asks for lines by ``input``; returns what was told."""
    told = []
    for part in play_lines(game, iter(lambda: input("> "), None)):
        told.append(part)
        if part.role != "typed":
            show(part.text)
    return told


def scripted_attempt(environment: Environment, item: Item) -> list[str]:
    """Return the lines of an attempt that forgets the last golden call: all turns but that one are paid."""
    last = max(key for key, _ in item.golden())
    return typed_lines(replay(environment, item, {last: None}))


def typed_lines(episode: Episode) -> list[str]:
    """Return the lines that play an episode again: its calls, and the message that ended each turn.

    A question that the user answered is told again as ``/say``.
    """
    lines: list[str] = []
    for t, turn in enumerate(episode.item.turns):
        if not episode.reached[t]:
            break
        if turn.answer:
            lines.append("/say What is missing?")
        lines += [typed(call.tool, call.arguments) for call in episode.calls[t]]
        if len(episode.calls[t]) < episode.step_cap:
            lines.append(f"/say {episode.messages[t]}" if episode.messages[t] else "/end")
    return lines
