"""Which tools are pure computations whose meaning is certain, and how their parameters take part.

Three things must agree: the name (filler words left out) is one of an operation's names, the description
says the operation and nothing that would change it, and every required parameter has a part in it.  An optional
parameter without a part leaves the schema, unless a declared default makes it work unasked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tvlab.environments.computations import arithmetic as computations_arithmetic
from tvlab.environments.computations import clinical as computations_clinical
from tvlab.environments.computations import lists as computations_lists
from tvlab.environments.computations import measures as computations_measures
from tvlab.environments.computations import texts as computations_texts
from tvlab.environments.computations.computation_forms import PAIRS, Computation, Input
from tvlab.environments.computations.unit_conversions import conversion_of
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, schema_type
from tvlab.foundation.words import split_name

CATALOGUE: tuple[Computation, ...] = (
    *computations_arithmetic.COMPUTATIONS,
    *computations_lists.COMPUTATIONS,
    *computations_texts.COMPUTATIONS,
    *computations_measures.COMPUTATIONS,
    *computations_clinical.COMPUTATIONS,
)
_FILLER = frozenset(
    "calculate calculates calc calculator calculation compute computes computation get find tool math maths "
    "mathematics do perform simple basic the of a an is2 two 2 number numbers num nums integer integers value values "
    "text string list array data function func my given by using check2 input util utils helper method operation "
    "arithmetic returns return make".split()
)
_OTHER_THINGS = re.compile(
    r"\b(?:store[sd]?|saved?|histor\w*|session|files?|paths?|databases?|spreadsheets?|worksheets?|cells?|random\w*|dry.?run|"
    r"rest api|https?://|live|latest|real.?time|wallets?|async\w*|streams?|progress|notif\w*|websockets?|subscri\w*|"
    r"images?|pdf|sampling|elicit\w*|delay\w*|magic|secret\w*|custom\w*|always fails?|deliberate\w*|wrong|broken|"
    r"deprecated|stock price|currenc\w*|remembers?|variables?|previous|accumulat\w*|memory|clipboard|screen|"
    r"selected)\b",
    re.IGNORECASE,
)
_STRUCTURED = re.compile(r"\bdict(?:ionary)?\b|\bobject (?:with|containing)|\bJSON object\b", re.IGNORECASE)
_PARAMETERS = re.compile(
    r"\b(?:args|arguments|parameters|params|inputs?|returns?|raises|examples?|usage)\b\W*[:\n(]", re.I
)
_ENGLISH = frozenset(
    "the an of to and two in for is with from by number numbers text string value message returns return adds add "
    "calculate calculates compute computes convert converts get finds find check multiply multiplies subtract divide "
    "reverse reverses encode decode hash echo echoes evaluate evaluates tool simple sum".split()
)
_OTHER_DATES = re.compile(r"\b(?:DD|MM)[/.-]|\bD/M|timestamp|natural language|\d年|\btoday\b", re.IGNORECASE)
_TYPES = {
    "number": ("number", "integer"),
    "whole": ("integer", "number"),
    "text": ("string",),
    "date": ("string",),
    "choice": ("string",),
    "flag": ("boolean",),
    "numbers": ("array",),
    "matrix": ("array",),
}


@dataclass(frozen=True)
class Recognised:
    """A tool as a computation.

    Attributes:
        parts: role -> parameter; a role that is not there takes what the operation has otherwise.
        narrowed: optional parameters without a part.
        result: name of the answer in the output.
        echoes: outputs that repeat an argument: name -> parameter.
        units: part -> spelled value -> unit, for conversions: which known answers apply.
    """

    computation: Computation
    parts: dict[str, Parameter]
    narrowed: tuple[Parameter, ...] = ()
    result: str = "result"
    echoes: dict[str, str] = field(default_factory=dict)
    units: dict[str, dict[str, str]] = field(default_factory=dict)


def recognise(tool: ParsedTool) -> Recognised | None:
    """Return the computation that a tool certainly is, None if there is any doubt."""
    if not 1 <= len(tool.parameters) <= 8 or any(p.children or len(p.path) > 1 for p in tool.parameters):
        return None
    converted, named = conversion_of(tool), _named(tool)
    if (converted is None and not named) or _OTHER_THINGS.search(_words_of(tool)):
        return None
    if converted is not None:
        return _complete(tool, converted.computation, converted.parts, converted.units)
    for computation in named:
        if _says(tool, computation):
            parts = _parts(tool, computation)
            found = _complete(tool, computation, parts, {}) if parts is not None else None
            if found is not None:
                return found
    return None


def summary(description: str) -> str:
    """Return what a description says before it lists parameters."""
    match = _PARAMETERS.search(description)
    head = description[: match.start()] if match else description
    return " ".join(head.split()) or " ".join(description.split())


def _words_of(tool: ParsedTool) -> str:
    """Everything that is said of a tool: name, description, parameters, in lower case."""
    said = [" ".join(split_name(tool.name)), tool.description]
    for p in tool.parameters:
        said += [" ".join(p.words), p.description]
    return " ; ".join(" ".join(text.split()) for text in said).lower()


def plain_name(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name without those that say nothing."""
    return tuple(word for word in words if word not in _FILLER)


@cache
def _by_name() -> dict[tuple[str, ...], list[Computation]]:
    table: dict[tuple[str, ...], list[Computation]] = defaultdict(list)
    for computation in CATALOGUE:
        for name in dict.fromkeys(plain_name(tuple(name.split())) for name in computation.names):
            table[name].append(computation)
    return table


