"""Unit converters as computations: the units are those of the enumerations, or those that the text lists.

``convert_length(value, from_unit, to_unit)`` and ``celsius_to_fahrenheit(celsius)``.  One unit of uncertain
size (a cup, a gallon) among those offered leaves the tool out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tvlab.environments.computations.computation_forms import NUMBER, Computation, Input, Known
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.language.units import (
    DIMENSION_WORDS,
    KNOWN,
    UNCERTAIN,
    UNITS,
    dimension_of,
    dimensions,
)
from tvlab.foundation.words import split_name

_VALUE = frozenset("value amount number quantity val x num n".split())
_FROM = frozenset("from from_unit from_scale unit1 source_unit unit_from input_unit source from_units".split())
_TO = frozenset("to to_unit to_scale unit2 target_unit unit_to output_unit target to_units destination_unit".split())
_VERBS = frozenset("convert converter conversion converts".split())
_PLAIN = frozenset("unit units measurement measurements physical metric tool calculate calculator calc get".split())
_LEAD = re.compile(r"^(?:e\.g\.?|i\.e\.?|or|and)\s+|['\"`]|\.$")
_ROUNDED = re.compile(r"\bround|decimal places|significant|precision", re.IGNORECASE)


@dataclass(frozen=True)
class Conversion:
    """A converter: its operation, its parts, and which unit each offered spelling means."""

    computation: Computation
    parts: dict[str, Parameter]
    units: dict[str, dict[str, str]] = field(default_factory=dict)


def conversion_of(tool: ParsedTool) -> Conversion | None:
    """Return the unit conversion that a tool certainly is, else None."""
    words = [word for word in split_name(tool.name) if word not in ("tool", "calculate", "calculator", "get", "math")]
    if _ROUNDED.search(tool.description):
        return None
    if "to" in words:
        return _fixed(tool, [word for word in words if word not in _VERBS])
    rest = [word for word in words if word not in _VERBS | _PLAIN]
    if len(rest) > 1 or not set(words) & (_VERBS | {"unit", "units"}):
        return None
    wanted = DIMENSION_WORDS.get(rest[0], "") if rest else ""
    return None if rest and not wanted else _open(tool, wanted)


def _fixed(tool: ParsedTool, words: list[str]) -> Conversion | None:
    """Read ``celsius_to_fahrenheit`` with one number."""
    at = words.index("to")
    source, target = "_".join(words[:at]), "_".join(words[at + 1 :])
    dimension = dimension_of(source)
    needed = [p for p in tool.parameters if p.required]
    if not dimension or dimension_of(target) != dimension or len(needed) != 1 or len(source) == len(target) == 1:
        return None
    p = needed[0]
    named = p.snake in _VALUE | {source, dimension, "temp", "angle"} or dimension_of(p.snake) == dimension
    if p.type not in ("number", "integer") or p.enum or not named or not _speaks_of(tool, source, target):
        return None
    code = f'convert({{x}}, "{source}", "{target}", "{dimension}")'
    known = tuple(((value,), answer) for value, answer in _known_between(dimension, source, target))
    computation = Computation(f"{source}_to_{target}", (), "", (_input("x"),), code, NUMBER, known)
    return Conversion(computation, {"x": p}) if len(known) >= 1 else None


def _speaks_of(tool: ParsedTool, source: str, target: str) -> bool:
    """True unless an English description leaves one of both units out."""
    text = tool.description.lower()
    if len(re.findall(r"[a-z]{3,}", text)) < 2:
        return True
    spelled = [{source}, {target}]
    for words in spelled:
        unit = next(iter(words))
        table = UNITS[dimension_of(unit)]
        words |= {other.replace("_", " ") for other, size in table.items() if size == table[unit]}
    return all(any(re.search(rf"(?<!\w){re.escape(w)}(?!\w)", text) for w in words) for words in spelled)


def _open(tool: ParsedTool, wanted: str) -> Conversion | None:
    """Read a value, a unit and another unit."""
    value = _only(tool, _VALUE | {wanted, "temp"}, ("number", "integer"))
    source, target = _only(tool, _FROM, ("string",)), _only(tool, _TO, ("string",))
    if value is None or source is None or target is None or value.enum:
        return None
    offered = [str(unit) for unit in (*source.enum, *target.enum)]
    if bool(source.enum) != bool(target.enum):
        return None
    listed = offered or _listed(" ".join((tool.description, source.description, target.description)))
    if not listed and not (wanted and not _uncertain(tool)):
        return None
    found = dimensions(listed, wanted) if listed else [wanted]
    if not found or (not offered and _uncertain(tool)):
        return None
    shown = ", ".join(f'"{name}"' for name in found)
    code = f"convert({{value}}, {{source}}, {{target}}, {shown})"
    spelled = {unit.strip().casefold(): unit for unit in offered}
    known = tuple(row for name in found for row in _known_with(name, spelled))
    inputs = (_input("value"), _text_input("source"), _text_input("target"))
    refused = ((1, "parsecs per fortnight", "parsecs per fortnight"),) if not offered else ()
    computation = Computation("convert_units", (), "", inputs, code, NUMBER, known, refused=refused)
    parts = {"value": value, "source": source, "target": target}
    return Conversion(computation, parts) if len(known) >= 2 else None


def _only(tool: ParsedTool, names: frozenset[str] | set[str], types: tuple[str, ...]) -> Parameter | None:
    found = [p for p in tool.parameters if p.snake in names and p.type in types and p.required]
    return found[0] if len(found) == 1 else None


def _input(role: str) -> Input:
    return Input(role, "number", frozenset())


def _text_input(role: str) -> Input:
    return Input(role, "text", frozenset())


def _listed(text: str) -> list[str]:
    """Return the units that a text lists between commas, in brackets or behind a colon."""
    lists = re.findall(r"\(([^()]*,[^()]*)\)", text) + re.findall(r":\s*([^\n:;.()]*,[^\n:;.()]*)", text)
    units: list[str] = []
    for part in lists:
        words = [_LEAD.sub("", word.strip()).strip() for word in part.split(",")]
        words = [word for word in words if word and word.lower() not in ("etc", "e.g", "...", "eg")]
        if len(words) > 1 and all(len(word) < 24 for word in words):
            units += words
    return units


def _uncertain(tool: ParsedTool) -> bool:
    return bool(UNCERTAIN & set(re.findall(r"\w+", tool.description.lower())))


def _known_with(dimension: str, spelled: dict[str, str]) -> list[Known]:
    """Return the known conversions between offered units, in the offered spelling; all if every unit is."""
    rows: list[Known] = []
    for value, source, target, answer in KNOWN[dimension]:
        names = [_offered(dimension, unit, spelled) for unit in (source, target)]
        if None not in names:
            rows.append(((value, *names), answer))
    return rows


def _offered(dimension: str, unit: str, spelled: dict[str, str]) -> str | None:
    if not spelled:
        return unit
    size = UNITS[dimension][unit]
    return next((text for word, text in spelled.items() if UNITS[dimension].get(word) == size), None)


def _known_between(dimension: str, source: str, target: str) -> list[tuple[float, float]]:
    """Return (value, answer) of the known conversions from one unit to another, either way round."""
    table = UNITS[dimension]
    sizes = (table[source], table[target])
    rows = [(v, a) for v, s, t, a in KNOWN[dimension] if (table[s], table[t]) == sizes]
    return rows + [(a, v) for v, s, t, a in KNOWN[dimension] if (table[t], table[s]) == sizes]
