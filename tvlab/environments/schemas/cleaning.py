"""One schema as a server sent it -> the same meaning in plain JSON Schema 2020-12.

The result is built from nothing: a keyword gets in only with a value that the 2020-12 metaschema allows, so
whatever came in, what goes out is a valid schema. References are put in place (circular ones up to a depth,
then open), type lists, ``nullable``, draft-3/4/7 spellings and serialised validator objects are translated,
nested fields stay. Noise (vendor keywords, titles that repeat the name) goes. Not checked: whether any value
satisfies the result.
"""

from typing import Any

from tvlab.environments.schemas.algebra import (
    NEVER,
    ContradictionError,
    Schema,
    as_type,
    intersect,
    nullable,
    union,
)
from tvlab.environments.schemas.references import References
from tvlab.environments.schemas.values import (
    counts,
    declared_types,
    default_for,
    enum_values,
    from_zod,
    is_pattern,
    numeric_bounds,
    type_name,
)
from tvlab.foundation.words import split_name

MAX_DEPTH = 64
MAX_NODES = 10_000
_MISPLACED = ("properties", "required", "additionalProperties", "$schema")
_FIRST = "type title description enum const format properties required items prefixItems anyOf oneOf allOf"
_ORDER = {keyword: at for at, keyword in enumerate(_FIRST.split())}

Trail = tuple[int, ...]
Path = tuple[str, ...]


class TooLargeError(Exception):
    """The schema has too many nodes, or is nested too deeply, once its references are in place."""


