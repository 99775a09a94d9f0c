"""The command line of scoring: one line for bad input, and one whole round: score, compare, explain, draw anew."""

import json
import shutil
from pathlib import Path

import pytest
from scripted_chat import serving
from scripted_endpoint import GoldenModel
from typer.testing import CliRunner

from tvlab.cli import app
from tvlab.foundation.atomic_files import read_jsonl, write_json
from tvlab.foundation.errors import UserError
from tvlab.tasks.gust import read_items, write_items

pytest.importorskip("openai")
BOOKSTORE = Path(__file__).parents[1] / "data" / "environments" / "bookstore"


def tvlab(*words):
    """Run a command in this process; returns what it printed."""
    done = CliRunner().invoke(app, [*map(str, words)])
    if done.exception is not None:
        raise done.exception
    return done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "nothing to evaluate: give a policy's file, or --base-url and --model"),
        (("--model", "m"), "give --base-url and --model"),
        (("--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--bench", "gsm8k"), "choose from gust, bfcl"),
        (("--base-url", "http://x/v1", "--model", "m", "--mode", "xml"), "choose from native, prompt"),
        (("--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--bench", "bfcl"), "tvlab evaluate --setup"),
        (("--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--bench", "gust,tau2"), "tau2: another model plays"),
        (("--explain", "nowhere"), "holds no scores"),
        (("--base-url", "http://x/v1", "--model", "m", "--limit", "gust=few"), "give a number of tasks, or such as"),
        (("--served", "gpt"), "choose from"),
    ],
)
def test_bad_input_gives_one_line(project, words, message, monkeypatch):
    monkeypatch.setenv("TVLAB_HARNESSES", str(project / "none"))
    with pytest.raises(UserError) as caught:
        tvlab("evaluate", *words)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_of_the_table_is_printed_with_its_two_commands(project):
    assert "ToolRL" in tvlab("evaluate", "--served", "list")
    lines = tvlab("evaluate", "--served", "qwen3-8b").splitlines()
    assert lines[0].startswith("vllm serve Qwen/Qwen3-8B ")
    assert lines[1].startswith("tvlab evaluate --model qwen3-8b --mode native --base-url ")


def test_scoring_comparing_explaining_and_drawing_anew_work_hand_in_hand(project, items):
    write_items(project / "items.jsonl", items)
    common = ["--items", project / "items.jsonl", "--environments", BOOKSTORE.parent, "--sandbox", "off"]
    golden = GoldenModel(items)

    def careless(body):
        message = golden(body)
        for call in message.get("tool_calls", ())[:1]:
            if call["function"]["name"].startswith(("add", "create", "place")):
                call["function"]["arguments"] = "{}"
        return message

    for name, model in (("right", golden), ("careless", careless)):
        with serving(model) as server:
            words = ["--base-url", server.url, "--model", name, "--runs", "1", "--limit", "gust=8"]
            shown = tvlab("evaluate", *words, "--out", project / name, *common)
        assert "GUST" in shown
        assert "not run" in shown
        asked = f"of {min(8, len(items))} asked for"
        assert all(word in shown for word in (asked, "trace", "validation", "turn_reward", "depth"))
        assert [row["error"] for row in read_jsonl(project / name / "rows.jsonl") if row["error"]] == []
    assert all(row["score"] == 1 for row in read_jsonl(project / "right" / "rows.jsonl"))
    assert "minus" in tvlab("evaluate", "--compare", project / "right", project / "careless")
    before = project / "before"
    shutil.copytree(project / "careless", before)
    write_json(before / "config.json", {**json.loads((before / "config.json").read_text()), "model": "right"})
    both = " ".join(tvlab("evaluate", "--compare", project / "right", before).split())
    assert "right in right: tasks with a score" in both  # one model scored twice is told apart by its folders
    assert "right in before: tasks with a score" in both
    out = ["--failures", project / "f.jsonl", "--sft", project / "sft.jsonl", "--teacher", project / "right"]
    told = tvlab("evaluate", "--explain", project / "careless", *out, *common[2:])
    assert "wrong_argument" in told
    failures = read_jsonl(project / "f.jsonl")
    assert {row["kind"] for row in failures} >= {"wrong_argument"}
    lines = read_jsonl(project / "sft.jsonl")
    assert {line["id"] for line in lines} == {row["task"] for row in failures}
    assert {line["source"] for line in lines} == {"teacher"}
    words = ["--like", project / "f.jsonl", "--count", "3", "--out", project / "new.jsonl", "--sandbox", "off"]
    tvlab("tasks", BOOKSTORE, *words)
    assert all("like" in item.provenance for item in read_items(project / "new.jsonl"))
    write_items(project / "items.jsonl", items[1:])
    with pytest.raises(UserError, match=r"holds scores of GUST items\.jsonl"):
        tvlab("evaluate", "--base-url", "http://x/v1", "--model", "right", *common, "--out", project / "right")
    write_items(project / "items.jsonl", items)
    config = project / "right" / "config.json"
    write_json(config, {**json.loads(config.read_text()), "mode": "other"})
    with pytest.raises(UserError, match="give another --out"):
        tvlab("evaluate", "--base-url", "http://x/v1", "--model", "right", *common, "--out", project / "right")
