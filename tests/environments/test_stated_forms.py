"""More rules that only texts state: lists of numbers, exact counts, forms of items, needs across an object."""

from __future__ import annotations

import dataclasses
import re

import pytest
from test_rules import ok, refused
from test_writes import built, tool

from tvlab.environments.checks.verification import verify
from tvlab.environments.environment import function_name, load_functions
from tvlab.environments.language.stated_numbers import item_bounds, length_bounds, number_bounds
from tvlab.environments.meanings.stated_values import text_of


def said(text, kind="string", **more):
    return {"type": kind, "description": text, **more}


OBJECTS = {"type": "array", "items": {"type": "object"}}
BOATS = (
    tool(
        "create_boat", "Create a boat.", ("name", "deck", "crew", "owners"),
        name="string", deck=said("Which deck (0, 1, or 2)", "integer"),
        crew=said("Phone numbers in E.164 format (minimum 2 members)", "array", items={"type": "string"}),
        owners={**OBJECTS, "description": "Owners (each must have an 'id' field)"},
        masts=said("Exactly one mast per boat", "array", items={"type": "string"}),
        power_type=said("What moves it", enum=["sail", "engine"]),
        power=said("More of it", "object", properties={
            "fuel": said('Fuel (required if power is "engine")'), "cloth": said("Cloth")}),
    ),
    tool("get_boat", "Get a boat.", ("boat_id",), boat_id="string"),
    tool("get_boats_batch", "Get several boats at once.", ("boat_ids",),
         boat_ids=said("Ids of the boats (max 4)", "array", items={"type": "string"})),
    tool("add_note", "Append a note to a boat (max 2,000 characters).", ("boat_id", "text"),
         boat_id="string", text="string"),
    tool("list_boats", "List the boats. Returns up to `limit` (max 30).", limit={"type": "integer", "default": -1}),
)  # fmt: skip
GIVEN = {"name": "aft", "deck": 1, "crew": ["+4912345678", "+4912345679"], "owners": [{"id": "o1"}]}


@pytest.fixture(scope="module")
def boats():
    server = built(*BOATS)
    assert not server.drops, server.drops
    return server.environments[0]


@pytest.mark.parametrize(
    "broken",
    [
        {"deck": 3}, {"crew": ["+4912345678"]}, {"crew": ["0123", "+4912345678"]}, {"owners": [{"name": "Ann"}]},
        {"masts": []}, {"masts": ["fore", "main"]}, {"power_type": "engine", "power": {"cloth": "wool"}},
    ],
)  # fmt: skip
def test_a_call_that_breaks_a_rule_is_refused(boats, broken):
    session = boats.environment.session()
    ok(session, "create_boat", **GIVEN)
    assert refused(session, "create_boat", **{**GIVEN, **broken}) == "invalid_arguments"


def test_the_calls_that_keep_them_are_accepted(boats):
    session = boats.environment.session()
    power = {"fuel": "oil"}
    made = ok(session, "create_boat", **GIVEN, masts=["main"], power_type="engine", power=power)
    assert made["power"] == power
    ok(session, "create_boat", **GIVEN, power_type="sail", power={"cloth": "wool"})
    ids = [made["boat_id"]] * 4
    assert len(ok(session, "get_boats_batch", boat_ids=ids)["boats"]) == 4
    assert refused(session, "get_boats_batch", boat_ids=[*ids, made["boat_id"]]) == "invalid_arguments"
    assert refused(session, "add_note", boat_id=made["boat_id"], text="x" * 2001) == "invalid_arguments"
    assert len(ok(session, "list_boats")["boats"]) == len(session.state["boats"])


def test_the_records_that_are_there_at_first_keep_them(boats):
    rows = list(boats.environment.state["boats"].values())
    assert {row["deck"] for row in rows} <= {0, 1, 2}
    assert all(len(row["crew"]) >= 2 and all(re.fullmatch(r"\+\d{7,15}", n) for n in row["crew"]) for row in rows)
    assert all(len(row["masts"]) == 1 for row in rows if "masts" in row)


