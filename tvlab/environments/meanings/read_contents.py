"""What a read must be able to answer: the content its name and description speak of.

``fill`` gives entities the columns that the descriptions of their reads list; ``content_problem`` tells
whether a read still answers nothing but keys, references and what the caller has just said.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import answer_options, fact_fields, field_types, known_things
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language import fact_words
from tvlab.environments.meanings import filled_promises
from tvlab.foundation.words import singular

_READS = ("read", "list", "search")
_MOST = 6
#: nouns that name a content: a bare name under them is no answer
_CONTENT_WORDS = frozenset(
    "summary content metadata news release update quote target history price detail value text body "
    "headline score rate balance chart data feed activity statement analysis report trend log".split()
)
#: last words of columns that say which thing a row is of
LABELS = ("name", "title", "symbol", "team", "version", "url", "city", "country", "company", "id", "author")
_PROSE = re.compile(
    r"\b(?:markdown|scrap\w+|crawl\w*|screenshots?|browser tab|current page|active (?:window|tab|document|file)"
    r"|natural language|semantically|semantic (?:search|similarity)|AI[- ](?:powered|generated)|base64"
    r"|raw (?:html|text)|full text|documentation|tutorial|use this (?:to )?instead|deprecated)\b",
    re.IGNORECASE,
)
_COMPUTES = re.compile(
    r"^\W*(?:calculat|comput|generat|predict|convert|validat|extract|execut|run|perform|download|export"
    r"|summari[sz]|translat|simulat|instructions|suggest|recommend|authenticat)",
    re.IGNORECASE,
)
_ENUMERATES = re.compile(
    r"\b(?:including|includes?|such as|containing|contains|like|with)\b:?\s+(?P<what>[^.;\n]{6,240})", re.IGNORECASE
)
_NAMED_CONTENT = re.compile(
    r"^\W*(?:get|gets|retrieves?|fetch(?:es)?|returns?|shows?)\s+(?:the\s+|current\s+)*"
    r"(?:status|state|content|metadata|values?|configuration|settings?|number|amount|date|text)\b",
    re.IGNORECASE,
)


_OF_EACH = re.compile(
    r"\b(?:for|of|by|across|from|list) (?:each|every|all|various|different|multiple|upcoming|public)? ?(?:[a-z]+ )?"
    r"(?P<what>stocks?|compan(?:y|ies)|shares|etfs?|crypto(?:currencie)?s?|players?|teams?|countries|exchanges?|coins?"
    r"|chains?|protocols?|sectors?|indices|currencies)\b"
    r"(?! (?:exchanges?|markets?|splits?|symbols?|indexes|indices|prices?|quotes?)\b)",
    re.IGNORECASE,
)
_SPOKEN_CONTENT = re.compile(
    r"\b(?:text|contents?|logs?|events?|history|readings?|data|statistics|stats|comprehensive|status|state"
    r"|summar(?:y|ies)|results?|newest first|metadata)\b",
    re.IGNORECASE,
)


def fill(domain: Domain) -> None:
    """Give each entity the columns that the descriptions of its reads list, and those of its noun if bare."""
    for tool in domain.tools:
        entity = domain.own.get(tool.name)
        if entity is None or tool.kind not in _READS or not _is_about(tool, entity):
            continue
        columns = fact_fields.described(tool.description)
        if {f.name for f in told(entity, ()) if f.written or not f.in_input} <= {"name", "title"}:
            usual = fact_fields.noun_columns if written_by(domain, entity) else fact_fields.usual_columns
            columns = {**usual(entity.noun), **columns}
        for name, schema in list(columns.items())[:_MOST]:
            words = field_types.name_words(name)
            if any(field_types.name_words(f)[-1:] == words[-1:] for f in entity.fields) and len(words) == 1:
                continue
            known = entity.field_of(words) or (entity.field_of(words[1:]) if words[:1] == entity.noun[-1:] else None)
            plain = name != entity.key and not field_types.is_id_name(name)
            linked = words[-1] == "link" and set(words[:-1]) & filled_promises.RELATED and not domain.guessed_texts
            fits = name not in ("name", "version") and words != entity.noun and not linked
            if known is None and plain and fits and not _says_where(words, tool.description):
                entity.fields[name] = Field(name, schema, required=True)
        for name in ("content", "text", "body", "description", "status") if tool.noun[-1:] else ():
            if tool.noun[-1] == name and name in entity.fields:
                entity.fields[name].required = True
        if not written_by(domain, entity):
            name_known(entity)
        label = label_of_each(tool) if tool.plural and not any(p.required for p in tool.parameters) else ""
        invented = "name" in entity.fields and not entity.fields["name"].in_input
        labels = [f for f in entity.fields if f.split("_")[-1] in LABELS and not (f == "name" and invented)]
        named = known_things.columns(entity.noun).get("name", {}).get("values") and not written_by(domain, entity)
        if label and entity.key_kind == "minted" and not labels and label not in entity.noun and not named:
            entity.fields.pop("name", None)
            entity.fields = {label: Field(label, {"type": "string"}, required=True), **entity.fields}
    if not domain.guessed_texts:
        _fill_said(domain)
    for entity in domain.entities.values():
        for f in entity.fields.values():
            if f.filtered and not f.written and set(map(str, f.schema.get("enum", ()))) & answer_options.ALL:
                f.schema = {**f.schema, "enum": [v for v in f.schema["enum"] if str(v) not in answer_options.ALL]}
        if entity.key_kind == "minted" and not entity.hidden and not told(entity, ()):
            entity.fields.setdefault("name", Field("name", {"type": "string"}, required=True))


#: what is said or written, and what each such thing holds
_SAID: dict[str, dict[str, dict[str, object]]] = {
    "message": {"text": {"type": "string"}, "timestamp": {"type": "string", "format": "date-time"}},
    "comment": {"text": {"type": "string"}},
    "note": {"text": {"type": "string"}},
    "reply": {"text": {"type": "string"}},
    "review": {"rating": {"type": "integer", "minimum": 1, "maximum": 5}, "text": {"type": "string"}},
}
_WORDED = frozenset("text content body message comment note html description subject summary".split())


def _fill_said(domain: Domain) -> None:
    """Give messages, comments and reviews that tools change and none makes the text that they are read for."""
    for entity in domain.entities.values():
        mine = [tool for tool in domain.tools if domain.own.get(tool.name) is entity]
        made = any(tool.kind in ("create", "send", "upsert") for tool in mine)
        read = any(tool.kind in _READS for tool in mine)
        texts = [f.name for f in entity.fields.values() if f.type == "string"]
        worded = any(_WORDED & {field_types.name_words(name)[-1]} for name in texts)
        known = entity.key_kind == "minted" and not entity.hidden and entity.fact is None
        changed = any(tool.kind in ("update", "delete", "transition", "set") for tool in mine)
        if read and changed and known and not made and not worded:
            for name, schema in _SAID.get(entity.noun[-1], {}).items():
                entity.fields.setdefault(name, Field(name, dict(schema), required=True))


def _says_where(words: tuple[str, ...], text: str) -> bool:
    """True if a text speaks of one such thing to which the content belongs: forms "associated with a Jira issue"."""
    form = rf"\b(?:associated|connected|attached|linked|related) (?:with|to) (?:an?|the|this|that) {' '.join(words)}\b"
    return bool(re.search(form, text, re.IGNORECASE))


def written_by(domain: Domain, entity: Entity) -> list[ParsedTool]:
    """Return the tools that do more than read a thing: their inputs tell what it holds."""
    return [t for t in domain.tools if t.kind not in (*_READS, "count") and domain.own.get(t.name) is entity]


def name_known(entity: Entity) -> None:
    """Let a known thing have the name that it has, or none where it is told by what it holds."""
    known, column = known_things.columns(entity.noun), entity.fields.get("name")
    if not known or column is None or column.in_input or not set(known) & set(entity.fields) - {"name"}:
        return
    if "name" in known:
        column.schema = known["name"]
    else:
        del entity.fields["name"]


def label_of_each(tool: ParsedTool) -> str:
    """What the rows are of: dividends "for all stocks" have a symbol each, "" if the text does not say."""
    if re.search(r"\b(?:all|each|various|every) stock symbols\b", tool.description, re.IGNORECASE):
        return "symbol"
    match = _OF_EACH.search(tool.description)
    word = singular(match["what"].lower()) if match else ""
    return "symbol" if word in ("stock", "company", "share", "etf", "crypto", "cryptocurrency") else word


def told(entity: Entity, parameters: tuple[str, ...]) -> list[Field]:
    """Columns that say something: no key, no reference, not what the caller has given."""
    return [
        f for f in entity.fields.values()
        if not f.reference and f.name not in parameters and f.name != entity.key
        and not field_types.is_id_name(f.name)
    ]  # fmt: skip


def content_problem(tool: ParsedTool, entity: Entity) -> str:
    """Return why a read has nothing to answer, "" if it has something."""
    found = told(entity, tuple(p.name for p in tool.parameters if p.required))
    names = {f.name for f in found}
    if not found and entity.key_kind == "natural" and tool.kind != "read":
        names = {"name"}
    elif not found:
        return "no content"
    if names <= {"name", "title"} and speaks_of_content(tool):
        return "a name alone"
    return ""


def no_table(tool: ParsedTool) -> str:
    """Return why no seeded table can hold what a tool tells, "" if one can."""
    if set(tool.noun) & fact_words.REFUSED and not fact_fields.noun_columns(tool.noun):
        return "prose, screen or machine"
    if _PROSE.search(tool.description) or _COMPUTES.search(tool.description):
        return "prose or computation"
    if {"and", "or"} & set(tool.noun):
        return "two things in one"
    return ""


def speaks_of_content(tool: ParsedTool) -> bool:
    """True if name or description speak of a content that a bare name does not give."""
    match = _ENUMERATES.search(tool.description)
    listed = bool(match and len(re.findall(r",|\band\b", match["what"])) >= 1)
    named = _NAMED_CONTENT.search(tool.description) or _SPOKEN_CONTENT.search(tool.description[:160])
    return listed or bool(set(tool.noun) & _CONTENT_WORDS) or bool(named)


def _is_about(tool: ParsedTool, entity: Entity) -> bool:
    return tool.noun[-len(entity.noun) :] == entity.noun or entity.noun[-len(tool.noun) :] == tool.noun
