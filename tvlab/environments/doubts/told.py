"""Doubts about tools that look facts up: contents that no column bears, keys of no known kind, defaults not kept.

A table of facts is made up as a whole, so what it holds can be held against the text word by word: stricter than
``doubts/contents.py``, which looks at records that tools make.
"""

from __future__ import annotations

import re

from tvlab.environments.domain import answer_options, field_types
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.promised_content import missing, promised
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.doubts import lists as doubts_lists
from tvlab.environments.facts import fact_parameters, told_columns, told_measures
from tvlab.environments.meanings.meanings import Meaning, Role
from tvlab.environments.meanings.steering import said_of
from tvlab.foundation.words import singular

#: parameters that pick one thing, where a namespace or a category is a part of all
_INDIVIDUALS = frozenset("address txid txhash hash utxo wallet account user username player".split())
#: so many texts of no known kind, or names of other things, and nothing is known of a record
_VAGUE = 3
_LEVELS = frozenset("price level value point".split())
_IDLE = frozenset("insight metric market movement trend analysi analysis".split())
_GONE = re.compile(r"^\W*(?:deprecated\b|use (?:'|\")?(?:GET|POST|the)\b.{0,60}\binstead\b)", re.IGNORECASE)
_OVER_TIME = re.compile(r"\bupdates? for (?:a|the)\b[^.]{0,20}\bperiod\b|\bstream(?:s|ing)? of\b", re.IGNORECASE)
_DEFAULT = re.compile(
    r"(?P<a>[\w-]+) by default\b|\bdefaults?(?: is| to|:|=)? *[\"'`]?(?P<b>[\w-]+)|默认(?:为|是)?\s*(?P<c>[\w-]+)",
    re.IGNORECASE,
)
_PAPER = re.compile(
    r"\b(?:[Aa]rticles?|[Nn]ews|[Ss]tories|[Hh]eadlines) from "
    r"(?P<paper>(?!Google|Yahoo|Bing|Hacker)(?:The )?[A-Z]\w+)"
)
_EXPLAINED = frozenset("benefit justification rationale reasoning thought".split())
_SPOKEN_LIST = re.compile(r"(?:包括|包含)\s*(?P<zh>[^。\n]+)|[(（](?P<ko>[^()（）]+?)\s*포함\s*[)）]")
_SPOKEN_WORDS = {
    "用户名": "name", "用户id": "id", "名称": "name", "头像": "avatar", "价格": "price", "标题": "title", "链接": "url",
    "时间": "date", "언론사": "source", "제목": "title", "시간": "date", "링크": "url",
}  # fmt: skip
_FORM = re.compile(r"的?(?:字符串|列表|数据|信息|结果|格式化)+$")


def doubt(meaning: Meaning, domain: Domain) -> tuple[str, str]:
    """Return the reason that speaks against a tool of a told table and what was found, two "" if none does."""
    for reason, test in _TESTS:
        found = test(meaning, domain)
        if found:
            return reason, found
    return "", ""


def vague_record(meaning: Meaning) -> str:
    """Most texts of a record that is looked up by another column are of no known kind."""
    texts = [f for f in meaning.entity.fields.values() if f.type == "string" and not f.reference]
    vague = [f.name for f in texts if not told_columns.is_plausible(meaning.entity, f)]
    other = [f.name for f in texts if f.name.endswith(("_name", "Name"))]
    return ", ".join(vague + other) if len(vague) + len(other) >= _VAGUE else ""


def _replaced(meaning: Meaning, domain: Domain) -> str:
    match = _GONE.search(meaning.tool.description)
    return match[0] if match else ""


def _over_time(meaning: Meaning, domain: Domain) -> str:
    match = _OVER_TIME.search(meaning.tool.description[:200])
    return match[0] if match and meaning.operation in ("fact", "read") else ""


def _explained(meaning: Meaning, domain: Domain) -> str:
    """The caller's reasons, or the number of a part of all rows, pick no record."""
    for role in meaning.roles:
        p = role.parameter
        part = p.words == ("part",) and re.search(r"\bpart number\b", said_of(p, meaning.tool), re.IGNORECASE)
        if role.role in ("filter", "reference", "key") and (p.words[-1] in _EXPLAINED or part):
            return role.dotted
    return ""


