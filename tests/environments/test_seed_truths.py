"""Records of made-up servers keep the forms that descriptions state, and their columns agree with one another."""

import re

import pytest
from plain_tools import tool
from seed_invariants import counted, violations

from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.prepared_servers import prepare_server
from tvlab.environments.seeding.forms import form_text, key_text
from tvlab.environments.seeding.numbers import number_items, number_schema
from tvlab.environments.seeding.seeding import seed_state
from tvlab.environments.seeding.tables import Tables
from tvlab.environments.seeding.truths import agree
from tvlab.environments.seeding.values import Values
from tvlab.environments.tool_lists import ToolList
from tvlab.foundation.seeds import generator

TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "number"}, {"type": "boolean"}


def said(description, kind="string", **more):
    return {"type": kind, "description": description, **more}


def seeded(*tools, seed=0):
    domain = prepare_server(ToolList("made-up", "", "", "", list(tools)), seed=seed).domain
    return list(domain.entities.values()), seed_state(domain, list(domain.entities), seed, "made-up")


def rows(state, table):
    return list(state[table].values())


def values(seed=0):
    return Values(generator(seed, "forms"), None, guessing=False)


ORCHARDS = (
    tool("create_orchard", "Create an orchard.", ("name",), name=TEXT),
    tool("list_orchards", "List orchards."),
    tool(
        "create_picking", "Create a picking in an orchard.", ("orchard_id", "name"), orchard_id=TEXT, name=TEXT,
        title=TEXT, parent_picking=said("Parent picking ID"), status={"type": "string", "enum": ["open", "done"]},
        is_done=FLAG, completed_at=TEXT, created_at=TEXT, updated_at=TEXT, start_date=TEXT, end_date=TEXT,
        crate_index=NUMBER, crate_count=NUMBER, has_note=FLAG, note=TEXT,
        picking_date=TEXT, year=NUMBER, ripeness_level=said("Level of ripeness (1-6)", "number"),
        public=said("0 (private), 1 (public)", "number"), wage=said("Wage in cents", "number"),
        insured=said("Whether it is insured (default: true)", "boolean"),
    ),
    tool("get_picking", "Get a picking. Returns name, crate_count and note.", ("picking_id",),
         picking_id=said("Key of the picking, e.g. PICK-123")),
    tool("list_pickings", "List pickings of an orchard.", (), orchard_id=TEXT),
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_columns_of_one_record_agree(seed):
    entities, state = seeded(*ORCHARDS, seed=seed)
    assert counted(violations(entities, state)) == {}
    pickings = rows(state, "pickings")
    assert len(pickings) > 5
    for row in pickings:
        assert row.get("title", row["name"]) == row["name"]
        assert row["is_done"] == (row["status"] == "done") if "is_done" in row else True
        assert "completed_at" not in row or row.get("is_done", True)
        moments = [row[n] for n in ("created_at", "updated_at", "completed_at") if n in row]
        assert moments == sorted(moments)
        assert row.get("start_date", "") <= row.get("end_date", "9")
        if {"crate_index", "crate_count"} <= set(row):
            assert 0 <= row["crate_index"] < row["crate_count"]
        if "has_note" in row:
            assert row["has_note"] == bool(row.get("note"))
        assert {"crate_count", "note"} <= set(row)
        if "picking_date" in row:
            assert row.get("year", int(row["picking_date"][:4])) == int(row["picking_date"][:4])


@pytest.mark.parametrize("seed", range(4))
def test_numbers_keep_what_their_texts_state_and_flags_their_defaults(seed):
    _, state = seeded(*ORCHARDS, seed=seed)
    pickings = rows(state, "pickings")
    assert {row["public"] for row in pickings if "public" in row} == {0, 1}
    assert all(row.get("ripeness_level", 1) in range(1, 7) for row in pickings)
    assert all(float(row.get("wage", 100)).is_integer() and row.get("wage", 100) >= 100 for row in pickings)
    insured = [row["insured"] for row in pickings]
    assert insured.count(True) > 0
    assert all(re.fullmatch(r"PICK-\d{6}", key) for key in state["pickings"])


def test_one_author_has_one_name_and_what_is_stamped_is_in_order():
    fields = {n: Field(n, TEXT) for n in ("author_id", "author_name", "created_at", "modified_on", "due_date")}
    made = Entity("leaf", ("leaf",), "leaf_id", "string", "minted", fields)
    state = {made.table: {
        "1": {"leaf_id": "1", "author_id": "7", "author_name": "Ada", "created_at": "2026-02-03T04:05:06Z",
              "modified_on": "2026-01-01", "due_date": "2026-02-01"},
        "2": {"leaf_id": "2", "author_id": "7", "author_name": "Bea", "created_at": "2026-02-03",
              "modified_on": "2026-02-01T04:05:06Z"},
        "3": {"leaf_id": "3", "author_id": "8", "author_name": "Bea"},
    }}  # fmt: skip
    agree(Tables([made], state, {made.name}))
    first, second, third = rows(state, made.table)
    assert (first["author_name"], second["author_name"], third["author_name"]) == ("Ada", "Ada", "Bea")
    assert (first["created_at"], first["modified_on"], first["due_date"]) == (
        "2026-02-03T04:05:06Z", "2026-02-03", "2026-02-03")  # fmt: skip
    assert second["modified_on"] == "2026-02-03T04:05:06Z"


def test_a_parent_lies_in_the_same_orchard():
    found = 0
    for seed in range(6):
        _, state = seeded(*ORCHARDS, seed=seed)
        for row in rows(state, "pickings"):
            if "parent_picking" in row:
                found += 1
                assert state["pickings"][row["parent_picking"]]["orchard_id"] == row["orchard_id"]
    assert found


@pytest.mark.parametrize(("name", "description", "form"), [
    ("local_part", "Local part of the e-mail address", r"[^@\s]+"),
    ("namespace", "Namespace of the garden, in the form user/repo", r"[\w.-]+/[\w-]+"),
    ("account", "Ad account (e.g. act_1234)", r"act_\d{4}"),
    ("categories", "Categories to follow (e.g. cs.LG, cs.CV)", r"cs\.(LG|CV)"),
    ("asset", "Path of the asset, such as /Game/Props/SM_Chair", r"/Game/Props/SM_\w+"),
    ("product", "Product code: CNC, MIS or NRML", r"CNC|MIS|NRML"),
    ("image", "Container image to run", r"[\w-]+:[\w.-]+"),
])  # fmt: skip
def test_a_stated_form_is_kept(name, description, form):
    texts = {form_text(name, description, ("plant",), values(seed)) for seed in range(6)}
    assert all(text is not None and re.fullmatch(form, text) for text in texts)


@pytest.mark.parametrize(("name", "description"), [
    ("mode", "How it is opened, e.g. read-only"), ("rule", "Rule, e.g. RRULE:FREQ=WEEKLY"),
    ("name", "Name, e.g. plot-12"), ("domain", "Domain, such as yourcompany.com"), ("note", ""),
    ("media_type", "What is attached: PDF, PNG, JPG"),
])  # fmt: skip
def test_words_that_are_no_form_state_none(name, description):
    assert form_text(name, description, ("plant",), values()) is None


def test_keys_are_of_a_stated_form_only_where_it_holds_many():
    assert re.fullmatch(r"\d+", key_text("group_id", "Must be a numeric string", ("group",), values()))
    assert key_text("site_url", "Address, e.g. a/b-12", ("site",), values()) is None
    assert key_text("zone", "Zone, e.g. z1", ("zone",), values()) is None


def test_numbers_and_vectors_are_read_from_descriptions():
    assert number_schema("size", {"type": "number", "description": "Size (1-6 of 10)", "minimum": 2})["minimum"] == 2
    assert number_schema("weight", {"type": "number", "description": "Weight in kg"}) == {
        "type": "number", "description": "Weight in kg"}  # fmt: skip
    assert number_schema("start_month", {"type": "number"})["maximum"] == 12
    assert number_items("Colour as [r, g, b] from 0 to 1")["items"] == {"type": "number", "minimum": 0, "maximum": 1}
    assert number_items("Names as [first, last]") == {}


def test_an_array_shown_as_coordinates_holds_numbers():
    place = {"type": "array", "description": "Location as [X, Y, Z]"}
    value = values().value("location", place, ("lamp",))
    assert len(value) == 3
    assert all(isinstance(one, float) for one in value)


@pytest.mark.parametrize("text", [
    "Get a lamp. Returns the wattage, location and `fitted_by` of the lamp.",
    "Get a lamp. Each lamp has a wattage and a location.",
    "Get a lamp.\n\nReturns:\n- wattage: in watts\n* location (text)\n",
])  # fmt: skip
def test_what_is_listed_as_returned_is_in_all_rows(text):
    make = tool("create_lamp", "Create a lamp.", ("name",), name=TEXT, wattage=NUMBER, location=TEXT, spare=NUMBER)
    spared = 0
    for seed in range(4):
        _, state = seeded(make, tool("get_lamp", text, ("lamp_id",), lamp_id=TEXT), tool("list_lamps"), seed=seed)
        lamps = rows(state, "lamps")
        assert all({"wattage", "location"} <= set(row) for row in lamps)
        spared += sum("spare" in row for row in lamps) < len(lamps)
    assert spared


def test_a_colour_is_no_code_of_an_example():
    from tvlab.environments.seeding.forms import sampled

    class Draws:
        def choice(self, values):
            return values[0]

        def integer(self, low, high):
            return low

    assert sampled("Primary colour in hex (e.g. #03aac0)", Draws()) is None
