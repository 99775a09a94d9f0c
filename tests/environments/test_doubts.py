"""Doubts: each refuses a made-up tool for its own reason and leaves the plain one beside it."""

from __future__ import annotations

from typing import Any

import pytest

from tvlab.environments.domain.nouns import Nouns
from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.environments.drops import Drop
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.prepared_servers import decided, prepared_domain
from tvlab.environments.schemas.schemas import refactor_tools

Tool = dict[str, Any]


def tool(name: str, description: str = "", /, **parameters: Any) -> Tool:
    """A tool; ``order_id="string"`` is required, ``page=("integer",)`` optional, a dict is a schema."""
    properties, required = {}, []
    for key, kind in parameters.items():
        schema = kind[0] if isinstance(kind, tuple) else kind
        properties[key] = schema if isinstance(schema, dict) else {"type": schema}
        if not isinstance(kind, tuple):
            required.append(key)
    return {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties, "required": required},
    }


CRATES = [
    tool("create_crate", "Create a crate.", label="string", weight="number", depot="string"),
    tool("get_crate", "Get a crate by id.", crate_id="string"),
    tool("list_crates", "List the crates.", depot=("string",), limit=("integer",)),
    tool("update_crate", "Update a crate.", crate_id="string", label=("string",), weight=("number",)),
    tool("delete_crate", "Delete a crate.", crate_id="string"),
]


def meant(*tools: Tool) -> dict[str, Meaning | Drop]:
    """What the tools mean beside the crates, by name."""
    parsed = parse_tools(refactor_tools([*CRATES, *tools]).tools)
    decisions = decided(parsed, prepared_domain(parsed))
    return {d.tool if isinstance(d, Drop) else d.tool.name: d for d in decisions}


def test_plain_tools_are_not_doubted():
    assert all(isinstance(meaning, Meaning) for meaning in meant().values())


DOUBTED = [
    (tool("get_suggestions", "Get suggestions.", depot="string"), None),
    (tool("remove_crate", "Perform an HTTP DELETE request.", crate_id="string"), None),
    (
        tool("add_crate", "Add a crate. Only one crate per depot.", label="string", depot="string"),
        "stated rule is not honoured",
    ),
    (
        tool("archive_crate", "Archive it.", crate_id="string", dry_run=({"type": "boolean", "default": True},)),
        "a preview unless told otherwise",
    ),
    (
        tool("remove_crate", "Remove it.", crate_id="string", confirm=({"type": "boolean", "default": False},)),
        "dry run or preview by default",
    ),
    (tool("list_crates_for_key", "List crates.", depot="string", api_key="string"), None),
    (tool("get_nearest_crates", "Get the nearest crates.", depot="string"), None),
    (tool("get_crate_manual", "Get the manual of a crate.", crate_id="string"), None),
    (tool("list_crates_between", "List crates.", start_row="integer", end_row="integer"), None),
    (
        tool(
            "create_many_crates",
            "Create several crates.",
            inputs={
                "type": "array",
                "items": {"type": "object", "properties": {"properties": {"type": "object"}}},
            },
        ),
        None,
    ),
    (tool("send_crate", "Send a crate.", body="object"), "content of which nothing is known"),
    (tool("create_crates_batch", "Create crates.", crates={"type": "array", "items": {"type": "string"}}), None),
    (
        tool("restore_crate", "Restore a crate. Only archived crates can be restored.", crate_id="string"),
        "stated rule is not honoured",
    ),
]


@pytest.mark.parametrize(("doubted", "reason"), DOUBTED, ids=[case[0]["name"] for case in DOUBTED])
def test_what_speaks_against_a_meaning_drops_it(doubted: Tool, reason: str | None):
    decision = meant(doubted)[doubted["name"]]
    assert isinstance(decision, Drop)
    assert reason in (None, decision.reason)


def test_an_optional_parameter_that_is_no_field_is_taken_away():
    search = tool(
        "search_crates",
        "Search crates.",
        label=({"type": "string", "description": "Label contains"},),
        exact_match=("boolean",),
        depot=("string",),
    )
    meaning = meant(search)["search_crates"]
    assert isinstance(meaning, Meaning)
    assert "exact_match" not in {role.dotted for role in meaning.roles}
    assert all(role.op != "==" for role in meaning.roles if role.dotted == "label")


def test_a_list_that_gives_the_same_rows_under_another_name_is_left_out():
    found = meant(tool("list_heavy_crates", "List heavy crates.", depot=("string",), limit=("integer",)))
    assert isinstance(found["list_crates"], Meaning)
    assert isinstance(found["list_heavy_crates"], Drop)


def test_a_read_that_tells_nothing_is_left_out():
    found = meant(tool("get_gauge", "Get comprehensive information about a gauge.", gauge_id="string"))
    assert isinstance(found["get_gauge"], Drop)


def test_areas_of_an_interface_keep_their_things_apart():
    shop = [
        tool("shop_listOrders", "List shop orders.", page=("integer",)),
        tool("shop_createOrder", "Create an order.", total="number"),
        tool("shop_getOrder", "Get an order.", order_id="string"),
        tool("mail_listOrders", "List mail orders.", page=("integer",)),
    ]
    parsed = parse_tools(refactor_tools(shop).tools)
    decisions = {
        d.tool if isinstance(d, Drop) else d.tool.name: d for d in decided(parsed, prepared_domain(parsed))
    }
    assert isinstance(decisions["shop_listOrders"], Meaning)
    assert isinstance(decisions["mail_listOrders"], Drop)


def own(*tools: Tool) -> dict[str, tuple[str, ...]]:
    """The noun of each tool's entity."""
    return Nouns(parse_tools(refactor_tools(list(tools)).tools)).own


def test_a_longer_phrase_with_tools_of_its_own_is_another_thing():
    found = own(
        tool("list_policies"),
        tool("create_policy", name="string"),
        tool("list_device_policies"),
        tool("create_device_policy", name="string"),
    )
    assert found["list_policies"] != found["list_device_policies"] == found["create_device_policy"]


def test_a_filler_a_parent_and_a_sort_are_no_other_thing():
    found = own(
        tool("list_orders"),
        tool("create_order", name="string"),
        tool("list_available_orders"),
        tool("list_shop_orders", shop_id="string"),
        tool("create_express_order", name="string"),
    )
    assert len(set(found.values())) == 1


def test_a_word_cut_short_is_the_whole_word():
    found = own(
        tool("create_config", name="string"),
        tool("list_configs"),
        tool("update_config", configuration_id="string", name="string"),
    )
    assert set(found.values()) == {("config",)}