def _unknown_kind(meaning: Meaning, domain: Domain) -> str:
    """A key or required filter whose values are of no known kind: nobody could give one."""
    entity = meaning.entity
    for role in meaning.roles:
        if role.role == "key" and entity.key_kind == "natural" and not is_known_key(entity, role):
            return role.dotted
        if role.role == "filter" and role.field in entity.fields and role.parameter.type in ("string", "array"):
            column = entity.fields[role.field]
            named = field_types.name_words(column.name)[: len(entity.noun)] == entity.noun
            if role.op in ("==", "in", "separated", "contains") and not (
                told_columns.is_plausible(entity, column) or named
            ):
                return role.dotted
        target = domain.entities.get(role.entity or "")
        if role.role == "reference" and target is not None and target.hidden and not is_known_key(target, role):
            return role.dotted
    return ""


def is_known_key(entity: Entity, role: Role) -> bool:
    """True if the keys of an entity are minted, or of a kind that is known."""
    if entity.key_kind == "minted" or entity.key_type != "string" or entity.examples or role.parameter.enum:
        return True
    named = field_types.name_words(entity.key)
    labelled = named[-1] in ("name", "title", "slug") or named == entity.noun or named[-1] == "path"
    return labelled or told_columns.is_plausible(entity, Field(entity.key, {"type": "string"}))


def _one_paper(meaning: Meaning, domain: Domain) -> str:
    """Articles of one named paper, where the table has those of several."""
    match = _PAPER.search(meaning.tool.description[:300])
    sources = {"source", "publisher"} & set(meaning.entity.fields)
    return match["paper"] if match and sources and meaning.entity.name in domain.entities else ""


def _unfilled(meaning: Meaning, domain: Domain) -> str:
    """Something that the text says comes back is in no column."""
    tool, entity = meaning.tool, meaning.entity
    told = promised(tool.description, (*tool.noun, *entity.noun))
    given = [field for role in meaning.roles for field in (role.field or "", role.parameter.name)]
    names = (*entity.fields, entity.key, *given)
    known = {singular(word) for name in names for word in field_types.name_words(name)}
    known |= told_measures.shown(names)
    gone = [p for p in missing(told, names) if p[-1] not in known]
    gone = [p for p in gone if not (p[-1] in _IDLE or (p[-1] in _LEVELS and p[0] in known))]
    return ", ".join(" ".join(phrase) for phrase in gone[:4])


def limited_one(meaning: Meaning, domain: Domain) -> str:
    """One record is answered, and a parameter says how many come back."""
    if meaning.operation not in ("read", "fact") or meaning.branches or meaning.entity.key_kind != "natural":
        return ""
    found = [p.name for p in meaning.tool.parameters if fact_parameters.limits(p) and not p.required]
    return found[0] if found else ""


def _whole_market(meaning: Meaning, domain: Domain) -> str:
    """A market as a whole has no price."""
    whole = {"global", "overall"} & set(meaning.tool.noun) and "market" in meaning.tool.noun
    return " ".join(meaning.tool.noun) if whole and "price" in meaning.entity.fields else ""


def _unspoken(meaning: Meaning, domain: Domain) -> str:
    """The same for texts in Chinese and Korean, as far as they list what comes back."""
    names = {word for name in (*meaning.entity.fields, meaning.entity.key) for word in field_types.name_words(name)}
    for match in _SPOKEN_LIST.finditer(meaning.tool.description[:400]):
        parts = [p.strip().lower() for p in re.split(r"[、,，和及]", match["zh"] or match["ko"])]
        if len(parts) < 2:
            continue
        for part in parts:
            word = _SPOKEN_WORDS.get(_FORM.sub("", re.sub(r"等.*$", "", part)), "")
            if not word or not _bears(names, word):
                return part
    return ""


def _bears(names: set[str], word: str) -> bool:
    return word in names or (word == "date" and bool(names & {"date", "time", "timestamp"}))


def _bare_list(meaning: Meaning, domain: Domain) -> str:
    """The list is a thing by itself: ``get_trading_list`` would answer lists, and tells what is on one."""
    noun = meaning.entity.noun
    told = [n for n, f in meaning.entity.fields.items() if not f.reference and n not in ("name", "id")]
    return " ".join(noun) if noun[-1] == "list" and not told else ""


