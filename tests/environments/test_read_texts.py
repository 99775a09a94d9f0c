"""Published texts of reads: shapes, types and links that answers do not have, and one id where several are taken."""

import pytest
from plain_tools import built, tool

from tvlab.environments.language.gone_phrases import Given, shortened, words_of

TEXT = {"type": "string"}


def kiln(description, **server):
    return built(
        tool("create_glaze", "Create a glaze.", ("name",), name=TEXT, recipe=TEXT, status=TEXT, priority=TEXT),
        tool("get_glaze", description, ("glaze_id",), glaze_id=server.get("key", TEXT)),
        tool("update_glaze", "Update a glaze.", ("glaze_id",), glaze_id=TEXT, recipe=TEXT),
        tool("delete_glaze", "Delete a glaze.", ("glaze_id",), glaze_id=TEXT),
    )[1]


def of(env, name):
    return next(t for t in env.tools if t["name"] == name)


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ('Get a glaze.\n\nReturns:\n    {"ok": true, "glaze": {name}} on success, or null.', "Get a glaze."),
        ("Get a glaze.\n\nReturns:\n    List of GlazeReference objects", "Get a glaze."),
        ("Get a glaze. This can be used to look up Firings.", "Get a glaze."),
        ("Get a glaze. By default each entry contains only the `name`.", "Get a glaze."),
        (
            "Get a glaze: name, recipe, status, priority, and any parent/subtask links.",
            "Get a glaze: name, recipe, status, priority.",
        ),
        ("Get a glaze. Includes parent links.", "Get a glaze."),
    ],
)
def test_what_an_answer_is_not_leaves_the_text(told, left):
    assert of(kiln(told), "get_glaze")["description"] == left


def test_an_address_that_no_code_takes_leaves_the_text_of_a_key():
    env = kiln("Get a glaze.", key={**TEXT, "description": "ID of the glaze (or full URL)."})
    assert of(env, "get_glaze")["inputSchema"]["properties"]["glaze_id"]["description"] == "ID of the glaze."


SEVERAL = {
    "anyOf": [
        {"type": "string", "description": "Kiln IDs (e.g. 'a') or kiln names. Several: array ['a', 'b']."},
        {"type": "array", "items": {"type": "string"}},
    ]
}


def test_one_id_or_name_is_taken_where_one_or_several_are():
    _, env = built(
        tool("create_kiln", "Create a kiln.", ("name",), name=TEXT),
        tool("get_kiln", "Get a kiln.", ("kiln_id",), kiln_id=TEXT),
        tool("list_firings", "List firings from one or more kilns.", ("kiln_id",), kiln_id=SEVERAL),
        tool("create_firing", "Create a firing.", ("kiln_id", "title"), kiln_id=TEXT, title=TEXT),
        tool("delete_firing", "Delete a firing.", ("firing_id",), firing_id=TEXT),
    )
    listing = of(env, "list_firings")
    assert listing["inputSchema"]["properties"]["kiln_id"] == {
        "type": "string", "description": "Kiln IDs (e.g. 'a') or kiln names.",
    }  # fmt: skip
    assert listing["description"] == "List firings from one kiln."
    key, row = next(iter(env.state["kilns"].items()))
    session = env.session()
    by_key, by_name = (session.call("list_firings", {"kiln_id": one}).value for one in (key, row["name"]))
    assert by_key == by_name
    assert by_key["firings"]
    assert not session.call("list_firings", {"kiln_id": [key]}).ok
    assert any(n["parameter"] == "kiln_id" and n["tool"] == "list_firings" for n in env.report["narrowed"])


def test_filters_and_a_search_that_left_leave_as_one():
    given = Given(gone=frozenset({words_of("filter"), words_of("query")}))
    assert shortened("List errands with optional filters and full-text query.", given)[0] == "List errands."
    still = Given(gone=frozenset({words_of("query")}), filters=True)
    assert "filters" in shortened("List errands with optional filters and full-text query.", still)[0]
