"""Tools as typed methods: signature, docstring, and the arguments that reach the environment."""

import inspect

import pytest

from tvlab.tasks.typed_methods import class_of_tools, tool_method


class Base:
    def __init__(self):
        self.made = []

    def reset(self):
        """Nothing."""

    def _call(self, name, arguments):
        self.made.append((name, arguments))
        return "ok"


TOOL = {
    "name": "create-event",
    "description": "Put an event\ninto a calendar.",
    "inputSchema": {
        "properties": {
            "from": {"type": "string", "description": "Begin."},
            "to": {"type": ["string", "null"]},
            "guests": {"type": "array"},
            "kind": {"type": "string", "enum": ["call", "visit"]},
            "odd-name": {"type": "integer"},
        },
        "required": ["odd-name", "from"],
    },
}


def test_required_parameters_come_first_and_names_are_mapped_back():
    rollout = class_of_tools("Tools", [TOOL], Base)()
    assert rollout.create_event("2026-01-01", odd_name=3, kind="call") == "ok"
    assert rollout.create_event(from_="2026-01-02", odd_name=4, to=None) == "ok"
    assert rollout.made == [
        ("create-event", {"from": "2026-01-01", "odd-name": 3, "kind": "call"}),
        ("create-event", {"from": "2026-01-02", "odd-name": 4}),
    ]
    with pytest.raises(TypeError):
        rollout.create_event(odd_name=3)


def test_the_signature_and_the_docstring_say_types_and_meaning():
    method = tool_method(TOOL)
    parameters = inspect.signature(method).parameters
    assert list(parameters) == ["self", "from_", "odd_name", "to", "guests", "kind"]
    assert parameters["odd_name"].annotation is int
    assert parameters["guests"].annotation == list | None
    assert parameters["guests"].default is None
    assert method.__doc__.startswith("Put an event into a calendar.\n\nArgs:\n    from_: Begin.\n")
    assert "kind: kind (one of call, visit)" in method.__doc__


def test_a_tool_that_is_called_like_a_method_of_the_base_gets_another_name(bookstore):
    made = class_of_tools("Tools", [{**TOOL, "name": "reset"}, *bookstore.tools], Base)
    assert "reset_" in vars(made)
    assert {tool["name"] for tool in bookstore.tools} <= set(vars(made))
