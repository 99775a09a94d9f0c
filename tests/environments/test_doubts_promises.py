"""Things that a text promises word by word: each made-up tool is refused for its own reason."""

from __future__ import annotations

import pytest
from test_doubts import Tool, tool
from test_doubts_rules import meant, said

from tvlab.environments.build import build_server
from tvlab.environments.drops import Drop
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.tool_lists import ToolList

POT = [
    tool("create_pot", "Create a pot.", title="string", weight="number"),
    tool("update_pot", "Update.", pot_id="string", title="s"),
]
KILNS = [tool("list_kilns", "List the kilns."), tool("delete_kiln", "Delete a kiln.", kiln_name="string")]
SHELF = [tool("list_shelves", "List the shelves."), tool("get_shelf", "Get a shelf.", shelf_id="string")]
CHOICE = {"type": "string", "enum": ["create", "rename"], "description": "Action"}


def _manage(only: str) -> Tool:
    return tool(
        "manage_pot", "Create or rename a pot.", action=CHOICE, pot_id=(said("Pot ID (required for rename)"),),
        title=(said("Title"),), shelf_id=(said(f"Shelf to put it on{only}"),),
    )  # fmt: skip


REFUSED: list[tuple[list[Tool], Tool, str]] = [
    (POT[:1], tool("list_pots", "List pots.\nShows pot status including:\n- Title: its title\n- Lustre: how it shines"),
     "named content is missing"),
    (POT[:1], tool("get_pot", "Get a pot. Returns texts (title, lustre).", pot_id="string"),
     "named content is missing"),
    (POT[:1], tool("list_pots", "List pots. Use it to get the pot glazes and names."), "named content is missing"),
    (POT[:1], tool("get_pot", "Get a pot by its id, including UUID, title.", pot_id="string"),
     "named content is missing"),
    (KILNS, tool("create_or_update_shelf", "Create or update a shelf for a kiln.", id=said("shelf id"),
                 holder=said("kiln name"), title="string"), "a name that is no key"),
    (POT[:1], tool("create_bowl", "Create a bowl. When made, a deep link to the bowl in the shop is returned.",
                   title="string"), "named content is missing"),
    ([tool("list_bowls", "List bowls.")],
     tool("list_lamps", "List all lamps in the specified district.", district=("string",)),
     "what is asked for was taken away"),
    (POT[:1], tool("create_bowl", "Create a bowl. Specifying both will return an error.", title=("string",),
                   label=("string",)), "stated rule is not honoured"),
    ([], tool("manage_pot", "Create or rename a pot.", action=CHOICE, title=(said("Title"),),
              pot_id=(said("Pot ID (required for rename)"),),
              glow=({"type": "string", "enum": ["bright", "dim"],
                     "description": "Its glow. Defaults to bright on create. On rename, omitting it keeps it."},)),
     "stated rule is not honoured"),
    (SHELF, _manage(" (create only)"), "stated rule is not honoured"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("beside", "one", "reason"), REFUSED, ids=[f"{one['name']}: {one['description'][:40]}" for _, one, _ in REFUSED]
)
def test_what_is_told_word_by_word_is_kept_or_the_tool_is_refused(beside, one, reason):
    decision = meant(*beside, one)[one["name"]]
    assert isinstance(decision, Drop)
    assert decision.reason == reason


@pytest.mark.parametrize(
    ("beside", "one"),
    [
        (POT[:1], tool("list_pots", "List pots.\nShows pot status including:\n- Title: its title")),
        (POT[:1], tool("list_pots", "List pots. Use it to get the pot titles and names.")),
        (SHELF, _manage("")),
    ],
    ids=["bullets", "titles", "actions"],
)
def test_what_is_kept_stays(beside, one):
    assert isinstance(meant(*beside, one)[one["name"]], Meaning)


def test_fields_of_many_records_are_merged():
    items = {
        "type": "array",
        "items": {
            "type": "object", "required": ["id", "fields"],
            "properties": {"id": {"type": "string"}, "fields": {"type": "object"}},
        },
    }  # fmt: skip
    tools = [
        tool("create_tile", "Create a tile.", fields="object"),
        tool("get_tile", "Get a tile.", tile_id="string"),
        tool("update_tiles", "Update several tiles.", tiles=items),
    ]
    session = build_server(ToolList("tiles", tools=tools), smallest=1).environments[0].environment.session()
    made = session.call("create_tile", {"fields": {"a": 1, "b": 2}}).value
    changed = session.call("update_tiles", {"tiles": [{"id": made["tile_id"], "fields": {"b": 3}}]})
    assert changed.value["tiles"][0]["fields"] == {"a": 1, "b": 3}


def test_half_of_a_pair_is_no_field():
    kind = said("Kind of the thing to put it beside. If this parameter is provided, beside_id must be also provided.")
    tools = [*POT[:1], tool("update_pot", "Update a pot.", pot_id="string", title=("string",), beside_kind=(kind,))]
    decision = meant(*tools)["update_pot"]
    assert isinstance(decision, Meaning)
    assert [r.dotted for r in decision.of("payload")] == ["title"]
