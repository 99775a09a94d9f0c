"""What the name and schema of a field say about its values: ids, moments, options, filters, guessed types."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from tvlab.environments.domain import answer_options
from tvlab.environments.domain.tool_parsing import Parameter, schema_type
from tvlab.environments.language import vocabulary as words_of
from tvlab.foundation.words import singular, split_name

_KEPT = (
    "type",
    "enum",
    "format",
    "minimum",
    "maximum",
    "items",
    "properties",
    "required",
    "description",
    "default",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "exclusiveMinimum",
    "multipleOf",
    "additionalProperties",
    "anyOf",
    "const",
)
_NUMBER = frozenset(
    "price amount fee fare cost total rate balance score weight budget latitude longitude "
    "temperature "
    "subtotal tax discount value percentage salary height width "
    "distance".split()
)
_INTEGER = frozenset(
    "count quantity stock number size age year position rank stars capacity seats duration "
    "minutes "
    "hours days nights level floor version qty points".split()
)
_GEOMETRY = frozenset(
    "latitude longitude lat lon lng radius bbox coordinates x y zoom bounds distance".split()
)
_WINDOW = frozenset(
    "days hours minutes weeks months period interval window timeframe back ago horizon lookback".split()
)
_CRITERIA = frozenset(
    "filter filters where vector embedding hybrid sort select expression criteria condition conditions "
    "options query sql ratio".split()
)
_BOOLEAN = frozenset(
    "is has can enabled active archived locked deleted public private read starred pinned "
    "completed verified".split()
)
_MOMENT = frozenset(
    "at on date time day datetime timestamp deadline due start end created updated since "
    "until "
    "expires expiry departure arrival".split()
)


@lru_cache(maxsize=65536)
def name_words(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a name (``split_name``, remembered)."""
    return tuple(split_name(name))


def is_id_name(name: str) -> bool:
    """True for ``order_id``, ``uid``, ``messageSid``."""
    words = name_words(name)
    if not words:
        return False
    return words[-1] in words_of.ID_WORDS or (words[-1] in words_of.SOFT_ID_WORDS and len(words) > 1)


def is_moment(name: str, schema: dict[str, Any]) -> bool:
    """True if the field holds a date or a time."""
    if schema.get("format") in ("date", "date-time", "time"):
        return True
    words = name_words(name)
    if schema_type(schema) not in ("string", "any") or "enum" in schema or not words:
        return False
    text = str(schema.get("description", "")).lower()
    return words[-1] in _MOMENT or words[0] in ("due", "date") or "iso 8601" in text or "yyyy-mm-dd" in text


def is_option(parameter: Parameter) -> bool:
    """True if a parameter changes how a call runs or what it shows, not what is stored."""
    words = parameter.words
    if not words:
        return True
    if words == ("idempotency", "key"):
        return not parameter.required
    if (
        words[0] in words_of.NOT_SETTING
        and len(words) > 1
        and (
            parameter.type == "boolean"
            or words[0] in ("add", "remove", "append", "unset", "increment", "decrement")
        )
    ):
        return True
    if parameter.snake in ("fields", "properties") and parameter.type == "object":
        return False
    if parameter.snake in (
        "timezone",
        "time_zone",
        "language",
        "locale",
        "lang",
        "format",
        "description_format",
    ):
        return not parameter.required and parameter.snake in ("lang", "format")
    if len(words) == 1 and words[0] in (
        "notify",
        "expand",
        "verbose",
        "force",
        "async",
        "wait",
        "fields",
        "confirm",
    ):
        return True
    if words[0] in ("include", "expand", "return", "skip", "validate", "dry", "force", "wait"):
        return (
            parameter.type in ("boolean", "any", "array", "string", "integer") and words[0] != "skip"
        ) or len(words) > 1
    if is_preview(parameter):
        return True
    if parameter.type == "boolean" and ("if" in words[1:] or words in (("dry", "run"), ("preview",), ("simulate",))):
        return True
    if parameter.type == "boolean" and words == ("draft",) and "preview" in parameter.description.lower():
        return True
    if parameter.snake in ("opt_fields", "opt_pretty", "return_fields", "response_format", "output_format"):
        return True
    if not parameter.required and words[-1] in ("token", "passphrase", "secret") and parameter.type == "string":
        return words[0] in ("custom", "auth", "access", "bearer", "api", "user", "secret", "passphrase")
    if words[0] in ("send", "notify", "use", "auto") and parameter.type == "boolean" and len(words) > 1:
        return True
    return "_".join(words) in (
        "timeout",
        "timeout_seconds",
        "timeout_ms",
        "send_updates",
        "api_key",
        "secret_key",
        "api_secret",
        "access_token",
        "token",
        "request_id",
        "modification_scope",
        "user_agent",
    )


