"""Which tools a model is asked for, and which declared meanings name and schema support."""

import pytest
from made_up_servers import SERVERS, tool_list

from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.environments.llm.answers import AnswerError
from tvlab.environments.llm.meanings import declared_meaning, verb_evidence, why_not_asked
from tvlab.environments.llm.prompts import SYSTEM, fenced, first_messages
from tvlab.environments.prepared_servers import prepared_domain
from tvlab.environments.schemas.schemas import refactor_tools


def parsed(text, descriptions=()):
    lists = tool_list("made-up", text)
    for tool in lists.tools:
        tool["description"] = dict(descriptions).get(tool["name"], "")
    tools = parse_tools(refactor_tools(lists.tools).tools)
    domain = prepared_domain(tools)
    domain.used = set(domain.entities)
    return {tool.name: tool for tool in tools}, domain


SHIP = """create_ship(name*, tons:integer); list_ships(min_tons:integer, query, limit:integer); get_ship(ship_id*);
    update_ship(ship_id*, name); dock_ship(ship_id*); archive_ship(ship_id*); ship_report(ship_id*);
    convert_tons(value*:number); browse_ship(ship_id*); add_crew(ship_id*, name*); get_status()"""


@pytest.fixture
def ships():
    return parsed(SHIP, {"browse_ship": "Returns one ship.", "dock_ship": "Docks a ship."})


def test_a_verb_in_name_or_first_word_of_the_description_is_evidence(ships):
    tools, _ = ships
    kinds = {name: verb_evidence(tool) for name, tool in tools.items()}
    assert kinds["create_ship"] == "create"
    assert kinds["archive_ship"] == "transition"
    assert kinds["convert_tons"] == ""


def test_tools_that_nothing_could_be_held_against_are_not_asked_for(ships):
    tools, domain = ships
    assert why_not_asked(tools["create_ship"], domain) == ""
    assert "picks the record" in why_not_asked(tools["get_status"], domain)
    assert "verb" in why_not_asked(tools["convert_tons"], domain)


def declare(ships, name, operation, parameters, entity="ship", **more):
    tools, domain = ships
    meaning = {"operation": operation, "entity": entity, "parameters": parameters, **more}
    return declared_meaning(meaning, tools[name], domain)


KEY = {"ship_id": {"role": "key"}}
NAME = {"name": {"role": "payload", "field": "name"}}


def test_a_supported_meaning_becomes_an_ordinary_one(ships):
    meaning = declare(ships, "update_ship", "update", {**KEY, **NAME})
    assert [(role.name if hasattr(role, "name") else role.dotted, role.role) for role in meaning.roles] == [
        ("ship_id", "key"),
        ("name", "payload"),
    ]
    assert meaning.writes
    left_out = declare(ships, "create_ship", "create", NAME)
    assert [path for path, _ in left_out.narrowed] == ["tons"]


def test_a_transition_must_set_what_the_verb_says(ships):
    _, domain = ships
    field = next(f for f in domain.entities["ship"].fields.values() if f.name in ("status", "archived"))
    value = "archived" if field.name == "status" else True
    meaning = declare(ships, "archive_ship", "transition", KEY, sets={"field": field.name, "value": value})
    assert (meaning.column, meaning.value) == (field.name, value)
    for sets in (None, {"field": "name", "value": "x"}, {"field": "nothing", "value": True}):
        with pytest.raises(AnswerError, match=r"sets|transition needs"):
            declare(ships, "archive_ship", "transition", KEY, sets=sets)


@pytest.mark.parametrize(
    ("name", "operation", "parameters", "message"),
    [
        ("get_ship", "delete", KEY, "operation"),
        ("get_ship", "read", {}, "ship_id"),
        ("get_ship", "read", {"ship_id": {"role": "filter", "field": "name"}}, "no role filter"),
        ("get_ship", "list", {}, "ship_id"),
        ("create_ship", "create", {"name": {"role": "payload", "field": "tons"}}, "nothing says"),
        ("create_ship", "create", {"name": {"role": "payload", "field": "colour"}, "tons": {"role": "payload"}}, None),
        ("create_ship", "create", {**NAME, "tons": {"role": "payload", "field": "name"}}, r"nothing says|is integer"),
        ("update_ship", "update", KEY, "needs a parameter"),
        ("update_ship", "update", {"ship_id": {"role": "reference", "entity": "crew"}}, "role is key"),
        ("list_ships", "list", {"limit": {"role": "offset"}}, "says offset"),
        (
            "list_ships",
            "search",
            {"query": {"role": "query"}, "min_tons": {"role": "filter", "field": "tons"}},
            "does not say",
        ),
        ("list_ships", "list", {"query": {"role": "query"}}, "no role query"),
        ("list_ships", "list", {"surplus": {"role": "limit"}}, "surplus"),
    ],
)  # fmt: skip
def test_an_unsupported_meaning_is_refused_with_a_reason(ships, name, operation, parameters, message):
    if message is None:  # the parameter's own column is there: the wrong name of it is passed over
        assert declare(ships, name, operation, parameters).roles[0].field == "name"
        return
    with pytest.raises(AnswerError, match=message):
        declare(ships, name, operation, parameters)


def test_a_ranged_filter_must_have_the_comparison_of_its_name(ships):
    ranged = {"min_tons": {"role": "filter", "field": "tons", "op": ">="}}
    assert declare(ships, "list_ships", "list", ranged).roles[0].op == ">="


def test_the_prompt_is_short_and_the_same_each_time(ships):
    tools, domain = ships
    one, two = (first_messages(tools["create_ship"], "create", domain, {"name": "x" * 500}) for _ in range(2))
    assert one == two
    assert one[0]["content"] == SYSTEM
    assert len(one[0]["content"]) + len(one[1]["content"]) < 5000
    assert "x" * 61 not in one[1]["content"]


def test_nothing_in_data_closes_its_fence():
    text = fenced({"```": "a```\n```python\nimport os\n\u2028\x07"})
    assert text.count("`") == 6
    assert text.count("\n") == 2


def test_greenhouse_tools_can_all_be_asked_for():
    tools, domain = parsed(SERVERS["greenhouse"])
    assert [why_not_asked(tool, domain) for tool in tools.values()] == [""] * 7
