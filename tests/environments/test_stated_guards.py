"""Stated rules between values: the clock, rows of one length, values that others ask for, pages, parts that stay."""

from __future__ import annotations

import dataclasses

import pytest
from test_rules import ok, refused
from test_writes import built, opened, tool

from tvlab.environments.checks.verification import verify
from tvlab.environments.environment import function_name, load_functions


def said(text, kind="string", **more):
    return {"type": kind, "description": text, **more}


GRID = {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
KITES = (
    tool(
        "create_kite", "Make a kite. due_date is YYYY-MM-DD and may not be in the past.",
        ("name", "due_date", "source"),
        name="string", due_date="string", source={"type": "string", "enum": ["kit", "plan"]},
        plan_code=said('Code of the plan (required if source is "plan")'),
    ),
    tool("list_kites", "List the kites."),
    tool("create_chart", "Make a chart. All rows must have the same number of columns.", ("name", "cells"),
         name="string", cells=GRID),
    tool("list_charts", "List the charts.", count=said("How many charts (0 means all)", "integer")),
)  # fmt: skip


@pytest.fixture(scope="module")
def kites():
    server = built(*KITES)
    assert not server.drops, server.drops
    return server.environments[0]


def test_a_moment_must_not_lie_before_the_clock(kites):
    session = kites.environment.session()
    today = kites.environment.state["_clock"]["now"][:10]
    given = {"name": "red", "source": "kit"}
    assert ok(session, "create_kite", due_date=today, **given)["due_date"] == today
    for day in ("2001-01-01", "soon"):
        assert refused(session, "create_kite", due_date=day, **given) == "invalid_arguments"


def test_a_value_is_needed_where_another_one_asks_for_it(kites):
    session = kites.environment.session()
    given = {"name": "red", "due_date": "2030-01-01"}
    assert refused(session, "create_kite", source="plan", **given) == "invalid_arguments"
    assert ok(session, "create_kite", source="plan", plan_code="P1", **given)["plan_code"] == "P1"
    assert "plan_code" not in ok(session, "create_kite", source="kit", **given)


def test_rows_are_of_one_length(kites):
    session = kites.environment.session()
    assert ok(session, "create_chart", name="a", cells=[["1", "2"], ["3", "4"]])["cells"] == [["1", "2"], ["3", "4"]]
    assert refused(session, "create_chart", name="a", cells=[["1", "2"], ["3"]]) == "invalid_arguments"
    assert all(len({*map(len, row["cells"])}) < 2 for row in kites.environment.state["charts"].values())


def test_a_limit_of_nothing_stands_for_all(kites):
    session = kites.environment.session()
    everything = list(kites.environment.state["charts"].values())
    assert ok(session, "list_charts", count=0)["charts"] == everything
    assert ok(session, "list_charts", count=1)["charts"] == everything[:1]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("create_kite", 'if due_date < now(state)[: len(due_date)]:', "if False:"),
        ("create_kite", "now(state)[: len(due_date)]", "now(state)"),
        ("create_kite", "if source in ('plan',) and plan_code is None:", "if False:"),
        ("create_chart", "if len({len(row) for row in cells}) > 1:", "if False:"),
        ("list_charts", "count or None", "count"),
    ],
)
def test_verification_sees_a_rule_that_the_code_lacks(kites, name, old, new):
    source = kites.source.replace(old, new).replace(old.replace("'", '"'), new)
    assert source != kites.source
    functions = load_functions(source, "mutant")
    environment = kites.environment
    mutant = dataclasses.replace(
        environment, functions={n: functions[function_name(n)] for n in environment.tool_names}
    )
    assert {c.tool for c in verify(mutant) if not c.passed and c.check == "stated_rule"} == {name}


def test_verification_sees_an_update_that_takes_nothing_though_one_field_is_asked_for():
    tools = (
        KITES[1],
        tool("create_kite", "Make a kite.", ("name",), name="string", colour="string"),
        tool("update_kite", "Update a kite. At least one field must be provided.", ("kite_id",),
             kite_id=said("Kite ID"), name="string", colour="string"),
    )  # fmt: skip
    made = built(*tools).environments[0]
    source, environment = made.source.replace("if not changes:", "if False:"), made.environment
    assert source != made.source
    functions = load_functions(source, "mutant")
    mutant = dataclasses.replace(
        environment, functions={n: functions[function_name(n)] for n in environment.tool_names}
    )
    assert {(c.tool, c.check) for c in verify(mutant) if not c.passed} == {("update_kite", "stated_rule")}


