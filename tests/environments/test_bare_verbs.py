"""Names of one word that say what is done and not to what; a key or a title, each in a parameter of its own."""

import pytest
from test_rules import ok, refused
from test_writes import built, opened, reason, tool

from tvlab.environments.language import first_sentences
from tvlab.environments.language.bare_verbs import bare_reading

MAXIMS = (
    tool("list_maxims", "List all stored maxims."),
    tool("update_maxim", "Update a maxim.", ("maxim_id",), maxim_id="integer", title="string", body="string"),
    tool("delete_maxim", "Delete a maxim.", ("maxim_id",), maxim_id="integer"),
)
REMEMBER = tool("remember", "Store a new maxim.", ("title", "body"), title="string", body="string")


def test_the_first_sentence_says_what_is_remembered_and_forgotten():
    forget = tool("forget", "Delete a maxim by its id.", ("maxim_id",), maxim_id="integer")
    session = opened(*MAXIMS[:2], REMEMBER, forget)
    made = ok(session, "remember", title="north", body="wind")
    assert made in ok(session, "list_maxims")["maxims"]
    ok(session, "forget", maxim_id=made["maxim_id"])
    assert refused(session, "update_maxim", maxim_id=made["maxim_id"], title="x") == "not_found"


@pytest.mark.parametrize(
    ("word", "text"),
    [("remember", "Delete a maxim."), ("remember", ""), ("ponder", "Store a new maxim."), ("remember", "Store it.")],
)
def test_a_sentence_that_says_otherwise_is_no_reading(word, text):
    assert bare_reading([word], first_sentences.read(text)) is None


def test_an_id_or_a_title_is_narrowed_to_the_id_where_each_is_a_parameter():
    get = tool("get_maxim", "Retrieve a maxim by ID or title.", maxim_id="integer", title="string")
    environment = built(*MAXIMS, REMEMBER, get).environments[0].environment
    schema = environment.tool("get_maxim")["inputSchema"]
    assert (list(schema["properties"]), schema["required"]) == (["maxim_id"], ["maxim_id"])


def test_an_id_or_a_title_in_one_parameter_is_no_such_thing():
    get = tool("get_maxim", "Retrieve a maxim by ID or alias.", ("maxim_id",), maxim_id="integer")
    assert reason(*MAXIMS, REMEMBER, get) is not None


def test_a_filler_of_a_tool_without_parameters_leaves_it():
    filler = {"type": "string", "description": "Dummy parameter for no-parameter tools"}
    plain = tool("list_maxims", "List all maxims.", ("random_string",), random_string=filler)
    environment = built(plain, *MAXIMS[1:], REMEMBER).environments[0].environment
    assert environment.tool("list_maxims")["inputSchema"]["properties"] == {}
