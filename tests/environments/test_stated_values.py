"""Rules of single values that only a text states: published, kept by the seeded records, checked by calls."""

from __future__ import annotations

import dataclasses
import re

import pytest
from test_rules import ok, refused
from test_writes import built, tool

from tvlab.environments.checks.verification import verify
from tvlab.environments.meanings.stated_values import DATE, stated_keywords, with_stated


def said(text, kind="string", **more):
    return {"type": kind, "description": text, **more}


LOOMS = (
    tool(
        "create_loom", "Create a loom.\n\nArgs:\n    weave: One of \"plain\", \"twill\", \"satin\".", ("name", "oiled"),
        name=said("The name (max 12 characters)"), weave="string", oiled=said("Day of the last oiling (YYYY-MM-DD)"),
        shafts=said("Number of shafts (2-16)", "integer"), colour=said("Frame colour as a hex code"),
        bobbins={"type": "array", "description": "Bobbins (max 3)", "items": {
            "type": "object",
            "properties": {"yarn": said("Yarn"), "left": said("Metres left, must be positive", "number")}}},
    ),
    tool("get_loom", "Get a loom.", ("loom_id",), loom_id="string"),
    tool("update_loom", "Update a loom.", ("loom_id",), loom_id="string", oiled=said("New day, in YYYY-MM-DD format")),
    tool("list_looms", "List the looms.", limit=said("How many (1-50, default 20)", "integer")),
)  # fmt: skip


@pytest.fixture(scope="module")
def looms():
    server = built(*LOOMS)
    assert not server.drops, server.drops
    return server.environments[0].environment


@pytest.mark.parametrize(
    "broken",
    [
        {"name": "a name that is too long"}, {"weave": "tartan"}, {"oiled": "soon"}, {"oiled": "2026-13-01"},
        {"shafts": 1}, {"shafts": 17}, {"colour": "oak"}, {"bobbins": [{"left": 0}]}, {"bobbins": [{}, {}, {}, {}]},
    ],
)  # fmt: skip
def test_a_value_that_breaks_a_stated_rule_is_refused(looms, broken):
    session = looms.session()
    given = {"name": "aft", "oiled": "2026-03-01", "weave": "twill", "shafts": 8, "colour": "#00ff00",
             "bobbins": [{"yarn": "wool", "left": 2.5}]}  # fmt: skip
    made = ok(session, "create_loom", **given)
    assert {**made, **given} == made
    assert refused(session, "create_loom", **{**given, **broken}) == "invalid_arguments"


def test_updates_and_limits_are_bound_as_well(looms):
    session = looms.session()
    loom = ok(session, "create_loom", name="aft", oiled="2026-03-01")
    assert refused(session, "update_loom", loom_id=loom["loom_id"], oiled="01.03.2026") == "invalid_arguments"
    assert ok(session, "update_loom", loom_id=loom["loom_id"], oiled="2026-03-02")["oiled"] == "2026-03-02"
    assert refused(session, "list_looms", limit=51) == "invalid_arguments"
    assert len(ok(session, "list_looms", limit=2)["looms"]) == 2


def test_the_records_that_are_there_at_first_keep_the_rules(looms):
    rows = list(looms.state["looms"].values())
    assert all(re.search(DATE, row["oiled"]) for row in rows)
    assert {row["weave"] for row in rows if "weave" in row} <= {"plain", "twill", "satin"}
    assert all(2 <= row["shafts"] <= 16 for row in rows if "shafts" in row)
    assert all(len(row["name"]) <= 12 for row in rows)


def test_the_report_tells_the_rules_that_texts_state(looms):
    stated = looms.report["meanings"]["create_loom"]["stated"]
    assert stated["weave"] == ["enum"]
    assert stated["bobbins[].left"] == ["exclusiveMinimum"]
    assert "stated" not in looms.report["meanings"]["get_loom"]


@pytest.mark.parametrize("name", ["oiled", "weave", "shafts", "name"])
def test_verification_sees_a_rule_that_is_not_kept(looms, name):
    make = looms.tool("create_loom")
    part = {k: v for k, v in make["inputSchema"]["properties"][name].items() if k in ("type", "description")}
    schema = {**make["inputSchema"], "properties": {**make["inputSchema"]["properties"], name: part}}
    tools = tuple({**t, "inputSchema": schema} if t is make else t for t in looms.tools)
    failed = {c.check for c in verify(dataclasses.replace(looms, tools=tools), tools={"create_loom"}) if not c.passed}
    assert "stated_rule" in failed


