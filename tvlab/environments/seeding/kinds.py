"""Kinds of text that a word alone does not say: the address of a function, of a mailbox, of a wallet, of a house.

``seed_values`` asks here first for words that mean several things, with the noun of the record and the words of
the server, and last for words that no list of its own knows.  None means that nothing is known.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any, Protocol

from tvlab.environments.domain import field_types
from tvlab.environments.seeding.words import ADJECTIVES, ORGANISATIONS, PEOPLE, TOPICS
from tvlab.foundation.words import singular


class Source(Protocol):
    """What draws: the seeded values of an environment."""

    about: frozenset[str] | None
    guessing: bool
    _fake: Any

    def choice(self, values: Any) -> Any:
        """Return one of the values."""

    def integer(self, low: int, high: int) -> int:
        """Return an integer in [low, high]."""

    def _hex(self, digits: int) -> str: ...

    def sentence(self) -> str:
        """Return one or two sentences."""

    def label(self, noun: tuple[str, ...]) -> str:
        """Return a short name for a thing of this noun."""

    def _url(self) -> str: ...

    def _phone(self) -> str: ...


Maker = Callable[[Source], str]

_MEMORY = frozenset("function symbol instruction memory breakpoint disassembly opcode xref decompiler".split())
_PROGRAM = frozenset("disassemble disassembly decompile decompiled decompiler opcode pseudocode breakpoint".split())
_SOLANA = frozenset("solana lamport airdrop spl".split())
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_CHAIN = frozenset("crypto token wallet airdrop contract pool nft blockchain swap holder transaction tx".split())
_MAIL = frozenset("mail email e_mail mailbox forwarding forwarder autoreply".split())
_RENT = frozenset("rent rental lease landlord apartment flat housing".split())
_REDIRECT = frozenset(("redirect", "redirection"))
_CONTAINERS = frozenset("deployment container pod docker kubernetes".split())
_ENDS = frozenset("from to source destination target origin".split())
_FOLDERS = frozenset(("directory", "folder"))
#: names that programs give: no blanks in them
_MACHINE = frozenset("index table node shard property class resource namespace column json vector image bucket".split())
_SHEETS = frozenset("excel sheet range cell workbook worksheet".split())
_SECRET = frozenset("auth api routing access private secret".split())
_NUMBERED = frozenset(
    "invoice quote doc document contact account routing serial order tax registration employee reference".split()
)

_URL_SAID = re.compile(r"\bURLs?\b|\bURIs?\b|\bweb address")
_MAIL_SAID = re.compile(r"\be-?mail address|\bmailbox address", re.IGNORECASE)
_SALUTED = re.compile(r"\b(?:contact|person)'s title\b|\bsalutation\b", re.IGNORECASE)
_WALLET_SAID = re.compile(r"\b(?:wallet|blockchain|crypto\w*|contract|token|ethereum) address", re.IGNORECASE)
_IP_SAID = re.compile(r"\bIP (?:address|v[46])", re.IGNORECASE)

_CODE_SAID = re.compile(r"\bISO 3166\b|\balpha-2\b", re.IGNORECASE)
_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9_]{2,}(?:(?:,\s*(?:or |and )?|\s+(?:or|and)\s+|\s*[|/]\s*)[A-Z][A-Z0-9_]{2,})+")
_WORD = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_FORMATS = frozenset("URL URI JSON ISO UUID HTML CSV XML API UTC HTTP HTTPS SQL YYYY".split())
#: states of what runs and of what is answered
_STATES = (
    (frozenset("ad adset campaign creative".split()), ("ACTIVE", "PAUSED")),
    (frozenset("alert incident".split()), ("triggered", "acknowledged", "resolved")),
    (frozenset("task ticket case engagement".split()), ("open", "pending", "closed")),
    (frozenset("service tenant".split()), ("active", "disabled")),
)
_OPTIONS = frozenset(
    "role visibility type mode kind level severity priority method status state category scope".split()
)


#: things of which a list of objects holds the text under ``value``
_VALUED = frozenset("phone email mail url nickname name address handle".split())


def _email(v: Source) -> str:
    return str(v._fake.email(domain="example.com"))


def slug(v: Source, join: str = "-") -> str:
    """Return two words of small letters with a mark between them."""
    return f"{v.choice(ADJECTIVES).lower()}{join}{v.choice(TOPICS)}"


def _memory_address(v: Source) -> str:
    return f"0x{v.integer(0x401000, 0x4FFFFF) & ~0xF:x}"


def _domain(v: Source) -> str:
    return f"{v.choice(TOPICS)}-{v.integer(1, 99)}.example.com"


def _token(v: Source) -> str:
    """An id; as many draws as two words take, since a reference may replace it."""
    return hashlib.sha256(f"{v.choice(ADJECTIVES)} {v.choice(TOPICS)}".encode()).hexdigest()[:8]


def _one_of(*options: str) -> Maker:
    return lambda v: str(v.choice(options))


def nested_name(outer: str, name: str) -> str:
    """Return the name that says the kind of a property of an object: the address of an ``emailAddress`` is a mail's.

    >>> nested_name("emailAddress", "address"), nested_name("home", "address"), nested_name("phone", "value")
    ('email', 'address', 'phone')
    """
    if name == "value" and set(field_types.name_words(outer)[-1:]) & _VALUED:
        return outer
    if name == "address" and {"email", "mail"} & set(field_types.name_words(outer)):
        return "email"
    return name


def nested_noun(outer: str, name: str, noun: tuple[str, ...]) -> tuple[str, ...]:
    """Return the noun of a property of an object: the name of an ``author`` is that of a person, not of a comment.

    >>> nested_noun("author", "name", ("comment",)), nested_noun("author", "url", ("comment",))
    (('author',), ('comment',))
    """
    words = field_types.singular_words(field_types.name_words(outer))
    return words if name == "name" and words and words[-1] in PEOPLE | ORGANISATIONS else noun


def stated_options(text: str) -> list[str]:
    """Return the capital words that a text lists as values.

    >>> stated_options("Types of policy: OKTA_SIGN_ON, PASSWORD, MFA_ENROLL"), stated_options("ACTIVE or INACTIVE.")
    (['OKTA_SIGN_ON', 'PASSWORD', 'MFA_ENROLL'], ['ACTIVE', 'INACTIVE'])
    """
    match = _CAPITALS.search(text)
    found = list(dict.fromkeys(_WORD.findall(match[0]))) if match else []
    return [] if set(found) & _FORMATS else found


def is_memory(name: str, noun: tuple[str, ...], about: frozenset[str] | None = None) -> bool:
    """True for an address in a program: of a function, an instruction, a string of a disassembled binary."""
    words = {singular(word) for word in (*field_types.name_words(name), *noun)}
    return bool(words & _MEMORY) or bool((about or frozenset()) & _PROGRAM)


def first_guess(name: str, schema: dict[str, Any], noun: tuple[str, ...], values: Source) -> str | None:
    """Return a text for a word of several meanings that the record or the description decides, else None."""
    words = field_types.name_words(name)
    last = words[-1] if words else ""
    things = {singular(word) for word in (*noun, *words)}
    said = str(schema.get("description") or "")
    if last == "title" and words == ("title",) and things & {"contact", "person"} and _SALUTED.search(said):
        return str(values.choice(("Mr.", "Ms.", "Dr.")))
    if words in (("given", "name"), ("family", "name")) and things & {"contact", "user", "member", "person"}:
        return str(values._fake.first_name() if words[0] == "given" else values._fake.last_name())
    if "im" in words and last in ("address", "addresses"):
        return f"sip:{_email(values)}"
    if last in ("address", "addresses"):
        # a format of its own says more than this word: such records stay as they are stored
        return _address(name, noun, things, "" if "format" in schema else said, values)
    if "country" in words and last in ("country", "code", "name") and _CODE_SAID.search(said):
        return str(values.choice(("DE", "FR", "JP", "BR", "CA", "IN", "KE", "ES")))
    if last in _ENDS and (_URL_SAID.search(said) or things & _REDIRECT):
        return values._url()
    if last in _ENDS and (_MAIL_SAID.search(said) or things & {"forwarder", "forwarding", "autoreply"}):
        return _email(values)
    if last == "image" and things & _CONTAINERS:
        return str(values.choice(("nginx:1.25", "redis:7.2", "postgres:16", "registry.example.com/worker:2.1")))
    if last == "level" and words[-2:-1] in (("permission",), ("access",)):
        return str(values.choice(("read", "edit", "owner")))
    if last == "path" and noun and singular(noun[-1]) in _FOLDERS:
        return f"/{values.choice(TOPICS)}"
    if last == "tenant" or (last == "name" and "tenant" in things):
        return None if values.about is None or values.about & _RENT else str(values._fake.company())
    if last == "name" and is_memory("", noun, values.about):
        return slug(values, "_")
    if is_memory("", noun, values.about) and last in ("prototype", "type"):
        kind = values.choice(("int", "char *", "unsigned int", "void *", "size_t"))
        return kind if last == "type" else f"{kind} {slug(values, '_')}(char *buffer, int length)"
    return None


def _address(name: str, noun: tuple[str, ...], things: set[str], said: str, values: Source) -> str | None:
    if things & {"email", "mail"} or _MAIL_SAID.search(said) or things & _MAIL:
        return _email(values)
    if things & _SHEETS:
        return _RANGE(values)
    if "ip" in things or _IP_SAID.search(said):
        return str(values._fake.ipv4_private())
    if is_memory(name, noun, values.about):
        return _memory_address(values)
    if not things & _CHAIN and not _WALLET_SAID.search(said):
        return None
    return wallet_address(values, bool(things & _SOLANA or (values.about or frozenset()) & _SOLANA))


def wallet_address(values: Source, solana: bool) -> str:
    """Return an address of a chain: of Solana's, or of Ethereum and its like."""
    return "".join(values.choice(BASE58) for _ in range(44)) if solana else f"0x{values._hex(40)}"


