"""Tools that make sorts of one thing: each seeded record has the fields of one of them."""

from plain_tools import built, tool

TEXT = {"type": "string"}


def test_seeded_jobs_are_of_one_sort_each():
    shell, letter = ({"type": "string", "const": kind} for kind in ("shell", "letter"))
    _, environment = built(
        tool("add_shell_job", "Add a job.", ("name", "command"), name=TEXT, command=TEXT, kind=shell),
        tool("add_letter_job", "Add a job.", ("name", "letter"), name=TEXT, letter=TEXT, kind=letter),
        tool("update_job", "Update a job.", ("job_id",), job_id=TEXT, name=TEXT, letter_title=TEXT),
        tool("get_job", "Get a job.", ("job_id",), job_id=TEXT),
        tool("list_jobs", "List jobs."),
    )
    assert {"add_shell_job", "add_letter_job"} <= set(environment.functions)
    for row in environment.state["jobs"].values():
        assert ("command" in row) != ("letter" in row)
        assert "letter_title" not in row
        assert row["kind"] == ("shell" if "command" in row else "letter")
