"""The rules of agreement in the order in which they are applied to a seeded state.

One signature: each takes the tables and changes their records.  What a later one reads, an earlier one has settled:
which records there are, then what refers to what, then what one record says by itself, then the objects inside it, and
last what leaves it.
"""

from __future__ import annotations

from collections.abc import Callable

from tvlab.environments.seeding import beside as seed_beside
from tvlab.environments.seeding import blanks as seed_blanks
from tvlab.environments.seeding import catalogues as seed_catalogues
from tvlab.environments.seeding import children as seed_children
from tvlab.environments.seeding import conditions as seed_conditions
from tvlab.environments.seeding import copies as seed_copies
from tvlab.environments.seeding import flags as seed_flags
from tvlab.environments.seeding import ids as seed_ids
from tvlab.environments.seeding import lines as seed_lines
from tvlab.environments.seeding import names as seed_names
from tvlab.environments.seeding import nested as seed_nested
from tvlab.environments.seeding import objects as seed_objects
from tvlab.environments.seeding import pairs as seed_pairs
from tvlab.environments.seeding import spans as seed_spans
from tvlab.environments.seeding import statements as seed_statements
from tvlab.environments.seeding import truths as seed_truths
from tvlab.environments.seeding import twins as seed_twins
from tvlab.environments.seeding.tables import Tables

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
