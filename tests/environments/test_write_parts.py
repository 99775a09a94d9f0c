"""Writes: parts that texts list, places carried over, references that agree, values that null takes away."""

from test_rules import ok, refused
from test_writes import built, opened, tool

from tvlab.environments.checks.call_values import CallMaker
from tvlab.environments.domain.entities import Entity
from tvlab.environments.domain.told_objects import told_properties, with_told_parts
from tvlab.environments.domain.told_references import told_thing
from tvlab.environments.domain.tool_parsing import Parameter
from tvlab.environments.writing.agreeing_references import agreed

LISTED = (
    "The rule containing: - name (str, required): Rule name - rank (int, optional): Its rank"
    " - status (str, optional): ACTIVE or INACTIVE - limits (dict, optional): Its limits"
)


def test_parts_that_a_text_lists_with_their_types_are_fields_of_the_record():
    session = opened(
        tool("create_guard_rule", "Create a rule.", ("rule_data",),
             rule_data={"type": "object", "description": LISTED}),
        tool("get_guard_rule", "", ("rule_id",), rule_id="string"),
        tool("deactivate_guard_rule", "", ("rule_id",), rule_id="string"),
        tool("list_guard_rules"),
    )  # fmt: skip
    made = ok(session, "create_guard_rule", rule_data={"name": "Night", "rank": 2, "status": "INACTIVE"})
    assert (made["name"], made["rank"], made["status"]) == ("Night", 2, "INACTIVE")
    assert "rule_data" not in made
    assert refused(session, "create_guard_rule", rule_data={"rank": 2}) == "invalid_arguments"
    assert refused(session, "create_guard_rule", rule_data={"name": "x", "status": "asleep"}) == "invalid_arguments"
    other = ok(session, "create_guard_rule", rule_data={"name": "Day"})
    assert ok(session, "deactivate_guard_rule", rule_id=other["rule_id"])["status"] == "INACTIVE"


def test_a_list_of_parts_needs_types_and_more_than_one():
    assert told_properties("Either - fast or - slow") == ({}, [])
    one = {"inputSchema": {"properties": {"x": {"type": "object", "description": "Holds: - name (str): Its name"}}}}
    assert with_told_parts(one) is one
    other = {"type": "object", "description": f"{LISTED} - size: Do NOT include"}
    assert with_told_parts({"inputSchema": {"properties": {"x": other}}}) == {
        "inputSchema": {"properties": {"x": other}}
    }


def test_an_object_that_may_be_a_text_is_an_object_whose_ids_are_looked_up():
    place = {"anyOf": [{"type": "object", "properties": {"pier_id": {"type": "string"}}, "required": ["pier_id"]},
                       {"type": "string"}]}  # fmt: skip
    session = opened(
        tool("create_remark", "Create a remark.", ("parent", "text"), parent=place, text="string"),
        tool("list_remarks"),
        tool("create_pier", "", ("name",), name="string"),
        tool("get_pier", "", ("pier_id",), pier_id="string"),
        tool("list_piers"),
    )
    pier = ok(session, "create_pier", name="North")
    assert ok(session, "create_remark", parent={"pier_id": pier["pier_id"]}, text="hi")["text"] == "hi"
    assert refused(session, "create_remark", parent={"pier_id": "nosuch"}, text="hi") == "not_found"
    assert refused(session, "create_remark", parent='{"pier_id": "nosuch"}', text="hi") == "invalid_arguments"


HARBOUR = (
    tool("create_harbour", "", ("name",), name="string"),
    tool("list_harbours"),
    tool("get_harbour", "", ("harbour_id",), harbour_id="string"),
    tool("create_jetty", "", ("harbour_id", "name"), harbour_id="string", name="string"),
    tool("list_jetties", "", ("harbour_id",), harbour_id="string"),
    tool("get_jetty", "", ("jetty_id",), jetty_id="string"),
)


