"""Verification must be able to fail: each way of writing a tool wrongly is caught by the right check."""

import dataclasses
import re

import pytest

from tvlab.environments.checks.verification import verify
from tvlab.environments.domain.expectations import effect_of, is_id
from tvlab.environments.environment import function_name, load_functions

SHOP = """create_customer(name*, city, note); get_customer(customer_id*); list_customers(city, limit:integer);
    search_customers(query*, limit:integer); update_customer(customer_id*, name, city, note);
    delete_customer(customer_id*); create_order(customer_id*, item*, amount*:integer, priority|low,high);
    get_order(order_id*); list_orders(customer_id, priority|low,high); cancel_order(order_id*);
    count_orders(customer_id*); create_invoice(title*); list_invoices(page:integer, limit:integer=5);
    batch_cancel_orders(order_ids*:[]); add_tag(customer_id*, tag*); remove_tag(customer_id*, tag*)"""


REMOVAL = "_remove_customer(state, customer_id)"


@pytest.fixture(scope="module")
def shop(made_up):
    return made_up("shop", SHOP)


def failures(built, tool, change):
    """Verify with the source of one tool changed; return the names of that tool's failed checks."""
    source = change(built.source)
    assert source != built.source, "the mutation did not apply"
    functions = load_functions(source, "mutant")
    environment = built.environment
    mutant = dataclasses.replace(
        environment,
        functions={t: functions[function_name(t)] for t in environment.tool_names},
        state={table: dict(rows) for table, rows in environment.state.items()},
    )
    return {check.check for check in verify(mutant) if not check.passed and check.tool == tool}


def within(tool, old, new):
    """Replace text inside one function."""

    def change(source):
        return re.sub(
            rf"(def {tool}\(.*?)(?=\n\n\ndef |\Z)",
            lambda match: match[1].replace(old, new),
            source,
            flags=re.DOTALL,
        )

    return change


def test_the_unchanged_environment_passes(shop):
    assert shop.drops == {}
    checks = verify(shop.environment)
    assert checks
    assert all(check.passed for check in checks), [c for c in checks if not c.passed]


