import numpy as np
import pytest

from tvlab.tasks.paths import leaves
from tvlab.tasks.tool_views import Leaf
from tvlab.tasks.value_order import pairs_in, put_in_order


def leaf(path):
    return Leaf(path, {"type": "string"}, "payload", None, path.split(".")[-1], False)


def ordered(values, record=None, said=None, seed=0):
    paths = {**values, **(record or {})}
    put_in_order(
        values,
        [leaf(path) for path in paths],
        record or {},
        set(values) if said is None else said,
        np.random.default_rng(seed),
    )
    return values


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("start", "end"),
        ("start_date", "end_date"),
        ("timeMin", "timeMax"),
        ("valid_from", "valid_until"),
        ("check_in", "check_out"),
        ("departure_date", "return_date"),
        ("window.from", "window.to"),
        ("departs_at", "arrives_at"),
    ],
)
def test_names_that_differ_by_beginning_and_end_are_a_pair(first, last):
    [(a, b)] = pairs_in([leaf(last), leaf("title"), leaf(first)])
    assert (a.path, b.path) == (first, last)


def test_other_names_are_no_pair():
    names = ["start", "window.end", "started_by", "check_in", "title", "end_date"]
    assert pairs_in([leaf(name) for name in names]) == []


@pytest.mark.parametrize("seed", range(8))
def test_what_the_user_says_ends_after_it_starts(seed):
    day = ordered({"start_date": "2026-05-20", "end_date": "2026-04-01"}, seed=seed)
    assert "2026-05-20" < day["end_date"] < "2026-05-31"
    moment = ordered({"start": "2026-05-20T10:00:00Z", "end": "2026-07-01T10:00:00Z"}, seed=seed)
    assert "2026-05-20T10:00:00Z" < moment["end"] <= "2026-05-20T13:00:00Z"
    time = ordered({"start_time": "10:00", "end_time": "09:30"}, seed=seed)
    assert time["end_time"] > "10:00"
    assert ordered({"min_price": 9, "max_price": 4}, seed=seed)["max_price"] > 9


def test_one_value_is_put_in_order_with_what_the_record_holds():
    record = {"start": "2026-05-20T10:00:00Z", "end": "2026-05-20T11:00:00Z"}
    assert ordered({"end": "2026-04-04T13:00:00Z"}, record)["end"] > record["start"]
    assert ordered({"start": "2026-06-04T13:00:00Z"}, record)["start"] < record["end"]
    fits = {"end": "2026-05-20T10:30:00Z"}
    assert ordered(dict(fits), record) == fits


def test_what_is_settled_stays():
    values = {"start": "2026-05-20", "end": "2026-04-01"}
    assert ordered(dict(values), said=set()) == values
    moved = ordered(dict(values), said={"start"})
    assert moved["end"] == values["end"]
    assert moved["start"] < moved["end"]


def test_text_that_is_no_moment_stays():
    values = {"from": "zoe@example.com", "to": "ann@example.com"}
    assert ordered(dict(values)) == values


def test_no_item_ends_before_it_starts(items, bookstore):
    """On every golden call of every item: a pair of stated values is in order."""
    for item in items:
        for _, call in item.golden():
            flat = {".".join(map(str, at)): value for at, value in leaves(call.arguments) if at}
            for first, last in pairs_in([leaf(path) for path in flat]):
                assert flat[first.path] < flat[last.path]
