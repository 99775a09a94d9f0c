"""Entities, keys, parents and references, decided over all tools of a server."""

from made_up_servers import SERVERS, tool_list

from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.environments.prepared_servers import prepared_domain
from tvlab.environments.schemas.schemas import refactor_tools
from tvlab.environments.tool_lists import load_tool_lists


def domain_of(name, text=None):
    return prepared_domain(parse_tools(refactor_tools(tool_list(name, text or SERVERS[name]).tools).tools))


def embedded(name):
    tools = next(server for server in load_tool_lists("embedded") if server.server == name).tools
    return prepared_domain(parse_tools(refactor_tools(tools).tools))


def test_a_typed_id_is_the_key_and_a_required_reference_the_parent():
    plant = domain_of("greenhouse").entities["plant"]
    assert (plant.key, plant.key_kind, plant.parents) == ("plant_id", "minted", {"bed_id": "bed"})


def test_a_key_that_a_create_requires_is_natural():
    index = domain_of("shelfindex").entities["index"]
    assert (index.key, index.key_kind) == ("uid", "natural")


def test_an_id_without_tools_of_its_own_is_a_hidden_entity():
    room = domain_of("chorus-chat").entities["room"]
    assert room.hidden
    assert list(room.fields) == ["name"]


def test_a_name_that_others_require_is_the_key_of_what_is_listed():
    station = domain_of("tidewatch").entities["station"]
    assert (station.key, station.key_kind) == ("station", "natural")


def test_customer_orders_are_orders_and_credit_notes_are_not_notes():
    text = """list_orders(limit:integer); get_order(order_id*); get_customer_orders(customer_id*);
        create_credit_note(customer_id*, amount:number); update_credit_note(credit_note_id*, amount:number);
        add_note(order_id*, text*)"""
    domain = domain_of("shop", text)
    assert domain.own["get_customer_orders"].name == "order"
    assert domain.own["add_note"].name == "note"
    assert domain.own["create_credit_note"].name == "credit_note"


def test_two_phrases_with_one_head_stay_two_entities():
    text = """create_policy_rule(rule_id, text*); list_policy_rules(limit:integer);
        delete_policy_rule(rule_id*);
        create_alert_rule(rule_id, text*); list_alert_rules(limit:integer); delete_alert_rule(rule_id*)"""
    domain = domain_of("rules", text)
    assert domain.own["delete_policy_rule"].name == "policy_rule"
    assert domain.own["delete_alert_rule"].name == "alert_rule"


def test_a_booking_of_a_flight_is_no_flight():
    domain = embedded("travel")
    assert domain.own["book_flight"].name == "booking"
    assert domain.entities["booking"].parents == {"trip_id": "trip", "flight_number": "flight"}


def test_a_tool_that_names_a_field_is_about_the_thing_it_is_keyed_by():
    domain = embedded("telecom")
    assert domain.own["telco_change_line_plan"].name == "line"
    assert domain.own["telco_set_roaming"].name == "line"


def test_parents_have_no_cycle():
    text = """create_team(lead_id*, name*); get_team(team_id*); create_lead(team_id*, name*);
        get_lead(lead_id*)"""
    domain = domain_of("loop", text)
    above = {e.name: set(e.parents.values()) for e in domain.entities.values()}
    assert not ("lead" in above["team"] and "team" in above["lead"])


def test_a_text_that_most_tools_require_is_a_scope_whose_value_is_checked():
    text = """list_labels(account*); create_label(account*, name*); delete_label(account*, label_id*);
        get_label(account*, label_id*)"""
    domain = domain_of("mailbox", text)
    assert domain.entities["account"].hidden
    assert domain.entities["label"].parents["account"] == "account"


def test_state_values_come_from_the_verbs_and_the_descriptions():
    transfer = embedded("travel").entities["transfer"]
    assert transfer.fields["status"].schema["values"][-1] == "confirmed"


def test_output_fields_become_columns_with_their_types():
    plan = embedded("telecom").entities["plan"]
    assert plan.key == "plan_code"
    assert plan.fields["monthly_fee"].type == "number"
