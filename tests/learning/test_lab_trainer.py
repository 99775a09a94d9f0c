"""The lab trainer is a learner: its gradient is the derivative, it reaches a known optimum, it repeats itself."""

import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from lab_worlds import BUTTONS, bookstore, bookstore_items, buttons, buttons_items

from tvlab.environments.environment import Environment
from tvlab.foundation.errors import UserError
from tvlab.learning.advantages import BUILT_IN
from tvlab.learning.lab_evaluation import COLUMNS, evaluate
from tvlab.learning.lab_policy import LabPolicy
from tvlab.learning.lab_rollouts import roll_out
from tvlab.learning.lab_scores import ScoreTable
from tvlab.learning.lab_trainer import LabConfig, loss_gradient, reward_table, train
from tvlab.learning.lab_view import AgentView
from tvlab.learning.overlap_policy import overlap_policy
from tvlab.learning.reward_functions import register_turn_reward
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import GoldenCall, Item, Turn

SMALL = LabConfig(size="small", updates=3, items_per_update=4, rollouts=4)


def slow_loss(policy, rollouts, advantages, beta) -> float:
    """The loss of the decisions under other weights, from the definition, decision by decision."""
    table = ScoreTable(policy)
    for view, blocks in rollouts.table._views.values():  # the same rows, scored anew
        for turn, start in zip(blocks.turns, blocks.tool_starts, strict=True):
            scores = table._scorer.turns([turn], view)[0]
            rollouts.table.tool.array[start : start + len(scores)] = scores.numpy()
        for turn, start in zip(blocks.turns, blocks.argument_starts, strict=True):
            scores = table._scorer.turns([turn], view)[1]
            rollouts.table.argument.array[start : start + len(scores)] = scores.numpy()
        for part in blocks.shapes.values():
            scores = table._scorer.observed([part.shape], view).numpy()
            for start in part.starts:
                rollouts.table.argument.array[start : start + len(scores)] = scores
    total = count = 0
    for static, moves, parts in [
        (rollouts.table.tool.array, policy.weights["tool_dynamic"].numpy(), rollouts.tools),
        (rollouts.table.argument.array, policy.weights["argument_dynamic"].numpy(), rollouts.arguments),
    ]:
        for part in parts:
            scores = static[part.rows] + part.dynamic.astype(np.float64) @ moves
            scores[part.scores < -1e8] = -np.inf
            ends = np.cumsum(part.lengths)
            for d, (end, length) in enumerate(zip(ends, part.lengths, strict=True)):
                mine = scores[end - length : end]
                p = np.exp(mine - mine.max())
                p /= p.sum()
                entropy = -sum(q * np.log(q) for q in p if q > 0)
                chosen = part.chosen[d] - (end - length)
                total -= advantages[part.rollout[d], part.turn[d]] * np.log(p[chosen]) + beta * entropy
                count += 1
    return total / count


def test_the_gradient_is_the_derivative_of_the_loss():
    rng = np.random.default_rng(0)
    policy = LabPolicy("small")
    for weight in policy.weights.values():
        weight += torch.tensor(rng.normal(size=weight.shape) * 0.1, dtype=weight.dtype)
        weight.requires_grad_(True)
    episodes = [Episode(bookstore(), item) for item in bookstore_items()["bookstore"][:3]]
    rollouts = roll_out(policy, episodes, [AgentView(bookstore().tools)] * 3, rng)
    advantages = rng.normal(size=(3, max(len(e.item.turns) for e in episodes)))
    loss_gradient(policy, rollouts, advantages, entropy=0.05)
    for name, weight in policy.weights.items():
        direction = torch.tensor(rng.normal(size=weight.shape), dtype=weight.dtype)
        direction /= direction.norm()
        sides = []
        for sign in (1, -1):
            moved = policy.copy()
            moved.weights[name] += sign * 1e-2 * direction
            sides.append(slow_loss(moved, rollouts, advantages, 0.05))
        assert float((weight.grad * direction).sum()) == pytest.approx(
            (sides[0] - sides[1]) / 2e-2, rel=2e-2, abs=2e-6
        ), name


def test_a_known_optimum_is_reached():
    """Which button a word means can only be found by trying; afterwards every turn succeeds."""
    config = LabConfig(size="small", updates=60, items_per_update=8, rollouts=8, arm="turn_local", lr=0.1)
    trained = train(config, [buttons()], buttons_items())
    before = evaluate(LabPolicy("small"), [buttons()], buttons_items(), 8, 1)
    after = evaluate(trained.policy, [buttons()], buttons_items(), 8, 1)
    assert before.turn_reward.mean() < 0.75
    assert after.turn_reward.mean() > 0.97
    greedy = evaluate(trained.policy, [buttons()], buttons_items(), 1, 1, greedy=True)
    assert greedy.turn_reward.mean() == 1.0