def key_guess(name: str, noun: tuple[str, ...], values: Source) -> str | None:
    """Return a key of a thing that programs name: an address, a domain, an index without blanks; None for others."""
    words = field_types.name_words(name)
    last = words[-1] if words else ""
    if last == "address":
        return _address(name, noun, {singular(w) for w in (*noun, *words)}, "", values)
    if last == "domain":
        return _domain(values)
    if last == "tenant" or (last == "name" and "tenant" in (*words, *noun)):
        return first_guess(name, {}, noun, values)
    if last in ("uid", "id", "uuid"):
        return slug(values)
    if last == "name" and set(words[:-1]) & _MACHINE:
        return slug(values, "_")
    return None


def last_guess(name: str, schema: dict[str, Any], noun: tuple[str, ...], values: Source) -> str | None:
    """Return a text of a field that no list knows: by its description, then by its last word; None if neither says."""
    words = field_types.name_words(name)
    last, before = (words[-1] if words else ""), (words[-2] if len(words) > 1 else "")
    said = str(schema.get("description") or "")
    if last == "type" and before in ("mime", "content", "media"):
        return str(values.choice(("application/pdf", "text/plain", "image/png", "text/csv")))
    if last in _OPTIONS and (options := stated_options(said)):
        return str(values.choice(options))
    for pattern, maker in _SAID if last not in _OPTIONS else ():
        if pattern.search(said):
            return maker(values)
    if last == "status":
        states = next((states for things, states in _STATES if things & {singular(word) for word in noun}), ())
        return str(values.choice(states)) if states else None
    if "address" in words and last in ("line1", "line2"):
        return str(values._fake.street_address()) if last == "line1" else f"Suite {values.integer(100, 900)}"
    if last == "data" and before == "source":
        return _RANGE(values)
    if last == "area" and not (_SHEETS | {"print"}) & {*noun, *words}:
        return str(values.choice(TOPICS)).capitalize()
    if last == "number" and before in _NUMBERED:
        return str(values.integer(1000, 99_999))
    if last == "key" and before in _SECRET:
        return values._hex(24)
    if last == "region" and "country" in words:
        return str(values._fake.country())
    if last == "zone" and "time" in words:
        return str(values.choice(("UTC", "Europe/Berlin", "America/New_York")))
    found = _BY_LAST.get(last) or _BY_LAST.get(singular(last)) or _BY_LAST.get(last.rstrip("s"))
    return str(found(values)) if found else None