@pytest.mark.parametrize("name", ["deck", "crew", "owners", "masts"])
def test_verification_sees_a_rule_that_is_not_kept(boats, name):
    environment = boats.environment
    make = environment.tool("create_boat")
    bare = next(t for t in BOATS if t["name"] == "create_boat")["inputSchema"]["properties"][name]
    schema = {**make["inputSchema"], "properties": {**make["inputSchema"]["properties"], name: bare}}
    tools = tuple({**t, "inputSchema": schema} if t is make else t for t in environment.tools)
    changed = dataclasses.replace(environment, tools=tools)
    assert "stated_rule" in {c.check for c in verify(changed, tools={"create_boat"}) if not c.passed}


def test_verification_sees_what_is_not_asked_for(boats):
    old = "if power_type in ('engine',) and"
    source = boats.source.replace(old, "if False and").replace(old.replace("'", '"'), "if False and")
    assert source != boats.source
    functions, environment = load_functions(source, "mutant"), boats.environment
    functions = {n: functions[function_name(n)] for n in environment.tool_names}
    mutant = dataclasses.replace(environment, functions=functions)
    assert {(c.tool, c.check) for c in verify(mutant) if not c.passed} == {("create_boat", "stated_rule")}


def test_bounds_at_the_end_of_a_sentence_and_others():
    assert number_bounds({}, "How many, from 1 to 100.") == {"minimum": 1, "maximum": 100}
    assert number_bounds({}, "Between 1.5 and 2.5.") == {"minimum": 1.5, "maximum": 2.5}
    assert number_bounds({}, "At version 1.2 or 3") == {}
    assert length_bounds({}, "Maximum script size is 48KB") == {"maxLength": 49152}
    assert item_bounds({}, "Exactly one of them must match") == {}
    assert item_bounds({}, "Array with exactly one RULE plus optional others") == {}
    assert text_of("boats", {"type": "array"}, "Update up to 10 existing boats.") == "(max 10)"
    assert text_of("note", {"type": "string"}, "Add a boat. (max 20 characters of its name)") == ""


def test_what_belongs_to_one_kind_or_to_the_making_is_no_field():
    server = built(
        tool("create_sail", "Create a sail.", ("name",), name="string", kind=said("Kind", enum=["jib", "main"]),
             reefs=said("Only for main type sails.", "integer"),
             area=said("Area. Can be set only when creating the sail.", "number")),
        tool("get_sail", "Get a sail.", ("sail_id",), sail_id="string"),
        tool("update_sail", "Update a sail.", ("sail_id",), sail_id="string", name="string",
             area=said("Area. Can be set only when creating the sail.", "number")),
    )  # fmt: skip
    environment = server.environments[0].environment
    assert set(environment.tool("create_sail")["inputSchema"]["properties"]) == {"name", "kind", "area"}
    assert "area" not in environment.tool("update_sail")["inputSchema"]["properties"]


def test_clauses_that_no_code_keeps_leave_the_texts():
    server = built(
        tool("create_oar", "Create a timestamped oar.", ("name",), name="string",
             price=said("Price in cents", "integer"),
             sale=said("Sale price; must be lower than price.", "integer"),
             team=said("Team name (null to unset)", type=["string", "null"])),
        tool("get_oar", "Get an oar.", ("oar_id",), oar_id="string"),
    )  # fmt: skip
    made = server.environments[0].environment.tool("create_oar")
    texts = {name: part.get("description") for name, part in made["inputSchema"]["properties"].items()}
    assert texts["sale"] == "Sale price."
    assert texts["team"] == "Team name"
    assert made["description"] == "Create a oar."