def test_a_long_least_limit_is_checked_on_a_longer_list():
    server = built(LOOMS[0], tool("list_looms", "List the looms.", limit=said("Per page (min 20, max 100)", "integer")))
    environment = server.environments[0].environment
    assert "limit" in environment.tool("list_looms")["inputSchema"]["properties"]
    assert refused(environment.session(), "list_looms", limit=19) == "invalid_arguments"
    checks = {c.check for c in verify(environment, tools={"list_looms"})}
    assert {"limit", "parameter_matters"} <= checks


@pytest.mark.parametrize(
    ("name", "schema", "text", "expected"),
    [
        ("due", {"type": "string"}, "Due date: YYYY-MM-DD or 'tomorrow'", {}),
        ("due", {"type": "string"}, "ISO 8601 duration", {}),
        ("at", {"type": "string"}, "Time of day, HH:MM", {"pattern": r"^([01][0-9]|2[0-3]):[0-5][0-9]$"}),
        ("currency", {"type": "string", "minLength": 3}, "ISO 4217 currency code", {}),
        ("currency", {"type": "string"}, "ISO 4217 currency code", {"pattern": "^[A-Za-z]{3}$"}),
        ("state", {"type": "string"}, "Common values: 'a1', 'b1'", {}),
        ("states", {"type": "string"}, "One of: open, shut. Multiple may be separated by commas", {}),
        ("note", {"type": "string"}, "Either 'note' or 'note_file' must be provided", {}),
        ("size", {"type": "integer"}, "Max 50, larger values are clamped", {}),
        ("size", {"type": "integer", "default": 80}, "Size (1-50)", {}),
        ("size", {"type": "integer"}, "Size (1-100 if percent)", {}),
        ("size", {"type": "integer", "minimum": 1}, "Size (1-50)", {"maximum": 50}),
        ("size", {"type": "integer"}, "Rows, max 50 (0 means no limit)", {"maximum": 50}),
        ("day", {"type": "string"}, "For example 2017-08-29", {}),
        ("tags", {"type": "array"}, "At least one of tags and note", {}),
        ("mail", {"type": "string"}, "Email address of the guest", {"pattern": "[^ @]+@[^ @]+\\.[^ @]+"}),
        ("mail", {"type": "string"}, "Email address or name", {}),
    ],
)
def test_only_a_rule_that_is_certain_counts(name, schema, text, expected):
    assert stated_keywords(name, schema, text) == expected


def test_null_stays_allowed_beside_stated_values():
    schema = {"type": ["string", "null"]}
    assert with_stated("keep", schema, "One of 'mine', 'theirs'.")["enum"] == ["mine", "theirs", None]
    assert with_stated("keep", schema, "Any of them") == schema


def test_a_value_inside_an_object_is_needed_where_its_neighbour_asks_for_it():
    rhythm = {"type": "object", "properties": {
        "kind": {"type": "string", "enum": ["daily", "weekly"]},
        "day": said("Day. Required if kind is weekly.")}}  # fmt: skip
    plan = {"type": "object", "properties": {"rhythm": rhythm, "note": {"type": "string"}}}
    make = tool("create_watering", "Create a watering.", ("name",), name="string", plan=plan)
    environment = built(make, tool("list_waterings", "List them.")).environments[0].environment
    session = environment.session()
    assert refused(session, "create_watering", name="a", plan={"rhythm": {"kind": "weekly"}}) == "invalid_arguments"
    for fine in ({"kind": "daily"}, {"kind": "weekly", "day": "monday"}, {"day": "monday"}):
        assert ok(session, "create_watering", name="a", plan={"rhythm": fine})["plan"] == {"rhythm": fine}
    part = environment.tool("create_watering")["inputSchema"]["properties"]["plan"]["properties"]["rhythm"]
    del part["allOf"]
    del environment.__dict__["validators"]
    assert {c.check for c in verify(environment) if not c.passed} == {"stated_rule"}
