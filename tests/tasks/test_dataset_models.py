"""Models and a dataset: words put anew, pass@k in the card, matches with benchmarks taken out."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tvlab.foundation.endpoint import EndpointConfig
from tvlab.foundation.errors import UserError
from tvlab.tasks.dataset import Models, Settings, make_dataset, read_dataset
from tvlab.tasks.dataset_models import fitting, records_of, try_model
from tvlab.tasks.dataset_parts import of_benchmark
from tvlab.tasks.model_passes import item_hash, spread
from tvlab.tasks.teaching import AskedModel

pytest.importorskip("openai")
BOOKSTORE = Path(__file__).parents[1] / "data" / "environments" / "bookstore"
SMALL = Settings(count=4, replay=False)


@pytest.fixture
def folders(tmp_path):
    made = [tmp_path / "environments" / f"shop{at}" for at in range(3)]
    for folder in made:
        shutil.copytree(BOOKSTORE, folder)
    return made


def asked(address, tmp_path, name="m"):
    return AskedModel(EndpointConfig(address, name, retries=0), tmp_path / "answers.sqlite", 2)


def rewriter(body):
    words = body["messages"][1]["content"].removeprefix("Request: ").partition("\nValues to copy:")[0]
    taken = "Hello, " + words[0].lower() + words[1:]
    return {"role": "assistant", "content": taken if len(words) % 3 else "I cannot."}


def test_words_are_put_anew_where_they_pass_and_stay_where_not(folders, tmp_path, chat_server):
    model = asked(chat_server(rewriter), tmp_path)
    card = make_dataset(folders, tmp_path / "out", SMALL, models=Models(model))
    counts = card["rewriting"]
    items = [item for part in read_dataset(tmp_path / "out").values() for item in part]
    anew = sum(turn.user.startswith("Hello, ") for item in items for turn in item.turns)
    assert anew == counts["accepted"] == sum(len(item.provenance.get("rewritten", ())) for item in items)
    assert 0 < counts["accepted"] < counts["turns"] == sum(len(item.turns) for item in items)
    assert card["settings"]["rewrite"] == "m"
    assert "rewritten by a model" in (tmp_path / "out" / "README.md").read_text()
    plain = make_dataset(folders, tmp_path / "plain", SMALL)
    assert plain["rewriting"] is None
    assert plain["statistics"]["calls_per_item"] == card["statistics"]["calls_per_item"]


def test_a_rewritten_dataset_is_the_same_without_the_server_since_answers_are_kept(folders, tmp_path, chat_server):
    model = asked(chat_server(rewriter), tmp_path)
    make_dataset(folders, tmp_path / "a", SMALL, models=Models(model))
    gone = AskedModel(replace(model.config, base_url="http://127.0.0.1:9/v1"), model.answers, 2)
    make_dataset(folders, tmp_path / "b", SMALL, workers=2, models=Models(gone))
    for name in ("train.jsonl", "test.jsonl", "card.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_pass_at_k_of_a_model_stands_in_the_card_until_the_items_change(folders, tmp_path, chat_server):
    out = tmp_path / "out"
    make_dataset(folders, out, SMALL)
    address = chat_server(lambda body: {"role": "assistant", "content": "Done."})
    record = try_model(out, folders, asked(address, tmp_path, "org/tiny"), 5, attempts=2, progress=False)
    assert [row["k"] for row in record["pass_at_k"]] == [1, 2]
    assert record["pass_at_k"][0]["pass_at_k"] == 0.0
    assert record["tokens_out"] == 10 * record["answers"] == 10 * 5 * 2
    assert len({row["item"].rpartition("-")[0] for row in record["items"]}) == 3
    card = json.loads((out / "card.json").read_text())
    assert card["models"] == [record]
    assert "org/tiny (5 items drawn evenly" in (out / "README.md").read_text()
    assert not any("pass@k of a model" in reason for reason in card["not_run"])
    items = [item for part in read_dataset(out).values() for item in part]
    assert records_of(out, items) == [record]
    tried = {row["hash"] for row in record["items"]}
    assert fitting([record], [item for item in items if item_hash(item) not in tried]) == []


def test_a_model_can_be_the_teacher_and_propose_edges(folders, tmp_path, chat_server):
    """The model says one edge that nothing else proposes, and solves nothing."""
    line = {"producer": "get_order", "field": "status", "consumer": "list_orders", "parameter": "status"}
    model = asked(chat_server(lambda body: {"role": "assistant", "content": json.dumps(line)}), tmp_path, "tiny")
    settings = replace(SMALL, attempts=2)
    card = make_dataset(folders, tmp_path / "out", settings, models=Models(teacher=model, proposer=model))
    assert card["proposals"] == {"made": 3, "held": 3, "refused": 0}
    assert card["difficulty"] == {"teacher": "tiny", "attempts": 2, "solved": {"0": 12, "1": 0, "2": 0}}
    assert (card["settings"]["teacher"], card["settings"]["propose"]) == ("tiny", "tiny")
    text = (tmp_path / "out" / "README.md").read_text()
    assert "tiny, unbiased estimates" in text
    assert "A model proposed 3 edges; 3 held" in text
    band = replace(settings, keep_least=1)
    with pytest.raises(UserError, match="no item could be made"):
        make_dataset(folders, tmp_path / "band", band, models=Models(teacher=model))


def test_items_are_spread_over_environments_and_seeded(items):
    other = [replace(item, environment="z") for item in items[:10]]
    chosen = spread([*items, *other], 6)
    assert sorted(item.environment for item in chosen) == ["bookstore"] * 3 + ["z"] * 3
    assert [item.id for item in chosen] == [item.id for item in spread([*other, *items], 6)]
    assert [item.id for item in spread(items, 3)] == [item.id for item in spread(items, 6)][:3]
    assert len(spread(other, 99)) == 10


def test_items_that_match_a_benchmark_are_taken_out_or_listed(folders, tmp_path):
    tools = json.loads((folders[0] / "tools.json").read_text())["tools"]
    order = next(tool for tool in tools if tool["name"] == "create_order")
    documents = tmp_path / "bfcl" / "bfcl_eval" / "data" / "multi_turn_func_doc"
    documents.mkdir(parents=True)
    (documents / "shop.json").write_text(json.dumps({"name": "createOrder", "parameters": order["inputSchema"]}))
    kept = make_dataset(folders, tmp_path / "kept", SMALL, benchmarks=[tmp_path / "bfcl"], keep_matches=True)
    gone = make_dataset(folders, tmp_path / "gone", SMALL, benchmarks=[tmp_path / "bfcl"])
    report = json.loads((tmp_path / "gone" / "decontamination.json").read_text())
    assert kept["statistics"]["items"] - gone["statistics"]["items"] == len(report["items"]) > 0
    left = [item for part in read_dataset(tmp_path / "gone").values() for item in part]
    assert not any(call.tool == "create_order" for item in left for _, call in item.golden())
    assert gone["decontamination"]["counts"][0]["tools_of_the_same_schema"] == 3
    assert str(tmp_path) not in json.dumps(gone["decontamination"])
    assert "## Against benchmarks" in (tmp_path / "gone" / "README.md").read_text()


def test_an_environment_joined_from_a_benchmarks_servers_belongs_to_it():
    assert of_benchmark({"source": {"license": "MIT"}, "joined": [{"source": {"benchmark": "X"}}, {"source": {}}]})
    assert of_benchmark({"source": {"benchmark": True}})
    assert not of_benchmark({"source": {"license": "MIT"}, "joined": [{"source": {}}]})
    assert not of_benchmark({})


def test_a_missing_environment_is_told(folders, tmp_path):
    make_dataset(folders, tmp_path / "out", SMALL)
    with pytest.raises(UserError, match="give it too"):
        try_model(tmp_path / "out", folders[:1], asked("http://127.0.0.1:9/v1", tmp_path), 6)
