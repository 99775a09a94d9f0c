"""What a search looks at, and parameters that would be compared with a field of their name and mean something else."""

import pytest
from plain_tools import built, tool

TEXT, WHOLE, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}


def said(text, kind="string", **more):
    return {"type": kind, "description": text, **more}


def reason(server, name):
    return next((d.reason for d in server.drops if d.tool == name), "")


def parameters(env, name):
    return set(next(t for t in env.tools if t["name"] == name)["inputSchema"]["properties"])


def recipes(query, description="Search recipes.", **more):
    return built(
        tool("create_recipe", "Create a recipe.", ("title", "cooks", "serves"), title=TEXT, method=TEXT, folder=TEXT,
             serves=WHOLE,
             cooks={"type": "array", "items": TEXT, "minItems": 1}),
        tool("get_recipe", "Get a recipe.", ("recipe_id",), recipe_id=TEXT),
        tool("search_recipes", description, ("query",) if more.pop("needed", True) else (), query=said(query), **more),
    )  # fmt: skip


def found(env, query):
    return env.session().call("search_recipes", {"query": query}).value["recipes"]


def test_numbers_and_lists_that_a_text_names_are_looked_at():
    _, env = recipes("Free text (searches title, serves, cooks)")
    row = next(r for r in env.state["recipes"].values() if r.get("cooks") and r.get("serves"))
    assert row in found(env, row["cooks"][0])
    assert row in found(env, str(row["serves"]))
    other = next(r for r in env.state["recipes"].values() if r.get("method"))
    assert other not in found(env, other["method"])


def test_a_list_that_goes_on_adds_the_texts_but_not_where_a_record_lies():
    _, env = recipes("Free text (searches title, cooks, etc.)")
    row = next(r for r in env.state["recipes"].values() if r.get("folder") and r.get("method"))
    assert row in found(env, row["method"])
    assert row not in found(env, row["folder"])


def test_a_search_that_names_no_field_does_not_look_at_the_folder():
    _, env = recipes("Text to look for", "Search for recipes containing the given text.")
    row = next(r for r in env.state["recipes"].values() if r.get("folder"))
    assert row in found(env, row["title"])
    assert row not in found(env, row["folder"])


def test_a_query_that_is_told_to_look_at_what_no_record_holds_is_taken_away():
    server, _ = recipes("Search recipes by title, origin, or harvest.")
    assert reason(server, "search_recipes")


def test_a_field_that_no_tool_writes_is_not_looked_at():
    _, env = built(
        tool("create_job", "Create a job.", ("body",), body=TEXT),
        tool("get_job", "Get a job: title and status.", ("job_id",), job_id=TEXT),
        tool("list_jobs", "List jobs.", (), query=said("Full-text search in title and body"), limit=WHOLE),
    )
    assert "query" not in parameters(env, "list_jobs")


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("sort_ascending", said("Sort in ascending order", "boolean")),
        ("label_pattern", said("Regular expression for the label")),
        ("span", said("The range to read (e.g. Sheet1!A1:D10)")),
    ],
)
def test_orders_patterns_and_ranges_are_no_values_of_a_field(name, schema):
    _, env = built(
        tool("create_crate", "Create a crate.", ("label",), label=TEXT, weight=WHOLE),
        tool("list_crates", "List crates.", (), label=TEXT, **{name: schema}),
        tool("delete_crate", "Delete a crate.", ("crate_id",), crate_id=TEXT),
    )
    assert parameters(env, "list_crates") == {"label"}
    server, _ = built(
        tool("create_crate", "Create a crate.", ("label",), label=TEXT, weight=WHOLE),
        tool("list_crates", "List crates.", (name,), label=TEXT, **{name: schema}),
        tool("delete_crate", "Delete a crate.", ("crate_id",), crate_id=TEXT),
    )
    assert reason(server, "list_crates")


def test_an_id_or_a_name_of_another_thing_is_no_field():
    _, env = built(
        tool("create_team", "Create a team.", ("name",), name=TEXT),
        tool("list_teams", "List all teams."),
        tool("create_sprint", "Create a sprint.", ("title", "team_id"), title=TEXT, team_id=TEXT),
        tool("list_sprints", "List sprints.", (), title=TEXT, team=said("Team ID or mention name")),
    )
    assert parameters(env, "list_sprints") == {"title"}


def test_a_filter_by_a_kind_is_compared_as_a_whole():
    _, env = built(
        tool("create_stall", "Create a stall.", ("title",), title=TEXT, country=TEXT),
        tool("search_stalls", "Search stalls.", (), title=TEXT, country=said("Filter by country (e.g., US)")),
        tool("delete_stall", "Delete a stall.", ("stall_id",), stall_id=TEXT),
    )
    rows = [row for row in env.state["stalls"].values() if row.get("country")]
    given = {"country": rows[0]["country"][:-1]}
    assert env.session().call("search_stalls", given).value["stalls"] == []


def test_a_query_by_one_key_tells_of_one_thing():
    _, env = built(
        tool("query_weather", "The weather of a city.", ("city",), city=TEXT),
        tool("list_supported_cities", "The supported cities."),
    )
    session = env.session()
    assert session.call("query_weather", {"city": "Berlin"}).value["city"] == "Berlin"
    assert not session.call("query_weather", {"city": "erli"}).ok


def test_the_name_of_a_told_thing_is_its_name():
    _, env = built(
        tool("show_compound_records", "Get compound records for the specified name.", ("compound_name",),
             compound_name=TEXT)
    )  # fmt: skip
    row = env.session().call("show_compound_records", {"compound_name": "Aspirin"}).value
    assert row["name"] == "Aspirin"
    assert row["molecular_formula"] == "C9H8O4"
    assert "compound_name" not in row


def test_a_bracket_behind_the_list_is_no_part_of_it():
    _, env = recipes("", "Find recipes by title, method, folder or serves (any case).")
    row = next(r for r in env.state["recipes"].values() if r.get("folder"))
    assert row in found(env, row["folder"])
    assert row in found(env, str(row["serves"]))


def test_plain_fields_that_a_search_names_beside_known_ones_are_made_and_looked_at():
    _, env = recipes("Searches across the Title, Method and PhoneNumber fields")
    assert all(row["phone_number"] for row in env.state["recipes"].values())
    row = next(iter(env.state["recipes"].values()))
    assert row in found(env, row["phone_number"])
