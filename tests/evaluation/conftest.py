from pathlib import Path

import pytest

from tvlab.environments.environment import Environment
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items
from tvlab.tasks.turn_kinds import MIXED_SHARES

BOOKSTORE = Path(__file__).parents[1] / "data" / "environments" / "bookstore"


@pytest.fixture(scope="session")
def bookstore():
    return Environment.load(BOOKSTORE)


@pytest.fixture(scope="session")
def items(bookstore):
    """Items of all kinds of turns whose first words differ."""
    made = build_items(bookstore, build_graph(bookstore), 12, seed=5, shares=MIXED_SHARES)
    by_words = {(item.turns[0].context, item.turns[0].user): item for item in made}
    return list(by_words.values())
