"""Places that a call may leave out because there is a current one: here every call says where.

``add_page(title, album_id)``, "Add a page to the album", with an optional album or one whose text says "uses the
current one if None": nothing here is current, and a page made without its album would lie in none.
"""

from __future__ import annotations

import re

from tvlab.environments.domain.domain import Domain
from tvlab.environments.language.wrapped_lines import unwrapped
from tvlab.environments.meanings.meanings import REQUIRED_NOW, Meaning, Role
from tvlab.environments.meanings.steering import said_of
from tvlab.environments.meanings.told_defaults import told_default

_MADE = frozenset({"create", "send", "batch_create"})
#: what a call without the parameter works on
CURRENT = re.compile(
    r"\b(?:uses?|defaults? to|default:?) (?:the )?(?:current|currently|active|last used|open)(?:ly)?(?: \w+)?"
    r"(?: (?:if|when|unless)\b[^.;)\n]*)?"
    r"|\b(?:if|when) (?:none|not (?:given|provided|set|specified)|omitted),?"
    r" (?:the )?(?:current|active) (?:\w+ )?is used\b",
    re.IGNORECASE,
)


def require(meaning: Meaning, domain: Domain) -> None:
    """Require the places that a text takes for granted; the meaning is changed."""
    if domain.guessed_texts:
        return
    for one in (meaning, *meaning.branches.values()):
        for role in one.of("reference"):
            known = (role.dotted, REQUIRED_NOW) in one.narrowed
            if not role.required and not known and _is_needed(role, one, domain):
                one.narrowed.append((role.dotted, REQUIRED_NOW))


def _is_needed(role: Role, meaning: Meaning, domain: Domain) -> bool:
    target = domain.entities.get(role.entity or "")
    if target is None or target is meaning.entity or role.op != "==" or len(role.path) > 1 or not meaning.writes:
        return False
    if told_default(role, meaning, target) is not None or isinstance(role.parameter.schema.get("default"), str):
        return False
    if CURRENT.search(unwrapped(said_of(role.parameter, meaning.tool))):
        return True
    first = unwrapped(meaning.tool.description).split(". ")[0].lower()
    alone = sum(r.entity == role.entity for r in meaning.of("reference")) == 1
    where = rf"\b(?:to|in|into|on|inside|within) (?:the|this|your) (?:current )?{re.escape(' '.join(target.noun))}\b"
    return meaning.operation in _MADE and alone and bool(re.search(where, first))