def test_a_new_thing_lies_where_the_thing_lies_that_it_is_made_in():
    session = opened(
        *HARBOUR,
        tool("create_mooring", "", ("jetty_id", "length"), jetty_id="string", length="integer"),
        tool("list_moorings", "List the moorings of a harbour.", ("harbour_id",), harbour_id="string"),
        tool("get_mooring", "", ("mooring_id",), mooring_id="string"),
    )
    harbour = ok(session, "create_harbour", name="East")
    jetty = ok(session, "create_jetty", harbour_id=harbour["harbour_id"], name="A")
    made = ok(session, "create_mooring", jetty_id=jetty["jetty_id"], length=9)
    assert made["harbour_id"] == harbour["harbour_id"]
    assert ok(session, "list_moorings", harbour_id=harbour["harbour_id"])["moorings"] == [made]


def test_made_up_calls_give_references_that_agree():
    server = built(
        *HARBOUR,
        tool("create_ferry", "", ("harbour_id", "jetty_id", "name"), harbour_id="string", jetty_id="string",
             name="string"),
        tool("list_ferries"),
    )  # fmt: skip
    assert not server.drops, server.drops
    environment = server.environments[0].environment
    state = environment.state
    told = {"of": "jetty_id", "in": "harbour_id", "field": "harbour_id"}
    assert environment.meaning("create_ferry")["agree"] == [told]
    for at in range(8):
        call = CallMaker(environment, "create_ferry").arguments("create_ferry", state, at, True, mode="other")
        assert state["jetties"][call["jetty_id"]]["harbour_id"] == call["harbour_id"]


def test_references_inside_a_body_agree_too():
    state = {"jetties": {"j1": {"jetty_id": "j1", "harbour_id": "h1"}}}
    meaning = {
        "agree": [{"of": "body.jettyId", "in": "body.harbourId", "field": "harbour_id"}],
        "parameters": {"body.jettyId": {"entity": "jetty"}},
    }
    call = {"body": {"jettyId": "j1", "harbourId": "h2"}}
    agreed(call, meaning, {"jetty": {"table": "jetties"}}, state)
    assert call == {"body": {"jettyId": "j1", "harbourId": "h1"}}
    alone = {"body": {"jettyId": "j1"}}
    agreed(alone, meaning, {"jetty": {"table": "jetties"}}, state)
    assert alone == {"body": {"jettyId": "j1"}}


def test_leaving_out_the_only_value_that_null_takes_away_takes_it_away():
    session = opened(
        tool("create_chore", "", ("name",), name="string", assignee="string"),
        tool("get_chore", "", ("chore_id",), chore_id="string"),
        tool("list_chores"),
        tool("assign_chore", "Assign a chore.", ("chore_id",), chore_id="string", assignee={
            "type": "string", "default": None, "description": "Who. Pass null or empty string to unassign the chore."}),
    )  # fmt: skip
    for nobody in ({"assignee": None}, {"assignee": ""}, {}):
        made = ok(session, "create_chore", name="sweep", assignee="Ann")
        assert ok(session, "assign_chore", chore_id=made["chore_id"], assignee="Bo")["assignee"] == "Bo"
        assert "assignee" not in ok(session, "assign_chore", chore_id=made["chore_id"], **nobody)


def test_an_id_whose_text_begins_with_a_thing_picks_it():
    station = Entity("tide_station", ("tide", "station"), "station_id", "string", "minted")
    settings = Entity("alarm_setting", ("alarm", "setting"), "station_uuid", "string", "minted")

    def picked(text, found=settings):
        p = Parameter(("station_uuid",), {"type": "string", "description": text}, False, ("station", "uuid"))
        return told_thing(p, found, [station, settings])

    assert picked("Tide station that the survey is about") is station
    assert picked("The tide stations") is station
    assert picked("Where the survey is") is settings
    assert picked("Tide station of the survey", None) is None


def test_a_text_of_further_fields_leaves_a_write():
    server = built(
        tool("create_chart", "Create a chart.", ("name",), name="string", scale="string", extra={
            "type": "string", "description": '(Optional) JSON string of additional fields to set: {"depth": 3}'}),
        tool("get_chart", "", ("chart_id",), chart_id="string"),
        tool("list_charts"),
    )  # fmt: skip
    environment = server.environments[0].environment
    assert set(environment.tool("create_chart")["inputSchema"]["properties"]) == {"name", "scale"}
    assert [row["reason"] for row in environment.report["narrowed"]] == ["names fields of the record inside a text"]
