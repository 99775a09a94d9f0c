import json

from tvlab.evaluation.gust_scores import GustHarness
from tvlab.evaluation.score_rows import Job
from tvlab.evaluation.sft_export import golden_conversation, right_conversations
from tvlab.foundation.atomic_files import write_json, write_jsonl
from tvlab.tasks.endpoint_teacher import play


class Reciter:
    """Says the assistant's messages of a conversation one after the other."""

    def __init__(self, messages):
        self.lines = [m for m in messages if m["role"] == "assistant"]

    def message(self, messages, tools=(), attempt=0):
        return self.lines.pop(0)


def test_reciting_a_golden_conversation_solves_the_item_and_sees_the_same(bookstore, items):
    for item in items:
        conversation = golden_conversation(bookstore, item)
        reciter = Reciter(conversation)
        heard = []
        message = reciter.message
        reciter.message = lambda messages, *rest, heard=heard, say=message: (heard.append(messages), say(messages))[1]
        episode = play(bookstore, item, reciter)
        assert all(episode.rewards)
        assert episode.outcome_met()
        assert reciter.lines == []
        heard_tools = [m["content"] for m in heard[-1] if m["role"] == "tool"]
        assert heard_tools == [m["content"] for m in conversation if m["role"] == "tool"]


def test_failed_items_are_exported_once_the_teachers_first(bookstore, items, tmp_path):
    harness = GustHarness(items, {"bookstore": bookstore})
    a, b, c = (item.id for item in items[:3])
    rows = [
        {"bench": "gust", "category": "all", "task": task, "run": run, "score": score, "termination": "finished"}
        for task, run, score in ((a, 0, 0.0), (a, 1, 0.0), (b, 0, 0.0), (c, 0, 1.0))
    ]
    talk = [{"role": "user", "content": "x"}]
    write_json(tmp_path / "config.json", {})
    write_jsonl(tmp_path / "rows.jsonl", [{**rows[0], "score": 1.0}])
    write_json(tmp_path / "logs" / Job("gust", "all", a, 0).key / "messages.json", {"messages": talk})
    lines = right_conversations(rows, harness.items, harness.environments, tmp_path)
    assert {line["id"]: line["source"] for line in lines} == {a: "teacher", b: "golden"}
    assert next(line for line in lines if line["id"] == a)["messages"] == talk
    golden = next(line for line in lines if line["id"] == b)
    assert golden["tools"][0]["type"] == "function"
    assert all(json.loads(call["function"]["arguments"]) is not None for m in golden["messages"]
               for call in m.get("tool_calls", ()))  # fmt: skip
