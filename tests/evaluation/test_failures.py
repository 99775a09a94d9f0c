import pytest

from tvlab.evaluation.failures import KINDS, contained, turn_failures


def golden(tool, writes=False, **arguments):
    return {"tool": tool, "arguments": arguments, "writes": writes}


def made(tool, ok=True, writes=False, **arguments):
    return {"tool": tool, "arguments": arguments, "ok": ok, "writes": writes}


@pytest.mark.parametrize(
    ("wanted", "calls", "more", "kinds"),
    [
        ([golden("f", x=1)], [made("f", x=1)], {}, []),
        ([golden("f", x=1)], [made("f", x=1, y=2)], {}, []),
        ([golden("f", x=1)], [made("f", x=2)], {}, ["wrong_argument"]),
        ([golden("f", x=1)], [made("f", ok=False, x=1)], {}, ["wrong_argument"]),
        ([golden("f", x=1)], [made("g", x=1)], {}, ["wrong_tool"]),
        ([golden("f"), golden("f")], [made("f")], {}, ["missing_call"]),
        ([golden("f"), golden("g")], [], {}, ["gave_up", "gave_up"]),
        ([golden("f")], [], {"unreadable": 1}, ["format"]),
        ([golden("f")], [], {"cut": True}, ["truncated"]),
        ([golden("f")], [made("f"), made("g", writes=True)], {}, ["surplus_call"]),
        ([golden("f")], [made("f"), made("g")], {}, []),
        ([], [made("g", writes=True)], {}, ["surplus_call"]),
        ([], [made("g", ok=False, writes=True)], {}, []),
        ([golden("f")], [made("f")], {"cut": True, "unreadable": 2}, []),
        (
            [golden("f", x=1), golden("g"), golden("h")],
            [made("f", x=2), made("k", writes=True)],
            {},
            ["wrong_argument", "wrong_tool", "missing_call"],
        ),
    ],
)
def test_each_kind_is_told_from_the_others(wanted, calls, more, kinds):
    found = [failure.kind for failure in turn_failures(wanted, calls, **more)]
    assert found == kinds
    assert set(found) <= set(KINDS)


def test_a_wrong_argument_names_what_differs_from_the_closest_call():
    wanted = [golden("f", x=1, y={"a": 1}, z="3")]
    failure = turn_failures(wanted, [made("f", x=9), made("f", x=1, y={"a": 2, "b": 3}, z="3")])[0]
    assert failure.to_json() == {"kind": "wrong_argument", "tool": "f", "called": "f", "arguments": ["y"]}


def test_a_given_matching_is_taken():
    assert turn_failures([golden("f", x="A")], [made("f", x="a")], {0: 0}) == []


@pytest.mark.parametrize(("a", "b", "inside"), [(1, True, False), ("5", 5, False), (2, 2.0, True), ([1], [1], True)])
def test_values_are_compared_as_json(a, b, inside):
    assert contained(a, b) is inside
