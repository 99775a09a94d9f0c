"""The form of names: verb, object, preposition, state word, prefixes, ids."""

import pytest

from tvlab.environments.domain.tool_parsing import Parameter, parse_tools
from tvlab.foundation.words import split_name


def parse(*names):
    tools = [{"name": name, "inputSchema": {"type": "object", "properties": {}}} for name in names]
    return {tool.name: tool for tool in parse_tools(tools)}


@pytest.mark.parametrize(
    ("name", "verb", "kind", "noun"),
    [
        ("create_order", "create", "create", ("order",)),
        ("listCalendarEvents", "list", "list", ("calendar", "event")),
        ("order_get", "get", "read", ("order",)),
        ("order-list-by-customer", "list", "list", ("order",)),
        ("refund_status_update", "update", "update", ("refund", "status")),
        ("people_batch_archive", "archive", "transition", ("person",)),
        ("API-retrieve-a-block", "retrieve", "read", ("block",)),
        ("schedule_pause", "pause", "transition", ("schedule",)),
        ("mark_order_as_paid", "mark", "transition", ("order",)),
        ("turn_on_light", "turn_on", "transition", ("light",)),
        ("create_or_update_route", "upsert", "upsert", ("route",)),
        ("listOrdersV1", "list", "list", ("order",)),
        ("profit-report", "", "", ("profit", "report")),
        ("run_query", "run", "unknown", ("query",)),
    ],
)
def test_a_name_gives_verb_and_object(name, verb, kind, noun):
    tool = parse(name)[name]
    assert (tool.verb, tool.kind, tool.noun) == (verb, kind, noun)


def test_the_noun_after_a_preposition_is_the_target():
    assert parse("add_note_to_incident")["add_note_to_incident"].target == ("incident",)


def test_a_word_that_most_names_share_is_a_prefix():
    tools = parse("shop_get_cart", "shop_add_item", "shop_list_items", "shop_delete_cart", "ping")
    assert tools["shop_get_cart"].noun == ("cart",)
    assert tools["shop_get_cart"].verb == "get"


def test_a_shared_word_without_which_no_object_is_left_is_no_prefix():
    tools = parse("people_create", "people_read", "people_search", "people_archive", "associate")
    assert tools["people_create"].noun == ("person",)


@pytest.mark.parametrize(
    ("name", "schema", "is_id", "noun"),
    [
        ("orderId", {"type": "string"}, True, ("order",)),
        ("source_order_id", {"type": "string"}, True, ("order",)),
        ("ids", {"type": "array", "items": {"type": "string"}}, True, ()),
        ("issue_key", {"type": "string"}, True, ("issue",)),
        ("key", {"type": "string"}, False, ()),
        ("idempotency_key", {"type": "string"}, False, ("idempotency",)),
        ("order_id", {"type": "object"}, False, ("order",)),
        ("color_id", {"type": "string", "enum": ["1", "2"]}, False, ("color",)),
    ],
)
def test_ids_are_told_by_name_and_type(name, schema, is_id, noun):
    parameter = Parameter((name,), schema, True, tuple(split_name(name)))
    assert parameter.is_id == is_id
    if is_id:
        assert parameter.id_noun == noun


def test_a_lone_object_that_carries_the_content_is_a_wrapper_and_a_nested_value_is_none():
    body = {"type": "object", "properties": {"title": {"type": "string"}}}
    wrapped, nested = parse_tools(
        [
            {"name": "create_bill", "inputSchema": {"type": "object", "properties": {"body": body}}},
            {
                "name": "create_note",
                "inputSchema": {
                    "type": "object",
                    "properties": {"body": body, "title": {"type": "string"}, "text": {"type": "string"}},
                },
            },
        ]
    )
    assert [child.path for child in wrapped.parameters[0].children] == [("body", "title")]
    assert nested.parameters[0].children == ()


