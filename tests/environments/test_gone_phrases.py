"""Phrases that speak of a parameter which left the schema leave a sentence, the first one too."""

import pytest
from plain_tools import built, tool

from tvlab.environments.language.gone_phrases import Given, shortened, speaks_of_gone, words_of
from tvlab.environments.texts.true_texts import kept_rules, true_text
from tvlab.environments.texts.untrue_sentences import ANSWER_FORM, GONE_PARAMETER, Known

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def names(*words):
    return frozenset(map(words_of, words))


def left_of(sentence, parameters=(), gone=(), **more):
    return shortened(sentence, Given(names(*parameters), names(*gone), **more))[0]


@pytest.mark.parametrize(
    ("sentence", "parameters", "gone", "expected"),
    [
        ("Delete a kiln with an optional reason", ["kiln_id"], ["reason"], "Delete a kiln"),
        ("Fire a kiln, with optional glaze and tags.", ["glaze"], ["tags"], "Fire a kiln with optional glaze."),
        ("Get a kiln by number or ID", ["id"], ["number"], "Get a kiln by ID"),
        ("Get kilns by their IDs or names.", ["ids"], ["names"], "Get kilns by their IDs."),
        ("Get a kiln by ID and optional studio ID", ["id"], ["studioId"], "Get a kiln by ID"),
        ("Kiln lookup by kiln_id, owner_id or lot_id", ["kiln_id"], ["owner_id", "lot_id"], "Kiln lookup by kiln_id"),
        ("Find kilns by name and/or tags.", ["name"], ["tags"], "Find kilns by name."),
        ("List all kilns, optionally filtered by tags", [], ["tags"], "List all kilns"),
        ("List kilns with optional filtering by age.", ["studio"], ["bucket"], "List kilns."),
        ("List kilns, filtered.", [], ["bucket"], "List kilns, filtered."),
        ("Sell the kiln and optionally email the buyer.", ["kiln_id"], ["notify_buyer"], "Sell the kiln."),
        ("List notes of a kiln (optional max_notes to limit).", ["kiln_id"], ["max_notes"], "List notes of a kiln."),
        ("Get the kilns from a specified studio.", [], ["studio"], "Get the kilns."),
        ("List, search, and filter kilns of a studio.", ["studio"], ["search"], "List kilns of a studio."),
        ("[Read] Kiln lookup by kiln_id or lot_id", ["kiln_id"], ["lot_id"], "[Read] Kiln lookup by kiln_id"),
        ("List notes — for one kiln (name) or, with no kiln, for the studio.", [], ["kiln"],
         "List notes — for the studio."),
        ("Update a kiln's size and custom field values.", ["size"], ["fields"], "Update a kiln's size."),
        ("Update a kiln and its studio.", ["kiln_id"], ["fields"], "Update a kiln and its studio."),
        ("Get the newest kilns up to max_kilns.", [], ["max_kilns"], "Get the newest kilns."),
        ("Provide ids or names to pick kilns.", ["ids"], ["names"], "Provide ids to pick kilns."),
        ("Filter by name, age and limit the number.", ["name"], ["age"], "Filter by name, age and limit the number."),
        ("Show a kiln by ID with format options", [], ["includeHtml"], "Show a kiln by ID"),
    ],
)  # fmt: skip
def test_a_phrase_of_what_left_leaves(sentence, parameters, gone, expected):
    assert left_of(sentence, parameters, gone) == expected


def test_criteria_that_are_here_stay_in_the_list():
    sentence = "List kilns with optional filtering by year and fired state"
    assert left_of(sentence, ["fired"], ["made_after"], filters=True) == (
        "List kilns with optional filtering by fired state"
    )
    assert left_of("List kilns, optionally filtered by date", ["since"], ["tag"], filters=True).endswith("by date")
    both = "List kilns with filtering and sorting options"
    assert left_of(both, ["fired"], ["ordering"], filters=True) == "List kilns with filtering options"
    assert left_of(both, ["fired"], ["ordering"]) == "List kilns"


@pytest.mark.parametrize(
    "sentence",
    [
        "Get list of all kilns with ids",
        "Delete a kiln with an optional note",
        "Find kilns by name or part of a name",
        "Get a kiln by its studio ID and kiln ID",
        "Make a kiln of a given size",
    ],
)
def test_what_is_here_or_was_never_a_parameter_stays(sentence):
    assert left_of(sentence, ["note", "name", "studio_id", "kiln_id", "size"], ["verbose"]) == sentence


