"""Fields that texts list one by one are in every record; a list with a name that no field bears is not true."""

from plain_tools import built, tool

from tvlab.environments.texts.true_texts import true_text
from tvlab.environments.texts.untrue_sentences import Known, known_names

TEXT, FLAG, WHOLE = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}


def rows(env, noun):
    return list(next(t for n, t in env.state.items() if n.startswith(noun)).values())


def parcels(description, **read):
    return (
        tool(
            "create_parcel", "Create a parcel.", ("label",), label=TEXT, carrierNote=TEXT, isFragile=FLAG, weight=WHOLE
        ),
        tool("list_parcels", description, **read),
        tool("delete_parcel", "Delete a parcel.", ("parcel_id",), parcel_id=TEXT),
    )


def test_fields_that_each_record_is_said_to_have_are_in_every_record():
    for text in (
        "Lists the parcels of a depot: id, label, carrierNote, isFragile.",
        "List parcels. Each parcel has label, carrierNote (free text) and isFragile.",
        "List parcels with their content (label, carrierNote, isFragile).",
        "List parcels. Returns parcel_id, label, carrierNote, isFragile.",
    ):
        _, env = built(*parcels(text))
        assert all({"label", "carrierNote", "isFragile"} <= set(row) for row in rows(env, "parcels")), text


def test_a_list_with_a_name_that_no_field_bears_leaves_the_text():
    columns = ("parcel_id", "label", "weight")
    known = Known(*known_names(columns), columns=columns, key="parcel_id", noun=("parcel",))
    assert true_text("List parcels. Returns parcel_id, label, weight, title.", known).text == "List parcels."
    whole = "List parcels. Returns parcel_id, label, weight."
    assert true_text(whole, known).text == whole


def test_what_must_be_given_to_set_a_record_is_in_every_record():
    _, env = built(
        tool("set_variable", "Set a variable.", ("key", "value"), key=TEXT, value=TEXT),
        tool("get_variable", "Get a variable.", ("key",), key=TEXT),
        tool("list_variables", "List all variables."),
    )
    assert all("value" in row for row in rows(env, "variables"))


def test_what_a_search_is_said_to_go_by_is_in_every_record():
    _, env = built(
        tool("create_member", "Add a member.", ("email",), email=TEXT, nickname=TEXT),
        tool("find_member", "Search for members by nickname.", nickname=TEXT),
        tool("delete_member", "Delete a member.", ("member_id",), member_id=TEXT),
    )
    assert all("nickname" in row for row in rows(env, "members"))


def test_the_content_that_a_read_is_named_after_is_in_every_record():
    _, env = built(
        tool("upload_leaflet", "Upload a leaflet.", ("title",), title=TEXT, content=TEXT),
        tool("get_leaflet_content", "Retrieves the content of a leaflet.", ("leaflet_id",), leaflet_id=TEXT),
        tool("list_leaflets", "List all leaflets."),
    )
    assert all("content" in row for row in rows(env, "leaflets"))
