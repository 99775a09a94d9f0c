"""The sample that comes with the package fits the environments that come with it."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

import tvlab
from tvlab.environments.build import build_environment
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.tasks import sample as sample_module
from tvlab.tasks.sample import load_sample, load_sample_card, try_model_on_sample
from tvlab.tasks.teachers import replay
from tvlab.tasks.turn_kinds import SPECIAL


@pytest.fixture(scope="module")
def sample():
    return load_sample()


def test_it_has_about_300_items_of_every_kind(sample):
    assert 290 <= len(sample) <= 310
    assert len({item.id for item in sample}) == len(sample)
    kinds = Counter(turn.kind for item in sample for turn in item.turns)
    assert all(kinds[kind] >= 5 for kind in ("plain", "chain", "granted", *SPECIAL)), kinds
    assert all(item.filters["teacher"]["attempts"] == 8 for item in sample)


def test_its_golden_traces_replay_on_the_embedded_environments(sample):
    """If this fails after a change of environments or tasks: python -m tvlab.tasks.sample"""
    environments = {
        built.environment.name: built.environment
        for tool_list in load_tool_lists("embedded")
        for built in build_environment(tool_list)
    }
    for item in sample:
        assert item.state_hash == environments[item.environment].state_hash, item.id
        episode = replay(environments[item.environment], item)
        assert all(episode.rewards), item.id
        assert episode.outcome_met(), item.id


def test_its_card_is_about_it(sample):
    card = load_sample_card()
    assert card["statistics"]["items"] == len(sample)
    assert [row["k"] for row in card["pass_at_k"]] == [1, 2, 4, 8]


def test_a_model_is_asked_and_its_record_kept_beside_the_items(tmp_path, monkeypatch, chat_server):
    pytest.importorskip("openai")
    for path in (Path(tvlab.__file__).parent / "data").glob("gust_sample*"):
        shutil.copy(path, tmp_path)
    monkeypatch.setattr(sample_module, "_place", lambda name: tmp_path / name)
    address = chat_server(lambda body: {"role": "assistant", "content": "Done."})
    endpoint = Endpoint(EndpointConfig(address, "tiny", retries=0))
    text = try_model_on_sample(endpoint, 3, 2, 500, 1).read_text()
    assert "tiny (3 items drawn evenly over environments, 2 attempts each" in text
    [record] = [one for one in load_sample_card()["models"] if one["model"] == "tiny"]
    assert record["longest_observation"] == 500
    assert len({row["item"].rpartition("-")[0] for row in record["items"]}) == 3
