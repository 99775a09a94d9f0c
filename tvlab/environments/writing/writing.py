"""The rules writer: one plain function a tool, written from its meaning.

Deterministic, no model.  The written module imports nothing but ``tvlab.environments.runtime``, and ``math``
and the ``computing`` modules where it computes, and reads like
code that a person would write for the same tools.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tvlab.environments.domain.domain import Domain
from tvlab.environments.environment import function_name
from tvlab.environments.meanings import inner_references, single_records
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.writing import (
    alternatives,
    inner_lists,
    item_pairs,
    member_changes,
    rules_batches,
    rules_computations,
    rules_reads,
    rules_renames,
    rules_writes,
    stated_guards,
    table_views,
)
from tvlab.environments.writing.drafts import Draft

_RULES = {
    "read": rules_reads.write_read,
    "fact": rules_reads.write_fact,
    "batch_read": rules_reads.write_batch_read,
    "list": rules_reads.write_list,
    "search": rules_reads.write_list,
    "count": rules_reads.write_list,
    "create": rules_writes.write_create,
    "send": rules_writes.write_create,
    "upsert": rules_writes.write_upsert,
    "update": rules_writes.write_update,
    "rename": rules_renames.write_rename,
    "delete": rules_writes.write_delete,
    "link": rules_writes.write_link,
    "unlink": rules_writes.write_link,
    "transition": rules_writes.write_transition,
    "batch_transition": rules_writes.write_batch_transition,
    "batch_delete": rules_writes.write_batch_delete,
    "batch_create": rules_batches.write_batch_create,
    "batch_update": rules_batches.write_batch_update,
    "batch_append": inner_lists.write_inner_list,
    "batch_take": inner_lists.write_inner_list,
    "batch_remove": item_pairs.write_paired_removal,
    "members": member_changes.write_members,
    "batch_members": member_changes.write_members,
    "set": single_records.write_set,
    "view": table_views.write_view,
    "compute": rules_computations.write_computation,
}
_HELPERS = (
    "contains", "fail", "find", "mint", "now", "one_page", "parts_at", "with_inner_defaults", "without_missing",
)  # fmt: skip


def write_tool(meaning: Meaning, domain: Domain) -> str:
    """Return the source of one tool's function or functions."""
    if not meaning.branches:
        return _function(meaning, domain, None)
    name = function_name(meaning.tool.name)
    taken: set[str] = set()
    names = {value: rules_batches.branch_name(name, str(value), taken) for value in meaning.branches}
    parts = [
        _function(branch, domain, names[value], f"Action {value} of {meaning.tool.name}.")
        for value, branch in meaning.branches.items()
    ]
    parts.append(rules_batches.dispatcher(Draft(meaning, domain), names))
    return "\n\n".join(parts)


def _function(meaning: Meaning, domain: Domain, name: str | None, title: str | None = None) -> str:
    kind = rules_computations.ComputationDraft if meaning.operation == "compute" else Draft
    draft = kind(meaning, domain, name)
    for role in meaning.of("credential"):
        draft.add(draft.find(domain.entities[role.entity or ""], draft.value(role)))
    alternatives.open_keys(draft)
    stated_guards.add_guards(draft)
    inner_references.check(draft)
    _RULES[meaning.operation](draft)
    return draft.text(title)


def write_module(
    meanings: list[Meaning], domain: Domain, environment: str, foreign: Mapping[str, str] | None = None
) -> str:
    """Return the source of an environment's ``tools.py``.

    Args:
        meanings: of the kept tools, in their order.
        domain: the domain dictionary; ``domain.used`` names the entities that have tables.
        environment: the environment's name, for the module's docstring.
        foreign: tool -> source of its function, for tools that were not written by the rules.
    """
    foreign = foreign or {}
    bodies = [foreign.get(meaning.tool.name) or write_tool(meaning, domain) for meaning in meanings]
    asked = "\n".join(foreign.values())
    helpers = []
    for entity in domain.entities.values():
        call = f"_remove_{rules_writes.helper_name(entity)}("
        below = rules_writes.dependents(domain, entity) or rules_writes.contained(domain, entity)
        if entity.name in domain.used and (below or call in asked):
            helpers.append((call, rules_writes.write_removal(domain, entity)))
    text = "\n\n".join([*_needed(helpers, "\n".join(bodies)), *bodies])
    used = [n for n in _HELPERS if re.search(rf"(?<![\w\"']){n}\(", text)]
    names = ", ".join("page as one_page" if name == "one_page" else name for name in used)
    lines = [f"from tvlab.environments.runtime import {names}"] if names else []
    if any(meaning.operation == "compute" for meaning in meanings):
        lines = [*rules_computations.imports(text), *lines]
    imports = "\n".join([*lines, "\n\n"]) if lines else "\n"
    title = re.sub(r"[^A-Za-z0-9_ -]", "", environment)
    return f'"""Tools of the environment {title}."""\n\n{imports}{text}'


def _needed(helpers: list[tuple[str, str]], text: str) -> list[str]:
    """Return the removal helpers that are called, by the tools or by one another."""
    chosen: dict[str, str] = {}
    while True:
        more = {call: body for call, body in helpers if call not in chosen and call in text + "".join(chosen.values())}
        if not more:
            return [body for call, body in helpers if call in chosen]
        chosen |= more
