from contextlib import ExitStack
from pathlib import Path

import pytest
from scripted_chat import serving

from tvlab.environments.environment import Environment
from tvlab.tasks.graph import ToolGraph, build_graph
from tvlab.tasks.gust import build_items
from tvlab.tasks.item import GoldenCall, Item, Turn

BOOKSTORE = Path(__file__).parents[1] / "data" / "environments" / "bookstore"


@pytest.fixture(scope="session")
def bookstore() -> Environment:
    return Environment.load(BOOKSTORE)


@pytest.fixture(scope="session")
def graph(bookstore: Environment) -> ToolGraph:
    return build_graph(bookstore)


@pytest.fixture(scope="session")
def items(bookstore: Environment, graph: ToolGraph) -> list[Item]:
    return build_items(bookstore, graph, 60, seed=3)


@pytest.fixture
def make_item(bookstore: Environment):
    """Make an item of hand-written turns: each a list of (tool, arguments)."""

    def make(*turns, outcome=None, words=()):
        made = []
        for t, calls in enumerate(turns):
            golden = tuple(
                GoldenCall(tool, arguments, tool in bookstore.writers) for tool, arguments in calls
            )
            made.append(Turn(words[t] if t < len(words) else f"turn {t}", golden))
        return Item(
            "bookstore", bookstore.state_hash, tuple(made), outcome or {"state": {}, "facts": [], "ids": []}
        )

    return make


@pytest.fixture
def chat_server():
    """Start a chat server on this machine: ``chat_server(answer)`` -> address; ``answer(body)`` gives a message."""
    with ExitStack() as running:
        yield lambda answer: running.enter_context(serving(answer)).url
