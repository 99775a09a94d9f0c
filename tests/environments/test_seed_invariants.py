"""What must hold for seeded records of any server: types, kinds that descriptions say, agreement between records."""

import copy
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seed_invariants import counted, of_type, violations

from tvlab.environments.build import build_server
from tvlab.environments.facts.told_seeding import agreed
from tvlab.environments.prepared_servers import prepare_server
from tvlab.environments.seeding.seeding import seed_state
from tvlab.environments.seeding.values import Values
from tvlab.environments.tool_lists import ToolList
from tvlab.foundation.seeds import generator

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def said(description, kind="string", **more):
    return {"type": kind, "description": description, **more}


def some(**properties):
    return {"type": "object", "properties": properties}


def tool(called, description="", required=(), output=None, /, **properties):
    schema = {**some(**properties), "required": list(required)}
    result = {"name": called, "description": description, "inputSchema": schema}
    return {**result, "outputSchema": output} if output else result


def seeded(*tools, seed=0):
    """Records of all things of a made-up server, with the things."""
    domain = prepare_server(ToolList("made-up", "", "", "", list(tools)), seed=seed).domain
    return list(domain.entities.values()), seed_state(domain, list(domain.entities), seed, "made-up")


def rows(state, table):
    return list(state[table].values())


FERRIES = (
    tool("create_harbour", "Create a harbour.", ("name",), name=TEXT),
    tool("list_harbours", "List harbours."),
    tool("create_ferry", "Create a ferry of a harbour.", ("harbour_id", "name"), harbour_id=TEXT, name=TEXT),
    tool("list_ferries", "List ferries.", (), harbour_id=TEXT),
    tool("get_ferry", "Get a ferry.", ("ferry_id",), ferry_id=TEXT),
    tool(
        "create_crossing", "Create a crossing.", ("ferry_id", "harbour_id"), ferry_id=TEXT, harbour_id=TEXT,
        permit_id=TEXT, permit_label=TEXT, crossing=some(id=TEXT, note=TEXT), note=TEXT,
        ferry=some(id=TEXT, name=TEXT, harbour=some(id=TEXT, name=TEXT)), stops={"type": "array", "items": some(
            harbour=some(id=TEXT, name=TEXT), minutes=NUMBER)},
        relief=said("The relief ferry ID"), spare=said("Array of ferry IDs", "array", items=TEXT),
        parent=said("Parent crossing ID"), follow_up=said("ID of the crossing after this one"),
        fare_zone=said("Fare zone ID", "number"),
    ),
    tool("list_crossings", "List crossings.", (), some(crossings={"type": "array", "items": some(
        crossing_id=TEXT, ferry_name=TEXT)}), ferry_id=TEXT, permit_label=TEXT),
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_records_of_a_server_with_nested_and_copied_columns_break_no_rule(seed):
    entities, state = seeded(*FERRIES, seed=seed)
    assert len(rows(state, "crossings")) > 5
    assert counted(violations(entities, state)) == {}


@pytest.mark.parametrize(("column", "value", "rule"), [
    ("ferry", {"id": "fer-none"}, "nested"), ("fare_zone", "seven", "type"), ("ferry_name", "other", "same key"),
    ("note", 3, "type"), ("crossing", {"id": "another"}, "nested"), ("relief", "quiet budget", "filler"),
])  # fmt: skip
def test_a_record_made_wrong_is_found(column, value, rule):
    entities, state = seeded(*FERRIES)
    wrong = copy.deepcopy(state)
    for at, row in enumerate(rows(wrong, "crossings")):
        row[column] = f"{value} {at}" if rule == "same key" else value
        row["ferry_id"] = next(iter(wrong["ferries"]))
    assert any(found.startswith(rule) for found in counted(violations(entities, wrong)))


@pytest.mark.parametrize("seed", range(3))
def test_a_record_tells_of_others_what_they_are(seed):
    _, state = seeded(*FERRIES, seed=seed)
    labels = {(row["permit_id"], row["permit_label"]) for row in rows(state, "crossings") if "permit_label" in row
              and "permit_id" in row}  # fmt: skip
    assert 0 < len(labels) == len(dict(labels))
    for row in rows(state, "crossings"):
        ferry = state["ferries"][row["ferry_id"]]
        assert row["harbour_id"] == ferry["harbour_id"]
        assert row.get("ferry_name", ferry["name"]) == ferry["name"]
        assert row.get("crossing", {}).get("id", row["crossing_id"]) == row["crossing_id"]
        if "ferry" in row:
            assert (row["ferry"]["id"], row["ferry"]["name"]) == (row["ferry_id"], ferry["name"])
        for stop in row.get("stops", []):
            assert state["harbours"][stop["harbour"]["id"]]["name"] == stop["harbour"]["name"]


def test_ids_that_are_said_lead_to_records_and_no_crossing_is_above_itself():
    _, state = seeded(*FERRIES)
    keys = list(state["crossings"])
    given_ = [row for row in rows(state, "crossings") if "parent" in row or "follow_up" in row]
    assert given_
    for at, row in enumerate(rows(state, "crossings")):
        assert row.get("relief", next(iter(state["ferries"]))) in state["ferries"]
        assert set(row.get("spare", [])) <= set(state["ferries"])
        for name in {"parent", "follow_up"} & set(row):
            assert row[name] in keys[:at]
        assert float(row.get("fare_zone", 1)).is_integer()


def test_a_text_told_only_under_the_own_name_of_a_record_is_told_plainly_too():
    _, state = seeded(*FERRIES)
    both = [row for row in rows(state, "crossings") if "crossing" in row]
    assert both
    assert all(row["note"] == row["crossing"]["note"] for row in both)


def test_an_array_keeps_to_the_most_items_and_a_table_row_has_one_inner_row():
    tip = "List rows of a table. Body: { values: [[...]] }"
    _, state = seeded(
        tool("create_grid_row", "Create a row.", ("label",), label=TEXT, values={}), tool("list_grid_rows", tip))
    found = [row["values"] for row in rows(state, "grid_rows") if "values" in row]
    assert found
    assert all(len(one) == 1 and isinstance(one[0], list) for one in found)


def test_first_and_last_name_make_the_whole_one():
    _, state = seeded(
        tool("create_skipper", "", ("name",), name=TEXT, first_name=TEXT, last_name=TEXT), tool("list_skippers", ""))
    full = [row for row in rows(state, "skippers") if {"first_name", "last_name"} <= set(row)]
    assert full
    assert all(row["name"] == f"{row['first_name']} {row['last_name']}" for row in full)


@pytest.mark.parametrize(("name", "description", "pattern"), [
    ("to", "The address to send ETH to", r"^0x[0-9a-f]{40}$"),
    ("receiver", "Address to send SOL to", r"^[1-9A-HJ-NP-Za-km-z]{44}$"),
    ("recipient", "Either a phone number without + or a JID", r"^\d{11}$"),
    ("contact_line", "The phone number of the guest", r"^\+1-555-"),
    ("runs", "Cron expression of the run", r"^(?:\S+ ){4}\S+$"),
    ("note_body", "HTML formatted body", r"^<p>.+</p>$"),
    ("origin_block", "CIDR of the hosts", r"^10\.\d+\.\d+\.0/24$"),
    ("statement", "The SQL query to save", r"^SELECT "),
    ("extra", 'JSON string of settings, e.g. {"depth": 3}', r'^\{"depth": \d+\}$'),
    ("members", "JSON array of names", r'^\["'),
    ("speech", "Language code of the guide", r"^(en|de|fr|es)$"),
    ("mark", "ETag of the record", r'^W/"[0-9a-f]+"$'),
    ("goods", "Kind of goods (DRY for grain, WET for oil, COOL for fruit)", r"^(DRY|WET|COOL)$"),
    ("share", "Who sees it. Can be: crew, guests, all", r"^(crew|guests|all)$"),
    ("pilot", "The pilot ID", r"^[0-9a-f]{8}$"),
    ("typeface", "Font family (e.g. 'Arial', 'Times New Roman')", r"^(Arial|Times New Roman)$"),
    ("due_lang", "2-letter code specifying language of the due date", r"^(en|de|fr|es)$"),
    ("berth_type", "Berth type ('SHORT', 'LONG' or 'DRY_DOCK'). Used by 'create'.", r"^(SHORT|LONG|DRY_DOCK)$"),
    ("edge_color", "Edge color (#RRGGBB)", r"^#[0-9a-f]{6}$"),
    ("paint", "Colour of the hull (hex code)", r"^#[0-9a-f]{6}$"),
])  # fmt: skip
def test_a_text_is_of_the_kind_that_its_description_says(name, description, pattern):
    for seed in range(6):
        found = Values(generator(seed, "test")).value(name, said(description), ("crossing",))
        assert re.search(pattern, found), found


def test_texts_of_json_differ_and_are_json():
    schema = said('Visibility as JSON string, e.g. {"type": "group", "value": "crew"}')
    found = {Values(generator(seed, "test")).value("visibility", schema, ("note",)) for seed in range(9)}
    assert len(found) > 1
    assert {json.loads(one)["type"] for one in found} == {"group"}


def test_the_text_of_a_docstring_counts_as_that_of_a_schema():
    text = "Send a picture.\n\nArgs:\n    recipient: phone number without + or a JID\n    caption: the words below it"
    _, state = seeded(
        tool("send_picture", text, ("recipient",), recipient=TEXT, caption=TEXT),
        tool("list_pictures", "List pictures."),
    )
    assert all(row["recipient"].isdigit() for row in rows(state, "pictures"))


def test_a_pattern_of_searches_gives_records_dates():
    pattern = r"^(today|tomorrow\.\.\*|\d{4}-\d{2}-\d{2}|\d{4}-\d{2}-\d{2}\.\.\*)$"
    for seed in range(6):
        found = Values(generator(seed, "test")).value("completed", said("Date filter", pattern=pattern), ("crossing",))
        assert re.fullmatch(r"202[56]-\d\d-\d\d", found)


def test_columns_that_a_read_includes_are_in_all_records():
    _, state = seeded(
        tool("save_chart", "Save it.", ("title",), title=TEXT, depth_range=TEXT, harbour_light=TEXT, colour_set=TEXT),
        tool("get_chart", "Get a chart including depth range and harbour light.", ("chart_id",), chart_id=TEXT),
    )
    charts = rows(state, "charts")
    assert all({"depth_range", "harbour_light"} <= set(row) for row in charts)


def test_a_verb_of_state_sets_the_state_that_records_bear():
    text = 'Search voyages.\n\nArgs:\n    state_type: state (e.g., "SAILING", "DOCKED")\n    state_name: its name'
    server = build_server(ToolList("made-up", "", "", "", [
        tool("create_voyage", "Create a voyage.", ("title",), title=TEXT),
        tool("search_voyages_by_state", text, (), state_type=TEXT, state_name=TEXT),
        tool("get_voyage", "Get a voyage.", ("voyage_id",), voyage_id=TEXT),
        tool("cancel_voyage", "Cancel a voyage.", ("voyage_id",), voyage_id=TEXT),
    ]), smallest=1)  # fmt: skip
    session = server.environments[0].environment.session()
    key, row = next(iter(server.environments[0].environment.state["voyages"].items()))
    assert row["state_type"] in ("SAILING", "DOCKED", "CANCELLED")
    assert "status" not in row
    assert session.call("cancel_voyage", {"voyage_id": key}).ok
    found = session.call("search_voyages_by_state", {"state_type": "CANCELLED"}).value["voyages"]
    assert key in [one["voyage_id"] for one in found]
    assert {one["state_type"] for one in found} == {"CANCELLED"}


def test_a_coin_is_called_by_its_id_and_costs_what_it_costs():
    row = agreed({"id": "dogecoin", "name": "XRP USD", "symbol": "XRPUSD"}, ("coin",))
    assert (row["name"], row["symbol"]) == ("Dogecoin", "DOGE")
    assert agreed({"coin_id": "coi-1", "name": "bitcoin", "price": 644.45})["price"] > 10_000


NAMES = st.sampled_from(
    "title value count to from address phones emails parent values vector fields tags note url".split()
)
KINDS = st.recursive(
    st.sampled_from([{"type": kind} for kind in ("string", "integer", "number", "boolean", "object", "array")]),
    lambda inner: st.one_of(
        inner.map(lambda one: {"type": "array", "items": one}),
        st.dictionaries(NAMES, inner, max_size=3).map(lambda parts: some(**parts)),
    ), max_leaves=4,
)  # fmt: skip
TEXTS = st.sampled_from(
    ["", "The user ID", "JSON string", "Array of crew IDs", "Phone number", "Hex color", "HTML body"]
)


@settings(max_examples=120, deadline=None)
@given(NAMES, KINDS, TEXTS, st.integers(0, 50))
def test_every_value_has_the_type_of_its_schema(name, schema, description, seed):
    value = Values(generator(seed, "test")).value(name, {**schema, "description": description}, ("crossing",))
    assert every_type(value, schema), value


def every_type(value, schema):
    if not of_type(value, schema):
        return False
    if isinstance(value, list):
        return all(every_type(one, schema.get("items", {})) for one in value)
    if isinstance(value, dict):
        return all(every_type(one, schema.get("properties", {}).get(name, {})) for name, one in value.items())
    return True
