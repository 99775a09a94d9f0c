"""The counts that the checkers must give on ground truth, on nothing, and in between."""

import pytest

from tvlab.evaluation import harnesses
from tvlab.evaluation.harnesses import ground_truth_counts as counts
from tvlab.evaluation.harnesses.harness import harness_makers
from tvlab.evaluation.harnesses.managed_environments import ManagedEnvironment
from tvlab.foundation.errors import UserError

BENCHES = ("bfcl", "tau2", "acebench")


@pytest.mark.parametrize("bench", BENCHES)
def test_a_sample_of_ground_truth_is_right_and_nothing_is_wrong(harness_of, ace_data, bench):
    harness_of(bench)  # skips
    found = harnesses.self_test([bench], sample=True, ace_data=ace_data, show=False)
    assert {(count.bench, count.category) for count in found} == {at for at in counts.EXPECTED if at[0] == bench}
    assert [count for count in found if not count.right] == []


@pytest.mark.slow
@pytest.mark.timeout(3600)  # the first use makes an environment
@pytest.mark.parametrize("bench", BENCHES)
def test_every_count_is_the_one_expected(set_up, harness_of, ace_data, bench):
    set_up(bench)
    harness_of(bench)
    found = harnesses.self_test([bench], ace_data=ace_data, show=False)
    assert {(count.category, count.kind): count.counted for count in found} == {
        (category, kind): number
        for (of, category), expected in counts.EXPECTED.items()
        if of == bench
        for kind, number in expected.items()
    }


def test_the_counts_of_bfcl_v4_are_those_of_v3_on_a_sample():
    if harness_makers(bfcl_version="v4")["bfcl"]().missing():
        pytest.skip("bfcl-v4 is not set up: run `tvlab evaluate --setup --bench bfcl-v4`")
    found = harnesses.self_test(["bfcl-v4"], sample=True, show=False)
    assert len(found) == 8
    assert all(count.right for count in found)


def test_doing_nothing_has_a_floor_on_tau2_and_acebench():
    floors = counts.do_nothing_floors()
    assert floors["tau2", "airline"] == 19 / 50
    assert floors["tau2", "retail"] == 7 / 114
    assert floors["bfcl", "base"] == floors["tau2", "telecom"] == 0
    assert floors["acebench", "en_multi_turn"] == 1 / 30


def test_what_is_skipped_is_said_with_its_reason(monkeypatch, capsys):
    monkeypatch.delenv("TVLAB_ACE_DATA", raising=False)
    monkeypatch.setattr(ManagedEnvironment, "made", {"version": "any"})
    monkeypatch.setattr(counts, "_counts", lambda harness, sample, show: [harness.name])
    assert harnesses.self_test() == ["bfcl", "tau2"]
    said = "Skipped: acebench needs its data: clone ACEBench and give its folder by --ace-data\n"
    assert capsys.readouterr().err == said


def test_a_benchmark_that_is_not_set_up_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TVLAB_HARNESSES", str(tmp_path))
    for names in ([], ["tau2"]):
        with pytest.raises(UserError, match="is not set up: run `tvlab evaluate --setup --bench"):
            harnesses.self_test(names)
    with pytest.raises(UserError, match="no external benchmark is called 'gust'"):
        harnesses.self_test(["gust"])