def is_preview(parameter: Parameter) -> bool:
    """True for a switch that is on unless turned off, under which a call only shows what it would do."""
    if parameter.type != "boolean" or parameter.required:
        return False
    default, text = parameter.schema.get("default"), parameter.description
    told = re.search(r"preview|without (?:saving|creating|recording|writing|executing)|only validat", text, re.I)
    dry = {*parameter.words} & {"dry", "preview", "simulate"} or (told and parameter.words[:1] == ("draft",))
    on = default is True or (default is None and re.search(r"default(?:s to|:)? true", text, re.I))
    return bool(dry and on)


#: what identifies the caller or continues a listing, never a field of what is listed
_SECRETS = frozenset("token secret password apikey credential".split())
_QUERY_LANGUAGES = frozenset("sql jql cql cypher graphql script prompt expression formula".split())
_KEYS_OF_ACCESS = (("api", "key"), ("access", "key"), ("private", "key"), ("secret", "key"))


def is_plain_filter(parameter: Parameter) -> bool:
    """True if a list's parameter compares one field for equality."""
    words, kind = parameter.words, parameter.type
    if kind not in ("string", "integer", "number", "boolean") or not words or parameter.path[1:]:
        return False
    if parameter.snake in words_of.PAGING or parameter.snake in words_of.QUERY_WORDS:
        return False
    if answer_options.is_answer_option(parameter) or answer_options.is_separated(parameter):
        return False
    if set(words) & _QUERY_LANGUAGES or set(words[-1:]) & _SECRETS or words[-2:] in _KEYS_OF_ACCESS:
        return False
    if set(words) & _GEOMETRY or words[-1] in _CRITERIA or words[-1] in _WINDOW:
        return False
    if words[0] in words_of.OPTION_WORDS or words[-1] in (
        "not",
        "any",
        "all",
        "only",
        "contains",
        "scope",
        "mode",
        "than",
    ):
        return False
    return range_of(parameter) is None and not (kind == "boolean" and words[0] in words_of.OPTION_WORDS)


def range_of(parameter: Parameter) -> tuple[str, tuple[str, ...]] | None:
    """Return (comparison, words of the compared field) of a range filter; () leaves the field open.

    ``due_before`` gives ("<", ("due",)), ``start_date`` of a list (">=", ("date",)), ``since`` (">=", ()).
    """
    words = parameter.words
    if (
        parameter.type not in ("string", "integer", "number")
        or not words
        or parameter.snake in words_of.PAGING
    ):
        return None
    ends = words[-1] not in ("start", "end") or (len(words) > 1 and words[-2] in _MOMENT)
    if words[-1] in words_of.RANGE_WORDS and ends:
        return words_of.RANGE_WORDS[words[-1]], words[:-1]
    counted = parameter.type in ("integer", "number")
    if words[0] in words_of.RANGE_WORDS and (
        words[0] not in ("start", "end") or ((words[-1] in _MOMENT or counted) and words[1:])
    ):
        return words_of.RANGE_WORDS[words[0]], words[1:]
    return None


def column(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the part of an input schema that describes a stored value."""
    return {key: schema[key] for key in (*_KEPT, "told") if key in schema and key != "default"}


def loosened(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a schema that also holds for what is stored: types, enumerations, nested types."""
    result: dict[str, Any] = {
        key: schema[key] for key in ("type", "enum", "description", "format") if key in schema
    }
    if schema.get("told"):
        result.pop("enum", None)  # values that only a text tells: nobody checks them
    if isinstance(schema.get("items"), dict):
        result["items"] = loosened(schema["items"])
    if isinstance(schema.get("properties"), dict):
        result["properties"] = {
            n: loosened(p) for n, p in schema["properties"].items() if isinstance(p, dict)
        }
    return result


def guess(name: str) -> dict[str, Any]:
    """Return a schema for a field known by its name alone."""
    words = name_words(name)
    if is_id_name(name):
        return {"type": "string"}
    if (words[0] in _BOOLEAN and len(words) > 1 and words[0] in ("is", "has", "can")) or words[
        -1
    ] in _BOOLEAN:
        return {"type": "boolean"}
    if words[-1] in _NUMBER:
        return {"type": "number"}
    if words[-1] in _INTEGER or (words[0] in ("num", "total") and len(words) > 1):
        return {"type": "integer"}
    if words[-1] in ("tags", "labels", "attendees", "members", "categories"):
        return {"type": "array", "items": {"type": "string"}}
    return {"type": "string"}


def singular_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with the last one in the singular."""
    return (*words[:-1], singular(words[-1])) if words else ()
