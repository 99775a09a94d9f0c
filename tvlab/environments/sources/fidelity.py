"""Does an environment answer as the real server does?  The same script of calls on both, step by step.

A script is a list of calls written by hand (``benchmarks/fidelity_scripts/``).  What differs between two
servers by nature is left open in it: ``{"$of": ["milk", "id"]}`` stands for a field of what an earlier step
saved, on each side its own; ``ROOT`` for the folder that each side works in.

Three questions a step: *success*: do both accept the call, or both refuse it; *shape*: is the answer a record,
a list or neither on both sides; *effect*: which of the words written so far does the answer show, the same
ones on both sides.  A prose answer ("Saved.") has no shape, and only steps marked as reads have an effect.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tvlab.environments.environment import Environment, Session
from tvlab.foundation.atomic_files import read_jsonl
from tvlab.foundation.errors import UserError
from tvlab.foundation.words import split_name

_REFUSALS = re.compile(
    r"\b(not found|no such|does not exist|doesn't exist|not exist|unknown|invalid|error|failed)\b", re.I
)
_LONGEST_REFUSAL = 300
#: what servers wrap an answer in: no part of a record, and no words of the user's
_WRAPPING = frozenset({"success", "ok", "found", "status", "count", "total", "message", "recovered"})

Call = Callable[[str, dict[str, Any]], Awaitable[tuple[bool, Any]]]


@dataclass(frozen=True)
class Step:
    """One call of a script.

    Attributes:
        tool: name on the real server.
        arguments: literals, ``{"$of": [name, field]}`` and texts that begin with ``ROOT``.
        save: name under which the answer's (first) record is kept for later steps.
        reads: True if the answer shows the state, so that effects can be compared.
    """

    tool: str
    arguments: dict[str, Any]
    save: str = ""
    reads: bool = False


@dataclass(frozen=True)
class Script:
    """A server's calls.

    Attributes:
        server: name of the live server.
        starts: ``empty`` if the real server starts without records; the environment is emptied then.
        root: the folder that ``ROOT`` stands for on the real server; ``WORKDIR`` is its working folder.
        steps: the calls.
    """

    server: str
    starts: str
    root: str
    steps: tuple[Step, ...]

    @classmethod
    def read(cls, path: Path) -> Script:
        """Read a script: a first line about the server, then one line a step.

        Raises:
            UserError: the file is missing or a line is no step.
        """
        head, *lines = read_jsonl(path)
        try:
            steps = tuple(Step(**line) for line in lines)
            return cls(head["server"], head.get("starts", "empty"), head.get("root", ""), steps)
        except (TypeError, KeyError) as fault:
            raise UserError(f"{path}: not a fidelity script ({fault})") from None


@dataclass
class Side:
    """What one side answered so far."""

    call: Call
    root: str = ""
    saved: dict[str, Any] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)

    async def run(self, step: Step) -> tuple[bool, Any]:
        """Make the step's call with this side's own ids and folders."""
        ok, value = await self.call(step.tool, self.filled(step.arguments))
        if ok and step.save:
            self.saved[step.save] = first_record(value)
        return ok, value

    def filled(self, value: Any) -> Any:
        """Replace references and folders by this side's values; a reference to nothing is a word nobody knows."""
        if isinstance(value, dict):
            if set(value) == {"$of"}:
                name, wanted = value["$of"]
                return field_of(self.saved.get(name), wanted)
            return {key: self.filled(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.filled(inner) for inner in value]
        if isinstance(value, str) and value.startswith("ROOT"):
            return self.root + value[len("ROOT") :]
        return value


def simulated(environments: Sequence[Environment], script: Script) -> Side:
    """Return the side of a server's environments (one, or several if the server was split).

    Tools that are in none of them answer ``None``, which ``compare`` tells from a refusal.
    """
    sessions = [(environment, environment.session()) for environment in environments]
    if script.starts == "empty":
        for _, session in sessions:
            session.state = {t: ({} if not t.startswith("_") else dict(r)) for t, r in session.state.items()}

    async def call(tool: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
        for environment, session in sessions:
            for new, old in environment.report.get("name_map", {}).items():
                if old == tool or new == tool:
                    return _called(session, new, _renamed(environment, new, arguments))
        return False, None

    root = script.root and next(
        (path for _, session in sessions for path in sorted(session.state.get("directories", {}))), ""
    )
    return Side(call, root)


def compare(step: Step, live: tuple[bool, Any], simulated: tuple[bool, Any], written: set[str]) -> dict[str, Any]:
    """Return one row: success, shape, effect (True, False, or None where the question does not arise)."""
    if simulated[1] is None and not simulated[0]:
        return {"kept": False, "success": None, "shape": None, "fields": None, "effect": None}
    there, here = accepted(*live), accepted(*simulated)
    row: dict[str, Any] = {"kept": True, "live_ok": there, "simulated_ok": here, "success": there == here}
    row.update(shape=None, fields=None, effect=None)
    if there and here:
        row["shape"] = _same_shape(live[1], simulated[1])
        row["fields"] = shared_fields(first_record(live[1]), first_record(simulated[1]))
        if step.reads:
            written = written - words_of(step.arguments)  # an answer may repeat what was asked, or not
            row["effect"] = shown(live[1], written) == shown(simulated[1], written)
    return row


def accepted(ok: bool, value: Any) -> bool:
    """True unless the answer says that the call failed: many servers say so in an ordinary answer."""
    if not ok:
        return False
    if isinstance(value, dict):
        if value.get("error") or value.get("ok") is False or value.get("success") is False:
            return False
        if value.get("deleted") is False or value.get("found") is False:
            return False
        if set(value) <= {"content", "message", "result", "status"} and len(value) == 1:
            return accepted(True, next(iter(value.values())))
    if isinstance(value, str):
        return not (len(value) < _LONGEST_REFUSAL and _REFUSALS.search(value))
    return True


def first_record(value: Any) -> dict[str, Any] | None:
    """The record in an answer: itself, the one that it wraps, or the first of its list."""
    if isinstance(value, list):
        return next((item for item in value if isinstance(item, dict)), None)
    if not isinstance(value, dict):
        return None
    inside = _unwrapped(value)
    return value if inside is value else first_record(inside)


def _unwrapped(value: dict[str, Any]) -> Any:
    """What a dictionary wraps: its only list or record beside words about the call; else itself."""
    rest = [inner for name, inner in value.items() if name not in _WRAPPING and inner not in (None, [], {})]
    whole = [inner for name, inner in value.items() if name not in _WRAPPING]
    if len(rest) == 1 and isinstance(rest[0], list | dict):
        return rest[0]
    if not rest and len(whole) == 1 and isinstance(whole[0], list | dict):
        return whole[0]
    return value


def field_of(record: Any, wanted: str) -> Any:
    """A field by name; ``id`` is also found as ``task_id`` or ``taskId``."""
    if not isinstance(record, dict):
        return f"no-{wanted}"
    if wanted in record:
        return record[wanted]
    for name, value in record.items():
        if split_name(name)[-1:] == split_name(wanted)[-1:]:
            return value
    return f"no-{wanted}"


def shared_fields(live: Any, simulated: Any) -> float | None:
    """Share of the real record's fields that the simulated one has too; ids and dates of change count as one."""
    if not isinstance(live, dict) or not isinstance(simulated, dict) or not live:
        return None
    names, own = ({_plain(name) for name in record} for record in (live, simulated))
    return len(names & own) / len(names)


def shown(value: Any, written: set[str]) -> set[str]:
    """Which of the written words stand in an answer's values; dates compare without their ``T``."""
    text = _dates("\n".join(_leaves(value))).casefold()
    return {word for word in written if _dates(word).casefold() in text}


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _leaves(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _leaves(inner)]
    return [str(value)]


def _dates(text: str) -> str:
    return re.sub(r"(\d)T(\d)", r"\1 \2", text)


def words_of(arguments: Any) -> set[str]:
    """The texts in a call's arguments that a later answer could show."""
    if isinstance(arguments, Mapping):
        return set() if "$of" in arguments else set().union(*map(words_of, arguments.values()), set())
    if isinstance(arguments, list):
        return set().union(*map(words_of, arguments), set())
    if isinstance(arguments, str) and len(arguments) > 2:
        return {arguments.rsplit("/", 1)[-1] if arguments.startswith("ROOT") else arguments}
    return set()


def _same_shape(live: Any, simulated: Any) -> bool | None:
    kinds = [_shape(value) for value in (live, simulated)]
    return None if "prose" in kinds else kinds[0] == kinds[1]


def _shape(value: Any) -> str:
    if isinstance(value, list):
        return "list"
    if not isinstance(value, dict) or set(value) <= {"content", "message", "success", "status", "ok"}:
        return "prose"
    return "list" if isinstance(_unwrapped(value), list) else "record"


def _plain(name: str) -> str:
    words = split_name(name)
    return "id" if words[-1:] == ["id"] else "_".join(words)


def _called(session: Session, tool: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
    result = session.call(tool, arguments)
    return result.ok, result.observation


def _renamed(environment: Environment, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Use the environment's own parameter names, and leave out what its schema was narrowed by."""
    maps = environment.report.get("parameter_maps", {}).get(tool, {})
    new = {old: name for name, old in maps.items()} if isinstance(maps, Mapping) else {}
    known = environment.parameters[tool]
    named = {new.get(name, name): value for name, value in arguments.items()}
    return {name: value for name, value in named.items() if name in known}
