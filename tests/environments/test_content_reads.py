"""What a thing holds is answered by itself where a read is about it, and its record where a text lists other fields."""

from plain_tools import built, tool

TEXT = {"type": "string"}


def leaflets(*reads):
    return built(
        tool("create_leaflet", "Create a leaflet.", ("title", "content"), title=TEXT, content=TEXT, author=TEXT),
        tool("list_leaflets", "List all leaflets."),
        *reads,
    )[1]


def answer(env, name):
    key = next(iter(env.state["leaflets"]))
    return env.session().call(name, {"leaflet_id": key}).value


def test_the_content_of_a_thing_is_not_its_record():
    env = leaflets(tool("get_leaflet_content", "The leaflet's HTML content.", ("leaflet_id",), leaflet_id=TEXT))
    assert set(answer(env, "get_leaflet_content")) == {"leaflet_id", "content"}
    assert isinstance(answer(env, "get_leaflet_content")["content"], str)


def test_a_thing_read_as_markdown_is_its_content():
    env = leaflets(
        tool("get_leaflet_as_markdown", "Read a leaflet and return it as Markdown.", ("leaflet_id",), leaflet_id=TEXT)
    )
    assert set(answer(env, "get_leaflet_as_markdown")) == {"leaflet_id", "content"}


def test_content_that_is_told_to_be_several_fields_is_the_record():
    env = leaflets(
        tool("get_leaflet_content", "The full content (title, author) of a leaflet.", ("leaflet_id",), leaflet_id=TEXT)
    )
    assert {"title", "author"} <= set(answer(env, "get_leaflet_content"))


def test_a_details_object_of_a_thing_is_what_it_holds():
    notes = {"type": "object", "properties": {"summary": TEXT, "remark": TEXT}}
    env = built(
        tool("create_job", "Create a job.", ("title",), title=TEXT, place=TEXT, details=notes),
        tool("list_jobs", "List all jobs."),
        tool("get_job_details", "Get the properties of a jobDetails object.", ("job_id",), job_id=TEXT),
    )[1]
    key = next(iter(env.state["jobs"]))
    value = env.session().call("get_job_details", {"job_id": key}).value
    assert set(value) == {"job_id", "details"}
    assert set(value["details"]) <= {"summary", "remark"}