class SchemaCleaner:
    """Cleans the schemas of one document.

    Args:
        references: where its references point.
        unroll: how often a definition may stand inside itself before it is left open.
        max_nodes: the largest number of schemas inside the result.

    Attributes:
        notes: what was changed in meaning, one line each, with the place.
    """

    def __init__(self, references: References, unroll: int = 3, max_nodes: int = MAX_NODES) -> None:
        self.references = references
        self.unroll = unroll
        self.max_nodes = max_nodes
        self.notes: list[str] = []
        self._nodes = 0
        self._cuts = 0

    def clean(self, raw: Any, path: Path = (), trail: Trail = ()) -> Schema:
        """Return the cleaned schema.

        Args:
            raw: any JSON value that stands where a schema should.
            path: the names that lead to it, for notes.
            trail: the reference targets that it stands inside.

        Raises:
            TooLargeError: more than ``max_nodes`` nodes or ``MAX_DEPTH`` levels.
        """
        self._nodes += 1
        if self._nodes > self.max_nodes:
            raise TooLargeError(f"more than {self.max_nodes} nodes once references are in place")
        if len(path) + len(trail) > MAX_DEPTH:
            raise TooLargeError(f"nested deeper than {MAX_DEPTH} levels")
        if raw is False:
            return NEVER
        if isinstance(raw, str):
            return (
                {"type": type_name(raw)}
                if type_name(raw)
                else {"description": raw.strip()}
                if raw.strip()
                else {}
            )
        if not isinstance(raw, dict):
            if raw is not True and raw is not None:
                self._note(path, f"{type(raw).__name__} in place of a schema, left open")
            return {}
        if isinstance(raw.get("_def"), dict):
            self._note(path, "a validator object in place of a schema, its type read from it")
            raw = from_zod(raw)[0]
        return self._finished(raw, self._combined(raw, path, trail), path)

    def _note(self, path: Path, text: str) -> None:
        self.notes.append(f"{'.'.join(path) or 'schema'}: {text}")

    def _combined(self, raw: dict, path: Path, trail: Trail) -> Schema:
        """The node's reference and combinators, intersected with its own keywords, whose annotations win."""
        inner: Schema = {}
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if isinstance(raw.get(keyword), str):
                inner = self._and(inner, self._referred(raw[keyword], path, trail), path)
        for branch in _branches(raw, "allOf"):
            inner = self._and(inner, self.clean(branch, (*path, "allOf"), trail), path)
        for keyword in ("anyOf", "oneOf"):
            branches = _branches(raw, keyword)
            if branches:
                before = self._cuts
                cleaned = [self.clean(branch, (*path, keyword), trail) for branch in branches]
                kept = keyword if self._cuts == before else "anyOf"
                inner = self._and(inner, union(cleaned, kept), path)
        return self._and(inner, self._own(raw, path, trail), path)

    def _and(self, left: Schema, right: Schema, path: Path) -> Schema:
        if NEVER in (left, right):
            return NEVER
        try:
            return intersect(left, right)
        except ContradictionError as reason:
            self._note(path, f"parts contradict each other ({reason})")
            return {"allOf": [left, right]}

    def _referred(self, reference: str, path: Path, trail: Trail) -> Schema:
        target = self.references.find(reference)
        if target is None:
            self._note(path, f"reference {reference!r} leads nowhere, left open")
            return {}
        if trail.count(id(target)) < self.unroll:
            return self.clean(target, path, (*trail, id(target)))
        self._cuts += 1
        if not any(note.endswith(f"circular reference {reference!r} left open") for note in self.notes):
            self._note(path, f"circular reference {reference!r} left open")
        types = declared_types(target) if isinstance(target, dict) else []
        return {"type": as_type(types)} if types else {}

    def _own(self, raw: dict, path: Path, trail: Trail) -> Schema:
        types = declared_types(raw)
        result: Schema = {}
        if isinstance(raw.get("enum"), list) and raw["enum"]:
            result["enum"], types = enum_values(raw["enum"], types)
        if "const" in raw:
            (result["const"],), types = enum_values([raw["const"]], types)
        if types:
            result["type"] = as_type(types)
        result |= self._annotations(raw, path)
        if not types or "object" in types:
            result |= self._object(raw, path, trail)
        if not types or "array" in types:
            result |= self._array(raw, path, trail)
        if not types or "string" in types:
            result |= counts(raw, "minLength", "maxLength") | self._pattern(raw, path)
        if not types or {"integer", "number"} & set(types):
            result |= numeric_bounds(raw)
        return result | self._logic(raw, path, trail)

    def _annotations(self, raw: dict, path: Path) -> Schema:
        result: Schema = {}
        description = raw.get("description")
        if isinstance(description, list):
            description = " ".join(part for part in description if isinstance(part, str))
        if isinstance(description, str) and description.strip():
            result["description"] = description.strip()
        title = raw.get("title")
        if (
            isinstance(title, str)
            and title.strip()
            and split_name(title) != split_name(path[-1] if path else title)
        ):
            result["title"] = title.strip()
        if isinstance(raw.get("format"), str):
            result["format"] = raw["format"]
        examples = raw.get("examples", [raw["example"]] if "example" in raw else None)
        if isinstance(examples, list) and examples:
            result["examples"] = examples
        return result | {key: True for key in ("deprecated", "readOnly", "writeOnly") if raw.get(key) is True}

    def _pattern(self, raw: dict, path: Path) -> Schema:
        pattern = raw.get("pattern")
        if not isinstance(pattern, str):
            return {}
        if not is_pattern(pattern):
            self._note(path, f"pattern {pattern!r} is no regular expression, left out")
            return {}
        return {"pattern": pattern}

    def _object(self, raw: dict, path: Path, trail: Trail) -> Schema:
        raw = _unwrapped(raw)
        result: Schema = {}
        properties = properties_of(raw)
        required = _names(raw.get("required"))
        if properties is not None:
            cleaned = {name: self.clean(schema, (*path, name), trail) for name, schema in properties.items()}
            required += [name for name, schema in properties.items()
                         if isinstance(schema, dict) and _says_required(schema)]  # fmt: skip
            result["properties"] = {name: schema for name, schema in cleaned.items() if schema != NEVER}
            unknown = [name for name in required if name not in result["properties"]]
            if unknown and result["properties"]:
                self._note(
                    path, f"required {', '.join(map(repr, unknown))} is not among the properties, left out"
                )
                required = [name for name in required if name not in unknown]
        if required:
            result["required"] = list(dict.fromkeys(required))
        return (
            result | counts(raw, "minProperties", "maxProperties") | self._open_properties(raw, path, trail)
        )

    def _open_properties(self, raw: dict, path: Path, trail: Trail) -> Schema:
        result: Schema = {}
        extra = raw.get("additionalProperties", raw.get("unevaluatedProperties"))
        if extra is False or extra == "false":
            result["additionalProperties"] = False
        elif isinstance(extra, dict):
            schema = self.clean(extra, (*path, "*"), trail)
            result |= {"additionalProperties": schema} if schema else {}
        if isinstance(raw.get("propertyNames"), dict):
            result["propertyNames"] = self.clean(raw["propertyNames"], (*path, "propertyNames"), trail)
        patterns = raw.get("patternProperties")
        if isinstance(patterns, dict) and patterns:
            result["patternProperties"] = {
                pattern: self.clean(schema, (*path, pattern), trail)
                for pattern, schema in patterns.items() if is_pattern(pattern)}  # fmt: skip
        dependent = {**_as_dict(raw.get("dependencies")), **_as_dict(raw.get("dependentRequired"))}
        dependent = {name: _names(names) for name, names in dependent.items() if isinstance(names, list)}
        return result | ({"dependentRequired": dependent} if dependent else {})

    def _array(self, raw: dict, path: Path, trail: Trail) -> Schema:
        result: Schema = counts(raw, "minItems", "maxItems")
        positions = next(
            (raw[word] for word in ("prefixItems", "items") if isinstance(raw.get(word), list)), None
        )
        if positions:
            rest = raw.get(
                "additionalItems", raw.get("items") if positions is raw.get("prefixItems") else None
            )
            result |= self._tuple(positions, rest, result, path, trail)
        elif "array" in declared_types(raw) or "items" in raw:
            items = raw.get("items")
            result["items"] = self.clean({} if isinstance(items, list) else items, (*path, "[]"), trail)
        if raw.get("uniqueItems") is True:
            result["uniqueItems"] = True
        if isinstance(raw.get("contains"), dict):
            result["contains"] = self.clean(raw["contains"], (*path, "contains"), trail)
            result |= counts(raw, "minContains", "maxContains")
        return result

    def _tuple(self, positions: list, rest: Any, sizes: Schema, path: Path, trail: Trail) -> Schema:
        """A list of positions; one plain ``items`` if all positions are alike and there are no others."""
        cleaned = [self.clean(schema, (*path, "[]"), trail) for schema in positions]
        if rest is False:
            sizes = sizes | {"maxItems": min(len(cleaned), sizes.get("maxItems", len(cleaned)))}
        closed = sizes.get("maxItems", len(cleaned) + 1) <= len(cleaned)
        if closed and all(schema == cleaned[0] for schema in cleaned):
            return {**sizes, "items": cleaned[0]}
        others = {} if closed else self.clean(rest, (*path, "[]"), trail)
        return {**sizes, "prefixItems": cleaned, "items": others}

    def _logic(self, raw: dict, path: Path, trail: Trail) -> Schema:
        """``not`` and ``if``/``then``/``else``, unless a circular reference was cut inside them."""
        before = self._cuts
        result = {keyword: self.clean(raw[keyword], (*path, keyword), trail)
                  for keyword in ("not", "if", "then", "else") if isinstance(raw.get(keyword),
                                                                             dict)}  # fmt: skip
        if result.get("not") == {} or self._cuts != before:
            self._note(path, "a negation that nothing satisfies was left out")
            return {}
        if "if" not in result or not result.keys() & {"then", "else"}:
            result = {"not": result["not"]} if "not" in result else {}
        return result

    def _finished(self, raw: dict, result: Schema, path: Path) -> Schema:
        """Adds null, the default, and the usual order of keywords."""
        if result == NEVER:
            return NEVER
        if raw.get("nullable") is True:
            result = nullable(result)
        result = {
            keyword: result[keyword] for keyword in sorted(result, key=lambda word: _ORDER.get(word, 99))
        }
        given = raw.get("default", result.pop("default", None))
        if "default" not in raw and given is None:
            return result
        default = default_for(given, result)
        if default is None:
            if given is not None:
                self._note(path, f"default {given!r} breaks its own schema, left out"[:200])
            return result
        return {**result, "default": default[0]}


def properties_of(raw: dict) -> dict[str, Any] | None:
    """Return the properties of an object schema (also from a list of named ones), None if there are none."""
    properties = raw.get("properties")
    if isinstance(properties, list):
        named = [item for item in properties if isinstance(item, dict) and isinstance(item.get("name"), str)]
        return {item["name"]: {key: value for key, value in item.items() if key != "name"} for item in named}
    return properties if isinstance(properties, dict) else None


def _unwrapped(raw: dict) -> dict:
    """``raw``, or the whole schema that was put under its ``properties`` by mistake."""
    inner = raw.get("properties")
    while (isinstance(inner, dict) and isinstance(inner.get("type"), str)
           and isinstance(inner.get("properties"), dict)):  # fmt: skip
        raw = {**raw, **{keyword: inner[keyword] for keyword in _MISPLACED if keyword in inner}}
        inner = raw.get("properties")
    return raw


def _branches(raw: dict, keyword: str) -> list:
    value = raw.get(keyword)
    return value if isinstance(value, list) else [value] if isinstance(value, dict) else []


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _says_required(schema: dict) -> bool:
    return schema.get("required") is True


def _as_dict(value: Any) -> dict:
    return value if isinstance(value, dict) else {}
