import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

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
    running = []

    def start(answer):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                choices = [{"index": 0, "finish_reason": "stop", "message": answer(body)}]
                usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
                told = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": choices}
                data = json.dumps({**told, "usage": usage}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}/v1"

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()
