"""Operations and parameter roles: what is kept, narrowed, dropped, and why."""

import pytest


def operations(built):
    return {name: m["operation"] for name, m in built.environment.report["meanings"].items()}


def roles(built, tool):
    return {path: r["role"] for path, r in built.environment.report["meanings"][tool]["parameters"].items()}


def narrowed(built):
    return {(n["tool"], n["parameter"]) for n in built.environment.report["narrowed"]}


def test_greenhouse_is_meant_whole(made_up):
    built = made_up("greenhouse")
    assert built.drops == {}
    assert operations(built) == {
        "create_bed": "create", "list_beds": "list", "get_bed": "read", "update_bed": "update",
        "delete_bed": "delete", "create_plant": "create", "list_plants": "list",
    }  # fmt: skip
    assert roles(built, "list_beds") == {"zone": "filter", "limit": "limit"}
    assert roles(built, "create_plant") == {"bed_id": "reference", "species": "payload"}


def test_a_multiplexed_tool_has_one_meaning_an_action(made_up):
    meaning = made_up("ferry-desk").environment.report["meanings"]["manage_booking"]
    assert {action: branch["operation"] for action, branch in meaning["branches"].items()} == {
        "create": "create", "update": "update", "cancel": "transition",
    }  # fmt: skip
    assert meaning["parameters"]["booking_id"]["actions"] == ["update", "cancel"]
    assert meaning["writes"]


def test_settings_are_fields_of_their_parent(made_up):
    built = made_up("shelfindex")
    assert operations(built)["update-stopwords"] == "update"
    assert "stopwords" in built.environment.report["entities"]["index"]["fields"]


def test_what_cannot_be_honoured_is_narrowed_and_leaves_the_schema(made_up):
    built = made_up("oddlot")
    assert {("list_things", "owner_not"), ("list_things", "tags_any")} <= narrowed(built)
    schema = built.environment.tool("list_things")["inputSchema"]
    assert set(schema["properties"]) == {"cursor"}
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("server", "tool", "reason"),
    [
        ("oddlot", "update_thing", "state change with unknown key"),
        ("oddlot", "run_query", "execution of code or commands"),
        ("oddlot", "fetch_page", "nothing is known of the thing"),
        ("queuecraft", "undo", "undo, redo or repeat"),
        ("queuecraft", "get_next_job", "read of one thing without a key"),
        ("ledgerlane", "profit-report", "no verb in the name and no description"),
        ("clinicbase", "people_search", "required parameter without a rule"),
        ("deckhand", "get_slide", "read of one thing without a key"),
        ("unitbench", "risk_index", "validation or analysis of unstated rules"),
    ],
)
def test_what_cannot_be_meant_is_dropped_with_a_reason(made_up, server, tool, reason):
    assert made_up(server).drops[tool] == ("meaning", reason)


def test_a_window_of_days_and_coordinates_are_no_equality_filters(made_up):
    built = made_up(
        "radar", "list_alerts(station, days:integer, latitude:number); create_alert(station*, text*)"
    )
    assert set(roles(built, "list_alerts")) == {"station"}


def test_a_required_option_without_a_rule_drops_the_tool(made_up):
    built = made_up(
        "strict", "create_bed(name*); get_bed(bed_id*, rotation*:number); list_beds(limit:integer)"
    )
    assert built.drops["get_bed"][1] == "required parameter without a rule"


def test_a_type_conflict_in_a_key_drops_the_tool_that_disagrees(made_up):
    built = made_up(
        "clash",
        "create_bed(name*); get_bed(bed_id*:integer); update_bed(bed_id*:integer, name*); "
        "delete_bed(bed_id*)",
    )
    assert built.drops["delete_bed"][1] == "types of one column differ"
    assert "get_bed" in built.kept


def test_range_filters_compare_the_moment_they_name(made_up):
    built = made_up("agenda", "create_task(title*, due_date*); list_tasks(due_before, due_after)")
    meaning = built.environment.report["meanings"]["list_tasks"]["parameters"]
    assert {name: (r["field"], r["op"]) for name, r in meaning.items()} == {
        "due_before": ("due_date", "<"), "due_after": ("due_date", ">"),
    }  # fmt: skip


def test_wrapper_objects_are_opened(made_up):
    built = made_up("ledgerlane")
    assert roles(built, "create-bill") == {"body.lines": "payload"}  # no tool knows of vendors


def test_an_open_object_is_narrowed_to_the_fields_that_are_known(made_up):
    built = made_up(
        "desk", "create_ticket(ticket_fields*:{}); list_tickets(status, priority); get_ticket(ticket_id*)"
    )
    schema = built.environment.tool("create_ticket")["inputSchema"]["properties"]["ticket_fields"]
    assert set(schema["properties"]) == {"status", "priority"}


def test_every_tool_ends_in_an_environment_or_in_the_drops(made_up):
    for name in ("greenhouse", "oddlot", "deckhand", "clinicbase", "unitbench"):
        build = made_up(name).build
        kept = [tool for built in build.environments for tool in built.environment.tool_names]
        assert build.tools == len(kept) + len(build.drops)
        assert all(drop.stage and drop.reason for drop in build.drops)