def told(name, description, properties=None, required=(), others=()):
    tools = [
        {
            "name": name,
            "description": description,
            "inputSchema": {"type": "object", "properties": properties or {}, "required": list(required)},
        },
        *({"name": other, "inputSchema": {"type": "object", "properties": {}}} for other in others),
    ]
    return parse_tools(tools)[0]


@pytest.mark.parametrize(
    ("name", "description", "verb", "kind", "noun"),
    [
        ("mill_reviews", "Get reviews for a mill.", "get", "read", ("review",)),
        ("weirs", "List all weirs", "list", "list", ("weir",)),
        ("weir", "Get details of a weir by id", "get", "read", ("weir",)),
        ("mill-details", "Get detailed information about a specific mill", "get", "read", ("mill",)),
        ("sack_searcher", "Searches sacks using criteria.", "search", "search", ("sack",)),
        ("sack_comment", "Add a comment to a sack", "add", "create", ("comment",)),
        ("package_show", "Get details for a specific package", "show", "read", ("package",)),
        ("review_flag", "Flag a suspected review", "flag", "transition", ("review",)),
        ("unwatch_topic", "Delete a saved topic watch", "delete", "delete", ("topic", "watch")),
    ],
)
def test_a_noun_phrase_takes_its_verb_from_the_first_sentence(name, description, verb, kind, noun):
    tool = told(name, description)
    assert (tool.verb, tool.kind, tool.noun) == (verb, kind, noun)


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("mill_citations", "Get mills that cite a specific mill"),
        ("browser_messages", "Returns all messages"),
        ("corn_analysis", "Analyze corn"),
        ("hop", "Make the avatar hop."),
        ("join_info_group", "Get info about the group before joining."),
        ("sacks", ""),
        ("mill_prices", "Get prices or weights of mills"),
    ],
)
def test_without_agreement_a_noun_phrase_stays_without_a_verb(name, description):
    assert told(name, description).kind in ("", "unknown", "link")


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("file_content", "Retrieve the content of a file"),
        ("create_chart_image", "Generates a chart"),
        ("import_mill_from_archive", "Imports a mill from an archive"),
        ("open_document", "Open a document"),
        ("append_rows", "Append rows"),
        ("find_and_replace_text", "Finds and replaces text"),
        ("corn_put", "Perform an HTTP PUT request"),
    ],
)
def test_a_verb_that_the_description_denies_is_none(name, description):
    assert told(name, description).kind in ("", "unknown", "read")
    assert told(name, description).kind != "read" or name == "file_content"


def test_an_area_before_the_verb_is_a_prefix_unless_it_is_the_object():
    others = ("mill_delete_weir", "mill_update_sack", "mill_list_wheels")
    assert told("mill_show_status", "Show the status.", others=others).verb == "show"
    others = ("groups_controller_leave_room", "groups_controller_get", "groups_controller_delete")
    tool = told("groups_controller_mute", "Mute the group.", others=others)
    assert (tool.kind, tool.noun) == ("transition", ("group",))


def test_a_manage_tool_takes_its_actions_from_the_quoted_values():
    action = {"type": "string", "description": 'One of "create", "update" or "delete".'}
    tool = told("manage_sack", "Manages sacks.", {"action": action}, ["action"])
    assert tool.parameters[0].enum == ["create", "update", "delete"]
    vague = {"type": "string", "description": 'For example "create" or "update".'}
    assert told("manage_sack", "Manages sacks.", {"action": vague}, ["action"]).parameters[0].enum == []


def test_an_insert_at_a_place_and_a_query_in_a_language_make_no_record():
    line = {"line_number": {"type": "integer"}, "text": {"type": "string"}}
    assert told("insert_text", "Insert text", line).kind == "unknown"
    assert told("insert_sack", "Insert a sack", {"weight": {"type": "number"}}).kind == "create"
    sql = {"query": {"type": "string"}}
    assert told("query_store", "Query the store", sql, ["query"]).kind == "unknown"
