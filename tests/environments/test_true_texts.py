"""Published texts: what leaves a description because the environment does not do it, and what stays."""

from plain_tools import built, tool

from tvlab.environments.texts.true_texts import sentences, true_text
from tvlab.environments.texts.untrue_sentences import (
    GONE_PARAMETER,
    GONE_TOOL,
    GUIDANCE,
    REAL_SERVICE,
    UNKNOWN_NAME,
    UNMODELLED_CONTENT,
    UNMODELLED_RULE,
    Known,
    known_names,
)

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def known(**more):
    words, names = known_names(["parcel", "parcel_id", "weight", "status", "list_parcels", "courier-desk"])
    return Known(words, names, columns=("parcel_id", "weight", "status"), noun=("parcel",), **more)


def left(text, **more):
    return true_text(text, known(**more)).left


def only_reason(sentence, **more):
    (row,) = left(f"Get a parcel. {sentence}", **more)
    assert row[0] == sentence
    return row[1]


def test_a_text_of_which_nothing_leaves_is_the_same_to_the_letter():
    text = "Get a parcel.\n\n\n   Returns  the parcel:\n- weight\n- status  "
    assert true_text(text, known()).text == text
    assert left(text) == []


def test_what_leaves_and_why():
    assert only_reason("Set `verbose` for more.", gone=frozenset({"verbose"})) == GONE_PARAMETER
    assert only_reason("Pass $expand to see more.", gone=frozenset({"expand"})) == GONE_PARAMETER
    assert only_reason("Pair it with book_courier.", absent=frozenset({"book_courier"})) == GONE_TOOL
    assert only_reason("The customs_code is looked up.") == UNKNOWN_NAME
    assert only_reason("Requires the admin scope.") == REAL_SERVICE
    assert only_reason("Makes a request to /api/v1/parcel.") == REAL_SERVICE
    assert only_reason("Only works within allowed directories.") == REAL_SERVICE
    assert only_reason("The answer includes its insurance and customs papers.") == UNMODELLED_CONTENT
    assert only_reason("Fragile ones must be insured.") == UNMODELLED_RULE
    assert only_reason("Ask the sender about insurance unless they are known.") == GUIDANCE


def test_what_is_true_or_states_nothing_stays():
    for sentence in (
        "Returns the parcel with its weight and status.",
        "The weight must be a number.",
        "This cannot be undone.",
        "A lovely way of seeing the world.",
        "See list_parcels for the ids.",
    ):
        assert left(f"Get a parcel. {sentence}") == []


def test_the_first_sentence_always_stays():
    assert left("Get a parcel, which must be insured.") == []
    assert left("Required. The parcel, which must be insured.") == []
    assert [r for _, r in left("Get it. A parcel, which must be insured.")] == [UNMODELLED_RULE]


def test_a_sentence_that_a_rule_has_read_stays():
    text = "Get a parcel. Fragile ones must be insured."
    assert true_text(text, known(), honoured=lambda sentence: "Fragile" in sentence).left == []
    assert true_text(text, known(), honoured=lambda sentence: "Get" in sentence).left != []


def test_arguments_that_left_go_with_the_lines_below_them_and_with_their_heading():
    text = "Get a parcel.\n\nArgs:\n    verbose: more\n        of it\n    parcel_id: which one\n\nReturns:\n    it"
    told = true_text(text, known(gone=frozenset({"verbose"})))
    assert told.text == "Get a parcel.\n\nArgs:\n    parcel_id: which one\n\nReturns:\n    it"
    alone = "Get a parcel.\n\nArgs:\n    verbose: more\n\nReturns:\n    the parcel"
    assert true_text(alone, known(gone=frozenset({"verbose"}))).text == "Get a parcel.\n\nReturns:\n    the parcel"


def test_a_fenced_example_goes_whole_or_stays_whole():
    text = 'Get a parcel.\n```\n{\n  "parcel_id": "1",\n  "verbose": true\n}\n```'
    assert true_text(text, known()).text == text
    assert true_text(text, known(gone=frozenset({"verbose"}))).text == "Get a parcel."


def test_an_example_without_a_fence_stays_as_it_is_and_a_way_of_using_it_goes_with_what_lies_below():
    text = 'Get a parcel. For example:\n{\n  "customs_code": "text",\n  "parcel_id": "1"\n}'
    assert true_text(text, known()).text == text
    text = "Get a parcel.\n\nEXAMPLES:\n- `show the customs_code`\n    - set it\n- the parcel"
    assert true_text(text, known()).text == "Get a parcel.\n\nEXAMPLES:\n- the parcel"


def test_a_default_is_true_where_the_parameter_has_one():
    text = "Weight of it. Defaults to 20."
    assert left(text, default=True) == []
    assert left(text, default=False) == [("Defaults to 20.", UNMODELLED_RULE)]


def test_sentences_keep_abbreviations_together():
    assert sentences("Pass it, e.g. A1. Then go.") == ["Pass it, e.g. A1.", "Then go."]


PARCELS = (
    tool("create_parcel", "Create a parcel.", ("weight", "receiver"), weight=NUMBER, receiver=TEXT),
    tool("list_parcels", "List parcels. Fragile ones are never listed before they are insured."),
    tool(
        "get_parcel",
        "Get a parcel. Set `fields` to choose what is told. Calling book_courier comes next.",
        ("parcel_id",),
        parcel_id={"type": "string", "description": "Id of the parcel. Shown by book_courier."},
        fields=TEXT,
    ),
    tool("delete_parcel", "Delete a parcel.", ("parcel_id",), parcel_id=TEXT),
)


