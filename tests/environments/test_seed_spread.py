"""Lists by a parent answer something for nearly every parent, and things have their names and texts."""

import pytest
from plain_tools import built, tool

TEXT = {"type": "string"}


def choirs():
    return built(
        tool("create_choir", "Create a choir.", ("name",), name=TEXT),
        tool("list_choirs", "List the choirs."),
        tool("get_choir", "Get a choir.", ("choir_id",), choir_id=TEXT),
        tool("list_singers", "List the singers of a choir.", ("choir_id",), choir_id=TEXT),
        tool("create_singer", "Add a singer.", ("choir_id",), choir_id=TEXT, name=TEXT, voice=TEXT),
        tool("list_singer_comments", "List what is said of a singer.", ("singer_id",), singer_id=TEXT),
        tool("create_singer_comment", "Comment on a singer.", ("singer_id",), singer_id=TEXT, content=TEXT, mood=TEXT),
    )[1]


@pytest.fixture(name="env", scope="module")
def _env():
    return choirs()


def test_each_parent_has_children_and_some_have_several(env):
    session = env.session()
    sizes = [len(session.call("list_singers", {"choir_id": key}).value["singers"]) for key in env.state["choirs"]]
    assert min(sizes) > 0
    assert max(sizes) > 1
    assert sum(sizes) == len(env.state["singers"])


def test_things_have_their_names_and_what_is_said_its_text(env):
    assert all(row["name"] for row in env.state["singers"].values())
    assert all(row["content"] for row in env.state["singer_comments"].values())
    assert not all("mood" in row for row in env.state["singer_comments"].values())


def test_messages_that_no_tool_makes_hold_a_text():
    _, env = built(
        tool("create_room", "Create a room.", ("name",), name=TEXT),
        tool("get_room", "Get a room.", ("room_id",), room_id=TEXT),
        tool("list_rooms", "List rooms."),
        tool("list_messages", "Gets messages in the room", ("room_id",), room_id=TEXT),
        tool("pin_message", "Pin a message.", ("message_id",), message_id=TEXT),
        tool("delete_message", "Delete a message.", ("message_id",), message_id=TEXT),
    )
    assert all(row["text"] and row["timestamp"] for row in env.state["messages"].values())


def test_an_optional_part_of_a_record_leaves_the_schema_of_its_read():
    server, env = built(
        tool("create_booklet", "Create a booklet.", ("title",), title=TEXT),
        tool("list_booklets", "List booklets."),
        tool("get_booklet", "Get a booklet.", ("booklet_id",), booklet_id=TEXT,
             booklet_page_id={**TEXT, "description": "Optional id of a single page to read"}),
        tool("create_booklet_page", "Create a page.", ("booklet_id", "content"), booklet_id=TEXT, content=TEXT),
        tool("list_booklet_pages", "List the pages of a booklet.", ("booklet_id",), booklet_id=TEXT),
    )  # fmt: skip
    properties = next(t for t in env.tools if t["name"] == "get_booklet")["inputSchema"]["properties"]
    assert set(properties) == {"booklet_id"}
    assert not [d for d in server.drops if d.tool == "get_booklet"]


def test_messages_that_are_only_read_are_not_made_up():
    server, env = built(
        tool("create_room", "Create a room.", ("name",), name=TEXT),
        tool("get_room", "Get a room.", ("room_id",), room_id=TEXT),
        tool("delete_room", "Delete a room.", ("room_id",), room_id=TEXT),
        tool("get_messages", "Get messages from the app", limit={"type": "integer"}),
    )
    assert "get_messages" in {drop.tool for drop in server.drops}
    assert "messages" not in env.state
