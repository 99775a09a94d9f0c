"""Optional parameters that steer a call or its answer and would be stored, or compared, as a field of the record.

A parameter that is taken away is no fault; one that is stored though it does something else is.  Read off names
and what the texts say of them.
"""

from __future__ import annotations

import re

from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.language import vocabulary as words_of
from tvlab.environments.language.argument_lines import argument_line
from tvlab.environments.meanings.meanings import Meaning, Role

_SHOWS = frozenset("total earliest compact pretty ordering random enrich download downloadmedia verbose".split())
_SORTS = frozenset("sort order sorting ordering sorted ordered".split())
_DIRECTIONS = frozenset("ascending descending asc desc reverse".split())
_SHOWN = re.compile(
    r"\b(?:set (?:this )?to )?true to (?:include|return|show|fetch|get|list|download)\b|\bwhether to\b"
    r"|\binclude [^.]{0,40}\bin (?:the )?(?:response|results?|output)\b|\b(?:sort|order)(?:ing|ed)? (?:by|of"
    r"|field|the)\b"
    r"|\breturn (?:only|just) (?:the )?(?:ids?|names?)\b|^\W*(?:optional\W+)?corp(?:us|ora) to search\b"
    r"|\bor [\"'`]me[\"'`]",
    re.IGNORECASE,
)
_RANGED = re.compile(
    r"\bdate range\b|\.\.\*|\*\.\.|\(?today\|?|\byesterday\b|\brange (?:in|of the) form|\bYYYY-MM-DD\.\."
    r"|\brelative date",
    re.IGNORECASE,
)
CELLS = "a range of cells, not a value"
_CELLS = re.compile(r"\bA1 (?:notation|range)\b|\b[A-Z]{1,2}\$?[1-9]\d*:\$?[A-Z]{1,3}\$?\d*")
_ANY_RANGE = re.compile(r"\.\.\*|\*\.\.|\bYYYY-MM-DD\.\.|\byesterday\b")
_ALL_ELSE = re.compile(
    r"\bif not (?:specified|given|provided), (?:searches|lists|returns|includes) all\b", re.IGNORECASE
)
_NUMBERED = re.compile(r"^\W*(?:filter by )?[A-Za-z]+(?: [A-Za-z]+)? ID\b(?!s?:? \()")
_STEERED = re.compile(
    r"^(?:optional\W+)?(?:whether to (?!(?:allow|enable|show|be))|if (?:true|set|enabled),?|set to true to|threshold\b"
    r"|(?:audit )?(?:log )?reason (?:for|to)|only used|used (?:only|when|for)|skip|force\b)"
    r"|\baudit log\b|\bfor conflicts?\b|\bto check for\b|\bduplicate detection\b|\bactivity log\b"
    r"|\blog (?:entry|message)\b"
    r"|\b(?:added|appended) to the\b|\bof recurring\b|\brecurring (?:event|series|instance)\b|\boccurrences?\b"
    r"|\bthis and (?:all )?following\b|\bdirector(?:y|ies) (?:if|when) (?:it|they) do|\bappend to\b|\bdebug"
    r"|\btelemetry\b"
    r"|\bonly (?:applies|valid|relevant)\b|\baccount (?:nickname|alias)?\s*to use for (?:this|the) \w+"
    r"|\blooked up to get\b|\bauto-?resolved to\b|\bposition to insert\b"
    r"|\bparameter is (?:provided|given|set),? \w+ must\b|\bname/number\b|\bname or (?:ID|number)\b",
    re.IGNORECASE,
)
_OF_ONE_KIND = re.compile(
    r"\bonly (?:for|used for|valid for|allowed for) [`'\"]?[\w-]+[`'\"]?(?:-type| type)d?\b(?! only)", re.IGNORECASE
)
_WHEN_MADE = re.compile(
    r"\b(?:can|may) be (?:set|given|specified|changed) only (?:when|while|at|on|during) (?:the )?(?:creat|mak)"
    r"|\b(?:can|may) only be (?:set|given|specified) (?:when|while|at|on|during) (?:the )?creat"
    r"|\bcan ?not be (?:changed|modified|updated) (?:after|once) (?:it is |the \w+ is )?creat",
    re.IGNORECASE,
)
_NAMES = frozenset(
    "createdirs create_dirs append overwrite dedupe encoding reason max_messages object_write_trace_id "
    "objectwritetraceid idproperty id_property change_key changekey if_match original_start_time future_start_date "
    "this_and_following row rows substring redirect_new_handle run_backfill quote_original_message".split()
)


