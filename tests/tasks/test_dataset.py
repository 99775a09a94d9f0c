import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tvlab.foundation.errors import UserError
from tvlab.tasks.dataset import SPLITS, Settings, make_dataset, read_dataset, split_names
from tvlab.tasks.dataset_export import (
    from_datasets,
    read_verl_parquet,
    to_datasets,
    verl_row,
    write_verl_parquet,
)
from tvlab.tasks.item import Turn
from tvlab.tasks.near_duplicates import near_duplicates

BOOKSTORE = Path(__file__).parents[1] / "data" / "environments" / "bookstore"

SMALL = Settings(count=5, replay=False)


def environments(folder: Path, count: int = 4) -> list[Path]:
    """Copies of one environment under other names: their items differ, since the name seeds them."""
    made = []
    for at in range(count):
        made.append(folder / f"shop{at}")
        if not made[-1].exists():
            shutil.copytree(BOOKSTORE, made[-1])
    return made


def digest(out: Path) -> dict[str, str]:
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dataset")
    card = make_dataset(environments(folder), folder / "out", SMALL)
    return folder, card


def test_the_parts_hold_every_item_once_and_split_by_environment(made):
    folder, card = made
    parts = read_dataset(folder / "out")
    ids = [item.id for part in SPLITS for item in parts[part]]
    assert len(ids) == len(set(ids)) == card["statistics"]["items"] == 20
    names = [{item.environment for item in parts[part]} for part in SPLITS]
    assert [len(found) for found in names] == [2, 1, 1]
    assert len(set().union(*names)) == 4


def test_the_result_does_not_depend_on_workers_or_order(made, tmp_path):
    folder, _ = made
    make_dataset(environments(folder)[::-1], tmp_path / "out", SMALL, workers=2)
    assert digest(tmp_path / "out") == digest(folder / "out")


def test_what_is_there_is_not_made_again(made, monkeypatch):
    folder, card = made
    before = {p: p.stat().st_mtime_ns for p in (folder / "out").rglob("*") if p.is_file()}
    assert make_dataset(environments(folder), folder / "out", SMALL) == json.loads(json.dumps(card))
    assert {p: p.stat().st_mtime_ns for p in before} == before


def test_a_changed_setting_makes_it_anew_and_a_torn_part_is_mended(made, tmp_path):
    folder, _ = made
    out = tmp_path / "out"
    shutil.copytree(folder / "out", out)
    (out / "parts" / "shop1.jsonl").unlink()
    (out / "made.json").unlink()
    make_dataset(environments(folder), out, SMALL)
    assert digest(out) == digest(folder / "out")
    make_dataset(environments(folder), out, replace(SMALL, seed=1))
    assert digest(out)["train.jsonl"] != digest(folder / "out")["train.jsonl"]


def test_the_card_stands_beside_the_published_figures(made):
    folder, card = made
    text = (folder / "out" / "README.md").read_text()
    assert "| items | 20 | 2987 |" in text
    assert "not reproduced here" in text
    assert "pass@k: not run." in text
    assert card["statistics"]["largest_share_of_one_environment"] == 0.25
    assert sum(card["statistics"]["turn_kinds"].values()) == sum(
        len(item.turns) for items in read_dataset(folder / "out").values() for item in items
    )
    assert card["licenses"] == {"not stated": 4} or sum(card["licenses"].values()) == 4


def test_teacher_results_and_graph_replay_stand_in_items_and_card(tmp_path):
    settings = Settings(count=6, attempts=4, keep_least=1)
    card = make_dataset(environments(tmp_path, 1), tmp_path / "out", settings)
    items = read_dataset(tmp_path / "out")["train"]
    assert items
    assert all(item.filters["graph_replay"] for item in items)
    assert all(1 <= item.filters["teacher"]["successes"] <= 4 for item in items)
    assert [row["k"] for row in card["pass_at_k"]] == [1, 2, 4]
    assert card["pass_at_k"][-1]["pass_at_k"] == 1.0  # kept are those that were solved
    assert card["statistics"]["items"] < 6 or all(i.filters["teacher"]["successes"] for i in items)


def test_equivalent_plans_stand_in_the_card(tmp_path):
    settings = Settings(count=12, replay=False, plans=3)
    card = make_dataset(environments(tmp_path, 1), tmp_path / "out", settings)
    rows = {row["way"]: row for row in card["equivalent_plans"]}
    assert rows["reordered"]["plans"] > rows["reordered"]["rejected_by_coverage"] == 0
    assert sum(row["rejected_by_coverage"] for row in rows.values()) > 0
    assert all(row["rejected_by_outcome"] == 0 for row in rows.values())
    text = (tmp_path / "out" / "README.md").read_text()
    assert "rejected by the outcome check" in text
    assert f"pass the outcome check: {rows['other changes']['plans']}." in text


