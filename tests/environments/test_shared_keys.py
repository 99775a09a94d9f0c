"""A key under a word of its own, and what stands beside it: verbs as things, choices of a default."""

import pytest
from test_rules import ok, refused
from test_writes import opened, reason, tool

from tvlab.environments.domain.shared_keys import shared_key
from tvlab.environments.domain.tool_parsing import parse_tools

ALIASES = (
    tool("create_alias", "Create an alias.", ("aliasTarget",), aliasTarget="string", note="string"),
    tool("get_alias", "Get the alias.", ("aliasTarget",), aliasTarget="string"),
    tool("update_alias", "Update the alias.", ("aliasTarget",), aliasTarget="string", note="string"),
    tool("delete_alias", "Delete the alias.", ("aliasTarget",), aliasTarget="string"),
    tool("list_aliases", "List all aliases."),
)


def test_the_one_text_that_all_tools_require_is_the_key():
    session = opened(*ALIASES)
    made = ok(session, "create_alias", aliasTarget="moss", note="damp")
    assert made == {"aliasTarget": "moss", "note": "damp"}
    assert refused(session, "create_alias", aliasTarget="moss") == "conflict"
    assert ok(session, "update_alias", aliasTarget="moss", note="dry")["note"] == "dry"
    assert ok(session, "get_alias", aliasTarget="moss") in ok(session, "list_aliases")["aliases"]
    ok(session, "delete_alias", aliasTarget="moss")
    assert refused(session, "get_alias", aliasTarget="moss") == "not_found"


@pytest.mark.parametrize(
    "tools",
    [
        (tool("get_alias", "", ("aliasTarget",), aliasTarget="string"),),
        (
            tool("get_alias", "", ("aliasTarget",), aliasTarget="string"),
            tool("delete_alias", "", ("other",), other="string"),
        ),
        (
            tool("get_alias", "", ("aliasTarget", "shelf"), aliasTarget="string", shelf="string"),
            tool("delete_alias", "", ("aliasTarget", "shelf"), aliasTarget="string", shelf="string"),
        ),
        (
            tool("create_alias", "", ("text",), text="string"),
            tool("update_alias", "", ("text",), text="string"),
        ),
    ],
    ids=["reads alone", "no common text", "two common texts", "a content"],
)
def test_what_is_less_than_certain_is_no_key(tools):
    parsed = parse_tools(list(tools))
    assert shared_key(("alias",), parsed, parsed) is None


def test_a_text_that_most_other_tools_require_says_where():
    things = ("pot", "pan", "lid", "jug", "cup")
    others = [tool(f"get_{thing}", "", ("aliasTarget",), aliasTarget="string") for thing in things]
    parsed = parse_tools([*ALIASES[1:3], *others])
    assert shared_key(("alias",), parsed[:2], parsed) is None


def test_a_verb_before_the_thing_makes_no_record_of_the_verb():
    verify = tool("verify_send_as", "Sends a message to check it.", ("aliasTarget",), aliasTarget="string")
    assert reason(*ALIASES, verify) == "verb taken as the thing"


def test_marking_a_default_is_no_update_of_its_place():
    chests = (
        tool("create_chest", "", ("label",), label="string"),
        tool("list_chests"),
        tool("create_lock", "", ("chest_id", "label"), chest_id="string", label="string"),
        tool("get_lock", "", ("chest_id", "lock_id"), chest_id="string", lock_id="string"),
    )
    both = {"chest_id": "string", "lock_id": "string"}
    choose = tool("set_default_lock", "Sets the default lock.", tuple(both), **both)
    assert reason(*chests, choose) == "nothing to update"
