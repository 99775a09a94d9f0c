"""Keys that go together, and what running an edge takes for evidence: a made-up archive of boxes and letters."""

import numpy as np
import pytest

from tvlab.environments.environment import Environment, ToolError
from tvlab.tasks.arguments import completed, replaced
from tvlab.tasks.graph import build_graph, propose
from tvlab.tasks.key_choices import KeyChoice
from tvlab.tasks.simple_calls import simple_arguments
from tvlab.tasks.tool_views import references_of, tool_views

TEXT = {"type": "string"}
ROOMS = {f"room-{n}": {"room_id": f"room-{n}"} for n in range(6)}
BOXES = {f"box-{n}": {"box_id": f"box-{n}", "room_id": f"room-{n % 6}"} for n in range(12)}
LETTERS = {
    f"let-{n}": {"letter_id": f"let-{n}", "room_id": f"room-{n}", "box_id": f"box-{n}", "author": {"id": f"box-{n}"}}
    for n in range(4)
}


def inside(state, room_id, box_id):
    if room_id not in state["rooms"] or state["boxes"].get(box_id, {}).get("room_id") != room_id:
        raise ToolError("not_found", f"no box {box_id!r} in room {room_id!r}")


def list_letters(state, *, room_id, box_id):
    inside(state, room_id, box_id)
    return {"letters": [row for row in state["letters"].values() if row["box_id"] == box_id]}


def get_letter(state, *, room_id, box_id, letter_id):
    inside(state, room_id, box_id)
    row = state["letters"].get(letter_id)
    if row is None or row["box_id"] != box_id:
        raise ToolError("not_found", f"no letter {letter_id!r}")
    return row


def create_note(state, *, about, text):
    """Takes any key: nothing is looked up."""
    key = f"note-{about}-{text}"
    state["notes"][key] = {"note_id": key, "about": about, "text": text}
    return state["notes"][key]


FUNCTIONS = {"list_letters": list_letters, "get_letter": get_letter, "create_note": create_note}


def reference(entity, name):
    return {name: {"role": "reference", "entity": entity, "field": name}}


@pytest.fixture(scope="module")
def archive() -> Environment:
    places = {**reference("room", "room_id"), **reference("box", "box_id")}
    letter = dict.fromkeys(("letter_id", "room_id", "box_id", "target_box_id"), TEXT)
    letter["author"] = {"properties": {"id": TEXT}}
    note = {"note_id": TEXT, "about": TEXT}
    meanings = {
        "list_letters": {
            "operation": "list",
            "entity": "letter",
            "parameters": places,
            "output": {"entity": "letter", "shape": "list", "key_path": "letters[].letter_id", "fields": letter},
        },
        "get_letter": {
            "operation": "read",
            "entity": "letter",
            "parameters": {**places, "letter_id": {"role": "key", "entity": "letter", "field": "letter_id"}},
            "output": {"entity": "letter", "shape": "record", "key_path": "letter_id", "fields": letter},
        },
        "create_note": {
            "operation": "create",
            "entity": "note",
            "parameters": {**reference("letter", "about"), "text": {"role": "payload", "field": "text"}},
            "output": {"entity": "note", "shape": "record", "key_path": "note_id", "fields": note},
        },
    }
    tools = tuple(
        {
            "name": name,
            "inputSchema": {
                "type": "object",
                "properties": dict.fromkeys(meaning["parameters"], TEXT),
                "required": list(meaning["parameters"]),
            },
        }
        for name, meaning in meanings.items()
    )
    fields = {name: {**TEXT, "reference": name.removesuffix("_id")} for name in ("room_id", "box_id")}
    about = {**TEXT, "reference": "letter"}
    in_letter = {"letter_id": TEXT, **fields, "target_box_id": {**TEXT, "reference": "box"}}
    entities = {
        "room": {"table": "rooms", "key": "room_id", "fields": {"room_id": TEXT}},
        "box": {"table": "boxes", "key": "box_id", "fields": {"box_id": TEXT, "room_id": fields["room_id"]}},
        "letter": {"table": "letters", "key": "letter_id", "fields": in_letter},
        "note": {"table": "notes", "key": "note_id", "fields": {"note_id": TEXT, "about": about}},
    }
    for meaning in meanings.values():
        meaning["writes"] = meaning["operation"] == "create"
    report = {"server": "archive", "entities": entities, "meanings": meanings, "writers": ["create_note"]}
    state = {"rooms": ROOMS, "boxes": BOXES, "letters": LETTERS, "notes": {}}
    return Environment("archive", tools, state, FUNCTIONS, report)


def test_the_keys_of_one_call_belong_together(archive):
    view = tool_views(archive)["get_letter"]
    for seed in range(20):
        call = simple_arguments(archive, view, archive.state, {}, np.random.default_rng(seed))
        assert LETTERS[call["letter_id"]]["box_id"] == call["box_id"]
        assert BOXES[call["box_id"]]["room_id"] == call["room_id"]


def test_a_given_key_settles_what_it_belongs_to_and_what_belongs_to_it(archive):
    view = tool_views(archive)["get_letter"]
    call = simple_arguments(archive, view, archive.state, {"box_id": "box-3"}, np.random.default_rng(0))
    assert call == {"letter_id": "let-3", "box_id": "box-3", "room_id": "room-3"}


def test_where_nothing_fits_a_key_that_exists_is_drawn(archive):
    choice = KeyChoice(archive, archive.state)
    choice.settle("box", "box-11", BOXES["box-11"])  # no letter lies in it
    assert choice.draw("letter", np.random.default_rng(0)) in LETTERS
    assert choice.draw("nothing", np.random.default_rng(0)) == "none"


def test_a_list_under_two_parents_is_a_producer_though_few_places_hold_anything(archive):
    """Of 72 pairs of a room and a box four hold a letter."""
    assert ("list_letters", "letters[].letter_id") in build_graph(archive).producers("get_letter", "letter_id")


def test_an_answer_that_only_echoes_the_argument_is_no_evidence(archive):
    assert any(b == "create_note" for _, b, _ in propose(archive).edges("data"))
    assert not any(b == "create_note" for _, b, _ in build_graph(archive).edges("data"))


def test_a_nested_id_and_the_target_of_an_act_name_nothing(archive):
    shown = {about["field"] for _, _, about in propose(archive).edges("data")}
    assert not any("author" in field or "target" in field for field in shown)
    assert not {"id", "target_box_id"} & references_of(archive, "letter").keys()


def test_only_the_argument_in_question_is_replaced():
    assert replaced({"id": 1, "count": 1}, ("id",), 7) == {"id": 7, "count": 1}


def test_required_objects_that_no_value_begins_are_given_empty():
    body = {"type": "object", "properties": {"note": TEXT}}
    lines = {"type": "array", "items": body}
    schema = {"properties": {"id": TEXT, "body": body, "lines": lines, "more": body}, "required": ["body", "lines"]}
    assert completed({"id": "a"}, schema) == {"id": "a", "body": {}, "lines": [{}]}