def test_an_environment_publishes_true_texts_and_reports_what_left():
    _, env = built(*PARCELS, tool("book_courier", "Optimise the weather of a courier."))
    texts = {one["name"]: one["description"] for one in env.tools}
    assert texts["list_parcels"] == "List parcels."
    assert texts["get_parcel"] == "Get a parcel."
    schema = next(one["inputSchema"] for one in env.tools if one["name"] == "get_parcel")
    assert schema["properties"]["parcel_id"]["description"] == "Id of the parcel."
    rows = {(r["tool"], r["parameter"], r["reason"]) for r in env.report["narrowed_texts"]}
    assert rows == {
        ("list_parcels", "", UNMODELLED_RULE),
        ("get_parcel", "", GONE_PARAMETER),
        ("get_parcel", "", GONE_TOOL),
        ("get_parcel", "parcel_id", GONE_TOOL),
    }


def test_where_too_much_would_have_to_go_the_tool_is_left_out():
    one, two = "Search parcels by receiver. Fragile ones must be insured.", " Wooden ones cannot be insured."
    three = f"{one}{two} Returns the insurance and customs papers."
    server, env = built(*PARCELS, tool("search_parcels", three, ("receiver",), receiver=TEXT))
    assert "search_parcels" not in {one["name"] for one in env.tools}
    drop = next(d for d in server.drops if d.tool == "search_parcels")
    assert (drop.stage, drop.reason, drop.detail) == (
        "meaning", "most of its text is not modelled", "Fragile ones must be insured.",
    )  # fmt: skip
    _, env = built(*PARCELS, tool("search_parcels", one + two, ("receiver",), receiver=TEXT))
    assert "search_parcels" in {one["name"] for one in env.tools}


def test_a_rule_that_verification_reads_stays_published():
    text = "Archive a parcel. Already archived parcels: has no effect, if repeated."
    _, env = built(*PARCELS, tool("archive_parcel", text, ("parcel_id",), parcel_id=TEXT))
    assert next(one["description"] for one in env.tools if one["name"] == "archive_parcel") == text


def test_criteria_that_are_no_parameters_are_not_promised():
    text = "List parcels. They can be filtered by weight, status and receiver name."
    assert left(text, parameters=known_names(["weight", "status"])[0]) == [
        ("They can be filtered by weight, status and receiver name.", UNMODELLED_RULE)
    ]
    assert left(text, parameters=known_names(["weight", "status", "receiver"])[0]) == []


def test_what_can_be_changed_is_what_the_schema_takes():
    text = "Edit a parcel. You can update weight, status and receiver."
    assert [r for _, r in left(text, parameters=known_names(["weight", "status"])[0])] == [UNMODELLED_RULE]
    assert left(text, parameters=known_names(["weight", "status", "receiver"])[0]) == []


def test_an_argument_that_left_goes_also_where_records_have_a_field_of_its_name():
    text = "Edit a parcel.\n\nArgs:\n    parcel_id: its id\n    weight: in kg"
    told = true_text(text, known(refused=frozenset({"weight"}))).text
    assert told == "Edit a parcel.\n\nArgs:\n    parcel_id: its id"
    assert left("Get a parcel. Returns its parcel_id and weight.", refused=frozenset({"weight"})) == []


def test_a_search_reads_no_addresses_and_compares_numbers_as_a_whole():
    page, number = {"type": "string", "format": "uri"}, {"type": "string"}
    _, env = built(
        tool("create_payee", "Create a payee.", ("name", "page_url", "account_number"), name=TEXT, page_url=page,
             account_number=number),
        tool("search_payees", "Search payees by a text.", ("query",), query=TEXT),
        tool("find_payees", "Search payees.", (), name=TEXT, account_number=number),
    )  # fmt: skip
    session = env.session()
    made = {"name": "Ada Ferry", "page_url": "https://a.example.com/xyzzy", "account_number": "4471"}
    session.call("create_payee", made)
    found = {
        query: len(session.call("search_payees", {"query": query}).observation["payees"])
        for query in ("ada ferry", "xyzzy")
    }
    assert found == {"ada ferry": 1, "xyzzy": 0}
    by_number = [session.call("find_payees", {"account_number": n}).observation["payees"] for n in ("4471", "447")]
    assert [len(rows) for rows in by_number] == [1, 0]


def test_a_reset_to_a_default_that_nothing_states_is_left_out():
    setting = (
        tool("create_index", "Create an index.", ("uid",), uid=TEXT),
        tool("get-synonyms", "Get the synonyms of an index.", ("indexUid",), indexUid=TEXT),
        tool("update-synonyms", "Update the synonyms.", ("indexUid", "value"), indexUid=TEXT, value=TEXT),
    )
    plain = tool("reset-synonyms", "Reset the synonyms of an index.", ("indexUid",), indexUid=TEXT)
    default = {**plain, "description": "Reset the synonyms of an index to their default value."}
    server, env = built(*setting, plain)
    assert "reset-synonyms" in env.functions
    server, env = built(*setting, default)
    assert next(d.reason for d in server.drops if d.tool == "reset-synonyms") == "stated default is not kept"