#: a flag that says in which state the thing is, with the state that it is in otherwise
_IN_STATE = re.compile(r"^\W*whether (?:the |this |an? )?\w+ (?:is|was|has been)\b", re.IGNORECASE)
#: so many of them are questions about a record, not fields
_FLAGS = 3


def said_of(p: Parameter, tool: ParsedTool) -> str:
    """Return what schema and description say of a parameter."""
    return f"{p.description} {argument_line(p.name, tool.description)}".strip()


def steers(role: Role, meaning: Meaning) -> str:
    """Return why an optional parameter is no field of the record, "" if it may be one."""
    if role.required or role.role not in ("payload", "filter"):
        return ""
    p, said = role.parameter, said_of(role.parameter, meaning.tool)
    return _of_write(p, said, meaning) if meaning.writes else _of_read(role, said, meaning)


def _of_read(role: Role, said: str, meaning: Meaning) -> str:
    p = role.parameter
    if p.schema.get("default") is not None and _ALL_ELSE.search(said):
        return "a default that leaves nothing out"
    if p.type == "string" and p.schema.get("default") == "" and role.role == "filter" and role.op == "==":
        return "a default that leaves nothing out"
    if p.type == "string" and role.role == "filter" and says_cells(p, said):
        return CELLS
    if steers_read(p, said):
        return "steers the answer, is no field"
    pattern = f"{said} {p.schema.get('pattern', '')}"
    if role.op[0] in "<>" and re.search(r"\bcursor\b|\bprevious page\b|\bnext page\b", said, re.IGNORECASE):
        return "steers the answer, is no field"
    if p.type == "string" and role.op == "==" and (_RANGED.search(pattern) or p.words[-1:] == ("threshold",)):
        return "a range, not an equal value"
    if p.type == "string" and role.op[0] in "<>" and _ANY_RANGE.search(pattern):
        return "a range in a language of its own"
    if p.type in ("number", "integer") and role.op == "==" and _NUMBERED.search(said):
        return "the id of another thing"
    column = meaning.entity.fields.get(role.field or "")
    flags = [q for q in meaning.tool.parameters if q.type == "boolean" and q.words[:1] in (("is",), ("has",))]
    asked = p in flags and len(flags) >= _FLAGS
    if asked and column is not None and column.filtered and not column.written:
        return "follows from other fields of the record"
    return ""


def steers_read(p: Parameter, said: str) -> bool:
    """True for an input of a read that names or says what the answer shows."""
    return says_order(p) or bool({p.snake, *p.words[:1], *p.words[-1:]} & _SHOWS or _SHOWN.search(said))


def says_order(p: Parameter) -> bool:
    """True for a direction, or a flag, of the order of an answer: ``sort_ascending``."""
    flag = p.type == "boolean" and p.words[:1] and p.words[0] in _SORTS
    return bool(flag or (len(p.words) > 1 and set(p.words) & _DIRECTIONS))


def says_cells(p: Parameter, said: str) -> bool:
    """True for an input that is a range of cells: ``A1:D10``."""
    return bool(_CELLS.search(f"{said} {p.schema.get('default', '')}"))


def steers_write(p: Parameter, said: str) -> bool:
    """True for an input of a write that names or says how the call runs."""
    told = _STEERED.search(said)
    if told and told[0].lower().startswith(("if ", "whether")) and p.type != "boolean":
        told = None
    if p.snake in _NAMES or "".join(p.words) in _NAMES or told:
        return True
    return p.words[-1] == "mode" and bool(
        {"append", "overwrite", "rewrite", "merge"} & {str(v).lower() for v in p.enum}
    )


def _of_write(p: Parameter, said: str, meaning: Meaning) -> str:
    if _OF_ONE_KIND.search(said):
        return "belongs to things of one kind alone"
    if meaning.operation in ("update", "batch_update", "upsert") and _WHEN_MADE.search(said):
        return "can be set when the thing is made alone"
    if steers_write(p, said):
        return "steers the call, is no field"
    verb = len(p.words) == 1 and p.words[0] in words_of.TRANSITIONS and p.type == "boolean"
    verb = verb and not (_IN_STATE.search(said) and isinstance(p.schema.get("default"), bool))
    verb = verb and not p.words[0].endswith("ed")  # ``completed`` is a state, ``complete`` what to do
    if verb and meaning.operation in ("create", "batch_create") and p.words[0] not in ("read", "open", "lock"):
        return "changes the state of what is made"
    return ""