def _lost_default(meaning: Meaning, domain: Domain) -> str:
    """A filter that the text gives a default, which nothing applies, or a default query that finds nothing."""
    for role in meaning.of("query"):
        usual = role.parameter.schema.get("default")
        if not role.required and isinstance(usual, str) and usual.strip():
            return f"{role.dotted}: {usual}"
    for role in meaning.of("filter"):
        p = role.parameter
        if p.required or p.schema.get("default") is not None:
            continue
        for match in _DEFAULT.finditer(said_of(p, meaning.tool)):
            value = match["a"] or match["b"] or match["c"]
            if value and value in map(str, p.enum) and value not in answer_options.ALL:
                return f"{role.dotted}: {value}"
    return ""


def _free_subject(meaning: Meaning, domain: Domain) -> str:
    """What a list is told of may be left out, and all that there is would come back: ``inscriptions of an address``."""
    if meaning.operation not in ("list", "search"):
        return ""
    text = meaning.tool.description[:200].lower()
    for role in [*meaning.of("filter"), *meaning.of("reference")]:
        p = role.parameter
        single = p.is_id or p.words[-1] in _INDIVIDUALS
        if p.required or p.schema.get("default") is not None or p.enum or not single:
            continue
        head = (
            "transaction" if p.words[-1] in ("txid", "txhash") else singular(p.words[-1] if not p.is_id else p.words[0])
        )
        subject = rf"\b(?:of|for|in|by|from) (?:an?|the|a specific|a given) (?:[a-z]+ )?{re.escape(head)}\b"
        if re.search(subject, text):
            return role.dotted
    return ""


def _unseen_subject(meaning: Meaning, domain: Domain) -> str:
    """The same where the parameter was taken away altogether."""
    if meaning.operation not in ("list", "search"):
        return ""
    text, kept = meaning.tool.description[:200].lower(), {role.parameter.name for role in meaning.roles}
    for p in meaning.tool.parameters:
        if p.required or p.name in kept or p.words[-1] not in _INDIVIDUALS or p.schema.get("default") is not None:
            continue
        if re.search(
            rf"\b(?:of|for|in|by|from) (?:an?|the|a specific|a given) (?:[a-z]+ )?{re.escape(p.snake)}\b", text
        ):
            return p.name
    return ""


def _prose(meaning: Meaning, domain: Domain) -> str:
    match = _INVENTED.search(meaning.tool.description[:200])
    return match[0] if match else ""


