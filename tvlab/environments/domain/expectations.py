"""What a tool must do, read from its name, schema and hints alone (RULES.md, advice 9).

This is the other side of verification: it never looks at the meaning from which the code was written, so that
code and test do not share a guess.  It says less than a meaning does, and only what is sure: what kind of
change a verb makes, which parameters are ids, which fields a filter names, which parameters page.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool, parse_tools, schema_type
from tvlab.environments.language import descriptions
from tvlab.foundation.words import singular, stem

_NOTHING = frozenset(
    "get list search find read fetch retrieve show view describe lookup count check query "
    "browse load "
    "inspect filter discover display enumerate".split()
)
_ADDS = frozenset("create insert new duplicate hire".split())
_STATES = frozenset(
    "complete finish close reopen cancel approve reject archive unarchive pin unpin star unstar lock unlock "
    "mute unmute "
    "enable disable activate deactivate pause resume suspend resolve acknowledge confirm accept decline void "
    "revoke".split()
)
_CHANGES = _STATES | frozenset(
    "update edit modify patch change rename adjust configure revise amend reschedule".split()
)
_REMOVES = frozenset("delete destroy erase purge".split())
_IDS = frozenset("id ids uid uids uuid uuids guid gid sid".split())
_NO_IDS = frozenset(
    "external idempotency request correlation trace tax vat color locale timezone reference "
    "api access "
    "operation secret client national passport google apple".split()
)
_LIMITS = frozenset("limit max_results page_size per_page max_records max_items size top".split())
_QUERIES = frozenset("query q search search_term keyword keywords search_query term text".split())


@dataclass(frozen=True)
class Expectation:
    """What is sure about one tool (or one action of a multiplexed tool).

    Attributes:
        effect: ``none`` (reads), ``adds``, ``changes``, ``removes``, or ``some`` (writes in a way that the
        verb leaves open).
        ids: parameters that pick existing things, by their names.
        idempotent: the description says that a repeated call is no error.
    """

    tool: str
    effect: str
    ids: frozenset[str]
    idempotent: bool = False
    state_verb: str = ""
    description: str = ""

    def leads_to(self, value: Any) -> bool:
        """True if a value is a state that the verb can mean: a switch, its participle, or as described."""
        if not isinstance(value, str):
            return isinstance(value, bool)
        text = value.replace("_", " ").casefold()
        same = stem(text.split(" ")[0]) == stem(self.state_verb) or text[:4] == self.state_verb[:4]
        return (
            same
            or text in self.description.replace("_", " ").casefold()
            or value.casefold() in _OTHER_STATES.get(self.state_verb, ())
        )


#: states of a verb that its stem does not show
_OTHER_STATES = {
    "complete": ("done", "finished", "closed"),
    "finish": ("done", "completed", "closed"),
    "close": ("done", "resolved"),
    "reopen": ("open", "active", "todo", "new", "pending"),
    "unarchive": ("active", "open"),
    "enable": ("active", "on"),
    "disable": ("inactive", "off"),
    "deactivate": ("inactive", "disabled"),
    "pause": ("on_hold",),
    "start": ("running", "in_progress", "active"),
    "restart": ("running",),
    "resume": ("active", "running", "in_progress", "playing"),
    "resolve": ("closed", "done"),
    "unmute": ("active",),
    "unlock": ("open",),
    "confirm": (),
    "decline": ("rejected",),
    "reject": ("declined", "denied"),
    "accept": ("approved",),
    "void": ("voided",),
}


def expect(tools: list[dict[str, Any]]) -> dict[str, Expectation]:
    """Return the expectation of every tool of an environment."""
    return {
        parsed.name: _expectation(parsed, tool)
        for parsed, tool in zip(parse_tools(tools), tools, strict=True)
    }


def expect_action(tool: str, action: str, parameters: list[str]) -> Expectation:
    """Return the expectation of one action of a multiplexed tool."""
    ids = frozenset(name for name in parameters if is_id(name))
    words = field_types.name_words(action)
    verb = words[0] if words else ""
    return Expectation(tool, effect_of(verb), ids, state_verb=verb if verb in _STATES else "")


def _expectation(parsed: ParsedTool, tool: dict[str, Any]) -> Expectation:
    hints = tool.get("annotations")
    effect = effect_of(parsed.verb)
    if parsed.verb == "archive" and descriptions.means_deleting(parsed.description):
        effect = "removes"
    if isinstance(hints, dict) and hints.get("readOnlyHint") is True and effect != "some":
        effect = "none"
    ids = frozenset(p.name for p in parsed.parameters if is_id(p.name) and not p.enum and _id_typed(p))
    state = parsed.verb if parsed.verb in _STATES and effect == "changes" else ""
    return Expectation(
        parsed.name, effect, ids, descriptions.is_idempotent(parsed.description), state, parsed.description
    )


def effect_of(verb: str) -> str:
    """Return what a verb does to the state."""
    for effect, verbs in (("none", _NOTHING), ("adds", _ADDS), ("changes", _CHANGES), ("removes", _REMOVES)):
        if verb in verbs:
            return effect
    return "some"


def is_id(name: str) -> bool:
    """True if a parameter is an id by its name."""
    words = field_types.name_words(name)
    return bool(words) and words[-1] in _IDS and not set(words[:-1]) & _NO_IDS


def _id_typed(p: Parameter) -> bool:
    kind = schema_type(p.item_schema) if p.many else p.type
    return kind in ("string", "integer", "any", "number")


def named_field(parameter: str, rows: list[dict[str, Any]]) -> str | None:
    """Return the field of the rows whose name has the parameter's words."""
    words = field_types.name_words(parameter)
    names = dict.fromkeys(chain.from_iterable(rows))
    return next((name for name in names if field_types.name_words(name) == words), None)


def named_field_of_list(parameter: str, rows: list[dict[str, Any]]) -> str | None:
    """Return the field that a list of accepted values (``statuses``) names in the singular."""
    words = field_types.name_words(parameter)
    return named_field("_".join([*words[:-1], singular(words[-1])]), rows) if words else None


def is_limit(name: str) -> bool:
    """True if a parameter bounds the length of a list by its name."""
    words = field_types.name_words(name)
    return "_".join(words) in _LIMITS or words[-2:] == ("per", "page")


def is_query(name: str) -> bool:
    """True if a parameter is a search text by its name."""
    return "_".join(field_types.name_words(name)) in _QUERIES


_LOW = frozenset("min minimum from after since start begin gte gt newer above greater earliest".split())
_HIGH = frozenset("max maximum to before until till end lte lt older below less latest".split())


def bound_of(name: str) -> tuple[str, bool]:
    """Return the side that a bound cuts off at, ``low`` or ``high``, and whether it is sure to take itself in.

    >>> bound_of("min_price"), bound_of("created_before"), bound_of("status")
    (('low', True), ('high', False), ('', False))
    """
    words = set(field_types.name_words(name))
    low, high = words & _LOW, words & _HIGH
    if bool(low) == bool(high):
        return "", False
    return ("low" if low else "high"), bool((low | high) & {"min", "minimum", "max", "maximum", "gte", "lte"})
