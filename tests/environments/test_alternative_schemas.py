"""One shape out of an open schema, and tools that only such shapes can call."""

import pytest
from test_rules import ok
from test_writes import opened, tool

from tvlab.environments.domain.alternative_schemas import is_settled, map_values, one_shape

ROLE = {"anyOf": [{"type": "string", "enum": ["reader", "owner"]}, {"type": "object", "properties": {}}]}
RULE = {"anyOf": [{"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"],
                   "additionalProperties": False}, {"type": "null"}]}  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        (ROLE, {"type": "string", "enum": ["reader", "owner"]}),
        (RULE, RULE["anyOf"][0]),
        ({"type": "string"}, {"type": "string"}),
        ({"anyOf": [{"type": "object"}, {}]}, {"anyOf": [{"type": "object"}, {}]}),
    ],
)
def test_the_branch_that_says_what_a_value_is(schema, shape):
    assert one_shape(schema) == shape


def test_maps_and_settled_values():
    assert map_values({"type": "object", "additionalProperties": {"type": "integer"}}) == {"type": "integer"}
    assert map_values({"type": "object", "additionalProperties": True}) is None
    assert is_settled({"type": "string", "const": "plain"})
    assert is_settled({"type": "array", "items": {"enum": ["only"]}})
    assert not is_settled({"type": "string", "enum": ["one", "two"]})


def test_tools_that_take_open_shapes_and_fixed_values_are_kept():
    session = opened(
        tool("create_vault", "", ("title", "roles", "rule"), title="string", kind={"const": "plain", "type": "string"},
             roles={"type": "array", "items": ROLE}, rule=RULE,
             limits={"type": "object", "additionalProperties": {"type": "integer"}}),
        tool("get_vault", "", ("vault_id",), vault_id="string"),
    )  # fmt: skip
    made = ok(session, "create_vault", title="north", roles=["owner"], rule={"days": 3}, limits={"gold": 4})
    assert ok(session, "get_vault", vault_id=made["vault_id"]) == made
    assert (made["rule"], made["limits"]) == ({"days": 3}, {"gold": 4})
