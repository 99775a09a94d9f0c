"""What the trainer writes for people, and how it is shown."""

import json

from tvlab.foundation.atomic_files import read_jsonl
from tvlab.learning.verl.rollout_record import record_rollouts
from tvlab.reporting.verl_runs import (
    about_run,
    committed_run,
    course_of,
    draw_rollout,
    item_of_rollout,
    read_rollouts,
    telling_rollout,
)
from tvlab.reporting.verl_stages import STAGES, change, course_of_trainers, small_model_run, stages_of


def text(ids):
    return "".join(map(chr, ids))


def note(turn_ids, rewards, turns=2, truncated=()):
    return {"turn_ids": turn_ids, "turn_rewards": rewards, "turns": turns, "truncated": list(truncated), "item": "i"}


def test_tokens_are_written_with_their_turn_and_advantage_and_padding_is_left_out(tmp_path):
    path = tmp_path / "rollouts.jsonl"
    responses = [[97, 98, 60, 99], [97, 60]]
    notes = [note([0, 0, -1, 1], [1.0, 0.0], truncated=[1]), note([0, -1], [0.0]), {}]
    advantages = [[0.5, 0.5, 0.0, -1.0], [-0.5, 0.0, 0.0, 0.0], [0.0] * 4]
    keys = ["u_0_0", "u_1_0", "fill_0_0"]
    assert record_rollouts(path, text, 3, keys, [[112]] * 3, [*responses, [0]], notes, advantages) == 2
    first, second = map(json.loads, path.read_text().splitlines())
    assert first["tokens"] == [["a", 0, 0.5], ["b", 0, 0.5], ["<", -1, 0.0], ["c", 1, -1.0]]
    assert (first["step"], first["group"], first["rollout"], first["prompt"]) == (3, 0, 0, "p")
    assert (second["rollout"], second["turns"], second["turn_rewards"]) == (1, 2, [0.0])
    assert telling_rollout([second, first]) == first
    shown = draw_rollout(first)
    assert "[turn 1, advantage +0.50: ab]" in shown.text
    assert "[turn 2, advantage -1.00: c]" in shown.text
    assert "turn 1: reward 1, advantage +0.50; turn 2: reward 0, advantage -1.00, cut" in shown.text
    assert "&lt;" in shown.html  # what an environment or a model wrote is text, never markup
    assert "ab</div>" in shown.html
    assert "1 turns never reached" in draw_rollout(second).text


def test_a_chatml_rollout_reads_as_words_calls_and_observations(tmp_path):
    begin, end = "<|im_start|>", "<|im_end|>"
    prompt = f"...{end}\n{begin}user\nCancel it.{end}\n{begin}assistant\n"
    call = f"<tool_call>\n{{}}\n</tool_call>{end}"
    gave = f"\n{begin}user\n<tool_response>\n{{\"ok\":1}}\n</tool_response>{end}\n{begin}assistant\n"
    asks = f"\n{begin}user\nAnd now?{end}\n{begin}assistant\n"
    tokens = [[call, 0, 0.5], [gave, -1, 0.0], [f"Done.{end}", 0, 0.5], [asks, -1, 0.0], [end, 1, -1.0]]
    rollout = {"item": "i", "step": 1, "rollout": 0, "turns": 3, "turn_rewards": [1.0, 0.0], "truncated": [],
               "prompt": prompt, "tokens": tokens}  # fmt: skip
    shown = draw_rollout(rollout)
    assert shown.text.splitlines()[1:] == [
        "User: Cancel it.", "[turn 1, advantage +0.50: <tool_call>", "{}", "</tool_call>]", '<- {"ok":1}',
        "[turn 1, advantage +0.50: Done.]", "User: And now?", f"[turn 2, advantage -1.00: {end}]",
        "turn 1: reward 1, advantage +0.50; turn 2: reward 0, advantage -1.00; 1 turns never reached",
    ]  # fmt: skip
    first, second = shown.html.split("And now?")
    assert "turn 1: reward 1" in first  # a box a turn, its reward at its end
    assert "turn 2: reward 0" in second


def test_the_record_of_the_small_model_is_what_its_table_says():
    folder = small_model_run()
    stages = stages_of(folder).set_index("stage")
    assert list(stages.index) == list(STAGES)
    assert set(stages["n"]) == {16}
    assert stages["turn_reward"].between(stages["low"], stages["high"]).all()
    rewards = [row["turn_reward"] for row in read_jsonl(folder / "held_out.jsonl") if row["stage"] == STAGES[1]]
    assert stages.loc[STAGES[1], "turn_reward"] == sum(rewards) / 16
    moved = change(folder, STAGES[0], STAGES[1])
    assert moved["mean"] == stages["turn_reward"].diff().iloc[1]
    assert 0 < moved["low"] < moved["mean"] < moved["high"]
    course = course_of_trainers(folder)
    assert course[course["trainer"] == "TARA"]["step"].max() == about_run(folder)["settings"]["steps"]
    shown = telling_rollout(read_rollouts(folder))
    text = draw_rollout(shown).text
    assert "<tool_call>" in text
    assert "<- {" in text
    assert item_of_rollout(folder, shown).turns[0].user in text


def test_the_record_in_the_package_is_a_real_run_with_turns_rewards_and_exact_masks():
    folder = committed_run()
    course = course_of(folder)
    assert set(course["step"]) == {1, 2}
    reward = course[course["measure"] == "turn reward"]["value"]
    assert reward.between(0, 1).all()
    assert course[course["measure"] == "gradient norm"]["value"].gt(0).all()
    assert course[course["measure"] == "largest difference of probabilities"]["value"].lt(1e-3).all()
    rollouts = read_rollouts(folder)
    written = [value for one in rollouts for _, turn, value in one["tokens"] if turn >= 0]
    other = [value for one in rollouts for _, turn, value in one["tokens"] if turn < 0]
    assert any(written)
    assert not any(other)
    assert item_of_rollout(folder, rollouts[0]).id == rollouts[0]["item"]
    for one in rollouts:
        assert len(one["turn_rewards"]) <= one["turns"]
    assert {"hardware", "model", "date", "rollouts", "verl"} <= set(about_run(folder))