@pytest.mark.parametrize(
    ("tool", "old", "new", "check"),
    [
        # what is written is lost, or goes elsewhere
        ("create_customer", 'state["customers"][key] = customer', "pass", "writes"),
        ("create_customer", '"city": city', '"city": name', "stores_given"),
        ("create_customer", '"note": note', '"note": None', "stores_given"),
        ("create_customer", "return customer", "return content", "output_schema"),
        ("create_order", 'find(state, "customers", customer_id, "customer")', "pass", "unknown_id"),
        ("create_order", 'state["orders"][key] = order', 'state["orders"]["x"] = order', "keyed"),
        # an update that does too much or too little
        ("update_customer", '"city": city', '"town": city', "only_given"),
        ("update_customer", "{**customer, ", '{**customer, "note": "changed", ', "one_field"),
        ("update_customer", "{**customer, ", '{"customer_id": customer_id, ', "other_fields"),
        ("update_customer", 'state["customers"][customer_id] = customer', "pass", "writes"),
        # a delete that does not, or takes too much
        ("delete_customer", REMOVAL, "pass", "writes"),
        ("delete_customer", REMOVAL, 'del state["customers"][customer_id]', "no_dangling"),
        ("delete_customer", REMOVAL, 'state["customers"].clear()', "removes_only"),
        ("delete_customer", 'find(state, "customers", customer_id, "customer")', ("if customer_id not in "
         'state["customers"]: return {"deleted": True, "customer_id": customer_id}'), "second_delete"),
        # filters, limits, search
        ("list_customers", 'row.get("city") == city', "True", "filter"),
        ("list_customers", 'row.get("city") == city', 'row.get("city") != city', "filter"),
        ("list_customers", "one_page(customers, limit)", "customers", "limit"),
        ("list_customers", "one_page(customers, limit)", "one_page(customers[1:], limit)", "whole_list"),
        ("list_orders", 'row.get("priority") == priority', "True", "filter"),
        ("list_orders", 'row.get("customer_id") == customer_id', "True", "filter"),
        ("search_customers", "contains(row, ", "not contains(row, ", "search_nothing"),
        ("search_customers", '("name", "city", "note")', "()", "search_finds"),
        ("list_invoices", "* limit", "* (limit + 1)", "pages"),
        ("count_orders", "len(orders)", "len(orders) + 1", "count"),
        # states
        ("cancel_order", '"status": "cancelled"', '"state": order.get("status")', "state_fits"),
        ("cancel_order", 'if order.get("status") == "cancelled":', "if False:", "second_transition"),
        # reads that write, failures that leave traces, edits in place
        ("get_order", "return find",
         'state["orders"]["y"] = {"order_id": "y"}\n    return find', "read_only"),
        ("get_order", "return find(state, \"orders\", order_id, \"order\")",
         'return next(iter(state["orders"].values()))', "right_record"),
        ("update_customer", "    customer = {**customer",
         '    customer["city"] = city\n    customer = {**customer', "no_edit_in_place"),
        ("create_order", 'find(state, "customers", customer_id, "customer")',
         'find(state, "customers", customer_id, "customer")["seen"] = 1', "no_edit_in_place"),
        ("get_customer", "return find", "return 1 / 0 or find", "succeeds"),
        ("add_tag", 'find(state, "customers", customer_id, "customer")', "pass", "unknown_id"),
        ("remove_tag", 'del state["tags"]', 'state["tags"].get("z") or 0 # ', "writes"),
        ("batch_cancel_orders", "orders.append(order)",
         "orders.append(order)\n        break", "right_record"),
        # what takes several calls, or many records, to see
        ("batch_cancel_orders", "orders.append(order)", "pass", "returns_record"),
        ("list_orders", 'find(state, "customers", customer_id, "customer")',
         'find(state, "customers", priority, "customer")', "accepted"),
        ("create_customer", '"city": city', '"note": city', "stores_given"),
        ("update_customer", '"city": city', '"city": city and name', "stores_given"),
        ("list_invoices", "limit=5", "limit=6", "default"),
        ("list_invoices", "* limit", "* limit + 1", "pages"),
        ("list_invoices", "(page or 1)", "(page or 2)", "first_page"),
        ("list_customers", "one_page(customers, limit)",
         "[*one_page(customers, limit), *customers[:1]]", "listed_once"),
        ("search_customers", '("name", "city", "note")', '("city", "note")', "search_prose"),
        ("create_order", '"status": ', '"state": ', "initial_state"),
        ("create_order", 'state["orders"][key] = order', ('state["orders"][key] = order\n    '
         'del state["customers"][next(iter(state["customers"]))]'), "changes_only"),
        ("add_tag", 'find(state, "customers", customer_id, "customer")',
         'find(state, "customers", customer_id, "customer")\n    tag = tag.upper()', "undone"),
        ("delete_customer", '"deleted": True', '"deleted": False', "returns_record"),
    ],
)  # fmt: skip
def test_a_tool_written_wrongly_is_caught(shop, tool, old, new, check):
    found = failures(shop, tool, within(tool, old, new))
    assert found, f"{tool}: {old!r} -> {new!r} survives"
    assert check in found, found


def test_a_wrong_tool_is_dropped_by_name_and_the_rest_stays(shop, monkeypatch, made_up):
    from made_up_servers import Built, tool_list

    from tvlab.environments import build
    from tvlab.environments.writing import rules_writes, writing

    def forgets(draft):
        key = draft.meaning.one("key")
        draft.add(draft.find(draft.entity, draft.value(key)))
        draft.add(f'return {{"deleted": True, "{draft.entity.key}": {draft.value(key)}}}')

    monkeypatch.setitem(writing._RULES, "delete", forgets)
    assert rules_writes.write_delete is not forgets
    text = """create_bed(name*, zone); get_bed(bed_id*); list_beds(zone); update_bed(bed_id*, zone);
        delete_bed(bed_id*)"""
    built = Built(build.build_server(tool_list("beds", text), seed=1, smallest=1))
    assert built.drops == {"delete_bed": ("verification", "writes")}
    assert "create_bed" in built.kept


def test_one_tool_alone_has_the_checks_that_it_has_among_all(shop):
    among_all = [check for check in verify(shop.environment) if check.tool == "update_customer"]
    assert verify(shop.environment, tools={"update_customer"}) == among_all


