"""Checks of rules that only a text states: a call that breaks one is refused.

The rules are read from the published texts (``stated_values.py``), never from the code.  Not checked: what the
schema itself declares (the validator holds it), rules of keys and references (their values are made here), and of
filters whose column is not bound alike.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from tvlab.environments.checks.cases import Case, Check, Outcome
from tvlab.environments.domain.field_types import is_id_name
from tvlab.environments.domain.tool_parsing import schema_type
from tvlab.environments.language.stated_numbers import item_bounds
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings import stated_needs
from tvlab.environments.meanings.stated_values import each_needs, item_keywords, stated_keywords, text_of

Path = tuple[str, ...]
_STORED = frozenset({"payload", "limit", "offset", "page"})
_STRANGE = "zq~x"
_DEEPEST = 4


def check_stated(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """Every stated rule of a value that a successful call gives refuses a value that breaks it."""
    for path, rule in stated_rules(case):
        base = next((o for o in reversed(successes) if _given(o.arguments, path)), None)
        if base is None:
            continue
        for word, bad in _breaking(rule, _at(base.arguments, path)):
            arguments = _without(base.arguments, path, *bad) if word == "needed" else _with(base.arguments, path, bad)
            refused = not case.run(arguments).ok
            told = f"{'.'.join(path)} = {str(bad)[:40]!r} was accepted, {word} is stated"
            yield case.check("stated_rule", refused, told)


def check_other_key(case: Case, successes: list[Outcome]) -> Iterator[Check]:
    """A batch whose items may name their record by one of two keys gives the same for either."""
    own = next((path for path, role in case.roles.items() if role["role"] == "key" and "[]." in path), None)
    for path, role in case.roles.items():
        if role["role"] != "other_key" or own is None:
            continue
        top, key, name = own.partition("[].")[0], own.rpartition(".")[2], path.rpartition(".")[2]
        whole = [o for o in successes if all(name in item and key in item for item in o.arguments.get(top, [{}]))]
        for outcome in whole:
            items = outcome.arguments[top]
            named = case.run({**outcome.arguments, top: [_less(item, key) for item in items]}, outcome.before)
            same = named.ok and named.value == outcome.value and named.after == outcome.after
            yield case.check("other_key", same, f"{name} does not pick the record that {key} picks")
            strange = [{**_less(item, key), name: _STRANGE} for item in items]
            lost = case.run({**outcome.arguments, top: strange}, outcome.before)
            yield case.check("unknown_id", not lost.ok, f"an unknown {name} was accepted")


def _less(item: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != key}


def stated_rules(case: Case) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the path of each parameter, or of each value inside it, with the keywords that its text states."""
    for name, part in case.properties.items():
        role = case.roles.get(name, {}).get("role")
        if role in _STORED and isinstance(part, dict):
            text = text_of(name, part, case.expectation.description)
            rule = stated_keywords(name, _bare(case, name, part), text, role == "limit")
            if rule:
                yield (name,), rule
        elif schema_type(part) == "array" and role in (None, "key", "reference"):
            text = unwrapped(text_of(name, part, case.expectation.description))
            if rule := item_bounds(_bare(case, name, part), text):
                yield (name,), rule
        if role in (None, "payload"):
            text = text_of(name, part if isinstance(part, dict) else {}, case.expectation.description)
            yield from _of_items(case, (name,), part, name, text)
            yield from _inside(case, (name,), part, name)


def _inside(case: Case, path: Path, part: Any, dotted: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The same for the properties of an object, and of the objects in a list."""
    if not isinstance(part, dict) or len(path) > _DEEPEST:
        return
    if isinstance(part.get("items"), dict):
        yield from _inside(case, (*path, "[]"), part["items"], f"{dotted}[]")
    for key, inner in (part.get("properties") or {}).items():
        role = case.roles.get(f"{dotted}.{key}", {}).get("role", "payload")
        if not isinstance(inner, dict) or role not in _STORED or is_id_name(key):
            continue
        rule = stated_keywords(key, _bare(case, f"{dotted}.{key}", inner), text_of(key, inner, ""))
        if rule:
            yield (*path, key), rule
        yield from _of_items(case, (*path, key), inner, f"{dotted}.{key}", text_of(key, inner, ""))
        yield from _inside(case, (*path, key), inner, f"{dotted}.{key}")
    for name, asks, values in stated_needs.inner_needs(part) if len(path) > 1 else ():
        yield (*path, name), {"needed": (asks, values[0])}


def _of_items(case: Case, path: Path, part: Any, dotted: str, text: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """What a text states of each item of a list: a form, or a name that it must have."""
    items = part.get("items") if isinstance(part, dict) else None
    if schema_type(part) != "array" or not isinstance(items, dict):
        return
    rule = item_keywords({**part, "items": _bare(case, f"{dotted}[]", items)}, text)
    if "pattern" in rule:
        yield (*path, "[]"), {"pattern": rule["pattern"]}
    if schema_type(items) == "object" and (name := each_needs(text)):
        yield (*path, "[]"), {"item": name}


def _bare(case: Case, dotted: str, part: dict[str, Any]) -> dict[str, Any]:
    """The schema without the keywords that the build put there for a text, which is read once more."""
    added = case.environment.meaning(case.name).get("stated", {}).get(dotted, ())
    return {word: value for word, value in part.items() if word not in added}


def _breaking(rule: dict[str, Any], given: Any) -> Iterator[tuple[str, Any]]:
    """Values that break a rule, one a keyword, where ``given`` keeps it."""
    for word, bound in rule.items():
        if word == "enum" and all(isinstance(one, int) for one in bound):
            yield word, max(bound) + 1
        elif word in ("enum", "pattern"):
            yield word, _STRANGE
        elif word in ("minimum", "exclusiveMinimum"):
            yield word, bound - 1
        elif word == "maximum":
            yield word, bound + 1
        elif word == "maxLength":
            yield word, "x" * (bound + 1)
        elif word == "minLength":
            yield word, "x" * (bound - 1)
        elif word == "minItems":
            yield word, given[: bound - 1]
        elif word == "maxItems":
            yield word, (given * (bound + 1))[: bound + 1]
        elif word == "item" and isinstance(given, dict):
            yield word, _less(given, bound)
        elif word == "needed":
            yield word, bound


def _at(value: Any, path: Path) -> Any:
    """The value at a path that is there, in the first item of a list."""
    for step in path:
        value = value[0] if step == "[]" else value[step]
    return value


def _given(value: Any, path: Path) -> bool:
    if not path:
        return value is not None
    if path[0] == "[]":
        return isinstance(value, list) and bool(value) and _given(value[0], path[1:])
    return isinstance(value, dict) and path[0] in value and _given(value[path[0]], path[1:])


def _without(arguments: dict[str, Any], path: Path, asks: str, value: Any) -> dict[str, Any]:
    """The arguments without the value at a path, beside the value that asks for it."""
    changed = copy.deepcopy(arguments)
    place: Any = changed
    for step in path[:-1]:
        place = place[0] if step == "[]" else place[step]
    place.pop(path[-1])
    place[asks] = value
    return changed


def _with(arguments: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """The arguments with another value at a path, in the first item of a list."""
    changed = copy.deepcopy(arguments)
    place: Any = changed
    for step in path[:-1]:
        place = place[0] if step == "[]" else place[step]
    place[0 if path[-1] == "[]" else path[-1]] = value
    return changed
