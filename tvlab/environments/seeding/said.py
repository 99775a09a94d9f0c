"""Kinds of text that a description says: a phone number, an address of a chain, HTML, SQL, JSON, a cron expression.

``seed_values`` asks here before it looks at the name of a field (``said_text``), and before it takes words at random
(``quoted_text``).  The text of a parameter stands in its schema or in the docstring of a tool; ``said_columns`` gives
the latter by column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tvlab.environments.domain import field_types, kept_fields, promised_content
from tvlab.environments.domain.nouns import flat
from tvlab.environments.language import told_values
from tvlab.environments.meanings.steering import said_of
from tvlab.environments.seeding import json_kinds
from tvlab.environments.seeding import kinds as seed_kinds
from tvlab.environments.seeding.kinds import Source
from tvlab.environments.seeding.words import TOPICS

if TYPE_CHECKING:
    from tvlab.environments.domain.domain import Domain
    from tvlab.environments.domain.entities import Entity

_CHAIN_SAID = re.compile(
    r"\b[Aa]ddress (?:to|from|of|for|that|which|on)\b[^.]*"
    r"\b(?:ETH|SOL|BTC|tokens?|wallets?|NFTs?|contracts?|coins?|chain)\b"
    r"|\b(?:wallet|contract|recipient'?s?|token|ethereum|solana) address\b.*\b(?:ETH|0x|wallet|token|contract)\b",
)
_SOLANA = re.compile(r"\bSOL(?:ana)?\b")
_ENDS = frozenset("to from recipient sender receiver owner address wallet".split())
_LANGUAGE = re.compile(r"\blanguage code\b|\bISO 639|\b(?:2|two)-letter code\b[^.]*\blanguage", re.IGNORECASE)
_CURRENCY = re.compile(r"\bISO 4217\b|\bcurrency code\b", re.IGNORECASE)
_CLOSED = re.compile(r"\b(?:can|may|must|should) be(?: set to)?:", re.IGNORECASE)
_JSON = re.compile(r"\bJSON (?:string|array|object|list|value|text|dictionary)\b|\bas JSON\b")
_INCLUDED = re.compile(
    r"\b(?:including|along with|together with|each [a-z]+ has)\s+[^.;:\n]{3,200}(?:\n\s+[a-z][^.;:\n]*)?",
    re.IGNORECASE,
)
_LONGEST = 1500
#: "CNC for delivery, MIS for intraday"
_MEANING = re.compile(r"(?:\(|, )([A-Z][A-Z0-9_]+) for (?=\w)")
#: fields that hold one of the words that a text quotes
_CHOSEN = frozenset("type status mode kind preset style format".split())
_OPTION = re.compile(r"""(?<!\w)["'`]([A-Za-z][\w-]{1,30})["'`]""")
_USED = re.compile(r"\b[Uu]sed (?:by|with|for|when)\b|\b[Rr]equired\b")
#: ids of things that are not there
_ID_SAID = re.compile(
    r"^(?:(?:The|An?|Array of|List of|Optional|New|Target|Comma-separated(?: list of)?) )*(?:\w+ ){0,2}"
    r"(?:[Gg]?IDs?|GIDs?|UUIDs?|[Ii]dentifiers?)\b|\bor an? \w+ ID\b"
)
_OR_NAME = re.compile(r"\bnames?\b|\be-?mails?\b|\bmention|\bslug\b|\bkey\b|\bURL\b|\be\.g\.|\bexample", re.IGNORECASE)
_NAMED = frozenset("name title email url path code type kind status".split())
NONE: frozenset[str] = frozenset()
_NONE = frozenset(("null", "none", "None", ""))
_EXAMPLE = re.compile(
    r"(?:\be\.?\s?g\.?|\bfor example|\bexamples?|\bsuch as|\blike)[,:]*\s*(?P<what>[^.;)\n]*(?:\.\w[^.;)\n]*)*)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"""(?<!\w)["'`](?P<one>[^"'`\n]{1,60})["'`]""")
_PLAIN_TOO = re.compile(r"\bplain(?:[- ]text)?\b", re.IGNORECASE)

_FLAG_DEFAULT = re.compile(r"\bdefault(?:s to|:| is|) ?[`'\"]?(?P<word>true|false)\b(?! when| if| for)", re.IGNORECASE)

_LISTED = re.compile(
    r"\b(?:returns?|each [a-z]+ (?:has|includes|contains)|include[sd]?|including|with)\b:?(?P<line>[^.:\n]*)[.:]?"
    r"(?P<below>(?:\n[ \t]*[-*\u2022] ?[^\n]*)*)",
    re.IGNORECASE,
)
_FORM_SAID = re.compile(
    r"\be\.?\s?g\b|\bexamples?\b|\bsuch as\b|\blike\b|\bnumeric\b|\w/\w|\bUUIDs?\b|\bformat: |\balphanumeric\b"
    r"|\bletters,? (?:digits|numbers)\b|\bgid://|\bGID\b|\busername\b|\bglobally unique id"
    r"|\bRFC ?\d{4}\b|\bpub(?:lic )?key\b|\b(?:coin|token|mint|wallet|contract) address\b",
    re.IGNORECASE,
)

Maker = Callable[[Source], str]


def _phone(v: Source) -> str:
    return v._phone()


def _digits(v: Source) -> str:
    return f"1555{v.integer(0, 9_999_999):07d}"


def cron(v: Source) -> str:
    """Return a schedule in the syntax of cron."""
    return str(v.choice(("0 9 * * 1-5", "*/15 * * * *", "0 0 1 * *", "30 6 * * *", "0 18 * * 5")))


def _html(v: Source) -> str:
    return f"<p>{v.sentence()}</p>"


def _cidr(v: Source) -> str:
    return f"10.{v.integer(0, 254)}.{v.integer(0, 254)}.0/24"


def _sql(v: Source) -> str:
    return f"SELECT * FROM {v.choice(TOPICS)} WHERE id > {v.integer(1, 900)}"


def _yaml(v: Source) -> str:
    return f"steps:\n  - label: {v.choice(TOPICS)}\n    command: make {v.choice(('test', 'build', 'lint'))}"


def _etag(v: Source) -> str:
    return f'W/"{v._hex(16)}"'


_MAKERS: tuple[tuple[re.Pattern[str], Maker], ...] = tuple(
    (re.compile(form), maker) for form, maker in (
        (r"\bJID\b.*\bphone number|\bphone number\b.*\bJID\b", _digits),
        (r"\bphone number without\b|\bphone number\b.*\bno \+", _digits),
        (r"^(?:The |A |Your )?(?:[\w'-]+ ){0,3}[Pp]hone number\b", _phone),
        (r"\b[Cc]ron(?:tab)? (?:expression|schedule|string|format|syntax)\b", cron),
        (r"\bCIDR\b", _cidr),
        (r"^(?:The |A |An )?(?:\w+ ){0,2}SQL (?:query|statement|text|code)", _sql),
        (r"\bYAML\b(?! file)", _yaml),
        (r"^(?:The )?E[Tt]ag\b", _etag),
        (r"\bAzure region\b", lambda v: str(v.choice(("eastus", "westeurope", "uksouth")))),
        (r"\b(?:AWS|GCP|[Cc]loud) region\b", lambda v: str(v.choice(("us-east-1", "eu-west-1", "ap-south-1")))),
        (r"\b[Cc]olou?r\b[^.]*(?:\bhex\b|#RRGGBB)|\bhex colou?r\b", lambda v: f"#{v._hex(6)}"),
        (r"^(?:The )?(?:\w+ ){0,2}[Hh]ex(?:adecimal)? colou?r\b", lambda v: f"#{v._hex(6)}"),
    )
)  # fmt: skip
_MARKED = re.compile(r"\bHTML\b(?!,? (?:files?|emails?|pages?|elements?|escap|url|links?))")
_BODIES = frozenset("content body text note notes html message description template comment".split())


def said_text(name: str, said: str, values: Source) -> str | None:
    """Return a text of the kind that a description says, None if it says none.

    Args:
        name: of the field.
        said: its description.
        values: what draws.
    """
    if not said:
        return None
    words = field_types.name_words(name)
    for form, maker in _MAKERS:
        if form.search(said):
            return maker(values)
    if set(words) & _ENDS and _CHAIN_SAID.search(said):
        return seed_kinds.wallet_address(values, bool(_SOLANA.search(said)))
    if set(words[-1:]) & _BODIES and _MARKED.search(said) and not _PLAIN_TOO.search(said):
        return _html(values)
    if says_language(said):
        return str(values.choice(("en", "de", "fr", "es")))
    if _CURRENCY.search(said):
        return str(values.choice(("EUR", "USD", "GBP")))
    named = not words or words[-1] in _NAMED or field_types.is_id_name(name)
    if not named and _ID_SAID.search(said) and not _OR_NAME.search(said):
        return values._hex(8)
    meanings = _MEANING.findall(said)
    if len(meanings) > 1:
        return str(values.choice(meanings))
    quoted = list(dict.fromkeys(_OPTION.findall(_USED.split(said)[0]))) if words[-1:] and words[-1] in _CHOSEN else []
    if len(quoted) > 1:
        return str(values.choice(quoted))
    closed = [value for value in told_values.told_values(_CLOSED.sub("one of:", said)) if value not in _NONE]
    return str(values.choice(closed)) if closed else None


def says_json(said: str) -> bool:
    """True for a text that holds a JSON value, whatever its parts are: moments, ids, names."""
    return bool(_JSON.search(said))


def says_language(said: str) -> bool:
    """True for the code of a language, whatever the language is of: a due date's is no date."""
    return bool(_LANGUAGE.search(said))


def says_number(said: str) -> bool:
    """True for the id or number of a thing, which is whole though its schema says ``number``."""
    return bool(re.search(r"^(?:The |A )?(?:\w+ ){0,2}(?:ID|[Nn]umber)\b(?! of\b)", said))


def json_text(said: str, values: Source, name: str = "") -> str:
    """Return the text of one of the JSON values that a description gives as examples, else a plain one of its kind.

    Args:
        said: the description.
        values: what draws.
        name: of the field, which says the kind where the description does not: ``stop_words`` are a list.

    >>> from tvlab.environments.seeding.values import Values
    >>> from tvlab.foundation.seeds import generator
    >>> json_text('Visibility as JSON string (e.g. {"type": "group"})', Values(generator(0, "x")))
    '{"type": "group"}'
    """
    if name and re.search(r"\bkeyed by\b", said):
        return json.dumps({"status": str(values.choice(("Open", "Done", "Waiting"))), "hours": values.integer(1, 40)})
    examples, at = [], 0
    while (found := re.compile(r"[\[{]").search(said, at)) is not None:
        try:
            example, at = json.JSONDecoder().raw_decode(said, found.start())
            examples += [example] if example and not _STANDS_FOR.search(json.dumps(example)) else []
        except ValueError:
            at = found.start() + 1
    if examples:
        return json.dumps(_varied(values.choice(examples), values))
    if re.search(r"\bJSON (?:array|list)\b|\b2D array\b|\barray\b", said):
        return json.dumps(list(dict.fromkeys(str(values.choice(TOPICS)) for _ in range(values.integer(1, 3)))))
    if (named := json_kinds.named_value(name, values)) is not None:
        return json.dumps(named)
    return json.dumps({"enabled": values.integer(0, 1) == 1, "limit": values.integer(1, 90)})


_STANDS_FOR = re.compile(r"\.\.\.|YYYY|<\w+>")
_FREE = frozenset("value summary description text body title filename comment".split())


def _varied(example: Any, values: Source, key: str = "") -> Any:
    """Return an example with other numbers, texts and lengths of lists: records hold more than what a text shows."""
    if isinstance(example, dict):
        return {name: _varied(part, values, name) for name, part in example.items()}
    if isinstance(example, list):
        return [_varied(part, values, key) for part in example[: values.integer(1, len(example))]]
    if isinstance(example, str) and key in _FREE:
        return f"{values.choice(TOPICS)}.txt" if key == "filename" else str(values.choice(TOPICS)).capitalize()
    return values.integer(1, 90) if isinstance(example, int) and not isinstance(example, bool) else example


def quoted_text(said: str, values: Source) -> str | None:
    """Return one of the texts that a description quotes as examples, None if it quotes none.

    >>> from tvlab.environments.seeding.values import Values
    >>> from tvlab.foundation.seeds import generator
    >>> quoted_text("Font family name (e.g., \\"Arial\\")", Values(generator(0, "x")))
    'Arial'
    """
    match = _EXAMPLE.search(said)
    found = _QUOTED.findall(match["what"]) if match else []
    return str(values.choice(found)) if found else None


@dataclass(frozen=True)
class Texts:
    """What the texts of a server say of the columns of its records.

    Attributes:
        columns: (entity, column) -> what is added to the column's schema.
        kept: entity -> columns that every record has.
        listed: entity -> columns that a read is said to return; there unless nothing says what they hold.
        defaults: (entity, flag) -> what it is where a create leaves it out.
        keys: entity -> what parameters say that name one of its records.
    """

    columns: dict[tuple[str, str], dict[str, Any]]
    kept: dict[str, frozenset[str]]
    listed: dict[str, frozenset[str]]
    defaults: dict[tuple[str, str], bool]
    keys: dict[str, str]


def texts_of(domain: Domain) -> Texts:
    """Return what the texts of a server say of the columns of its entities."""
    entities = list(domain.entities.values())
    plain = domain.guessed_texts
    return Texts(
        said_columns(domain),
        {e.name: kept_columns(domain, e) | (NONE if plain else kept_fields.always_there(domain, e)) for e in entities},
        {e.name: frozenset() if plain else listed_columns(domain, e) for e in entities},
        {} if plain else stated_flags(domain),
        {} if plain else said_keys(domain),
    )


def listed_columns(domain: Domain, entity: Entity) -> frozenset[str]:
    """Return the columns that the description of a read says its answer lists: "Returns id, owner and note"."""
    listed: set[str] = set()
    for tool in domain.tools:
        if domain.own.get(tool.name) is entity and tool.kind in ("read", "list", "search"):
            phrases = promised_content.promised(tool.description, (*tool.noun, *entity.noun))
            listed |= promised_content.bearing(phrases, entity.fields) | _named_in_lists(tool.description, entity)
    return frozenset(listed)


def _named_in_lists(text: str, entity: Entity) -> set[str]:
    """The columns whose whole names stand in a list of what is returned, in one line or in bullets below."""
    parts: set[tuple[str, ...]] = set()
    for match in _LISTED.finditer(text[:_LONGEST]):
        bullets = [line.lstrip(" \t-*\u2022") for line in (match["below"] or "").splitlines()]
        lines = [re.split(r"\s*[:(\u2013]| - ", line)[0] for line in bullets]
        for part in (*re.split(r",|;|\band\b|\bor\b", match["line"] or ""), *lines):
            plain = re.sub(r"^(?:the|an?|its|their|optional) ", "", part.strip(" `'\"*_").lower())
            parts.add(field_types.name_words(plain.replace(" ", "_")))
    return {name for name in entity.fields if field_types.name_words(name) in parts}


def said_keys(domain: Domain) -> dict[str, str]:
    """Return by entity the first description with an example or a form among those of parameters that name a record."""
    found: dict[str, str] = {}
    for tool in domain.tools:
        for p in flat(tool.parameters):
            target = domain.reference(p)
            own = domain.own.get(tool.name)
            if target is None and own is not None and p.name == own.key:
                target = own
            said = said_of(p, tool) or str(p.schema.get("description") or "")
            if target is not None and not target.told and _FORM_SAID.search(said):
                found.setdefault(target.name, said)
    return found


def stated_flags(domain: Domain) -> dict[tuple[str, str], bool]:
    """Return by entity and column the defaults that schemas or texts of creates state for flags of a record."""
    found: dict[tuple[str, str], bool] = {}
    for tool in domain.tools:
        own = domain.own.get(tool.name)
        for p in flat(tool.parameters) if own is not None and tool.kind == "create" else ():
            column = own.field_of(p.words) if own is not None else None
            if own is None or column is None or column.type != "boolean":
                continue
            told = _FLAG_DEFAULT.search(said_of(p, tool) or str(p.schema.get("description") or ""))
            stated = p.schema["default"] if "default" in p.schema else told and told["word"].lower() == "true"
            if isinstance(stated, bool):
                found.setdefault((own.name, column.name), stated)
    return found


def said_columns(domain: Domain) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what texts of tools add to the schemas of columns, by entity and column.

    The description of a parameter that stands in a docstring; for a column without a type, that it is an array, or a
    table of rows, where a text says so: "values (array of cell values)", "{ values: [[...]] }".
    """
    said: dict[tuple[str, str], dict[str, Any]] = {}
    for tool in domain.tools:
        own = domain.own.get(tool.name)
        if own is None:
            continue
        for p in flat(tool.parameters):
            column = own.field_of(p.words)
            text = "" if column is None or column.schema.get("description") else said_of(p, tool)
            if column is not None and text:
                said.setdefault((own.name, column.name), {"description": text})
        for column in own.fields.values():
            form = _form(column.name, tool.description) if column.type == "any" and not column.reference else {}
            if form:
                said[own.name, column.name] = {**said.get((own.name, column.name), {}), **form}
    return said


def _form(name: str, text: str) -> dict[str, Any]:
    """The schema of an array that a text shows or tells a column to be, {} if it does neither."""
    if re.search(rf"\b{re.escape(name)}[`\"']?\s*:\s*\[\[", text):
        return {"type": "array", "items": {"type": "array", "items": {"type": "string"}}, "minItems": 1, "maxItems": 1}
    if re.search(rf"\b{re.escape(name)}[`\"']?\s*(?:\(|:\s*|is |are )(?:an? )?arrays? of\b", text, re.IGNORECASE):
        return {"type": "array", "items": {"type": "string"}}
    return {}


def kept_columns(domain: Domain, entity: Entity) -> frozenset[str]:
    """Return the columns that every record has, since the description of a read says that its answer includes them.

    "Returns id, name and note" lists what a record can hold; "details including SQL text and database" says that it
    is there.
    """
    kept: set[str] = set()
    for tool in domain.tools:
        if domain.own.get(tool.name) is entity and tool.kind in ("read", "list", "search"):
            for match in _INCLUDED.finditer(tool.description[:_LONGEST]):
                phrases = promised_content.promised(f"Get it {match[0]}", (*tool.noun, *entity.noun))
                kept |= promised_content.bearing(phrases, entity.fields)
    return frozenset(kept)
