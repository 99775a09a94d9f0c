"""Mutants: an operator changes what it says, a mutant runs with its fault, trials tell the living from the dead."""

import ast
import json

import pytest

from tvlab.environments.mutation.mutant_trials import Behaviour, TooSlowError, failed_checks, judge, time_limit
from tvlab.environments.mutation.mutants import mutants_of
from tvlab.environments.mutation.operators import OPERATORS, changed

SHOP = """create_customer(name*, city, note); get_customer(customer_id*); list_customers(city, limit:integer);
    search_customers(query*, limit:integer); update_customer(customer_id*, name, city, note);
    delete_customer(customer_id*); create_order(customer_id*, item*, amount*:integer, priority|low,high);
    list_orders(customer_id, priority|low,high); cancel_order(order_id*); count_orders(customer_id*);
    list_invoices(page:integer, limit:integer=5); create_invoice(title*); batch_cancel_orders(order_ids*:[])"""


@pytest.fixture(scope="module")
def shop(made_up):
    return made_up("corner-shop", SHOP)


@pytest.fixture(scope="module")
def mutants(shop):
    return list(mutants_of(shop.environment, shop.source))


def of(mutants, operator, function):
    found = [m for m in mutants if (m.operator, m.function) == (operator, function)]
    assert found, f"no {operator} in {function}"
    return found


def test_mutants_are_the_same_each_time_and_no_two_are_equal(shop, mutants):
    again = list(mutants_of(shop.environment, shop.source))
    assert [ast.dump(m.changed) for m in again] == [ast.dump(m.changed) for m in mutants]
    assert len({(m.function, ast.dump(m.changed)) for m in mutants}) == len(mutants)
    assert all(m.difference() for m in mutants)


def test_the_source_is_left_as_it_is(shop, mutants):
    functions = {f.name: f for f in ast.parse(shop.source).body if isinstance(f, ast.FunctionDef)}
    assert all(ast.dump(m.original) == ast.dump(functions[m.function]) for m in mutants)


def test_every_operator_has_a_property_and_most_find_a_place(mutants):
    used = {m.operator for m in mutants}
    unused = {operator.__name__ for operator in OPERATORS} - used
    assert unused <= {"skip_clock", "break_order", "lose_members", "drop_optional", "keep_missing", "negate"}
    properties = {operator.__name__: breaks for operator, breaks in OPERATORS.items()}
    assert all(m.breaks == properties[m.operator] for m in mutants)


@pytest.mark.parametrize(
    ("operator", "function", "before", "after"),
    [
        ("drop_store", "create_customer", 'state["customers"][key] = customer', "pass"),
        ("drop_check", "create_order", "find(state", "pass"),
        ("drop_refusal", "cancel_order", "is already", "pass"),
        ("edit_in_place", "update_customer", "{**customer", "customer.update("),
        ("mint_once", "create_customer", "mint(", "'same-id'"),
        ("break_pages", "list_customers", "one_page(", "+ 1"),
        ("wrong_count", "count_orders", "len(orders)", "len(orders) + 1"),
        ("break_search", "search_customers", "'note'", "contains(row"),
        ("cut_batch", "batch_cancel_orders", "in order_ids", "order_ids[1:]"),
        ("write_in_read", "get_customer", "return find", "'seen': True"),
    ],
)  # fmt: skip
def test_an_operator_changes_what_it_says(mutants, operator, function, before, after):
    texts = [m.difference().replace('"', "'") for m in of(mutants, operator, function)]
    assert any(before.replace('"', "'") in text and after in text for text in texts), texts


def test_a_helper_counts_for_the_tools_that_run_it(mutants):
    helpers = [m for m in mutants if m.function.startswith("_remove")]
    assert helpers
    assert all(m.tools == ("delete_customer",) for m in helpers)


def test_messages_nouns_and_what_ids_are_made_from_are_no_behaviour(mutants):
    for mutant in mutants:
        text = mutant.difference()
        assert "exists already changed" not in text
        assert "customer changed'" not in text


def test_a_mutant_runs_with_its_fault_and_the_original_without(shop, mutants):
    original = shop.environment
    mutant = of(mutants, "drop_store", "create_customer")[0].environment(original)
    for environment, stored in ((original, 1), (mutant, 0)):
        session = environment.session()
        assert session.call("create_customer", {"name": "Ada"}).ok
        assert len(session.state["customers"]) - len(original.state["customers"]) == stored


def test_a_fault_in_a_helper_is_seen_through_the_tool(shop, mutants):
    original = shop.environment
    owner = next(row["customer_id"] for row in original.state["orders"].values())
    kept = of(mutants, "drop_loop", "_remove_customer")[0].environment(original)
    for environment, left in ((original, False), (kept, True)):
        session = environment.session()
        assert session.call("delete_customer", {"customer_id": owner}).ok
        assert any(row["customer_id"] == owner for row in session.state["orders"].values()) is left


def test_an_edit_in_place_cannot_reach_the_original(shop, mutants):
    before = json.dumps(shop.environment.state)
    for mutant in of(mutants, "edit_in_place", "update_customer"):
        session = mutant.environment(shop.environment).session()
        key = next(iter(session.state["customers"]))
        assert session.call("update_customer", {"customer_id": key, "city": "elsewhere"}).ok
    assert json.dumps(shop.environment.state) == before


def test_the_original_passes_and_nearly_every_mutant_is_killed(shop, mutants):
    assert failed_checks(shop.environment, set(shop.environment.tool_names)) == ()
    verdicts = [judge(shop.environment, m) for m in mutants]
    assert sum(v.killed for v in verdicts) / len(verdicts) > 0.95


def test_a_fault_of_a_reader_is_told_from_a_change_without_effect(shop, mutants):
    behaviour = Behaviour.of(shop.environment)
    assert not behaviour.alike(of(mutants, "flip_comparison", "list_customers")[0])
    idle = [m for m in of(mutants, "drop_condition", "_remove_customer") if "other in" in m.difference()]
    assert idle
    assert any(behaviour.alike(m) for m in idle)


def test_alike_leaves_its_states_as_they_were(shop, mutants):
    behaviour = Behaviour.of(shop.environment)
    before = json.dumps(behaviour.states)
    for mutant in [*of(mutants, "edit_in_place", "update_customer"), *of(mutants, "write_in_read", "get_customer")]:
        assert not behaviour.alike(mutant)
    assert json.dumps(behaviour.states) == before


def _run_on():
    while True:
        pass


def test_a_call_without_end_is_stopped():
    with pytest.raises(TooSlowError), time_limit(0.05):
        _run_on()


@pytest.mark.parametrize(("value", "other"), [(True, False), (3, 10), ("a", "a changed"), ([1], []), ({}, None)])
def test_a_changed_value_is_another_of_its_type(value, other):
    assert changed(value) == other
