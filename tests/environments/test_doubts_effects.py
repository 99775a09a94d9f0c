"""What a write is told to do beside storing: each made-up tool is refused for its own reason, its plain twin stays."""

from __future__ import annotations

import pytest
from test_doubts import Tool, tool
from test_doubts_rules import MANY, meant, said

from tvlab.environments.drops import Drop

NAME = {"name": "string"}
REFUSED: list[tuple[Tool, str]] = [
    (tool("delete_kiln", "Delete a kiln. A kiln with\n    pots is archived instead of deleted.", kiln_id="string"),
     "deleted and still there"),
    (tool("build_kiln", "Create a kiln.", **NAME, duplicateFromKiln=("string",)), "a copy without what is copied"),
    (tool("create_kiln_by_plan", "Create a kiln pre-populated with a plan's bricks.", **NAME, colour=("string",)),
     "a copy without what is copied"),
    (tool("add_kiln", "Create a kiln. A main vent is created alongside the kiln.", **NAME),
     "stated rule is not honoured"),
    (tool("create_seal", "Create a seal. The response includes DNS entries to publish.", **NAME),
     "named content is missing"),
    (tool("create_hook", "Create a hook. The signing secret is included.", **NAME), "named content is missing"),
    (tool("create_payment", "Pay a kiln. Amounts default to each kiln's open balance.", kiln_id="string",
          amount=("number",)), "stated default is not kept"),
    (tool("set_kiln_vents", "Set the vents of a kiln.", kiln_id="string",
          is_open=({"type": "boolean", "default": True},), is_hot=({"type": "boolean", "default": True},)),
     "stated default is not kept"),
    (tool("update_kiln", "Update a kiln. Give exactly one of name and colour.", kiln_id="string", name=("string",),
          colour=("string",)), "stated rule is not honoured"),
    (tool("update_kiln", "Change the name. You cannot use PATCH to change any other field.", kiln_id="string",
          **NAME, colour=("string",)), "stated rule is not honoured"),
    (tool("update_kiln", "Update the name of a kiln and/or append a comment.", kiln_id="string", name=("string",),
          comment=("string",)), "opens or edits what it would make"),
    (tool("add_shelves", "Add shelves: [['a', 'b'], ['c', 'd']].", kiln_id="string", values=MANY), "many made as one"),
    (tool("delete_kiln", "Delete a kiln. Only allowed when no pots are in it.", kiln_id="string"),
     "stated rule is not honoured"),
    (tool("set_kiln_name", "Creates the name of a kiln.", kiln_id="string", **NAME), "makes or changes"),
    (tool("approve_kiln", "Approve a kiln.", kiln_id="string", approve="boolean"), "what happens is stored"),
    (tool("create_kiln_preview", "Make a preview of a kiln.", kiln_id="string", zoom=("number",)),
     "generated or computed answer"),
    (tool("create_oven", "Create an oven.", label=said("Its label, must be unique")), "stated rule is not honoured"),
    (tool("create_kiln_note", "Add a note.", original=said("Name of the original kiln"), text="string"),
     "reference left free"),
    (tool("update_kiln", "Update a kiln. It does NOT replace vents.", kiln_id="string", vents=(MANY,)),
     "opens or edits what it would make"),
    (tool("create_flame", "Create a flame. Returns the saved flame including its id and embers.", **NAME),
     "named content is missing"),
    (tool("create_spark", "Make a spark.\n\nReturns:\n- spark_id: its id\n- draft_flint_id: the draft", **NAME),
     "named content is missing"),
    (tool("add_brick", "Add a brick to an existing kiln.", place="string", colour="string"), "reference left free"),
    (tool("create_move", "Move pots.", holder=said("Kiln the pots leave: name, number, or ID"), pots="integer"),
     "reference left free"),
    (tool("create_mark", "Mark a kiln.", kiln_id="string", spot=said("Must match text that exists on the kiln")),
     "reference left free"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "reason"), REFUSED, ids=[f"{one['name']}: {reason}" for one, reason in REFUSED])
def test_a_write_that_does_more_than_storing_is_refused(one, reason):
    decision = meant(one)[one["name"]]
    assert isinstance(decision, Drop)
    assert decision.reason == reason


@pytest.mark.parametrize(
    "one",
    [
        tool("delete_kiln", "Delete a kiln.", kiln_id="string"),
        tool("create_seal", "Create a seal. The response includes its name.", name="string"),
        tool("update_kiln", "Update a kiln.", kiln_id="string", name=("string",), comment=("string",)),
        tool("update_kiln", "Update a kiln.", kiln_id="string", hot=({"type": "boolean", "default": True},),
             name=("string",)),
        tool("approve_kiln", "Approve a kiln.", kiln_id="string"),
        tool("borrow_kiln", "Create a loan of a copy.", copy_id="string"),
    ],
    ids=lambda one: one["description"],
)  # fmt: skip
def test_a_plain_write_beside_it_is_not(one):
    decision = meant(one)[one["name"]]
    ours = ("deleted and still there", "a copy without what is copied", "stated default is not kept",
            "named content is missing", "opens or edits what it would make", "what happens is stored")  # fmt: skip
    assert not isinstance(decision, Drop) or decision.reason not in ours


def test_of_two_values_that_exclude_each_other_the_later_goes():
    one = tool("update_kiln", "Update a kiln.", kiln_id="string", name=("string",),
               colour=(said("The colour. Cannot be combined with name."),))  # fmt: skip
    decision = meant(one)["update_kiln"]
    assert not isinstance(decision, Drop)
    assert ("colour", "excludes another parameter") in decision.narrowed
    assert [r.dotted for r in decision.of("payload")] == ["name"]
