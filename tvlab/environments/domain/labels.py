"""The column that tells a record from its likes: its name, its title, a text."""

from __future__ import annotations

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity, Field

#: names of such columns, the plainest first
LABELS = tuple(
    "name title subject summary label display_name full_name nickname headline text body message description "
    "content email note comment".split()
)


def complete(entity: Entity) -> None:
    """Give the entity a label, and a name where its tools say nothing of its content."""
    own = [f for f in entity.fields.values() if not f.reference and (f.type != "object" or _holds_all(f))]
    if not own and entity.key_kind == "minted":
        entity.fields["name"] = Field("name", {"type": "string"}, required=True)
    texts = [f for f in entity.fields.values() if f.type == "string" and not f.reference and "enum" not in f.schema]
    names = {"_".join(field_types.name_words(f.name)): f.name for f in texts}
    ending = [name for words, name in names.items() if words.endswith(("_name", "_title"))]
    found = [names[label] for label in LABELS[:8] if label in names] + ending
    found += [names[label] for label in LABELS if label in names]
    entity.label = (
        found or [entity.key]
        if entity.key_kind == "natural"
        else found or [f.name for f in texts if not f.filtered] or [entity.key]
    )[0]


def _holds_all(column: Field) -> bool:
    """True for the object in which a record has all that it says: ``fields``, ``properties``."""
    free = not column.schema.get("properties") and field_types.name_words(column.name) in (("fields",), ("properties",))
    return free and column.required and column.written
