"""What the parameters of a fact do: pick it, bound its dates, page through it, or nothing that a table can show.

Needs no domain: a role follows from the parameter's words, type and description alone.
"""

from __future__ import annotations

from tvlab.environments.domain import answer_options, field_types
from tvlab.environments.domain.tool_parsing import Parameter, ParsedTool
from tvlab.environments.language import fact_words
from tvlab.environments.language import vocabulary as words_of
from tvlab.foundation.words import singular

_FROM = frozenset("from start since after begin beginning".split())
_TO = frozenset("to end until before till".split())
_DATED = frozenset("date dt time day datetime timestamp at on".split())
#: bounds of more than dates: of signatures, ids, pages
_LOOSE = frozenset("before until after since".split())
_LIMITS = frozenset("recent_n top_n num_results numresults lookback_count last_n max_count how_many".split())
_OTHER_DATES = ("yyyymmdd", "%y%m%d", "unix", "epoch", "millisecond", "timestamp", "mm/dd", "dd/mm", "dd.mm")


def limits(p: Parameter) -> bool:
    """True if the parameter bounds how many rows come back."""
    paging = words_of.PAGING.get(p.snake) == "limit" or p.snake in _LIMITS
    return paging and p.type in ("integer", "number")


def days_ahead(p: Parameter, tool: ParsedTool) -> bool:
    """True if the parameter says how many days, or hours of an hourly one, of a forecast come back."""
    unit = "hours" if "hourly" in tool.noun else "days"
    told = p.snake in (unit, f"forecast_{unit}", f"num_{unit}", f"number_of_{unit}", f"{unit[:-1]}_count")
    return told and p.type in ("integer", "number") and tool.noun[-1:] == ("forecast",)


def date_bound(p: Parameter) -> str:
    """Return ``>=`` or ``<=`` for a bound of the rows' dates, "" for anything else.

    Only dates as they are stored, ISO 8601: a bound in another form is none here.
    """
    words, text = set(p.words), p.description.lower()
    if p.type != "string" or p.enum or any(form in text for form in _OTHER_DATES):
        return ""
    dated = any(word in text for word in ("date", "time", "iso", "yyyy", "day"))
    if words & _LOOSE and not words & _DATED and not dated:
        return ""
    for some, op in ((_FROM, ">="), (_TO, "<=")):
        if words & some and words - some <= _DATED:
            return op
    return ""


def exchanges(tool: ParsedTool) -> bool:
    """True if ``from`` and ``to`` of a tool are two currencies."""
    text = f"{' '.join(tool.noun)} {tool.description}".lower()
    return "currenc" in text or ("rate" in tool.noun and "exchange" in text)


def picks(p: Parameter, tool: ParsedTool) -> bool:
    """True if a plain value picks the fact: a symbol, a city, a year, the name of the thing."""
    if p.children or p.many or p.type not in ("string", "integer", "number") or answer_options.is_answer_option(p):
        return False
    last, words = singular(p.words[-1]), {singular(w) for w in p.words}
    if p.enum:
        return not words & fact_words.FORMS
    if p.type == "number" and not words & {"latitude", "longitude", "lat", "lon", "lng"}:
        return False
    if p.snake in ("from", "to", "base", "target", "source") and exchanges(tool):
        return p.type == "string"
    if p.is_id or field_types.is_id_name(p.name):
        return True
    if p.words[0] in words_of.OPTION_WORDS or p.snake in words_of.QUERY_WORDS or p.snake in words_of.PAGING:
        return False
    if last in ("type", "period", "interval", "timeframe", "base", "day", "path", "file", "ip"):
        return last == "interval" and p.required
    named = p.words == tool.noun or p.words[: len(tool.noun)] == tool.noun
    return named or last in fact_words.KEY_WORDS