def _named(tool: ParsedTool) -> list[Computation]:
    """The operations with the tool's name; with a prefix before it only where a description speaks."""
    words = plain_name(tuple(split_name(tool.name)))
    found = list(_by_name().get(words, []))
    if not found and len(words) > 1 and _is_english(tool.description):
        found = list(_by_name().get(words[1:], [])) if words[1:] else []
    return found


def _is_english(text: str) -> bool:
    """True if a description has a common English word: else its name and parameters alone must do."""
    return bool(_ENGLISH & set(re.findall(r"[a-z]+", summary(text).lower())))


def _says(tool: ParsedTool, computation: Computation) -> bool:
    everything = _words_of(tool)
    if computation.needs and not re.search(computation.needs, everything):
        return False
    if computation.unless and re.search(computation.unless, everything):
        return False
    if not computation.covers and _STRUCTURED.search(tool.description):
        return False
    return not _is_english(tool.description) or bool(
        re.search(computation.says, summary(tool.description), re.IGNORECASE)
    )


def _parts(tool: ParsedTool, computation: Computation) -> dict[str, Parameter] | None:
    """Give every part its parameter; None if one is missing or of another type."""
    parts: dict[str, Parameter] = {}
    for wanted in computation.inputs:
        free = [p for p in tool.parameters if p not in parts.values() and _fits(tool, p, wanted)]
        found = next((p for p in free if _spelled(p) in wanted.names), None)
        if found is not None:
            parts[wanted.role] = found
        elif not wanted.otherwise:
            return None
        if found is not None and not found.required and not wanted.otherwise and "default" not in found.schema:
            return None
    return parts if _in_order(parts) else None


def _spelled(p: Parameter) -> str:
    return re.sub(r"_(?=\d)", "", p.snake)


def _in_order(parts: dict[str, Parameter]) -> bool:
    """True unless a pair is mixed: ``a`` with ``second``."""
    if set(parts) != {"a", "b"}:
        return True
    names = (_spelled(parts["a"]), _spelled(parts["b"]))
    known = {name for pair in PAIRS for name in pair}
    return names in PAIRS or not set(names) <= known


def _fits(tool: ParsedTool, p: Parameter, wanted: Input) -> bool:
    if p.type not in _TYPES[wanted.kind] or "const" in p.schema:
        return False
    if wanted.kind == "choice":
        return all(isinstance(v, str) and v.lower() in wanted.choices for v in p.enum) and (
            bool(p.enum) or _only_known(tool, p, wanted)
        )
    if p.enum or (wanted.kind == "date" and _OTHER_DATES.search(_without_iso(p.description))):
        return False
    inner = p.item_schema
    if wanted.kind == "numbers":
        return schema_type(inner) in ("number", "integer")
    if wanted.kind == "matrix":
        return schema_type(inner) == "array" and schema_type(inner.get("items")) in ("number", "integer")
    return wanted.kind != "text" or p.schema.get("format") is None


def _without_iso(text: str) -> str:
    return re.sub(r"YYYY-MM-DD", "", text, flags=re.IGNORECASE)


def _only_known(tool: ParsedTool, p: Parameter, wanted: Input) -> bool:
    """True if there are values that the descriptions quote or list, and all of them are honoured."""
    listed = re.findall(r"['\"`]([^\s'\"`]+)['\"`]", p.description)
    lists = re.findall(r"[(:]([^():]*,[^():]*)", p.description)
    listed = listed or [word for text in lists for word in text.split(", ")]
    listed = listed or re.findall(r"\b(?:md\d|sha\S*?\d+|blake\w+|crc\w+)\b", tool.description.lower())
    listed = listed or _listed_for(tool, p)
    return bool(listed) and all(value.lower() in wanted.choices for value in listed)


def _listed_for(tool: ParsedTool, p: Parameter) -> list[str]:
    """Return the values that the tool's description quotes on the lines about a parameter."""
    text = re.search(rf"(?m)^\s*{re.escape(p.name)}\b[^\n]*(?:\n\s+[^\n]*)?", tool.description)
    return re.findall(r"['\"`]([\w+*/-]+)['\"`]", text[0]) if text else []


def _complete(
    tool: ParsedTool, computation: Computation, parts: dict[str, Parameter], units: dict[str, dict[str, str]]
) -> Recognised | None:
    rest = [p for p in tool.parameters if p not in parts.values()]
    if any(p.required or p.schema.get("default") not in (None, False, "") for p in rest):
        return None
    output = _output(tool, computation, parts)
    if output is None:
        return None
    return Recognised(computation, parts, tuple(rest), *output, units)


def _output(
    tool: ParsedTool, computation: Computation, parts: dict[str, Parameter]
) -> tuple[str, dict[str, str]] | None:
    """Return the answer's name and the echoed arguments as the output schema declares them."""
    properties = tool.output.get("properties") if isinstance(tool.output, dict) else None
    if not isinstance(properties, dict) or not properties:
        return "result", {}
    taken = {_plain(p.name): p for p in parts.values()}
    echoes = {name: taken[_plain(name)].name for name in properties if _plain(name) in taken}
    answers = [name for name in properties if name not in echoes]
    if len(answers) != 1 or not _same_type(properties[answers[0]], computation):
        return None
    return answers[0], echoes


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _same_type(declared: Any, computation: Computation) -> bool:
    kind, value = schema_type(declared), computation.value["type"]
    return kind in ("any", value) or {kind, value} == {"number", "integer"}
