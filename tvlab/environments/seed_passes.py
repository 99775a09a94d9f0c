"""The rules of agreement in the order in which they are applied to a seeded state.

One signature: each takes the tables and changes their records.  What a later one reads, an earlier one has settled:
which records there are, then what refers to what, then what one record says by itself, then the objects inside it, and
last what leaves it.
"""

from __future__ import annotations

from collections.abc import Callable

from tvlab.environments import (
    seed_beside,
    seed_blanks,
    seed_catalogues,
    seed_children,
    seed_conditions,
    seed_copies,
    seed_flags,
    seed_ids,
    seed_lines,
    seed_names,
    seed_nested,
    seed_objects,
    seed_pairs,
    seed_spans,
    seed_statements,
    seed_truths,
    seed_twins,
)
from tvlab.environments.seed_tables import Tables

Pass = Callable[[Tables], None]

#: for the package's own descriptions, whose every column is meant
OWN: tuple[Pass, ...] = (seed_ids.agree, seed_copies.agree)
#: for all other servers
PASSES: tuple[Pass, ...] = (
    seed_pairs.agree,  # first of all since it may give two records of a list one name
    seed_catalogues.once,
    seed_ids.agree,
    seed_lines.agree,
    seed_copies.agree,
    seed_truths.agree,
    seed_spans.agree,
    seed_catalogues.agree,
    seed_statements.agree,
    seed_pairs.agree,  # and again, of what was copied since
    seed_twins.agree,
    seed_flags.agree,
    seed_children.agree,
    seed_names.agree,
    seed_objects.agree,
    seed_nested.agree,
    seed_conditions.agree,
    seed_beside.agree,
    seed_blanks.leave_out,
)


def agree(tables: Tables, own: bool) -> None:
    """Bring the records of a state into agreement; the state is changed.

    Args:
        tables: of the state.
        own: whether the server is one of the package's own descriptions.
    """
    for each in OWN if own else PASSES:
        each(tables)
