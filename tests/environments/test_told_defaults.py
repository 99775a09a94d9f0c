"""Defaults that a text tells: a word, the word for the ordinary thing, the time of the call."""

from __future__ import annotations

from test_doubts import tool
from test_doubts_rules import said

from tvlab.environments.build import build_server
from tvlab.environments.tool_lists import ToolList

YARD = [
    tool("list_yards", "List the yards."),
    tool("get_yard", "Get a yard.", yard_id=said("The yard (use 'primary' for the main yard)")),
    tool("list_firings", "List firings.", yard_id="string"),
    tool(
        "create_firing", "Create a firing.", name="string",
        yard_id=(said("The yard. Defaults to 'primary' if not specified. Use 'primary' for the main yard."),),
        glaze=(said("Defaults to \"clear glaze\" if left out."),),
        started=(said("If not provided, the current time will be used."),),
        fired_date=(said("Defaults to today."),),
    ),
]  # fmt: skip


def _made(**given):
    server = build_server(ToolList("yards", tools=YARD), smallest=1)
    environment = server.environments[0].environment
    session = environment.session()
    return environment, session.call("create_firing", {"name": "First", **given})


def test_what_is_left_out_has_the_value_that_the_text_tells():
    environment, made = _made()
    assert made.ok
    now = environment.state["_clock"]["now"]
    assert made.value["yard_id"] == "primary"
    assert made.value["glaze"] == "clear glaze"
    assert made.value["started"] == now
    assert made.value["fired_date"] == now[:10]


def test_the_word_for_the_ordinary_thing_may_be_the_declared_default():
    yard = {"type": "string", "default": "primary", "description": "The yard, e.g. 'primary'"}
    tools = [*YARD[:3], tool("create_firing", "Create a firing.", name="string", yard_id=(yard,))]
    session = build_server(ToolList("yards", tools=tools), smallest=1).environments[0].environment.session()
    assert session.call("create_firing", {"name": "First"}).value["yard_id"] == "primary"


def test_the_fields_of_a_wrapper_have_their_declared_defaults():
    inner = {"type": "object", "required": ["title"], "properties": {
        "title": {"type": "string"}, "folder": {"type": "string", "default": "Inbox"},
        "pinned": {"type": "boolean", "default": False}}}  # fmt: skip
    tools = [tool("create_memo", "Create a memo.", memo=inner), tool("list_memos", "List the memos.")]
    session = build_server(ToolList("memos", tools=tools), smallest=1).environments[0].environment.session()
    made = session.call("create_memo", {"memo": {"title": "First"}})
    assert (made.value["folder"], made.value["pinned"]) == ("Inbox", False)
    assert session.call("create_memo", {"memo": {"title": "Next", "folder": "Old"}}).value["folder"] == "Old"


def test_what_is_given_stays():
    environment, _ = _made()
    other = next(key for key in environment.state["yards"] if key != "primary")
    _, made = _made(yard_id=other, glaze="red", started="2026-01-01T00:00:00Z", fired_date="2026-01-01")
    assert made.ok
    assert made.value["glaze"] == "red"
    assert (made.value["yard_id"], made.value["started"]) == (other, "2026-01-01T00:00:00Z")
    assert made.value["fired_date"] == "2026-01-01"


def test_a_number_that_is_told_is_the_default():
    level = {"type": "number", "description": "0 (private), 1 (public), 默认为 1"}
    size = {"type": "integer", "description": "Width in cm (default: 14)"}
    share = {"type": "number", "description": "Default: 0.5"}
    tools = [
        YARD[0],
        tool("create_yard", "Create a yard.", name="string", level=(level,), size=(size,), share=(share,)),
    ]
    session = build_server(ToolList("yards", tools=tools), smallest=1).environments[0].environment.session()
    made = session.call("create_yard", {"name": "First"}).value
    assert (made["level"], made["size"]) == (1, 14)
    assert "share" not in made


def test_flags_choices_and_lists_have_the_default_that_the_text_tells():
    level = {"type": "string", "enum": ["low", "medium", "high"], "description": "Its level. Defaults to medium."}
    make = tool(
        "create_kiln", "Create a kiln.", name="string", level=(level,),
        lit=({"type": "boolean", "description": "Whether it is lit. Default is true."},),
        shelves=({"type": "array", "items": {"type": "string"}, "description": "Default: ['Top', 'Middle']."},),
        branch=(said("The branch (defaults to main)."),),
        maker=(said("Optional maker (default: none)"),),
    )  # fmt: skip
    tools = [make, tool("list_kilns", "List the kilns."), tool("get_kiln", "Get a kiln.", kiln_id="string")]
    session = build_server(ToolList("kilns", tools=tools), smallest=1).environments[0].environment.session()
    made = session.call("create_kiln", {"name": "First"}).value
    assert (made["level"], made["lit"], made["shelves"]) == ("medium", True, ["Top", "Middle"])
    assert made["branch"] == "main"
    assert "maker" not in made
    assert session.call("create_kiln", {"name": "Next", "lit": False}).value["lit"] is False


def test_a_list_gives_as_many_as_its_text_tells():
    sized = {"type": "number", "description": "Limit on number of results (default: 3, max: 250)"}
    paged = {"type": "number", "description": "Page number (default: 0)"}
    listed = tool("list_kilns", "List the kilns.", limit=(sized,), page=(paged,))
    tools = [tool("create_kiln", "Create a kiln.", name="string"), listed]
    session = build_server(ToolList("kilns", tools=tools), smallest=1).environments[0].environment.session()
    for name in "abcde":
        session.call("create_kiln", {"name": name})
    first, second = (session.call("list_kilns", {"page": page}).value["kilns"] for page in (0, 1))
    assert len(first) == len(second) == 3
    assert not [row for row in first if row in second]


def test_a_flag_of_the_state_in_which_a_thing_is_made_has_its_declared_default():
    done = {"type": "boolean", "default": False, "description": "Whether the errand is already completed"}
    pin = {"type": "boolean", "default": False, "description": "Pin it at once"}
    tools = [
        tool("create_errand", "Create an errand.", task="string", done=(done,), pin=(pin,)),
        tool("list_errands", "List the errands."),
    ]
    environment = build_server(ToolList("errands", tools=tools), smallest=1).environments[0].environment
    assert set(environment.tool("create_errand")["inputSchema"]["properties"]) == {"task", "done"}
    session = environment.session()
    assert session.call("create_errand", {"task": "post"}).value["done"] is False
    assert session.call("create_errand", {"task": "bread", "done": True}).value["done"] is True
