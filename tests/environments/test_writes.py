"""Writes: addresses, parts of a thing, batches with wrappers, previews, confirmations; and what is refused."""

import pytest
from test_rules import ok, refused

from tvlab.environments.build import build_server
from tvlab.environments.tool_lists import ToolList


def tool(called, description="", required=(), /, **properties):
    """One tool; a property is a JSON type, or a whole schema."""
    properties = {n: {"type": p} if isinstance(p, str) else p for n, p in properties.items()}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": called, "description": description, "inputSchema": schema}


def built(*tools):
    """Build a server of these tools."""
    return build_server(ToolList("shed", "shed", "", {}, list(tools)), seed=1, smallest=1)


def opened(*tools):
    """Build a server of these tools that makes one environment and drops nothing."""
    server = built(*tools)
    assert not server.drops, server.drops
    return server.environments[0].environment.session()


def reason(*tools):
    """Return why the last tool is dropped."""
    return {drop.tool: drop.reason for drop in built(*tools).drops}.get(tools[-1]["name"])


SEEDS = (
    tool("create_seed", "", ("name",), name="string", colour="string"),
    tool("get_seed", "", ("seed_id",), seed_id="string"),
    tool("list_seeds"),
)


def test_a_record_is_found_only_under_the_address_that_its_tools_share(made_up):
    session = made_up(
        "depot",
        "create_crate(shelfName*, label*); get_crate(shelfName*, crate_id*); delete_crate(shelfName*, crate_id*); "
        "update_crate(shelfName*, crate_id*, label*)",
    ).session
    crate = ok(session, "create_crate", shelfName="upper", label="nails")
    assert ok(session, "get_crate", shelfName="upper", crate_id=crate["crate_id"]) == crate
    assert refused(session, "get_crate", shelfName="lower", crate_id=crate["crate_id"]) == "not_found"
    assert refused(session, "update_crate", shelfName="lower", crate_id=crate["crate_id"], label="x") == "not_found"
    changed = ok(session, "update_crate", shelfName="upper", crate_id=crate["crate_id"], label="screws")
    assert changed == {**crate, "label": "screws"}
    assert refused(session, "delete_crate", shelfName="lower", crate_id=crate["crate_id"]) == "not_found"


def test_an_id_cut_short_picks_the_thing_of_its_tools(made_up):
    session = made_up(
        "yard", "create_application(name*); get_application(app_id*); delete_application(app_id*); list_applications()"
    ).session
    made = ok(session, "create_application", name="pump")
    assert ok(session, "get_application", app_id=made["app_id"]) == made
    ok(session, "delete_application", app_id=made["app_id"])
    assert made not in ok(session, "list_applications")["applications"]


def test_what_is_set_of_a_part_stands_under_the_part():
    session = opened(
        *SEEDS,
        tool("set_inner_shade", "Set the inner shade of a seed.", ("seed_id", "r"), seed_id="string", r="number"),
        tool("set_outer_shade", "Set the outer shade of a seed.", ("seed_id", "r"), seed_id="string", r="number"),
    )
    key = ok(session, "create_seed", name="bean")["seed_id"]
    ok(session, "set_inner_shade", seed_id=key, r=0.25)
    seed = ok(session, "set_outer_shade", seed_id=key, r=0.75)
    assert (seed["inner_shade_r"], seed["outer_shade_r"]) == (0.25, 0.75)


def test_a_rename_by_address_changes_the_name_and_not_the_address(made_up):
    session = made_up(
        "map", "list_wells(); get_well(well_address*); rename_well(well_address*, new_name*)"
    ).session
    well = ok(session, "list_wells")["wells"][0]
    renamed = ok(session, "rename_well", well_address=well["well_address"], new_name="Deep one")
    assert (renamed["well_address"], renamed["name"]) == (well["well_address"], "Deep one")


