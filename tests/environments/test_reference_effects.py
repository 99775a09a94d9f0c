"""What goes with a removed record, which references must agree, and references inside the values of a write."""

import pytest
from plain_tools import built, tool
from test_rules import ok, refused

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def session(*tools):
    """A session of the environment of these tools, and its build."""
    server, environment = built(*tools)
    assert environment is not None, server.drops
    return server, environment.session()


def rows(called, name, /, **arguments):
    """The records that a list answers."""
    return next(iter(ok(called, name, **arguments).values()))


TRAILS = (
    tool("create_trail", "", ("name",), name=TEXT),
    tool("list_trails"),
    tool("delete_trail", "", ("trail_id",), trail_id=TEXT),
)


def test_what_is_made_without_its_parent_stays_when_the_parent_goes():
    _, called = session(
        *TRAILS,
        tool("create_hut", "", ("name",), name=TEXT, trail_id=TEXT),
        tool("list_huts"),
        tool("list_trail_huts", "List the huts of a trail.", ("trail_id",), trail_id=TEXT),
        tool("create_marker", "", ("trail_id", "colour"), trail_id=TEXT, colour=TEXT),
        tool("list_markers", "", ("trail_id",), trail_id=TEXT),
    )
    trail = ok(called, "create_trail", name="north")["trail_id"]
    hut = ok(called, "create_hut", name="owl", trail_id=trail)
    ok(called, "create_marker", trail_id=trail, colour="red")
    ok(called, "delete_trail", trail_id=trail)
    assert {k: v for k, v in hut.items() if k != "trail_id"} in rows(called, "list_huts")
    assert not any(row.get("trail_id") == trail for row in called.state["markers"].values())


def test_people_whom_a_thing_lists_stay_when_the_thing_goes():
    _, called = session(
        *TRAILS,
        tool("get_user", "", ("user_id",), user_id=TEXT),
        tool("list_trail_users", "List the users of a trail.", ("trail_id",), trail_id=TEXT),
    )
    before = set(called.state["users"])
    used = next(row["trail_id"] for row in called.state["users"].values() if "trail_id" in row)
    ok(called, "delete_trail", trail_id=used)
    assert set(called.state["users"]) == before
    assert not any(row.get("trail_id") == used for row in called.state["users"].values())


CHAT = (
    tool("create_room", "", ("name",), name=TEXT),
    tool("send_message", "", ("room_id", "text"), room_id=TEXT, text=TEXT),
    tool("list_messages", "", ("room_id",), room_id=TEXT),
    tool("create_reaction", "", ("room_id", "message_id", "emoji"), room_id=TEXT, message_id=TEXT, emoji=TEXT),
    tool("list_reactions", "", ("message_id",), message_id=TEXT),
)


def test_two_things_of_one_call_of_which_one_lies_in_the_other_must_agree():
    _, called = session(*CHAT)
    here, there = (ok(called, "create_room", name=name)["room_id"] for name in ("here", "there"))
    message = ok(called, "send_message", room_id=here, text="hi")["message_id"]
    assert refused(called, "create_reaction", room_id=there, message_id=message, emoji="!") == "not_found"
    made = ok(called, "create_reaction", room_id=here, message_id=message, emoji="!")
    assert made in rows(called, "list_reactions", message_id=message)


SHOPS = (
    tool("list_shops"),
    tool("create_shop", "", ("name",), name=TEXT),
    tool("list_users"),
    tool("get_user", "", ("user_id",), user_id=TEXT),
)
REFERENCE = {
    "type": "object",
    "title": "ShopReference",
    "properties": {"id": TEXT, "summary": TEXT},
    "required": ["id"],
}


@pytest.mark.parametrize(
    ("place", "schema", "given"),
    [
        ("shop", {**REFERENCE, "title": "Place"}, lambda key: {"id": key}),
        ("origin", REFERENCE, lambda key: {"id": key}),
        (
            "stops",
            {"type": "array", "items": {"type": "object", "properties": {"shop": REFERENCE, "at": TEXT}}},
            lambda key: [{"shop": {"id": key}, "at": "noon"}],
        ),
        (
            "origin",
            {
                "type": "object",
                "properties": {"id": TEXT, "type": {"type": "string", "enum": ["shop_reference"]}},
                "required": ["id", "type"],
            },
            lambda key: {"id": key, "type": "shop_reference"},
        ),
    ],
    ids=["by its own name", "by its title", "inside a list", "by the value of its type"],
)
def test_an_id_inside_an_object_must_be_that_of_a_record(place, schema, given):
    body = {"type": "object", "properties": {"title": TEXT, place: schema}, "required": ["title", place]}
    server, called = session(*SHOPS, tool("create_parcel", "", ("parcel",), parcel=body), tool("list_parcels"))
    assert "create_parcel" not in {drop.tool for drop in server.drops}
    key = rows(called, "list_shops")[0]["shop_id"]
    made = ok(called, "create_parcel", parcel={"title": "box", place: given(key)})
    assert made[place] == given(key)
    assert refused(called, "create_parcel", parcel={"title": "box", place: given("sho-none")}) == "not_found"


