"""Defaults deeper than the first level of an argument: stored where their object is given, and checked."""

import dataclasses
import re

from plain_tools import built, tool
from test_rules import ok

from tvlab.environments.checks.verification import verify
from tvlab.environments.environment import load_functions
from tvlab.environments.runtime import with_inner_defaults

TEXT = {"type": "string"}
POOL = {"type": "object", "properties": {"size": {"type": "integer", "default": 8}, "name": TEXT}}
MILL = {
    "type": "object", "required": ["title"],
    "properties": {
        "title": TEXT,
        "race": {"type": "object", "properties": {"width": {"type": "number", "default": 1.5}, "pool": POOL}},
        "wheels": {"type": "array", "items": {"type": "object", "properties": {"kind": {**TEXT, "default": "oak"},
                                                                                "note": TEXT}}},
    },
}  # fmt: skip
TOOLS = (
    tool("create_mill", "Create a mill.", ["mill"], mill=MILL),
    tool("get_mill", "Get a mill by its id.", ["mill_id"], mill_id=TEXT),
    tool("delete_mill", "Delete a mill.", ["mill_id"], mill_id=TEXT),
)


def test_defaults_are_put_where_their_object_is_given():
    given = {"race": {"width": 2}, "wheels": [{}, {"kind": "elm"}]}
    defaults = {"race": {"width": 1, "pool": {"size": 8}}, "wheels": [{"kind": "oak"}], "gate": {"open": True}}
    assert with_inner_defaults(given, defaults) == {
        "race": {"width": 2}, "wheels": [{"kind": "oak"}, {"kind": "elm"}]
    }  # fmt: skip
    assert with_inner_defaults(None, defaults) is None
    assert with_inner_defaults({"race": "wide"}, defaults) == {"race": "wide"}


def test_a_create_stores_them_and_verification_sees_it():
    _, mills = built(*TOOLS)
    made = ok(mills.session(), "create_mill", mill={"title": "North", "race": {"pool": {}}, "wheels": [{}]})
    assert made["race"] == {"width": 1.5, "pool": {"size": 8}}
    assert made["wheels"] == [{"kind": "oak"}]
    assert "race" not in ok(mills.session(), "create_mill", mill={"title": "South"})


def test_verification_sees_a_default_that_is_not_stored():
    server, mills = built(*TOOLS)
    given = server.environments[0].source
    source = re.sub(r"\n    mill = with_inner_defaults\(.*?\n(?=    [a-z_]+ = )", "\n", given, flags=re.DOTALL)
    assert source != given
    functions = load_functions(source, "mills")
    mutant = dataclasses.replace(mills, functions={name: functions[name] for name in mills.tool_names})
    assert {(c.tool, c.check) for c in verify(mutant) if not c.passed} == {("create_mill", "default")}


def test_defaults_of_alternatives_leave_the_schema():
    steam = {"type": "object", "properties": {"fuel": {**TEXT, "default": "coal"}, "by": TEXT}, "required": ["by"]}
    water = {"type": "object", "properties": {"head": {"type": "integer", "default": 3}, "fall": TEXT}}
    drive = {"anyOf": [steam, water]}
    _, mills = built(tool("create_mill", "Create a mill.", ["title", "drive"], title=TEXT, drive=drive), *TOOLS[1:])
    if mills is not None:
        assert "coal" not in str(mills.tool("create_mill")["inputSchema"])
