"""Ranges of time over what lasts: what has begun before a range and ends in it lies within it."""

import pytest
from plain_tools import built, tool

TEXT, MOMENT = {"type": "string"}, {"type": "string", "format": "date-time"}
DAY = {"type": "string", "format": "date"}


def said(text):
    return {"type": "string", "description": text}


def rehearsals(low=TEXT, high=TEXT, description="List rehearsals within a time range.", names=("since", "until")):
    return built(
        tool("create_rehearsal", "Create a rehearsal.", ("title", "start_time"), title=TEXT, start_time=MOMENT,
             end_time=MOMENT),
        tool("get_rehearsal", "Get a rehearsal.", ("rehearsal_id",), rehearsal_id=TEXT),
        tool("delete_rehearsal", "Delete a rehearsal.", ("rehearsal_id",), rehearsal_id=TEXT),
        tool("list_rehearsals", description, names, **dict(zip(names, (low, high), strict=True))),
    )  # fmt: skip


def listed(session, **bounds):
    return [row["title"] for row in session.call("list_rehearsals", bounds).value["rehearsals"]]


def made(session, title, start, end=None):
    times = {"start_time": start} | ({"end_time": end} if end else {})
    assert session.call("create_rehearsal", {"title": title, **times}).ok


def test_what_began_before_the_range_and_ends_in_it_is_listed():
    _, env = rehearsals()
    session = env.session()
    made(session, "Long", "2040-01-01T08:00:00Z", "2040-01-20T08:00:00Z")
    made(session, "Over", "2040-01-01T08:00:00Z", "2040-01-04T08:00:00Z")
    made(session, "Later", "2040-02-01T08:00:00Z", "2040-02-02T08:00:00Z")
    assert listed(session, since="2040-01-10T00:00:00Z", until="2040-01-15T00:00:00Z") == ["Long"]


def test_what_has_no_end_lies_where_it_begins():
    _, env = rehearsals()
    session = env.session()
    made(session, "Open", "2040-01-12T08:00:00Z")
    assert listed(session, since="2040-01-10T00:00:00Z", until="2040-01-15T00:00:00Z") == ["Open"]
    assert listed(session, since="2040-01-13T00:00:00Z", until="2040-01-15T00:00:00Z") == []


@pytest.mark.parametrize(
    "server",
    [
        {"description": "List rehearsals that start between two moments."},
        {"low": said("Rehearsals starting after this moment"), "high": said("Last moment")},
    ],
)
def test_bounds_that_are_told_to_look_at_the_beginning_do(server):
    _, env = rehearsals(**server)
    session = env.session()
    made(session, "Long", "2040-01-01T08:00:00Z", "2040-01-20T08:00:00Z")
    assert listed(session, since="2040-01-10T00:00:00Z", until="2040-01-15T00:00:00Z") == []


def test_a_beginning_is_there_where_start_and_end_dates_are_promised():
    _, env = built(
        tool("list_absences", "List absences. This shows absences including start and end dates.", ("worker_id",),
             worker_id=TEXT),
        tool("create_absence", "Create an absence.", ("worker_id",), worker_id=TEXT, end_date=DAY),
        tool("create_worker", "Create a worker.", ("name",), name=TEXT),
        tool("get_worker", "Get a worker.", ("worker_id",), worker_id=TEXT),
        tool("list_workers", "List workers."),
    )  # fmt: skip
    rows = list(env.state["absences"].values())
    assert rows
    assert all(row["start_date"] <= row["end_date"] for row in rows if "end_date" in row)
    assert any("end_date" in row for row in rows)