def test_a_batch_takes_the_wrapper_inside_its_items_apart():
    inside = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    item = {"type": "object", "properties": {"properties": inside}, "required": ["properties"]}
    changed = {"type": "object", "properties": {"id": {"type": "string"}, "properties": inside}, "required": ["id"]}
    session = opened(
        tool("create_note", "", ("properties",), properties=inside),
        tool("get_note", "", ("noteId",), noteId="string"),
        tool("batch_create_notes", "", ("inputs",), inputs={"type": "array", "items": item}),
        tool("batch_update_notes", "", ("inputs",), inputs={"type": "array", "items": changed}),
    )
    note = ok(session, "batch_create_notes", inputs=[{"properties": {"title": "a"}}])["notes"][0]
    assert note == {"noteId": note["noteId"], "title": "a"}
    ok(session, "batch_update_notes", inputs=[{"id": note["noteId"], "properties": {"title": "b"}}])
    assert ok(session, "get_note", noteId=note["noteId"])["title"] == "b"


def test_a_preview_that_is_on_unless_turned_off_changes_nothing():
    draft = {"type": "boolean", "description": "Show a preview without saving (default: true)"}
    session = opened(*SEEDS[1:], tool("create_seed", "", ("name",), name="string", draft=draft))
    before = ok(session, "list_seeds")
    assert ok(session, "create_seed", name="pea")["name"] == "pea"
    assert ok(session, "list_seeds") == before
    assert ok(session, "create_seed", name="pea", draft=False) in ok(session, "list_seeds")["seeds"]


def test_a_removal_is_confirmed_by_its_word():
    word = {"type": "string", "description": "Must be 'DELETE' to confirm."}
    session = opened(
        *SEEDS, tool("confirm_delete_seed", "", ("seed_id", "confirmation"), seed_id="string", confirmation=word)
    )
    key = ok(session, "create_seed", name="pea")["seed_id"]
    assert refused(session, "confirm_delete_seed", seed_id=key, confirmation="yes") == "not_confirmed"
    ok(session, "confirm_delete_seed", seed_id=key, confirmation="DELETE")
    assert refused(session, "get_seed", seed_id=key) == "not_found"


def test_an_idempotent_removal_of_nothing_succeeds():
    session = opened(*SEEDS, tool("delete_seed", "Delete a seed. Idempotent.", ("seed_id",), seed_id="string"))
    assert ok(session, "delete_seed", seed_id="none")["deleted"] is True


def test_a_verb_of_state_sets_the_boolean_by_which_the_records_are_listed():
    session = opened(
        tool("create_chore", "", ("title",), title="string"),
        tool("complete_chore", "Complete a chore.", ("chore_id",), chore_id="string"),
        tool("list_chores", "", (), completed="boolean"),
    )
    made = ok(session, "create_chore", title="sweep")
    assert made in ok(session, "list_chores", completed=False)["chores"]
    done = ok(session, "complete_chore", chore_id=made["chore_id"])
    assert done["completed"] is True
    assert done in ok(session, "list_chores", completed=True)["chores"]


def test_an_update_that_needs_a_change_refuses_none():
    session = opened(
        *SEEDS,
        tool(
            "update_seed",
            "Update a seed. At least one field must be provided.",
            ("seed_id",),
            seed_id="string",
            colour="string",
        ),
    )
    key = ok(session, "create_seed", name="pea")["seed_id"]
    assert refused(session, "update_seed", seed_id=key) == "invalid_arguments"
    assert ok(session, "update_seed", seed_id=key, colour="green")["colour"] == "green"


@pytest.mark.parametrize(
    ("why", "one"),
    [
        ("edits a part of a text", tool("update_seed", "", ("seed_id", "old_text", "new_text"), seed_id="string",
                                        old_text="string", new_text="string")),
        ("a list of operations", tool("update_seed", "", ("seed_id", "requests"), seed_id="string",
                                      requests={"type": "array", "items": {"type": "object"}})),
        ("needs an entity tag", tool("update_seed", "", ("seed_id", "If_Match", "colour"), seed_id="string",
                                     If_Match="string", colour="string")),
        ("an operation chosen by a parameter", tool("update_seed", "", ("seed_id", "mode", "colour"),
                                                    seed_id="string", colour="string",
                                                    tagging={"type": "string", "enum": ["add", "remove"]})),
    ],
)  # fmt: skip
def test_a_write_that_is_more_than_setting_fields_is_refused(why, one):
    assert reason(*SEEDS, one) == why
