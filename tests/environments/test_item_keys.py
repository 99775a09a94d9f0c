"""Batches whose items pick their records, by their id or by their name where either will do."""

import dataclasses

from test_rules import ok, refused
from test_writes import built, opened, reason, tool

from tvlab.environments.checks.verification import verify
from tvlab.environments.environment import load_functions


def items(required=(), /, **properties):
    """A required array of objects with these properties."""
    properties = {n: {"type": p} for n, p in properties.items()}
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": list(required)}}


EITHER = "Either 'id' or the 'name' to identify the target."
BASKETS = (
    tool("list_baskets", "List all baskets."),
    tool("create_baskets", "Create baskets.", ("items",), items=items(("name",), name="string", colour="string")),
)


def basket(session):
    return ok(session, "create_baskets", items=[{"name": "reed", "colour": "red"}])["baskets"][0]


def test_items_may_name_their_record_by_either_key():
    get = tool("get_baskets", f"Get baskets {EITHER}", ("items",), items=items(id="string", name="string"))
    delete = tool("delete_baskets", f"Delete baskets {EITHER}", ("items",), items=items(id="string", name="string"))
    server = built(*BASKETS, get, delete)
    assert not server.drops, server.drops
    environment = server.environments[0].environment
    schema = environment.tool("get_baskets")["inputSchema"]["properties"]["items"]["items"]
    assert (list(schema["properties"]), schema.get("required", [])) == (["id", "name"], [])
    session = environment.session()
    made = basket(session)
    for given in ({"id": made["basket_id"]}, {"name": "reed"}, {"id": made["basket_id"], "name": "other"}):
        assert ok(session, "get_baskets", items=[given])["baskets"] == [made]
    for given in ({"name": "unheard of"}, {"id": "unheard of", "name": "reed"}, {}):
        assert refused(session, "get_baskets", items=[given]) == "not_found"
    ok(session, "delete_baskets", items=[{"name": "reed"}])
    assert refused(session, "get_baskets", items=[{"id": made["basket_id"]}]) == "not_found"


def test_verification_sees_a_name_that_does_not_pick_its_record():
    get = tool("get_baskets", f"Get baskets {EITHER}", ("items",), items=items(id="string", name="string"))
    one = built(*BASKETS, get).environments[0]
    source = one.source.replace('"name" in item and row.get("name") == item["name"]', 'row.get("colour") is not None')
    assert source != one.source
    functions = load_functions(source, "mutant")
    mutant = dataclasses.replace(one.environment, functions={n: functions[n] for n in one.environment.tool_names})
    assert {c.check for c in verify(mutant) if not c.passed} >= {"other_key"}


def test_the_name_of_a_thing_is_what_it_is_made_with():
    make = tool("create_chores", "Create chores.", ("items",), items=items(("content",), content="string"))
    close = tool(
        "close_chores", "Close chores. Either 'chore_id' or the 'chore_name' to identify the target.", ("items",),
        items=items(chore_id="string", chore_name="string"),
    )  # fmt: skip
    session = opened(make, close, tool("list_chores", "List the chores."))
    made = ok(session, "create_chores", items=[{"content": "mow"}])["chores"][0]
    assert ok(session, "close_chores", items=[{"chore_name": "mow"}])["chores"] == [{**made, "status": "closed"}]
    assert all("chore_name" not in row for row in ok(session, "list_chores")["chores"])


def test_an_update_does_not_write_the_name_that_only_identifies():
    given = items(id="string", name="string", colour="string")
    update = tool("update_baskets", f"Update baskets {EITHER}", ("items",), items=given)
    session = opened(*BASKETS, update)
    made = basket(session)
    changed = ok(session, "update_baskets", items=[{"name": "reed", "colour": "blue"}])["baskets"]
    assert changed == [{**made, "colour": "blue"}]
    again = ok(session, "update_baskets", items=[{"id": made["basket_id"], "name": "x", "colour": "blue"}])
    assert again["baskets"] == changed


def test_a_state_changes_for_each_item():
    close = tool("close_baskets", "Close baskets.", ("items",), items=items(("basket_id",), basket_id="string"))
    reopen = tool("reopen_baskets", "Reopen baskets.", ("items",), items=items(("basket_id",), basket_id="string"))
    session = opened(*BASKETS, close, reopen)
    made = basket(session)
    one = [{"basket_id": made["basket_id"]}]
    assert ok(session, "close_baskets", items=one)["baskets"][0]["status"] == "closed"
    assert refused(session, "close_baskets", items=one) == "conflict"
    assert ok(session, "reopen_baskets", items=one)["baskets"][0]["status"] != "closed"


def test_items_that_hold_more_than_a_key_refuse_a_read():
    get = tool("get_baskets", "Get baskets.", ("items",), items=items(("id", "weight"), id="string", weight="number"))
    assert reason(*BASKETS, get) is not None


def test_a_batch_that_goes_on_after_a_failure_is_refused():
    text = "Get baskets by id. Errors of single baskets won't stop the others."
    get = tool("get_baskets", text, ("items",), items=items(("id",), id="string"))
    assert reason(*BASKETS, get) == "stated rule is not honoured"


REEDS = items(("basket_id", "hue"), basket_id="string", hue="string")


def test_what_a_batch_makes_inside_a_thing_goes_with_it():
    session = opened(
        *BASKETS,
        tool("delete_basket", "Delete a basket.", ("basket_id",), basket_id="string"),
        tool("create_reeds", "Create reeds.", ("items",), items=REEDS),
        tool("list_reeds", "List all reeds."),
    )
    key = basket(session)["basket_id"]
    reed = ok(session, "create_reeds", items=[{"basket_id": key, "hue": "ochre"}])["reeds"][0]
    assert reed in ok(session, "list_reeds")["reeds"]
    ok(session, "delete_basket", basket_id=key)
    assert reed["reed_id"] not in {row["reed_id"] for row in ok(session, "list_reeds")["reeds"]}