def test_paging_leaves_where_nothing_pages():
    assert left_of("Get a paginated list of kilns") == "Get a list of kilns"
    assert left_of("Get a paginated overview of kilns (paginated)") == "Get an overview of kilns"
    assert left_of("List kilns with pagination support.") == "List kilns."
    assert left_of("Get a paginated list of kilns", pages=True) == "Get a paginated list of kilns"
    assert speaks_of_gone("Results are paginated.", Given())
    assert not speaks_of_gone("Results are paginated.", Given(pages=True))


def test_what_a_change_makes_may_have_pages_filters_and_options():
    for sentence in ("Make a paginated kiln book", "Make a view with filters.", "Make a poll with several options"):
        assert left_of(sentence, ["options", "title"], ["colour"], reads=False) == sentence
    assert left_of("Sell a kiln with an optional reason", ["kiln_id"], ["reason"], reads=False) == "Sell a kiln"
    given = Given(names("kiln_id"), names("names"), reads=False)
    assert speaks_of_gone("Mutually exclusive with names.", given)
    assert not speaks_of_gone("Results are paginated.", given)


def test_sentences_of_what_left():
    given = Given(names("kiln_id", "is_fired"), names("names", "domain", "sort", "search"))
    for sentence in (
        "Mutually exclusive with names.",
        "Use the domain and is_fired filters to find kilns of a domain.",
        "Newest first: { kiln_id: 'k', sort: '-made' }",
        "Default sort is name asc.",
        "Use KQL syntax to search specific properties.",
        "Note the mechanics of the sort parameter.",
        '`sort` is "size" or "age".',
    ):
        assert speaks_of_gone(sentence, given)
    assert not speaks_of_gone("Use the is_fired filter to find fired ones.", given)
    assert not speaks_of_gone("Default sort is name asc.", Given(sorts=True))


def known(**more):
    return Known(frozenset(), frozenset(), given=Given(names("id"), names("number")), **more)


def test_texts_lose_phrases_and_forms_of_answers():
    told = true_text("Get a kiln by number or ID.\n\nReturns:\n    str: in the format 'Kiln: {kiln}'", known())
    assert told.text == "Get a kiln by ID."
    assert [reason for _, reason in told.left] == [GONE_PARAMETER, ANSWER_FORM]
    maps = "List kilns.\n\nReturns:\n    Dictionary of kiln IDs mapping to their sizes"
    assert true_text(maps, known()).text == "List kilns."
    assert true_text(maps, Known(frozenset(), frozenset())).text == maps
    labelled = true_text("[Read] Get a kiln by number or ID.", known())
    assert labelled.text == "[Read] Get a kiln by ID."
    assert true_text('["a kiln by number or ID"]', known()).left == []
    alone = true_text("The id of the kiln (alternative to number)", known(default=False))
    assert alone.text == "The id of the kiln"
    assert true_text("When used with number, one more.", known(default=False)).text == ""


def test_a_built_server_says_what_it_takes():
    _, environment = built(
        tool("list_kilns", "List all kilns, optionally filtered by glow", glow=TEXT),
        tool("get_kiln", "Get a kiln by its id.", ["kiln_id"], kiln_id=TEXT),
        tool("create_kiln", "Create a kiln.", ["name", "size"], name=TEXT, size=NUMBER),
        tool("delete_kiln", "Delete a kiln with an optional reason", ["kiln_id"], kiln_id=TEXT, reason=TEXT),
    )
    assert environment.tool("delete_kiln")["description"] == "Delete a kiln"
    assert "reason" not in environment.tool("delete_kiln")["inputSchema"]["properties"]
    told = environment.tool("list_kilns")
    assert ("glow" in told["inputSchema"]["properties"]) == ("glow" in told["description"])


def test_counts_of_other_things_and_deep_rules_leave():
    text = "List kilns. Each kiln carries the number of pots in it."
    assert true_text(text, known()).text == "List kilns."
    assert true_text(text, known(columns=("count_type",))).text == "List kilns."
    assert true_text(text, Known(frozenset(), frozenset(), columns=("pot_count",), given=Given())).text == text
    assert speaks_of_gone("Use `count_type` to count the fired ones.", Given(gone=names("count_type")))
    about = known(default=False, own="day", needs=frozenset({"day"}))
    deep = kept_rules("Day (required if kind is weekly). Defaults to that of the studio.", about)
    assert deep.text == "Day (required if kind is weekly)."
    assert kept_rules("Team (null to unset)", known(default=False)).text == "Team"
    assert kept_rules("Team (null to unset)", Known(frozenset(), frozenset())).left == []


def test_nothing_is_left_of_an_item_but_its_number():
    told = true_text("Make a kiln.\n1. Call get_oven first.\n2. Set the size.", known(absent=frozenset({"get_oven"})))
    assert told.text == "Make a kiln.\n2. Set the size."
