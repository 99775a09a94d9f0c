"""Arguments without which a call takes no effect: no preview, and the confirmation that is asked for."""

import pytest

from tvlab.tasks.tool_views import Leaf
from tvlab.tasks.values import settled


def leaf(role, kind="boolean", field="x"):
    return Leaf("x", {"type": kind}, role, None, field, False)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (leaf("preview"), False),
        (leaf("confirm"), True),
        (leaf("confirm", "string", "DELETE"), "DELETE"),
        (leaf("payload"), None),
        (leaf("filter", "string"), None),
    ],
)
def test_what_a_call_needs_to_take_effect_is_settled(given, value):
    assert settled(given) is value or settled(given) == value