def test_without_advantages_nothing_but_entropy_moves_the_policy():
    items = {"buttons": [Item(i.environment, i.state_hash, tuple(Turn(t.user, ()) for t in i.turns), i.outcome)
                         for i in buttons_items()["buttons"]]}  # fmt: skip
    trained = train(LabConfig(size="small", updates=3, items_per_update=8, entropy=0.0), [buttons()], items)
    assert all(row["advantage_variance"] == 0.0 and row["gradient_norm"] == 0.0 for row in trained.rows)
    start = LabPolicy("small").weights
    assert all(torch.equal(weight, start[name]) for name, weight in trained.policy.weights.items())


def test_the_same_seed_gives_the_same_run_bit_for_bit_whatever_the_global_seeds():
    runs = []
    for global_seed in (0, 1):
        random.seed(global_seed)
        np.random.seed(global_seed)  # noqa: NPY002 - to show that it changes nothing
        torch.manual_seed(global_seed)
        runs.append(train(SMALL, [bookstore()], bookstore_items()))
    rows = [[{k: v for k, v in row.items() if k != "seconds"} for row in run.rows] for run in runs]
    assert rows[0] == rows[1]
    for name, weight in runs[0].policy.weights.items():
        assert torch.equal(weight, runs[1].policy.weights[name]), name
    other = train(LabConfig(**{**SMALL.to_json(), "seed": 1}), [bookstore()], bookstore_items())
    assert other.rows[0]["entropy"] != runs[0].rows[0]["entropy"]


def test_training_leaves_the_number_of_threads_as_it_was():
    before = torch.get_num_threads()
    train(LabConfig(**{**SMALL.to_json(), "updates": 1}), [bookstore()], bookstore_items())
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("arm", sorted(BUILT_IN))
def test_every_arm_trains(arm):
    config = LabConfig(size="small", updates=1, items_per_update=4, rollouts=4, arm=arm)
    (row,) = train(config, [buttons()], buttons_items()).rows
    assert np.isfinite(list(row.values())).all()


def test_a_budget_and_an_ending_at_the_first_failure_leave_turns_unreached():
    for settings in ({"call_budget": 2}, {"on_failed_turn": "stop"}):
        config = LabConfig(**settings)
        episodes = [config.episode(bookstore(), item) for item in bookstore_items()["bookstore"][:16]]
        roll_out(LabPolicy("small"), episodes, [AgentView(bookstore().tools)] * 16, np.random.default_rng(0))
        rewards, reached, turns = reward_table(episodes)
        assert rewards.shape == reached.shape == (16, turns.max())
        assert (rewards[~reached] == 0).all()
        assert reached.sum() < turns.sum()
        assert np.isfinite(train(LabConfig(**{**SMALL.to_json(), **settings}), [bookstore()], bookstore_items())
                           .rows[-1]["gradient_norm"])  # fmt: skip


def test_rescaled_advantages_have_root_mean_square_one():
    config = LabConfig(size="small", updates=1, items_per_update=8, arm="turn_local", equal_rms=True)
    (row,) = train(config, [buttons()], buttons_items()).rows
    assert row["advantage_variance"] == pytest.approx(1.0, abs=0.05)


def test_a_turn_reward_of_ones_own_decides_what_is_learned():
    @register_turn_reward("nothing pays")
    def nothing(episode):
        return [0.0] * len(episode.item.turns)

    config = LabConfig(updates=2, items_per_update=4, rollouts=4, size="small", turn_reward="nothing pays")
    rows = train(config, [bookstore()], bookstore_items()).rows
    assert all(row["advantage_variance"] == 0.0 for row in rows)
    assert any(row["turn_reward"] > 0 for row in rows)
    with pytest.raises(UserError, match="no turn reward is called 'typo'"):
        train(replace(config, turn_reward="typo"), [bookstore()], bookstore_items())


def test_a_policy_trained_in_one_environment_plays_in_another():
    trained = train(LabConfig(**{**SMALL.to_json(), "items_per_update": 8}), [buttons()], buttons_items())
    table = evaluate(trained.policy, [bookstore()], bookstore_items(), 1, 0, arm="tara")
    assert list(table.columns) == list(COLUMNS)
    assert len(table) == len(bookstore_items()["bookstore"])
    assert table.trace_score.between(0, 1).all()
    assert table.calls.sum() > 0