def test_an_object_that_holds_more_than_an_id_refers_to_nothing():
    shop = {"type": "object", "properties": {"id": TEXT, "floor": NUMBER, "rent": NUMBER}, "required": ["rent"]}
    body = {"type": "object", "properties": {"title": TEXT, "shop": shop}, "required": ["title", "shop"]}
    _, called = session(*SHOPS, tool("create_parcel", "", ("parcel",), parcel=body), tool("list_parcels"))
    ok(called, "create_parcel", parcel={"title": "box", "shop": {"id": "any", "floor": 1, "rent": 2}})


ALBUMS = (tool("create_album", "", ("name",), name=TEXT), tool("list_albums"))


def test_a_place_that_the_text_takes_for_granted_is_required():
    pages = tool("add_page", "Add a page to the album.", ("title",), title=TEXT, album_id=TEXT)
    _, called = session(*ALBUMS, pages, tool("list_pages", "", ("album_id",), album_id=TEXT))
    assert called.environment.tool("add_page")["inputSchema"]["required"] == ["title", "album_id"]
    album = ok(called, "create_album", name="summer")["album_id"]
    assert ok(called, "add_page", title="one", album_id=album) in rows(called, "list_pages", album_id=album)


def test_a_place_that_is_told_to_be_optional_stays_optional():
    pages = tool("add_page", "Add a page.", ("title",), title=TEXT, album_id=TEXT)
    _, called = session(*ALBUMS, pages, tool("list_pages", "", ("album_id",), album_id=TEXT))
    assert called.environment.tool("add_page")["inputSchema"]["required"] == ["title"]


def test_a_thing_under_its_own_name_is_looked_up_where_its_text_calls_it_an_id():
    whole = {"type": "integer", "description": "Trail ID"}
    _, called = session(
        tool("create_trail", "", ("name",), name=TEXT),
        tool("list_trails"),
        tool("get_trail", "", ("trailId",), trailId=NUMBER),
        tool("create_hut", "", ("name",), name=TEXT, trail=whole, owner={**TEXT, "description": "Owner user ID"}),
        tool("update_hut", "", ("hut_id",), hut_id=TEXT, trail=whole, warden=TEXT),
        tool("list_trail_huts", "List the huts of a trail.", ("trailId",), trailId=NUMBER),
        tool("list_users"),
    )
    here, there = (ok(called, "create_trail", name=name)["trailId"] for name in ("here", "there"))
    hut = ok(called, "create_hut", name="owl", trail=here, owner=rows(called, "list_users")[0]["userId"])
    assert rows(called, "list_trail_huts", trailId=here) == [hut]
    moved = ok(called, "update_hut", hut_id=hut["hut_id"], trail=there)
    assert rows(called, "list_trail_huts", trailId=here) == []
    assert rows(called, "list_trail_huts", trailId=there) == [moved]
    assert refused(called, "update_hut", hut_id=hut["hut_id"], trail=7) == "not_found"
    assert refused(called, "create_hut", name="elk", owner="use-none") == "not_found"


def test_a_thing_that_may_be_given_in_another_way_is_not_looked_up():
    either = {**TEXT, "description": "Trail ID or name"}
    _, called = session(*TRAILS, tool("create_hut", "", ("name",), name=TEXT, trail=either), tool("list_huts"))
    assert ok(called, "create_hut", name="owl", trail="the north one")["trail"] == "the north one"


def test_a_person_who_owns_one_of_two_things_need_not_be_the_other():
    _, called = session(
        tool("list_people"),
        tool("create_person", "", ("name",), name=TEXT),
        tool("create_firm", "", ("name", "owner_id"), name=TEXT, owner_id={**TEXT, "description": "Owner person ID"}),
        tool("list_firms"),
        tool("create_note", "", ("firm_id", "person_id", "text"), firm_id=TEXT, person_id=TEXT, text=TEXT),
        tool("list_notes"),
    )
    here, there = (ok(called, "create_person", name=name)["person_id"] for name in ("Ada", "Bo"))
    firm = ok(called, "create_firm", name="Ada and sons", owner_id=here)["firm_id"]
    ok(called, "create_note", firm_id=firm, person_id=there, text="met")


def test_a_thing_that_is_told_to_lie_in_the_other_must_even_where_it_may_be_without():
    shelf = {**TEXT, "description": "The shelf. The shelf needs to be in the room that the book is in."}
    _, called = session(
        tool("create_room", "", ("name",), name=TEXT),
        tool("list_rooms"),
        tool("create_shelf", "", ("name",), name=TEXT, room_id=TEXT),
        tool("list_shelves"),
        tool("create_book", "", ("title",), title=TEXT, room_id=TEXT, shelf_id=shelf),
        tool("list_books"),
    )
    here, there = (ok(called, "create_room", name=name)["room_id"] for name in ("here", "there"))
    kept = ok(called, "create_shelf", name="upper", room_id=here)["shelf_id"]
    assert refused(called, "create_book", title="Sea", room_id=there, shelf_id=kept) == "not_found"
    ok(called, "create_book", title="Sea", room_id=here, shelf_id=kept)
