"""``tvlab play`` with lines piped in, and on a terminal."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tvlab.environments.environment import Environment
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items, write_items
from tvlab.tasks.play import typed_lines
from tvlab.tasks.teachers import replay

BOOKSTORE = Path(__file__).parent / "data" / "environments" / "bookstore"
COMMAND = [sys.executable, "-m", "tvlab", "play", str(BOOKSTORE), "--sandbox", "off"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(file of items, the third item, the lines of its golden trace)."""
    bookstore = Environment.load(BOOKSTORE)
    items = build_items(bookstore, build_graph(bookstore), 4, seed=3)
    path = write_items(tmp_path_factory.mktemp("items") / "items.jsonl", items)
    return path, items[2], typed_lines(replay(bookstore, items[2]))


def play(*words, lines=()):
    command = [*COMMAND, *map(str, words)]
    return subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False, timeout=120)


def test_a_piped_golden_trace_is_paid_in_full_by_place_and_by_id(made):
    path, item, lines = made
    for name in ("3", item.id):
        done = play("--items", path, "--item", name, "--reward", "both", lines=lines)
        assert done.returncode == 0, done.stderr
        assert f"Item {item.id}: " in done.stdout
        assert f"> {lines[0]}" in done.stdout
        assert done.stdout.endswith("Mean 1.00.\nOutcome reached.\n")


def test_without_a_file_items_are_made_and_input_that_ends_early_is_no_fault():
    done = play("--item", "2", lines=["/end"])
    assert done.returncode == 0, done.stderr
    assert "turn 2 not reached (0)" in done.stdout
    assert "Outcome not reached." in done.stdout


def test_an_unknown_item_and_a_file_of_another_environment_are_named(made, tmp_path):
    path = made[0]
    unknown = play("--items", path, "--item", "9")
    assert unknown.returncode == 2
    assert "item '9' is unknown: choose 1 to 4" in unknown.stderr
    other = tmp_path / "other.jsonl"
    other.write_text(path.read_text().replace('"environment": "bookstore"', '"environment": "shop"').replace(
        '"environment":"bookstore"', '"environment":"shop"'))  # fmt: skip
    assert "holds no item of 'bookstore'" in play("--items", other).stderr


def test_on_a_terminal_the_tab_key_completes_a_tool(made):
    pytest.importorskip("readline")
    path = made[0]
    ours, theirs = pty.openpty()
    shown = b""
    environment = {**os.environ, "TERM": "xterm", "INPUTRC": os.devnull}
    with subprocess.Popen([*COMMAND, "--items", str(path)], stdin=theirs, stdout=theirs, stderr=theirs,
                          env=environment, start_new_session=True) as process:  # fmt: skip
        os.close(theirs)
        try:
            while not shown.endswith(b"> "):
                shown += os.read(ours, 4096)
            os.write(ours, b"/too\tget_bo\t\n/quit\n")
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # Linux: the other end is closed
            pass
        assert process.wait(60) == 0
    os.close(ours)
    text = shown.decode()
    assert "/tools get_book" in text
    assert "get_book sku=<string>" in text
    assert "Outcome not reached." in text
