"""Seeds are of the kind that texts tell, ids point at what tools are about, searches look where they are told."""

from __future__ import annotations

from typing import Any

from test_doubts import tool

from tvlab.environments.build import build_server
from tvlab.environments.environment import Environment
from tvlab.environments.tool_lists import ToolList


def said(text: str) -> dict[str, Any]:
    return {"type": "string", "description": text}


def built(*tools: dict[str, Any]) -> Environment:
    return build_server(ToolList("made-up", tools=list(tools)), smallest=1).environments[0].environment


def test_keys_are_of_the_family_of_a_told_example() -> None:
    made = built(
        tool("list_exchanges", "List the exchanges."),
        tool("get_price", "Get the price of a pair.", exchange=said("Exchange id (e.g., binance)"),
             symbol=said("Trading pair (e.g., BTC/USDT)")),
    )  # fmt: skip
    every = [row for table in made.state.values() for row in table.values()]
    rows = [row for row in every if isinstance(row, dict) and "symbol" in row]
    assert rows
    assert all("/USDT" in row["symbol"] for row in rows)


def test_the_word_for_the_ordinary_thing_is_a_key() -> None:
    made = built(
        tool("list_calendars", "List the calendars."),
        tool("create_event", "Create an event.", summary="string",
             calendar_id=said("Id of the calendar (use 'primary' for the main calendar)")),
        tool("delete_event", "Delete an event.", event_id="string"),
    )  # fmt: skip
    assert "primary" in made.state["calendars"]
    assert made.session().call("create_event", {"summary": "Tea", "calendar_id": "primary"}).ok


def test_an_id_points_at_the_thing_that_tools_make() -> None:
    made = built(
        tool("create_ephemeral_journal", "Create a journal.", title="string"),
        tool("list_ephemeral_journals", "List the journals."),
        tool("add_journal_entry", "Add an entry to a journal.", journal_id="string", content="string"),
    )
    session = made.session()
    journal = session.call("create_ephemeral_journal", {"title": "Clay"}).value
    key = next(value for name, value in journal.items() if name.endswith("id"))
    assert session.call("add_journal_entry", {"journal_id": key, "content": "Fired."}).ok


def test_a_search_looks_at_the_fields_that_it_names() -> None:
    made = built(
        tool("search_contacts", "Search contacts by name or phone number.", query="string"),
        tool("create_contact", "Create a contact.", name="string"),
        tool("delete_contact", "Delete a contact.", contact_id="string"),
    )
    row = next(iter(made.state["contacts"].values()))
    found = made.session().call("search_contacts", {"query": row["phone"]}).value["contacts"]
    assert row in found
