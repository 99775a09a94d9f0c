"""Whole tasks through the real harnesses: agents that know the solution, and agents that break something."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from scripted_models import acebench_script, bfcl_script, called, scripted_models, tau2_script

from tvlab.evaluation.harnesses.harness import acebench_data, harness_makers
from tvlab.evaluation.score_rows import BENCHES, Job
from tvlab.foundation.errors import UserError


def golden_script(harness, category, task, mode):
    gold = harness.request("gold", 60.0, category=category, task=task)
    if harness.name == "bfcl":
        return bfcl_script(gold["turns"], mode)
    if harness.name == "tau2":
        return tau2_script(gold["actions"], gold["told"])
    return acebench_script(gold["steps"], mode)


def played(harness, folder, mode, tasks):
    """Outcomes of golden agents by (category, task)."""
    keys = {str(at): task for at, task in enumerate(tasks)}

    def play(key):
        category, task = keys[key]
        return harness.play(Job(harness.name, category, task, 0), setting(key, mode), folder / key)

    def script(key):
        return golden_script(harness, *keys[key], mode)

    with scripted_models(script) as setting, ThreadPoolExecutor(4) as threads:
        return dict(zip(keys.values(), threads.map(play, keys), strict=True))


def spread(harness, count):
    """``count`` tasks of each category, from its whole length."""
    return [
        (category, name)
        for category in BENCHES[harness.name]
        for names in [harness.tasks(category)]
        for name in list(names)[:: max(1, len(names) // count)][:count]
    ]


def check_golden(harness, folder, mode, count):
    """Golden agents succeed wherever the golden calls are a solution."""
    outcomes = played(harness, folder, mode, spread(harness, count))
    for (category, task), outcome in outcomes.items():
        assert outcome.error == "", (task, outcome)
        assert outcome.termination == "finished"
        solution = True
        if harness.name == "acebench":  # whose milestones are not always one
            solution = bool(harness.request("check", 60.0, tasks=[task])["milestones"])
        assert outcome.score == float(solution), (category, task, outcome)
        assert outcome.calls == sum(len(turn["made"]) for turn in outcome.details["turns"])
        assert outcome.calls > 0 or harness.name == "tau2"  # some of whose tasks want no call
    return outcomes


@pytest.mark.parametrize("mode", ["native", "prompt"])
@pytest.mark.parametrize("bench", ["bfcl", "acebench"])
def test_golden_agents_succeed(harness_of, tmp_path, bench, mode):
    check_golden(harness_of(bench), tmp_path, mode, 2)


@pytest.mark.slow
@pytest.mark.timeout(3600)  # the first use makes an environment
@pytest.mark.parametrize(
    ("bench", "mode", "count"),
    [
        ("bfcl", "native", 10),
        ("bfcl", "prompt", 5),
        ("tau2", "native", 4),
        ("acebench", "native", 20),
        ("acebench", "prompt", 20),
    ],
)
def test_golden_agents_succeed_on_more_tasks(set_up, harness_of, tmp_path, bench, mode, count):
    set_up(bench)
    check_golden(harness_of(bench), tmp_path, mode, count)


def test_the_golden_turns_of_bfcl_are_what_the_agent_made(harness_of, tmp_path):
    (outcome,) = played(harness_of("bfcl"), tmp_path, "native", [("base", "multi_turn_base_0")]).values()
    for turn in outcome.details["turns"]:
        assert turn["made"] == turn["golden"] != []
        assert turn["unreadable"] == 0
        assert turn["text"] == "That is done."


def play_one(harness, job, script, folder, mode="native", **more):
    with scripted_models(lambda key: script) as setting:
        return harness.play(job, setting("one", mode, **more), folder)


BASE = Job("bfcl", "base", "multi_turn_base_0", 0)


def test_an_agent_that_never_ends_its_turn_meets_the_step_limit(harness_of, tmp_path):
    outcome = play_one(harness_of("bfcl"), BASE, lambda *_: called({"tool": "pwd", "arguments": {}}), tmp_path)
    assert (outcome.score, outcome.termination, outcome.calls) == (0.0, "step_limit", 21)


def test_bfcl_says_in_which_turn_an_answer_was_cut(harness_of, tmp_path):
    def script(side, body):
        turn = sum(message["role"] == "user" for message in body["messages"])
        return {"content": "Well,", "finish": "length" if turn == 2 else "stop"}

    outcome = play_one(harness_of("bfcl"), BASE, script, tmp_path)
    cut = [turn["cut"] for turn in outcome.details["turns"]]
    assert cut == [at == 1 for at in range(len(cut))]
    assert outcome.details["cut"] == 1


def test_code_in_a_call_is_not_run(harness_of, tmp_path):
    made = tmp_path / "made-by-a-model"
    texts = iter([f"[cd(folder=__import__('pathlib').Path({str(made)!r}).touch())]", "[cd(folder=1 + open('x'))]"])
    outcome = play_one(
        harness_of("bfcl"), BASE, lambda *_: {"content": next(texts, "Sorry.")}, tmp_path / "job", "prompt"
    )
    assert outcome.score == 0.0
    assert not made.exists()


def test_an_address_that_refuses_is_an_error_and_no_wrong_answer(harness_of, tmp_path):
    def refuse(side, body):
        raise RuntimeError("too long")

    outcome = play_one(harness_of("bfcl"), BASE, refuse, tmp_path)
    assert (outcome.score, outcome.termination, outcome.side) == (None, "error", "harness")
    assert "too long" in outcome.error


def test_native_arguments_that_are_no_json_are_told_to_an_acebench_agent(harness_of, tmp_path):
    harness, seen = harness_of("acebench"), []

    def script(side, body):
        seen.append(body["messages"][-1])
        if len(seen) > 1:
            return {"content": "finish conversation"}
        broken = called({"tool": "turn_on_wifi", "arguments": {}})
        broken["tool_calls"][0]["function"]["arguments"] = "{'a'"
        return broken

    outcome = play_one(harness, Job("acebench", "multi_step", "en_agent_multi_step_1", 0), script, tmp_path)
    assert outcome.score == 0.0
    assert outcome.partial == 0.0
    assert "not a JSON object" in seen[1]["content"]


def test_english_multi_step_tasks_get_english_instructions_and_the_temperature(harness_of, tmp_path):
    asked = []

    def script(side, body):
        asked.append(body)
        return {"content": "finish conversation"}

    play_one(
        harness_of("acebench"), Job("acebench", "multi_step", "en_agent_multi_step_1", 0), script, tmp_path, "prompt"
    )
    assert asked[0]["messages"][0]["content"].startswith("You are an AI system")
    assert asked[0]["messages"][0]["content"].isascii()
    assert asked[0]["temperature"] == 0.7


@pytest.mark.slow
@pytest.mark.timeout(3600)  # the first use makes an environment
def test_tau2_tells_failures_of_agent_and_user_apart_and_judges_again_without_a_model(set_up, harness_of, tmp_path):
    set_up("tau2")
    harness = harness_of("tau2")
    job = Job("tau2", "airline", harness.tasks("airline")[0], 0)

    def breaking(broken):
        def script(side, body):
            if side == broken:
                call = called({"tool": "calculate", "arguments": {}})
                call["tool_calls"][0]["function"]["arguments"] = "no JSON"
                return call
            return {"content": "Hello."}

        return script

    agent = play_one(harness, job, breaking("agent"), tmp_path / "agent")
    assert (agent.score, agent.termination, agent.side) == (0.0, "format", "agent")
    user = play_one(harness, job, breaking("user"), tmp_path / "user")
    assert (user.score, user.termination, user.side) == (None, "error", "user")
    polite = play_one(harness, job, lambda side, body: {"content": "Hello."}, tmp_path / "polite", tau2_steps=4)
    assert (polite.score, polite.termination) == (0.0, "step_limit")
    assert polite.details["messages"] <= 8
    whole = played(harness, tmp_path, "native", [("airline", job.task)])["airline", job.task]
    assert harness.judge_again(job, tmp_path / "0") == whole


def test_acebench_data_is_found_in_a_clone_and_missed_with_a_reason(tmp_path, monkeypatch):
    monkeypatch.delenv("TVLAB_ACE_DATA", raising=False)
    assert acebench_data() is None
    with pytest.raises(UserError, match="give a clone of ACEBench by --ace-data"):
        acebench_data(tmp_path)
    for language in ("en", "zh"):
        place = tmp_path / "data_all" / f"data_{language}"
        place.mkdir(parents=True)
        (place / "data_agent_multi_step.json").touch()
    assert acebench_data(tmp_path) == acebench_data(tmp_path / "data_all") == tmp_path / "data_all"
    monkeypatch.setenv("TVLAB_ACE_DATA", str(tmp_path))
    assert acebench_data() == tmp_path / "data_all"


def test_bfcl_has_two_versions_of_data():
    assert harness_makers(bfcl_version="v4")["bfcl"]().environment.name == "bfcl-v4"
    with pytest.raises(UserError, match="v3 and v4"):
        harness_makers(bfcl_version="v5")
