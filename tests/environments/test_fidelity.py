"""Comparing a real server's answers with an environment's: what counts as the same, and what does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from tvlab.environments.environment import Environment
from tvlab.environments.sources.fidelity import (
    Script,
    Side,
    Step,
    accepted,
    compare,
    field_of,
    first_record,
    shared_fields,
    shown,
    simulated,
    words_of,
)
from tvlab.foundation.errors import UserError

BOOKSTORE = Path(__file__).parent.parent / "data" / "environments" / "bookstore"
SCRIPTS = Path(__file__).parents[2] / "benchmarks" / "fidelity_scripts"


@pytest.mark.parametrize(
    ("answer", "ok"),
    [
        ({"id": 1, "title": "Error handling"}, True),
        ({"error": "note 99 not found"}, False),
        ({"ok": False, "message": "no"}, False),
        ({"success": True, "found": False, "data": None}, False),
        ({"deleted": False, "id": 1}, False),
        ({"content": "Could not be done: no such file"}, False),
        ("Project not found", False),
        ("Saved.", True),
        ([], True),
    ],
)
def test_refusals_inside_ordinary_answers_are_refusals(answer: Any, ok: bool) -> None:
    assert accepted(True, answer) is ok
    assert accepted(False, answer) is False


@pytest.mark.parametrize(
    ("answer", "record"),
    [
        ({"id": 1, "title": "a", "tags": []}, {"id": 1, "title": "a", "tags": []}),
        ({"ok": True, "task": {"id": 1}, "recovered": []}, {"id": 1}),
        ({"success": True, "found": True, "data": [{"id": 2}], "status": "SUCCESS"}, {"id": 2}),
        ({"notes": [], "count": 0}, None),
        ([{"id": 3}, {"id": 4}], {"id": 3}),
        ("done", None),
    ],
)
def test_the_record_of_an_answer(answer: Any, record: Any) -> None:
    assert first_record(answer) == record


def test_ids_are_found_under_longer_names() -> None:
    assert field_of({"title": "a", "task_id": 7}, "id") == 7
    assert field_of({"title": "a"}, "id") == "no-id"
    assert field_of(None, "id") == "no-id"


def test_shared_fields_and_shown_words() -> None:
    assert shared_fields({"id": 1, "title": "a", "createdAt": 0}, {"task_id": 9, "title": "b"}) == pytest.approx(2 / 3)
    assert shown({"completed": "Quay", "at": "2026-12-01 09:00:00"}, {"quay", "completed", "2026-12-01T09:00:00"}) == {
        "quay",
        "2026-12-01T09:00:00",
    }
    assert words_of({"a": [{"b": "words"}], "c": {"$of": ["x", "id"]}, "path": "ROOT/d/e.txt", "n": 3}) == {
        "words",
        "e.txt",
    }


def test_a_difference_in_each_question_is_seen() -> None:
    step = Step("list", {}, reads=True)
    same = compare(step, (True, [{"id": 1, "t": "Quay"}]), (True, {"notes": [{"note_id": 5, "t": "Quay"}]}), {"Quay"})
    assert same["success"]
    assert same["shape"]
    assert same["effect"]
    assert same["fields"] == 1
    assert not compare(step, (True, []), (False, {"error": "x"}), set())["success"]
    assert compare(step, (True, []), (True, {"id": 1, "a": 2}), set())["shape"] is False
    assert compare(step, (True, ["Quay"]), (True, []), {"Quay"})["effect"] is False
    assert compare(step, (True, "all is said"), (True, []), set())["shape"] is None
    assert compare(step, (True, []), (False, None), set())["kept"] is False


def run(side: Side, step: Step) -> tuple[bool, Any]:
    async def once() -> tuple[bool, Any]:
        return await side.run(step)

    return anyio.run(once)


def test_a_script_runs_on_an_emptied_environment_with_its_own_ids() -> None:
    script = Script("bookstore", "empty", "", ())
    side = simulated([Environment.load(BOOKSTORE)], script)
    ok, listed = run(side, Step("list_books", {}))
    assert ok
    assert listed["books"] == []
    assert run(side, Step("get_order", {"order_id": {"$of": ["never", "id"]}}))[0] is False
    assert run(side, Step("no_such_tool", {})) == (False, None)


def test_saved_ids_are_used_by_later_steps() -> None:
    side = simulated([Environment.load(BOOKSTORE)], Script("bookstore", "seeded", "", ()))
    order = {"customer_id": "cus-001", "items": [{"sku": "BK-100", "quantity": 2}]}
    run(side, Step("create_order", order, save="order"))
    ok, found = run(side, Step("get_order", {"order_id": {"$of": ["order", "id"]}}))
    assert ok
    assert found["order_id"] == side.saved["order"]["order_id"]


def test_a_line_that_is_no_step_is_named(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(json.dumps({"server": "s"}) + "\n" + json.dumps({"tol": "x"}) + "\n")
    with pytest.raises(UserError, match=r"script\.jsonl: not a fidelity script"):
        Script.read(path)


def test_the_committed_scripts_are_long_enough_and_say_what_they_read() -> None:
    scripts = [Script.read(path) for path in sorted(SCRIPTS.glob("*.jsonl"))]
    assert len({script.server for script in scripts}) >= 6
    for script in scripts:
        assert len(script.steps) >= 20, script.server
        assert 3 <= sum(step.reads for step in script.steps) < len(script.steps), script.server
