"""What the trainer writes for people, and how it is shown."""

import json

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
    assert "ab</span>" in shown.html
    assert "1 turns never reached" in draw_rollout(second).text


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
