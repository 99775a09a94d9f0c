"""Lists of members changed at both ends."""

from test_rules import ok, refused
from test_writes import opened, reason, tool

IDS = {"type": "array", "items": {"type": "string"}}
PARCELS = (
    tool("create_tag", "", ("title",), title="string"),
    tool("list_tags"),
    tool("create_parcel", "", ("title",), title="string"),
    tool("get_parcel", "", ("parcel_id",), parcel_id="string"),
)
MODIFY = tool("modify_parcel", "", ("parcel_id",), parcel_id="string", add_tag_ids=IDS, remove_tag_ids=IDS)
MANY = tool("modify_parcels", "", ("parcel_ids",), parcel_ids=IDS, add_tag_ids=IDS, remove_tag_ids=IDS)


def test_members_come_and_go_and_are_checked():
    session = opened(*PARCELS, MODIFY)
    one, two = (ok(session, "create_tag", title=title)["tag_id"] for title in ("red", "blue"))
    key = ok(session, "create_parcel", title="tea")["parcel_id"]
    assert ok(session, "modify_parcel", parcel_id=key, add_tag_ids=[one, one])["tag_ids"] == [one]
    assert ok(session, "modify_parcel", parcel_id=key, add_tag_ids=[two], remove_tag_ids=[one])["tag_ids"] == [two]
    assert refused(session, "modify_parcel", parcel_id=key, add_tag_ids=["nothing"]) == "not_found"
    assert ok(session, "get_parcel", parcel_id=key)["tag_ids"] == [two]


def test_several_records_change_alike():
    session = opened(*PARCELS, MANY)
    tag = ok(session, "create_tag", title="red")["tag_id"]
    keys = [ok(session, "create_parcel", title=title)["parcel_id"] for title in ("tea", "salt")]
    changed = ok(session, "modify_parcels", parcel_ids=keys, add_tag_ids=[tag])["parcels"]
    assert [row["tag_ids"] for row in changed] == [[tag], [tag]]
    assert refused(session, "modify_parcels", parcel_ids=[*keys, "nothing"], add_tag_ids=[tag]) == "not_found"


def test_members_that_no_tool_is_about_are_refused():
    assert reason(*PARCELS[2:], MODIFY) is not None


def test_members_that_the_text_names_are_not_made_up():
    text = "Adds or removes tags. To archive a parcel, remove the INBOX tag."
    assert reason(*PARCELS, {**MODIFY, "description": text}) == "named content is missing"