def test_an_evaluation_of_one_environment_does_not_depend_on_the_others():
    both = evaluate(LabPolicy("small"), [bookstore(), buttons()], {**bookstore_items(), **buttons_items()}, 2, 0)
    alone = evaluate(LabPolicy("small"), [buttons()], buttons_items(), 2, 0)
    assert both[both.environment == "buttons"].reset_index(drop=True).equals(alone)


def test_the_overlap_policy_is_played_greedily():
    table = evaluate(overlap_policy(), [bookstore()], bookstore_items(), 2, 0)
    by_attempt = [table[table.attempt == attempt].turn_reward.tolist() for attempt in (0, 1)]
    assert by_attempt[0] == by_attempt[1]


def test_validation_rows_come_every_so_many_updates():
    config = LabConfig(**{**SMALL.to_json(), "updates": 4, "validate_every": 2})
    rows = train(config, [bookstore()], bookstore_items(), ([buttons()], buttons_items())).rows
    assert ["validation_turn_reward" in row for row in rows] == [False, True, False, True]


def test_a_run_that_the_clock_ends_says_so():
    run = train(LabConfig(**{**SMALL.to_json(), "max_seconds": 0.0}), [bookstore()], bookstore_items())
    assert not run.complete
    assert run.rows == []


def test_too_few_items_are_refused_in_one_line():
    with pytest.raises(UserError, match="9 items to train on, 16 needed"):
        train(LabConfig(), [buttons()], buttons_items())


def test_an_unknown_size_is_refused():
    with pytest.raises(UserError, match="'huge'"):
        LabPolicy("huge")


@pytest.fixture(scope="module")
def learned() -> LabPolicy:
    config = LabConfig(size="small", updates=40, items_per_update=8, seed=3)
    return train(config, [bookstore()], bookstore_items(80, 1)).policy


def shuffled(items: list[Item]) -> list[Item]:
    rng = np.random.default_rng(0)

    def mix(text):
        words = text.split()
        return " ".join(words[at] for at in rng.permutation(len(words)))

    return [Item(i.environment, i.state_hash, tuple(Turn(mix(t.user), t.calls) for t in i.turns), i.outcome)
            for i in items]  # fmt: skip


def test_training_helps_on_items_it_has_not_seen(learned):
    trained = evaluate(learned, [bookstore()], bookstore_items(), 4, 0).turn_reward.mean()
    untrained = evaluate(LabPolicy("small"), [bookstore()], bookstore_items(), 4, 0).turn_reward.mean()
    assert 0.05 <= untrained <= 0.6
    assert trained > untrained + 0.1


def test_shuffled_words_hurt(learned):
    plain = evaluate(learned, [bookstore()], bookstore_items(), 4, 0).turn_reward.mean()
    mixed = {"bookstore": shuffled(bookstore_items()["bookstore"])}
    assert evaluate(learned, [bookstore()], mixed, 4, 0).turn_reward.mean() < plain - 0.1


def described(words: dict[str, str]) -> tuple[Environment, dict[str, list[Item]]]:
    """Buttons whose descriptions alone say which word means them, and their items."""
    def press(name):
        return lambda state: {"pressed": name}

    tools = tuple({"name": name, "description": f"Press it for {word}.", "inputSchema": {"type": "object",
                                                                                        "properties": {}}}
                  for word, name in words.items())  # fmt: skip
    plain = buttons()
    world = replace(plain, name="described", tools=tools, functions={name: press(name) for name in words.values()},
                    report={"meanings": dict.fromkeys(words.values(), plain.report["meanings"]["zig"]),
                            "entities": {}})  # fmt: skip
    turns = {word: Turn(f"Now {word}.", (GoldenCall(name, {}, False),)) for word, name in words.items()}
    outcome = {"state": {}, "facts": [], "ids": []}
    return world, {"described": [Item("described", world.state_hash, (turns[a], turns[b]), outcome)
                                 for a in words for b in words]}  # fmt: skip


def test_what_descriptions_say_is_learned_on_some_words_and_used_on_others():
    world, items = described({"alpha": "zig", "beta": "zag", "gamma": "zug"})
    config = LabConfig(size="small", updates=30, items_per_update=8, rollouts=8, arm="turn_local", lr=0.1)
    policy = train(config, [world], items).policy
    other, unseen = described({"iron": "pim", "copper": "pam", "silver": "pum"})
    bare = replace(other, tools=tuple({**tool, "description": ""} for tool in other.tools))
    with_words = evaluate(policy, [other], unseen, 8, 0).turn_reward.mean()
    without = evaluate(policy, [bare], unseen, 8, 0).turn_reward.mean()
    assert with_words > without + 0.2


def test_buttons_are_not_given_away_by_words():
    assert not set(BUTTONS) & set(BUTTONS.values())