_INVENTED = re.compile(
    r"\b(?:implementation|common) (?:features|patterns)\b|\bbest practices\b|\bassembly code\b|\bdecompil\w+",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\((?P<what>(?!e\.?g|i\.?e|ex\b|like)[a-z][a-z/, ]+,[a-z/, ]+)\)")
_GROUPED = re.compile(r"\b(?:organi[sz]ed|grouped) by (?:user )?(?P<what>[a-z]+)")
_STRUCTURE = re.compile(r"\b(?:schema|structure|columns? (?:names|types)|columns?, types?|结构)\b|结构", re.IGNORECASE)


def _structure(meaning: Meaning, domain: Domain) -> str:
    """The columns of a table with their types are no text and no list of names."""
    tables = {"table", "view"} & {*meaning.entity.noun, *meaning.tool.noun}
    match = _STRUCTURE.search(meaning.tool.description[:200]) if tables else None
    return match[0] if match else ""


def _in_brackets(meaning: Meaning, domain: Domain) -> str:
    """A list in brackets that some columns bear and another part of it none: "profile (status, city)"."""
    first = meaning.tool.description.strip().split("\n")[0]
    names = {singular(w) for n in (*meaning.entity.fields, meaning.entity.key) for w in field_types.name_words(n)}
    for match in _BRACKETS.finditer(first):
        parts = [part.split() for part in re.split(r"[,/]|\band\b", match["what"])]
        last = [singular(part[-1].lower()) for part in parts if part]
        gone = [word for word in last if word not in names]
        if gone and len(gone) < len(last):
            return ", ".join(gone)
    return ""


def _status_of(meaning: Meaning, domain: Domain) -> str:
    """The text speaks of a status or of prices that no column bears."""
    tool: ParsedTool = meaning.tool
    names = {singular(w) for n in (*meaning.entity.fields, meaning.entity.key) for w in field_types.name_words(n)}
    text = tool.description[:240].lower()
    for match in _GROUPED.finditer(text):
        if singular(match["what"]) not in names:
            return match[0]
    for said, words in _MUST:
        found = re.search(said, text)
        if found and not names & words:
            return found[0][-40:]
    return ""


_MUST: tuple[tuple[str, frozenset[str]], ...] = (
    (r"\b(?:like|including|with|returns?)\b[^.]*, types?(?:,| and\b)", frozenset({"type", "kind", "category"})),
    (r"\bwith historical data\b|\bhistory data\b", frozenset({"date", "timestamp", "day", "time"})),
    (r"\band status\b", frozenset({"status", "state"})),
    (r"\bwith current price", frozenset({"price"})),
    (r"\bwith (?:current )?prices?\b", frozenset({"price"})),
    (r"\balong with their tvl\b", frozenset({"tvl"})),
    (r"\bapy\b", frozenset({"apy"})),
    (r"\bdata for companies\b", frozenset({"symbol", "company", "cik"})),
    (r"\bcontact information\b", frozenset({"contact", "phone", "email", "address"})),
    (r"\bbid (?:and|/) ask\b", frozenset({"ask"})),
    (r"\bpermissions\b", frozenset({"permission", "role", "scope"})),
    (r"\bcomplete json\b|\bfull workflow\b", frozenset({"workflow", "json", "node"})),
    (r"\band the tags\b", frozenset({"tag"})),
    (r"\bfees and revenue\b", frozenset({"revenue"})),
    (r"\btransaction information\b", frozenset({"transaction"})),
    (r"\bboth spot and perp", frozenset({"spot", "perpetual"})),
    (r"\binsider trad", frozenset({"insider", "holder", "owner", "name"})),
    (r"\bsplit stats?\b|\bstats\b", frozenset({"stat", "average", "hit", "rank", "score", "goal", "point"})),
)

def _connection(meaning: Meaning, domain: Domain) -> str:
    """A port and a user beside a password say how a machine is reached, not what is asked of it."""
    tool = meaning.tool
    if not any(p.words[-1:] == ("password",) for p in tool.parameters):
        return ""
    ways = [r.dotted for r in meaning.of("filter") if r.parameter.words[-1] in ("port", "username", "user")]
    return ways[0] if ways and any(p.words[-1] in ("host", "hostname") for p in tool.parameters) else ""


def _without_holder(meaning: Meaning, domain: Domain) -> str:
    """The rows lie in a thing that the name names ("inscriptions in a collection"), and no argument says in which."""
    noun = meaning.tool.noun
    if meaning.operation not in ("list", "search") or len(noun) < 2 or meaning.of("filter", "reference", "key"):
        return ""
    holder = rf"\b(?:in|of|for|from) (?:an?|the|a specific|a given) (?:[a-z]+ )?{re.escape(noun[0])}\b"
    gone = [p for p in meaning.tool.parameters if p.words[-1] in ("slug", "name", "id", "uuid", "symbol")]
    return noun[0] if gone and re.search(holder, meaning.tool.description[:200].lower()) else ""


_TESTS = (
    ("one thing kept in two tables", doubts_lists.kept_elsewhere),
    ("replaced by another tool", _replaced),
    ("articles of one source among those of others", _one_paper),
    ("one answer where many are promised", _over_time),
    ("parameter taken for what it is not", _explained),
    ("parameter taken for what it is not", _connection),
    ("children without their parent", _without_holder),
    ("keys of an unknown kind", _unknown_kind),
    ("named content is missing", _structure),
    ("named content is missing", _unfilled),
    ("named content is missing", _unspoken),
    ("named content is missing", _status_of),
    ("named content is missing", _in_brackets),
    ("one answer where many are promised", limited_one),
    ("named content is missing", _whole_market),
    ("nothing is known of the thing", _bare_list),
    ("stated default is not kept", _lost_default),
    ("a key that may be left out", _free_subject),
    ("a key that may be left out", _unseen_subject),
    ("generated content", _prose),
)