FILES = """write_file(path*, content*); read_file(path*); move_file(source*, destination*); list_directory(path*);
    delete_file(path*); create_directory(path*); delete_directory(path*); create_share_link(file_path*, label*);
    list_share_links(file_path)"""


@pytest.mark.parametrize(
    ("tool", "old", "new", "check"),
    [
        ("move_file", 'state["files"][destination] = file', 'state["files"][destination] = {**file, "content": ""}',
         "other_fields"),
        ("move_file", 'fail("conflict", "this file exists already")', "pass", "second_create"),
        ("move_file", '"file_path": destination', '"file_path": source', "no_dangling"),
        ("move_file", 'del state["files"][source]', 'del state["files"][next(iter(state["files"]))]', "changes_only"),
        ("list_directory", '== path.rstrip("/")', '!= path.rstrip("/")', "filter"),
        ("write_file", '"content": content', '"content": path', "stores_given"),
    ],
)  # fmt: skip
def test_a_path_tool_written_wrongly_is_caught(made_up, tool, old, new, check):
    built = made_up("cabinet", FILES)
    found = failures(built, tool, within(tool, old, new))
    assert found, f"{tool}: {old!r} -> {new!r} survives"
    assert check in found or {"keyed", "right_record"} & found, found


def test_a_tool_that_removes_what_its_inverse_only_links_is_at_fault(made_up):
    text = """create_task(title*); get_task(task_id*); create_tag(label*); get_tag(tag_id*);
        add_tag_to_task(task_id*, tag_id*); remove_tag_from_task(task_id*, tag_id*)"""
    environment = made_up("labels", text).environment
    assert all(check.passed for check in verify(environment))

    def remove_tag_from_task(state, *, task_id, tag_id):
        del state["tags"][tag_id]
        return {"deleted": True, "tag_id": tag_id}

    meaning = {**environment.report["meanings"]["remove_tag_from_task"], "operation": "delete"}
    meanings = {**environment.report["meanings"], "remove_tag_from_task": meaning}
    wrong = dataclasses.replace(
        environment,
        functions={**environment.functions, "remove_tag_from_task": remove_tag_from_task},
        report={**environment.report, "meanings": meanings},
    )
    checks = verify(wrong, tools={"add_tag_to_task"})
    assert {(c.tool, c.check) for c in checks if not c.passed} == {("remove_tag_from_task", "undone")}


def test_verification_leaves_the_state_as_it_was(shop):
    before = shop.environment.state_hash
    verify(shop.environment)
    assert shop.environment.session().fingerprint() == type(shop.environment.session())(shop.environment).fingerprint()
    assert shop.environment.state_hash == before


@pytest.mark.parametrize(
    ("verb", "effect"),
    [("get", "none"), ("create", "adds"), ("update", "changes"), ("cancel", "changes"), ("delete", "removes"),
     ("add", "some"), ("frobnicate", "some")],
)  # fmt: skip
def test_an_expectation_says_only_what_the_verb_makes_sure(verb, effect):
    assert effect_of(verb) == effect


def test_ids_are_expected_by_name():
    assert is_id("order_id")
    assert is_id("messageIds")
    assert not is_id("external_id")
    assert not is_id("valid")


def test_a_record_that_is_moved_to_where_it_is_need_not_change(made_up):
    text = """create_shelf(title*); list_shelves(); create_crate(title*, shelf_id); list_crates();
        move_crates_to_shelf(crate_ids*:[], shelf_id*)"""
    built = made_up("cellar", text)
    tables = built.environment.state
    shelves = list(tables["shelves"])[:2]
    tables["shelves"] = {key: tables["shelves"][key] for key in shelves}
    for at, (key, crate) in enumerate(tables["crates"].items()):
        tables["crates"][key] = {**crate, "shelf_id": shelves[at % 2]}
    assert built.environment.meaning("move_crates_to_shelf")["operation"].startswith("batch_")
    checks = verify(built.environment, tools={"move_crates_to_shelf"})
    assert any(check.check == "right_record" for check in checks)
    assert all(check.passed for check in checks), [c for c in checks if not c.passed]
    one_less = within("move_crates_to_shelf", "for one in crate_ids:", "for one in crate_ids[:1]:")
    assert "right_record" in failures(built, "move_crates_to_shelf", one_less)
