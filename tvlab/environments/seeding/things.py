"""Texts whose kind name and thing say together: the role of a channel, the kind of a cluster's resource, a job title.

Asked for servers that are not the package's own, before the lists by last words (``seed_values``), which hold for any
thing.  None means that nothing is known.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from tvlab.environments.domain import field_types
from tvlab.environments.seeding.kinds import Source, slug
from tvlab.environments.seeding.stated import base58, pem
from tvlab.environments.seeding.words import ACTIONS, ADJECTIVES, ORGANISATIONS, PEOPLE, PLACE_NOUNS, TOPICS
from tvlab.foundation.words import singular

Words = tuple[str, ...]
Maker = Callable[[Source], str]

#: further words for persons
PERSONS = PEOPLE | frozenset(
    "people character representative senator requester recipient follower participant subscriber speaker reviewer "
    "organizer holder payee from attendee watcher contributor creator sender author manager instructor pilot".split()
)
_CLUSTER = frozenset("k8s kubernetes kubectl kubeconfig pod helm".split())
_CODE = {
    "python": 'def total(rows):\n    return sum(row["amount"] for row in rows)\n',
    "javascript": "const total = (rows) => rows.reduce((sum, row) => sum + row.amount, 0);\n",
    "typescript": "const total = (rows: Row[]): number => rows.reduce((sum, row) => sum + row.amount, 0);\n",
    "html": "<main><h1>Overview</h1></main>\n", "css": "main { margin: 0 auto; }\n",
    "sql": "SELECT id, name FROM orders;\n", "java": "int total(List<Row> rows) { return rows.size(); }\n",
}  # fmt: skip
_PARTICIPLES = ("ed", "en", "wn", "ade", "ent", "ught", "one", "ilt", "ead", "un", "ung")
_AREAS = ("Computer Vision", "Natural Language Processing", "Graphs", "Robotics", "Speech", "Time Series")
_RESEARCH = ("Image Classification", "Object Detection", "Question Answering", "Machine Translation",
             "Semantic Segmentation", "Speech Recognition", "Node Classification", "Text Summarisation")  # fmt: skip
_METHODS = ("Sparse Attention", "Graph Networks", "Diffusion Models", "Contrastive Learning", "Mixtures of Experts")
_SCIENCE = frozenset("research paper dataset benchmark arxiv publication conference".split())
_ELECTRONICS = ("Thermostat", "Motion Sensor", "Smart Plug", "Door Lock", "Light Strip", "Camera", "Router",
                "Weather Station", "Relay Board", "Smoke Detector")  # fmt: skip
_HANDSETS = ("iPhone 13", "iPhone 14", "iPhone 15", "iPhone 15 Pro", "iPhone SE", "iPad Air", "iPad Pro")
_PHONES = frozenset("simulator emulator ios iphone xcode android".split())
_NEWS = frozenset("solution help knowledge news blog support wiki faq kb".split())
_TICKETS = frozenset("ticket case incident request lead enquiry inquiry".split())
#: states of what runs, of what is on the net, of what is paid
_STATES: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (frozenset("interface port link neighbor neighbour tunnel uplink".split()), ("up", "down")),
    (frozenset("run job build execution workflow pipeline deployment backup sync".split()),
     ("running", "completed", "failed")),
    (frozenset("device node host server sensor printer gateway agent".split()), ("online", "offline")),
    (frozenset("payment transaction transfer charge payout".split()), ("pending", "completed", "failed")),
    (frozenset(("invoice", "bill")), ("draft", "open", "paid")),
    (frozenset("subscription membership user account member token key".split()), ("active", "suspended")),
)  # fmt: skip


def states(noun: Words) -> tuple[str, ...]:
    """Return the states of a thing, () if its kind is not known.

    >>> states(("network", "interface")), states(("walk",))
    (('up', 'down'), ())
    """
    last = {singular(word) for word in noun[-1:]}
    return next((found for things, found in _STATES if things & last), ())


def is_free(label: str) -> bool:
    """True for a made name of a thing, of which there may be several with numbers: no value of a closed kind is one.

    >>> is_free("Amber Sheet"), is_free("custom_shift"), is_free("Net 30")
    (True, False, False)
    """
    return label.split(" ")[0] in ADJECTIVES


def label_of(noun: Words, values: Source) -> str | None:
    """Return a name for a thing, None where a name of the usual form does.

    Args:
        noun: words of the thing.
        values: what draws.
    """
    last, things = (singular(noun[-1]) if noun else ""), {singular(word) for word in noun}
    about = things | (values.about or frozenset())
    if last in PERSONS or (last == "address" and "email" in things):
        return str(values._fake.name())
    if last == "country":
        return str(values.choice(("Germany", "France", "Japan", "Brazil", "Canada", "India", "Kenya", "Spain")))
    if last in ("device", "simulator") and about & _PHONES:
        return str(values.choice(_HANDSETS))
    if last == "device":
        return f"{values.choice(ADJECTIVES)} {values.choice(_ELECTRONICS)}"
    if last == "area" and things & {"research", "subject", "knowledge", "interest"}:
        return str(values.choice(_AREAS))
    if last == "task" and things & _SCIENCE:
        return str(values.choice(_RESEARCH))
    if last == "paper":
        return research_title(values)
    if last == "article" and about & _NEWS:
        return f"How to {str(values.choice(ACTIONS)).lower()} the {values.choice(TOPICS)}"
    if last in ("namespace", "pod", "deployment", "resource", "cluster") and about & _CLUSTER:
        return slug(values)
    return None


def research_title(values: Source) -> str:
    """Return the title of a paper."""
    how = values.choice(("Scalable", "Robust", "Efficient", "Interpretable", "Self-Supervised", "Few-Shot"))
    return f"{how} {values.choice(_RESEARCH)} with {values.choice(_METHODS)}"


def named_text(name: str, said: str, noun: Words, values: Source) -> str | None:
    """Return a text for a field by its name, its description and the thing that it is of; None if nothing is known."""
    words = field_types.name_words(name)
    last, before = (words[-1] if words else ""), (words[-2] if len(words) > 1 else "")
    things = {singular(word) for word in (*words[:-1], *noun)}
    about = things | (values.about or frozenset())
    maker = _BY_NAME.get("_".join(words[-2:])) or _BY_WHOLE_NAME.get("_".join(words))
    if maker is not None:
        return maker(values)
    if "emoji" in words:
        return str(values.choice(("👍", "🎉", "❤️", "😄", "👀", "🚀")))
    if words == ("at",) and about & {"cell", "sheet", "workbook", "worksheet", "excel", "spreadsheet"}:
        return f"{values.choice('ABCDEFGH')}{values.integer(1, 40)}"
    if last == "configuration" and "YAML" not in said:
        return _CONFIGURATION(values)
    if last == "title" and things & {"organization", "organisation", "employment"} and before != "page":
        return str(values._fake.job())
    if last == "by" and before and not before.endswith(_PARTICIPLES):
        return str(values.choice(("name", "date", "type")))
    if singular(last) == "question" and "count" not in words:
        opening = values.choice(("Who should", "When do we", "Why did we", "How can we"))
        return f"{opening} {str(values.choice(ACTIONS)).lower()} the {slug(values, ' ')}?"
    if "yaml" in words and last in ("yaml", "content", "text", "body", "config"):
        return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {slug(values)}\n"
    if last == "code" and (program := _program(words, said)):
        return program
    if last in ("content", "body", "source") and singular(noun[-1] if noun else "") == "script":
        return f"#!/bin/sh\nset -e\napt-get update\necho {values.choice(TOPICS)} ready\n"
    if last == "key" and (noun if words == ("key",) else words)[-2:] in (("public", "key"), ("ssh", "key")):
        owner = f"{values._fake.user_name()}@{values.choice(TOPICS)}"
        return f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{base58(values, 43)} {owner}"
    return _in_cluster(words, about, values) if about & _CLUSTER else _role_or_source(words, noun, values)


def _program(words: Words, said: str) -> str:
    """The text of a program where a name or a description says that code is one, "" if neither does."""
    spoken = {*words, *said.lower().split()}
    for language, text in _CODE.items():
        if language in words or (language in spoken and "code" in spoken):
            return text
    return _CODE["python"] if {"source", "code"} <= set(words) else ""


def _in_cluster(words: Words, about: set[str] | frozenset[str], values: Source) -> str | None:
    last = words[-1] if words else ""
    known = {
        "kind": ("Pod", "Deployment", "Service", "ConfigMap"), "group": ("apps", "batch", "networking.k8s.io"),
        "version": ("v1", "v1beta1"), "namespace": ("default", "staging", "production", "monitoring"),
    }  # fmt: skip
    if words[-2:] == ("resource", "type"):
        return str(values.choice(("pods", "deployments", "services", "configmaps")))
    if last in known and len(words) < 3:
        return str(values.choice(known[last]))
    return slug(values) if words in (("name",), ("resource", "name")) else None


def _role_or_source(words: Words, noun: Words, values: Source) -> str | None:
    """Words that mean a kind for some things alone."""
    thing = singular(noun[-1]) if noun else ""
    if words == ("role",):
        roles = {"message": ("user", "assistant"), "channel": ("owner", "admin", "subscriber")}
        return str(values.choice(roles.get(thing, ("admin", "member", "viewer"))))
    if words in (("type",), ("chart", "type")) and "chart" in (thing, words[0]):
        return str(values.choice(("column", "line", "pie", "bar")))
    if words == ("source",) and thing in _TICKETS:
        return str(values.choice(("email", "portal", "phone", "chat")))
    if words == ("category",) and thing in ("product", "item", "listing", "good"):
        return str(values.choice(("Electronics", "Home", "Garden", "Clothing", "Toys", "Books")))
    if words == ("category",) and {*noun, *(values.about or ())} & {"trivia", "quiz", "question", "round"}:
        return str(values.choice(("History", "Science", "Geography", "Sports", "Music")))
    if thing == "option" and words in (("name",), ("value",)) and set(noun) & {"variant", "product"}:
        return str(values.choice(("Size", "Colour") if words == ("name",) else ("Small", "Medium", "Large")))
    return None


def _one_of(*options: str) -> Maker:
    return lambda v: str(v.choice(options))


_EMAIL: Maker = lambda v: str(v._fake.email(domain="example.com"))  # noqa: E731
_NAME: Maker = lambda v: str(v._fake.name())  # noqa: E731
_HEX40: Maker = lambda v: v._hex(40)  # noqa: E731
_HOST: Maker = lambda v: f"{v.choice(TOPICS)}-{v.integer(1, 99)}.example.com"  # noqa: E731
_CONFIGURATION: Maker = lambda v: json.dumps({"enabled": v.integer(0, 1) == 1, "limit": v.integer(1, 90)})  # noqa: E731
_MAIL_ID: Maker = lambda v: f"<{v._hex(16)}@mail.example.com>"  # noqa: E731
_LOGIN: Maker = lambda v: str(v._fake.user_name())  # noqa: E731
_BY_NAME: dict[str, Maker] = {
    **dict.fromkeys(("job_title", "jobtitle", "occupation", "profession"), lambda v: str(v._fake.job())),
    **dict.fromkeys("api_method http_method request_method http_verb".split(), _one_of("GET", "POST", "PUT", "DELETE")),
    **dict.fromkeys(("domain_name", "host_name"), _HOST), **dict.fromkeys(("principal_name",), _EMAIL),
    **dict.fromkeys("database_user db_user proxy_user ssh_user smtp_user ftp_user login_name".split(), _LOGIN),
    **dict.fromkeys("commit sha commit_sha sha1 commit_hash sha_hash head_sha".split(), _HEX40),
    **dict.fromkeys(("hash", "block_hash", "tx_hash", "transaction_hash"), lambda v: v._hex(64)),
    **dict.fromkeys(("reply_to_message_id", "in_reply_to", "to_in_reply"), _MAIL_ID),
    **dict.fromkeys(("client_cert", "tls_cert", "ssl_cert", "ca_cert"), lambda v: pem(v, "CERTIFICATE")),
    **dict.fromkeys(("client_key", "tls_key", "ssl_key"), lambda v: pem(v, "PRIVATE KEY")),
    **dict.fromkeys(("relation_type", "relationship_type"), _one_of("works_with", "depends_on", "part_of", "owns")),
    "entity_type": _one_of("person", "organization", "place", "project"),
    **dict.fromkeys(("data_type", "parameter_type"), _one_of("text", "number", "boolean", "date")),
    "range_name": lambda v: f"Sheet1!A1:{v.choice('BCDEF')}{v.integer(5, 40)}",
    "consistency_level": _one_of("ONE", "QUORUM", "ALL"), "client_state": lambda v: v._hex(16),
    "arxiv_id": lambda v: f"{v.integer(15, 26)}{v.integer(1, 12):02d}.{v.integer(100, 99_999):05d}",
    "arxiv_version": lambda v: f"v{v.integer(1, 4)}", "doi": lambda v: f"10.{v.integer(1000, 9999)}/{v._hex(8)}",
    **dict.fromkeys(("pmid", "pubmed_id"), lambda v: str(v.integer(10_000_000, 39_999_999))),
    "bundle_id": lambda v: f"com.example.{v.choice(TOPICS)}",
    "routing_number": lambda v: str(v.integer(10**8, 10**9 - 1)),
    "platform_version": lambda v: f"{v.integer(15, 18)}.{v.integer(0, 6)}",
}  # fmt: skip
#: kinds that the whole name says and its end alone does not
_BY_WHOLE_NAME: dict[str, Maker] = {
    **{word: maker for word, maker in _BY_NAME.items() if "_" not in word or word.count("_") > 1},
    **dict.fromkeys(("given_name", "middle_name", "forename"), lambda v: str(v._fake.first_name())),
    **dict.fromkeys(("family_name", "maiden_name"), lambda v: str(v._fake.last_name())),
}  # fmt: skip
#: fields that hold an organisation's or a person's name, whatever object they lie in
_NAMED = (("name",), ("title",), ("label",), ("display", "name"), ("full", "name"))
_MAILED = (("email",), ("email", "address"), ("mail",), ("e", "mail"))
_WRAPPERS = frozenset("data body field property properties detail option config setting metadata item value".split())


def inner_noun(outer: str, name: str, beside: set[str], noun: Words) -> Words:
    """Return the noun of a property of an object: its name is that of the object's own thing, not of the record.

    Args:
        outer: name of the object.
        name: of the property.
        beside: names of the object's properties.
        noun: words of the record.

    >>> inner_noun("location", "displayName", set(), ("event",)), inner_noun("data", "name", set(), ("event",))
    (('location',), ('event',))
    """
    words = field_types.singular_words(field_types.name_words(outer))
    if field_types.name_words(name) not in _NAMED or not words or words == noun:
        return noun
    mailed = any(field_types.name_words(other) in _MAILED for other in beside)
    if mailed and words[-1] not in ORGANISATIONS | PLACE_NOUNS:
        return ("person",)
    if words[-1] in _WRAPPERS and not (words[-1] == "option" and words != noun):
        return noun
    return (*noun, *words) if words[-1] == "option" else words