def test_environments_with_few_changing_tools_come_in_on_demand_and_their_items_have_paths(tmp_path):
    """The bookstore without its changing tools: it carries no tasks, but a list still feeds a read."""
    [folder] = environments(tmp_path, 1)
    tools, meanings = (json.loads((folder / name).read_text()) for name in ("tools.json", "report.json"))
    tools, meanings = tools["tools"], meanings["meanings"]
    writers = {name for name, meaning in meanings.items() if meaning["writes"]}
    (folder / "tools.json").write_text(json.dumps({"tools": [one for one in tools if one["name"] not in writers]}))
    with pytest.raises(UserError, match="no item could be made"):
        make_dataset([folder], tmp_path / "out", SMALL)
    card = make_dataset([folder], tmp_path / "out", replace(SMALL, asking=True))
    made = [item for part in read_dataset(tmp_path / "out").values() for item in part]
    assert card["statistics"]["environments_with_few_changing_tools"] == 1
    assert card["environments"][0]["few_changing_tools"]
    assert made
    assert all(item.provenance["depth"] >= 2 for item in made)
    assert all(any(turn.facts for turn in item.turns) for item in made)


def test_benchmark_servers_stay_out(tmp_path):
    folders = environments(tmp_path, 2)
    report = json.loads((folders[1] / "report.json").read_text())
    (folders[1] / "report.json").write_text(json.dumps({**report, "source": {"benchmark": True}}))
    card = make_dataset(folders, tmp_path / "out", SMALL)
    assert card["left_out_as_benchmark"] == ["shop1"]
    assert {item.environment for items in read_dataset(tmp_path / "out").values() for item in items} == {
        "shop0"
    }


def test_datasets_and_verl_parquet_load_back_identically(made, tmp_path):
    parts = read_dataset(made[0] / "out")
    pytest.importorskip("datasets")
    again = from_datasets(to_datasets(parts))
    written = write_verl_parquet(parts, tmp_path)
    assert [path.name for path in written] == ["train.parquet", "validation.parquet", "test.parquet"]
    for part in SPLITS:
        lines = [item.to_json() for item in parts[part]]
        assert [item.to_json() for item in again[part]] == lines
        assert [item.to_json() for item in read_verl_parquet(tmp_path / f"{part}.parquet")] == lines


def test_a_row_for_verl_has_its_columns(items):
    row = verl_row(items[0], "train", 3)
    assert set(row) == {"data_source", "agent_name", "prompt", "ability", "reward_model", "extra_info"}
    assert row["prompt"][-1] == {"role": "user", "content": items[0].turns[0].user}
    assert row["extra_info"]["index"] == 3
    assert not any(call.tool in row["prompt"][0]["content"] for _, call in items[0].golden())


def test_near_duplicates_differ_in_values_alone(make_item):
    def item(words, number):
        made = make_item([("list_books", {})], words=(words,))
        return replace(made, provenance={"number": number})

    text = 'Please update the order ord-1 so that the note is "{}" and then cancel the order and pay for it.'
    close = [
        item(text.format("red"), 0),
        item(text.format("blue or green"), 1),
        item("Cancel it now please", 2),
    ]
    assert near_duplicates(close) == [("bookstore-0000", "bookstore-0001", 1.0)]


def test_splits_are_seeded_and_never_empty_where_they_can_be_filled():
    names = [f"e{i}" for i in range(40)]
    assert split_names(names, 0) == split_names(names[::-1], 0)
    assert split_names(names, 0) != split_names(names, 1)
    assert [len(found) for found in split_names(names, 0).values()] == [32, 4, 4]
    assert [len(found) for found in split_names(names[:3], 0).values()] == [1, 1, 1]
    assert [len(found) for found in split_names(names[:1], 0).values()] == [1, 0, 0]
    assert [len(found) for found in split_names(names, 0, (1, 0, 0)).values()] == [40, 0, 0]


def test_bad_input_is_told(tmp_path):
    with pytest.raises(UserError, match="no environment was given"):
        make_dataset([], tmp_path, SMALL)
    with pytest.raises(UserError, match="two environments are called 'shop0'"):
        make_dataset([environments(tmp_path, 1)[0], tmp_path / "x" / "shop0"], tmp_path, SMALL)
    with pytest.raises(UserError, match="count is 0"):
        make_dataset(environments(tmp_path, 1), tmp_path, Settings(count=0))
    with pytest.raises(UserError, match="no whole dataset"):
        read_dataset(tmp_path)
    with pytest.raises(UserError, match="export the dataset first"):
        read_verl_parquet(tmp_path / "x.parquet")


@pytest.mark.slow
def test_killed_at_twenty_random_moments_the_dataset_is_the_same(tmp_path, killed_twenty_times):
    """kill -9 on the whole process group while it makes parts or assembles them; then resume."""
    folders = environments(tmp_path, 6)
    settings = Settings(count=12, replay=False)
    make_dataset(folders, tmp_path / "whole", settings)
    wanted, out = digest(tmp_path / "whole"), tmp_path / "killed"
    code = (
        "import sys; from tvlab.tasks.dataset import Settings, make_dataset\n"
        "if __name__ == '__main__':\n"
        "    make_dataset(sys.argv[2:], sys.argv[1], Settings(count=12, replay=False), workers=2)\n"
    )
    script = tmp_path / "make.py"
    script.write_text(code)
    command = [sys.executable, str(script), str(out), *map(str, folders)]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    begun = time.monotonic()
    subprocess.run(command, check=True, env=environment, capture_output=True)
    whole_run = time.monotonic() - begun  # machines differ: the moments are shares of what a whole run takes here
    killed_twenty_times(command, environment, whole_run, out, (out / "made.json").is_file)
    make_dataset(folders, out, settings)
    left = {name: value for name, value in digest(out).items() if not name.endswith(".tmp")}
    assert left == wanted


def test_turns_compare_by_value():
    assert Turn("a", ()) == Turn("a", ())
