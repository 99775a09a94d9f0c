"""The one record of a kind: got and set without a key."""

import pytest
from test_rules import ok
from test_writes import built, opened, reason, tool

PAIR = (
    tool("get_signature", "Gets the signature settings."),
    tool("update_signature", "Updates the signature.", ("enabled",), enabled="boolean", closing="string"),
)


def test_what_is_set_is_got_and_the_rest_stays():
    session = opened(*PAIR)
    before = ok(session, "get_signature")
    other = not before["enabled"]
    assert ok(session, "update_signature", enabled=other) == {**before, "enabled": other}
    ok(session, "update_signature", enabled=True, closing="yours")
    assert ok(session, "get_signature") == {**before, "enabled": True, "closing": "yours"}


@pytest.mark.parametrize(
    "more",
    [
        tool("update_signature", "Updates the signature.", ("folder_id",), folder_id="string"),
        tool("set_signature", "", ("owner_id", "closing"), owner_id="string", closing="string"),
    ],
)
def test_an_update_that_names_a_record_is_no_single_one(more):
    kept = [one.environment.report["meanings"] for one in built(PAIR[0], more).environments]
    assert "set" not in {meaning["operation"] for meanings in kept for meaning in meanings.values()}


def test_a_get_alone_is_no_single_record():
    assert reason(PAIR[0]) is not None


def test_what_is_only_there_for_the_moment_is_refused():
    assert reason(tool("get_selection", ""), tool("set_selection", "", ("closing",), closing="string")) is not None


def test_a_moment_counted_from_the_epoch_is_seeded_as_one():
    start = {"type": "string", "description": "Start time (epoch ms)"}
    session = opened(PAIR[0], tool("update_signature", "", ("startTime",), startTime=start))
    assert len(ok(session, "get_signature")["startTime"]) == 13
