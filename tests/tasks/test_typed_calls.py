"""Calls typed by a person: read, refused with help, completed, and written back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlab.environments.tool_calls import ToolCall
from tvlab.tasks.typed_calls import TypingError, completions, read_call, signature, typed

TOOLS = [
    {
        "name": "create_order",
        "inputSchema": {
            "type": "object",
            "properties": {
                "customer_id": {"type": "string"},
                "count": {"type": "integer"},
                "gift": {"type": "boolean"},
                "items": {"type": "array", "items": {"type": "object", "properties": {"sku": {}, "quantity": {}}}},
                "status": {"type": "string", "enum": ["open", "paid"]},
                "mixed": {"type": ["string", "integer"]},
                "free": {},
            },
            "required": ["customer_id", "items"],
        },
    },
    {"name": "cancel_order", "inputSchema": {"properties": {"order_id": {"type": "string"}}}},
]


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("create_order", {}),
        ("create_order customer_id=007 count=2 gift=true", {"customer_id": "007", "count": 2, "gift": True}),
        ('create_order customer_id="Ada Byron" free=null', {"customer_id": "Ada Byron", "free": None}),
        ("create_order customer_id='it is \"he\"'", {"customer_id": 'it is "he"'}),
        ('create_order items=[{"sku": "a b"}] count=3', {"items": [{"sku": "a b"}], "count": 3}),
        ("create_order count=many", {"count": "many"}),
        ("create_order mixed=5 free=5 status=paid", {"mixed": 5, "free": 5, "status": "paid"}),
        ("create_order mixed=true", {"mixed": True}),
        ('create_order {"count": 1}', {"count": 1}),
        ('{"name": "create_order", "arguments": {"count": 1}}', {"count": 1}),
    ],
)
def test_a_call_is_read_in_each_spelling_with_the_types_of_the_schema(line, arguments):
    assert read_call(line, TOOLS) == ToolCall("create_order", arguments)


@pytest.mark.parametrize(
    ("line", "help_"),
    [
        ("cancel_ordr order_id=1", "did you mean cancel_order"),
        ("order", "did you mean create_order or cancel_order"),
        ("xyz", "/tools lists"),
        ("cancel_order ord-1", "'ord-1' is not key=value"),
        ("cancel_order order_id=one two", "'two' is not key=value; put text with spaces in double quotes"),
        ("cancel_order order_id=1 order_id=2", "'order_id' is given twice"),
        ("cancel_order order_id=", 'order_id=""'),
        ('cancel_order order_id="x', "close the quote"),
        ("cancel_order order_id='x", "closing quote"),
        ("cancel_order {order_id: 1}", "not valid JSON"),
        ('{"name": "nothing"}', "there is no tool 'nothing'"),
        ('{"arguments": {}}', "NAME key=value"),
        ('cancel_order {"a": 1} b=2', "not valid JSON"),
    ],
)
def test_what_is_no_call_is_refused_with_what_to_do(line, help_):
    with pytest.raises(TypingError) as refused:
        read_call(line, TOOLS)
    assert help_ in str(refused.value)


def test_names_parameters_and_known_values_are_completed():
    assert completions("c", TOOLS, ["/say"]) == ["create_order ", "cancel_order "]
    assert completions("/", TOOLS, ["/say"]) == ["/say "]
    assert completions("cancel_order o", TOOLS) == ["order_id="]
    assert completions("create_order count=1 c", TOOLS) == ["customer_id="]
    assert completions("create_order status=", TOOLS) == ["status=open", "status=paid"]
    assert completions("create_order gift=t", TOOLS) == ["gift=true"]
    assert completions("nothing o", TOOLS) == []
    assert completions("/tools ca", TOOLS, ["/tools"]) == ["cancel_order"]


def test_a_signature_shows_what_is_optional_and_what_is_inside():
    assert signature(TOOLS[0]) == (
        "create_order customer_id=<string> [count=<integer>] [gift=<boolean>] items=[{sku, quantity}, ...] "
        "[status=open|paid] [mixed=<integer|string>] [free=<any>]"
    )


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "customer_id": st.text(),
            "count": st.integers(),
            "gift": st.booleans(),
            "items": st.lists(st.dictionaries(st.text(), st.text(), max_size=2), max_size=2),
            "status": st.sampled_from(["open", "paid"]),
        },
    )
)
def test_a_call_written_as_typed_is_read_back(arguments):
    assert read_call(typed("create_order", arguments), TOOLS) == ToolCall("create_order", arguments)