_SAID: tuple[tuple[re.Pattern[str], Maker], ...] = (
    (_MAIL_SAID, _email), (re.compile(r"^(?:The )?(?:\w+ ){0,3}UR[LI]\b"), lambda v: v._url()),
    (re.compile(r"^(?:The )?(?:\w+ ){0,2}IP address", re.IGNORECASE), lambda v: str(v._fake.ipv4_private())),
    (re.compile(r"^(?:The )?(?:\w+ ){0,3}phone number", re.IGNORECASE), lambda v: v._phone()),
)  # fmt: skip
_LEVELS = _one_of("low", "medium", "high")
_CELLS: Maker = lambda v: f"{v.choice('ABCD')}{v.integer(1, 9)}"  # noqa: E731
_RANGE: Maker = lambda v: f"{v.choice('ABC')}1:{v.choice('DEF')}{v.integer(5, 40)}"  # noqa: E731
_NAMES: Maker = lambda v: str(v._fake.name())  # noqa: E731
_TEXT64: Maker = lambda v: v.choice(("SGVsbG8gd29ybGQ=", "TWVldGluZyBub3Rlcw==", "UXVhcnRlcmx5IHJlcG9ydA=="))  # noqa: E731
_BY_LAST: dict[str, Maker] = {
    "type": _one_of("standard", "custom", "default", "basic"),
    "kind": _one_of("standard", "custom", "default"),
    "mode": _one_of("auto", "manual"), "method": _one_of("automatic", "manual"),
    "level": _LEVELS, "severity": _LEVELS, "priority": _LEVELS, "direction": _one_of("horizontal", "vertical"),
    "style": _one_of("plain", "bold", "compact"), "protocol": _one_of("http", "https", "tcp"),
    "id": _token, "uid": _token, "uuid": lambda v: str(v._fake.uuid4()),
    "key": lambda v: slug(v), "slug": lambda v: slug(v), "namespace": lambda v: slug(v),
    "prefix": lambda v: f"{v.choice(TOPICS)}-", "subdomain": lambda v: str(v.choice(TOPICS)),
    "part": lambda v: str(v._fake.user_name()), "password": lambda v: v._hex(12), "cookie": lambda v: v._hex(24),
    "secret": lambda v: v._hex(24), "sha256": lambda v: v._hex(64), "md5": lambda v: v._hex(32),
    "base64": _TEXT64, "certificate": _TEXT64, "pkcs12": _TEXT64, "raw": _TEXT64, "cert": _TEXT64,
    "self": lambda v: v._url(), "href": lambda v: v._url(), "uri": lambda v: v._url(), "webhook": lambda v: v._url(),
    "endpoint": lambda v: v._url(), "host": _domain, "sni": _domain, "tld": _one_of("com", "net", "org", "io"),
    "website": lambda v: v._url(), "repository": lambda v: f"https://git.example.com/{slug(v)}.git",
    "addr": lambda v: str(v._fake.ipv4_private()), "port": lambda v: str(v.integer(1024, 9999)),
    "directory": lambda v: f"/{v.choice(TOPICS)}", "folder": lambda v: str(v.choice(TOPICS)).capitalize(),
    "location": lambda v: f"{v.choice(ADJECTIVES)} {v.choice(('Room', 'Hall', 'Office', 'Studio'))}",
    "jobtitle": lambda v: str(v._fake.job()),
    "department": _one_of("Sales", "Finance", "Support", "Engineering", "Marketing"),
    "industry": _one_of("Software", "Banking", "Retail", "Insurance", "Chemicals"),
    "address2": lambda v: f"Suite {v.integer(100, 900)}", "address1": lambda v: str(v._fake.street_address()),
    "recurrence": _one_of("RRULE:FREQ=WEEKLY;COUNT=5", "RRULE:FREQ=DAILY;COUNT=10", "RRULE:FREQ=MONTHLY;COUNT=3"),
    "command": lambda v: f"/usr/bin/php /home/{v.choice(TOPICS)}/run.php",
    "html": lambda v: f"<p>{v.choice(TOPICS)}</p>",
    "script": _one_of("npm run build", "make build", "npm run bundle"),
    "sql": lambda v: f"SELECT * FROM {v.choice(TOPICS)}", "regex": lambda v: f"^{v.choice(TOPICS)}.*$",
    "pattern": lambda v: f"{v.choice(TOPICS)}*", "formula": lambda v: f"=SUM(A1:A{v.integer(2, 40)})", "cell": _CELLS,
    "range": _RANGE, "area": _RANGE, "panes": _CELLS, "participant": _NAMES, "reviewer": _NAMES, "follower": _NAMES,
    "symbol": lambda v: "".join(v.choice("ABCDEFGHIKLMNOPRSTUW") for _ in range(4)),
    "reference": lambda v: f"REF-{v.integer(1000, 9999)}", "order": _one_of("asc", "desc"),
    "format": _one_of("standard", "plain"), "minimum": lambda v: str(v.integer(1, 9)),
    "maximum": lambda v: str(v.integer(10, 99)), "threshold": lambda v: str(v.integer(1, 99)),
    **dict.fromkeys(("attribute", "field", "column"), _one_of("title", "price", "category", "author")),
    "word": _one_of("the", "and", "with", "for"), "keyword": lambda v: str(v.choice(TOPICS)),
    "attachment": lambda v: f"{slug(v)}.pdf", "coupon": lambda v: f"SAVE{v.integer(5, 50)}",
    "view": _one_of("list", "board", "calendar"),
    **dict.fromkeys("desc narration rationale feedback preview".split(), lambda v: v.sentence()),
    **dict.fromkeys(("estimate", "spent"), lambda v: f"{v.integer(1, 9)}h {v.choice((15, 30, 45))}m"),
    **dict.fromkeys(("telegram", "twitter", "twitterhandle"), lambda v: f"@{v._fake.user_name()}"),
    **dict.fromkeys(("sig", "txn", "signature_hash"), lambda v: v._hex(64)),
    "mobilephone": lambda v: v._phone(), "rgb": lambda v: f"#{v._hex(6)}", "barcode": lambda v: str(v._fake.ean13()),
    "passcode": lambda v: str(v.integer(100_000, 999_999)), "suffix": _one_of("Jr.", "Sr.", "II", "III"),
    "team": lambda v: f"{v.choice(('Sales', 'Finance', 'Support', 'Platform', 'Design'))} team",
    "channel": lambda v: slug(v), "selector": lambda v: f"app={v.choice(TOPICS)}", "emoji": _one_of("👍", "🎉", "🚀"),
    "measurement": _one_of("kg", "h", "km", "%"), "paths": lambda v: f"/{v.choice(TOPICS)}/{slug(v)}.md",
    "cap": lambda v: str(v.integer(100, 9000)), "ca": _TEXT64, "signature": lambda v: f"Kind regards, {v._fake.name()}",
    "chain": _one_of("ethereum", "polygon", "arbitrum", "base"),
}  # fmt: skip