def test_a_change_keeps_to_the_state_that_is_told():
    server = built(
        tool("place_bid", "Place a bid.", ("price",), price="number"),
        tool("modify_bid", "Modify an existing pending bid", ("bid_id", "price"), bid_id="string", price="number"),
        tool("cancel_bid", "Cancel a pending bid.", ("bid_id",), bid_id="string"),
        tool("list_bids", "List the bids."),
    )
    one = server.environments[0]
    session = one.environment.session()
    bid = ok(session, "place_bid", price=3)
    assert bid["status"] == "pending"
    assert ok(session, "modify_bid", bid_id=bid["bid_id"], price=4)["price"] == 4
    ok(session, "cancel_bid", bid_id=bid["bid_id"])
    assert refused(session, "modify_bid", bid_id=bid["bid_id"], price=5) == "conflict"
    source = one.source.replace('if bid.get("status") != "pending":', "if False:")
    source = source.replace("if bid.get('status') != 'pending':", "if False:")
    assert source != one.source
    functions = load_functions(source, "mutant")
    functions = {n: functions[function_name(n)] for n in one.environment.tool_names}
    mutant = dataclasses.replace(one.environment, functions=functions)
    assert ("modify_bid", "stated_rule") in {(c.tool, c.check) for c in verify(mutant) if not c.passed}


def test_values_with_commas_between_them_are_several():
    text = "Search the piers.\n\nArgs:\n    codes: Comma-separated list of pier codes\n    limit: At most"
    server = built(
        tool("search_piers", text, codes="string", limit={"type": "integer", "default": 10}),
        tool("create_pier", "Create a pier.", ("codes", "name"), codes="string", name="string"),
    )
    one = server.environments[0]
    session = one.environment.session()
    for code in ("P1", "P2", "P3"):
        ok(session, "create_pier", codes=code, name="North")
    assert {row["codes"] for row in ok(session, "search_piers", codes="P1, P3")["piers"]} == {"P1", "P3"}
    assert ok(session, "search_piers", codes="P")["piers"] == []
    assert "stated_rule" in {c.check for c in verify(one.environment) if c.passed and c.tool == "search_piers"}


def test_a_flag_of_which_it_is_told_locks_its_record():
    told = said("The rule is read-only and cannot be modified or deleted.", "boolean")
    server = built(
        tool("create_rule", "Create a rule.", ("name",), name="string", isReadOnly=told),
        tool("update_rule", "Update a rule.", ("rule_id",), rule_id="string", name="string"),
        tool("delete_rule", "Delete a rule.", ("rule_id",), rule_id="string"),
        tool("list_rules", "List the rules."),
    )
    one = server.environments[0]
    assert set(one.environment.tool_names) >= {"update_rule", "delete_rule"}
    session = one.environment.session()
    rule = ok(session, "create_rule", name="n", isReadOnly=True)["rule_id"]
    assert refused(session, "update_rule", rule_id=rule, name="m") == "conflict"
    assert refused(session, "delete_rule", rule_id=rule) == "conflict"
    free = ok(session, "create_rule", name="n", isReadOnly=False)["rule_id"]
    ok(session, "update_rule", rule_id=free, name="m")
    ok(session, "delete_rule", rule_id=free)
    source = re.sub(r"if rule.get\(.isReadOnly.\):", "if False:", one.source)
    functions = load_functions(source, "mutant")
    functions = {n: functions[function_name(n)] for n in one.environment.tool_names}
    mutant = dataclasses.replace(one.environment, functions=functions)
    failed = {(c.tool, c.check) for c in verify(mutant) if not c.passed}
    assert failed == {("update_rule", "stated_rule"), ("delete_rule", "stated_rule")}


def test_a_new_thing_starts_in_a_state_that_only_answers_tell():
    status = {"type": "string", "enum": ["triggered", "acknowledged", "resolved"]}
    answer = {"type": "object", "properties": {"alarm_id": {"type": "string"}, "status": status}}
    server = built(
        {**tool("create_alarm", "Create an alarm.", ("title",), title="string"), "outputSchema": answer},
        tool("update_alarm", "Update an alarm.", ("alarm_id",), alarm_id="string", title="string",
             status={"type": "string", "enum": ["acknowledged", "resolved"]}),
        tool("get_alarm", "Get an alarm.", ("alarm_id",), alarm_id="string"),
    )  # fmt: skip
    session = server.environments[0].environment.session()
    alarm = ok(session, "create_alarm", title="Smoke")
    assert alarm["status"] == "triggered"
    assert ok(session, "update_alarm", alarm_id=alarm["alarm_id"], status="resolved")["status"] == "resolved"
