"""What a list or search looks at and answers: each made-up tool is refused for its own reason."""

from __future__ import annotations

import pytest
from test_doubts import Tool, tool
from test_doubts_rules import MANY, meant, said

from tvlab.environments.drops import Drop

POT = [
    tool("create_pot", "Create a pot.", title="string", glazes=MANY),
    tool("get_pot", "Get a pot.", pot_id="string"),
]
ROW = [
    tool("create_tile", "Create a tile.", kiln_id="string", fields="object"),
    tool("get_tile", "Get a tile.", tile_id="string"),
]
REFUSED: list[tuple[list[Tool], Tool, str]] = [
    (ROW, tool("search_tiles", "Search tiles of a kiln.", kiln_id="string", query="string"), "nothing to search"),
    (POT, tool("search_pots", "Search pots by title or glazes.", query="string"), "nothing to search"),
    (POT, tool("list_pots", "List the pots. The first pot is always present.", title=("string",)),
     "named content is missing"),
    (POT, tool("list_pots", "List pots. Values are always masked.", title=("string",)), "named content is missing"),
    (POT[:1], tool("list_pots", "List pots. The title itself is not exposed.", title=("string",)),
     "named content is missing"),
    (POT[:1], tool("list_pots", "List pots; see the `furnace` field on each pot.", title=("string",)),
     "named content is missing"),
    (POT, tool("list_pots", "Lists pots. Supports two modes: ids and titles.", title=("string",)),
     "one of several modes"),
    (POT[:1], tool("get_pot", "Get a pot. The method always returns a result.", pot_id="string"),
     "stated rule is not honoured"),
    ([], tool("get_kiln", "Get a kiln with the first 20 firings.", kiln_id="string"), "named content is missing"),
    ([tool("create_log", "Add a log.", kiln_id="string", level="string", weight="number")],
     tool("list_logs", "List logs of a kiln.", kiln_id="string", weight=("number",)),
     "named content is missing"),
    ([tool("create_firing", "Create a firing.", kiln_id="string", started_at="string")],
     tool("list_firings", "List firings.", started_after=(said("First day (default: start of year)"),)),
     "stated default is not kept"),
    (POT, tool("list_glazes", "List all glazes of a pot."), "what is asked for was taken away"),
    (POT[:1], tool("list_pots", "List pots and their lanterns.", title=("string",)), "named content is missing"),
    (POT[:1], tool("get_pot", "Get a pot, including its clear-coat lacquer.", pot_id="string"),
     "named content is missing"),
    (POT[:1], tool("list_pots", "Each pot shows its title and the hue notes that must be read.", title=("string",)),
     "named content is missing"),
    (POT[:1], tool("list_pots", "List all pots, along with their associated lids.", title=("string",)),
     "named content is missing"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("beside", "one", "reason"), REFUSED, ids=[f"{one['name']}: {one['description']}" for _, one, _ in REFUSED]
)
def test_a_search_that_would_look_elsewhere_is_refused(beside, one, reason):
    decision = meant(*beside, one)[one["name"]]
    assert isinstance(decision, Drop)
    assert decision.reason == reason


@pytest.mark.parametrize(
    ("beside", "one"),
    [
        (POT, tool("search_pots", "Search pots by title.", query="string")),
        (POT, tool("list_pots", "List pots.", title=("string",))),
        ([], tool("get_kiln", "Get a kiln with its first name.", kiln_id="string")),
    ],
    ids=["search", "list", "read"],
)
def test_its_plain_twin_stays(beside, one):
    assert not isinstance(meant(*beside, one)[one["name"]], Drop)