def test_a_cursor_may_be_the_last_key_of_the_page_before():
    cursor = said("Cursor (last kite ID from previous page) to fetch the next page.")
    tools = (KITES[0], tool("list_kites", "List the kites.", limit=said("At most (1-50)", "integer"), after=cursor))
    environment = built(*tools).environments[0].environment
    session = environment.session()
    rows = list(environment.state["kites"].values())
    page = ok(session, "list_kites", limit=2)
    assert page == {"kites": rows[:2], "next_cursor": rows[1]["kite_id"]}
    assert ok(session, "list_kites", limit=2, after=rows[1]["kite_id"])["kites"] == rows[2:4]
    assert "next_cursor" not in ok(session, "list_kites", limit=50, after=rows[-2]["kite_id"])
    assert refused(session, "list_kites", after="2") == "not_found"


def test_the_least_that_is_needed_cannot_be_left_out():
    fields = {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}
    make = tool("create_club", "Create a club. Requires at least 'name'.", ("club_fields",), club_fields=fields)
    plain = tool("create_pond", "Create a pond. Requires at least depth.", name="string", depth="number")
    lists = (tool("list_clubs", "List the clubs."), tool("list_ponds", "List the ponds."))
    session = opened(make, plain, *lists)
    assert refused(session, "create_club", club_fields={}) == "invalid_arguments"
    assert ok(session, "create_club", club_fields={"name": "Kite"})["name"] == "Kite"
    assert refused(session, "create_pond", name="Mill") == "invalid_arguments"
    assert ok(session, "create_pond", depth=2.5)["depth"] == 2.5


NEST = {"type": "object", "properties": {"sticks": {"type": "integer"}, "moss": {"type": "string"}}}


@pytest.mark.parametrize(("told", "kept"), [("Other fields will remain unchanged.", True), ("", False)])
def test_parts_of_an_object_stay_where_that_is_told(told, kept):
    make = tool("create_nest", "Create a nest.", ("tree",), tree="string", lining=NEST)
    change = tool("update_nest", f"Update a nest. {told}", ("nest_id",), nest_id="string", tree="string", lining=NEST)
    session = opened(make, change, tool("list_nests", "List the nests."))
    made = ok(session, "create_nest", tree="oak", lining={"sticks": 9, "moss": "soft"})
    changed = ok(session, "update_nest", nest_id=made["nest_id"], lining={"sticks": 7})
    assert changed["lining"] == ({"sticks": 7, "moss": "soft"} if kept else {"sticks": 7})
    assert ok(session, "update_nest", nest_id=made["nest_id"], tree="elm")["lining"] == changed["lining"]


def test_the_ordinary_thing_is_the_default_of_a_list():
    shelf = said("The shelf to list. Defaults to 'root'.", default="root")
    tools = (
        tool("create_jar", "Create a jar.", ("name", "shelf_id"), name="string", shelf_id="string"),
        tool("list_jars", "List the jars of a shelf.", shelf_id=shelf),
        tool("create_shelf", "Create a shelf.", ("label",), label="string"),
        tool("list_shelves", "List the shelves."),
    )
    session = opened(*tools)
    jar = ok(session, "create_jar", name="plums", shelf_id="root")
    assert jar in ok(session, "list_jars")["jars"]
    assert ok(session, "list_jars") == ok(session, "list_jars", shelf_id="root")


def test_what_makes_others_ignored_goes_though_a_name_with_a_point_is_told():
    raw = said("The whole letter, ignores params.to, subject and body if provided")
    make = tool("create_letter", "Create a letter.", raw=raw, to="string", subject="string", body="string")
    environment = built(make, tool("list_letters", "List the letters.")).environments[0].environment
    assert set(environment.tool("create_letter")["inputSchema"]["properties"]) == {"to", "subject", "body"}
