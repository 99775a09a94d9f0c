"""The trainer's step from rollouts to advantages, verl's own code around ours; only its transfer queue is a dictionary.

Rows come in any order, one or several a rollout, with rows that verl adds to fill a batch. Run in .venv-verl.
"""

import importlib

import numpy as np
import pytest
import torch
from test_verl_agent_loop import load
from test_verl_estimators import PREFIX, Batch
from verl_models import need_verl

from tvlab.foundation.errors import UserError


class Queue:
    """What agent loops wrote, row by row, and what the trainer writes back."""

    def __init__(self, rows):
        self.rows = rows
        self.written = {}
        self.batch = None
        self.gather = importlib.import_module("verl.utils.tensordict_utils").list_of_dict_to_tensordict

    def get(self, keys, partition_id=None, select_fields=()):
        rows = [{**self.rows[key], **self.written.get(key, {})} for key in keys]
        return self.gather([{name: row[name] for name in select_fields if name in row} for row in rows])

    def put(self, keys, partition_id=None, fields=None):
        for name in fields.keys():  # noqa: SIM118  # a TensorDict, whose rows are what iteration gives
            for key, value in zip(keys, fields[name].unbind(), strict=True):
                self.written.setdefault(key, {})[name] = value
        return self.batch


def rows_of(batch, split=False):
    """The rows of a batch by verl's key, as agent loops write them: one a rollout, or one a user turn."""
    made = {}
    for at, row in enumerate(batch.rows):
        ids = np.array(row["turn_ids"])
        notes = {"turn_rewards": row["turn_rewards"].tolist(), "turns": row["turns"], "item": "i", "truncated": []}
        parts = [np.where(ids == turn, turn, -1) for turn in range(len(row["turn_rewards"]))] if split else [ids]
        for part, own in enumerate(parts):
            made[f"{batch.index[at]}_{at % 4}_{part}"] = {
                "uid": batch.index[at],
                "response_mask": torch.tensor(own >= 0).long(),
                "rm_scores": torch.zeros(len(own)),
                "extra_fields": {**notes, "rows": len(parts), "turn_ids": own.tolist()},
            }
    return made


@pytest.fixture
def advantages(monkeypatch):
    """Let the trainer compute advantages: rows by key -> advantages by key, in an order drawn by seed."""
    need_verl()
    trainer = load("tvlab.learning.verl.turn_trainer")
    load("tvlab.learning.verl.registration")
    from omegaconf import OmegaConf

    def made(rows, name="tara", padding=()):
        queue = Queue(rows)
        monkeypatch.setattr(trainer.tq, "kv_batch_get", queue.get)
        monkeypatch.setattr(trainer.tq, "kv_batch_put", queue.put)
        keys = [str(key) for key in np.random.default_rng(0).permutation(sorted(rows))]
        tags = [{"is_padding": key in padding} for key in keys]
        algorithm = {"adv_estimator": PREFIX + name, "use_kl_in_reward": False, "gamma": 1.0, "lam": 1.0, "tvlab": {}}
        one = object.__new__(trainer.TurnTrainer)
        one.config = OmegaConf.create({"algorithm": algorithm, "actor_rollout_ref": {"rollout": {"n": 4}}})
        metrics, made.written = {}, queue.written
        queue.batch = trainer.tq.KVBatchMeta(keys=keys, tags=tags, partition_id="train")
        one._compute_advantage(queue.batch, metrics)
        return {key: row["advantages"].numpy() for key, row in queue.written.items()}, metrics

    return made


@pytest.mark.parametrize("stop", ["continue", "stop"])
@pytest.mark.parametrize("split", [False, True], ids=["sequence", "turns"])
def test_the_trainer_writes_the_labs_advantages_whatever_the_order_of_the_rows(advantages, split, stop):
    batch = Batch(13, stop)
    rows = rows_of(batch, split)
    found, metrics = advantages(rows)
    assert found.keys() == rows.keys()
    expected = batch.lab("tara")
    for at, row in enumerate(batch.rows):
        length = len(row["turn_ids"])
        own = sum(value for key, value in found.items() if key.startswith(f"{batch.index[at]}_{at % 4}_"))
        np.testing.assert_allclose(own, expected[at, :length], atol=1e-5)
    assert metrics["tvlab/rollouts"] == len(batch.rows)
    assert metrics["tvlab/turn_reward"] == pytest.approx(batch.rewards[batch.reached].sum() / batch.turns.sum())


def test_rows_that_fill_a_batch_change_nothing_and_get_zero(advantages):
    rows = rows_of(Batch(14))
    alone, _ = advantages(rows)
    fill = {"uid": "pad", "response_mask": torch.zeros(3).long(), "rm_scores": torch.zeros(3), "extra_fields": {}}
    found, metrics = advantages({**rows, "pad_0_0": fill}, padding=["pad_0_0"])
    assert not found.pop("pad_0_0").any()
    for key, value in alone.items():
        np.testing.assert_array_equal(found[key], value)
    assert metrics["tvlab/rollouts"] == len(rows)


def forget_turns(rows, key):
    """verl's own agent loops note no turns."""
    rows[key]["extra_fields"] = {"turn_scores": [], "tool_rewards": []}


def forget_rewards(rows, key):
    del rows[key]["extra_fields"]["turn_rewards"]


def shorten(rows, key):
    del rows[key]["extra_fields"]["turn_ids"][-1]


def lose_a_row(rows, key):
    del rows[key]


@pytest.mark.parametrize(
    ("spoil", "split"),
    [(forget_turns, False), (forget_turns, True), (forget_rewards, False), (shorten, False), (lose_a_row, True)],
)
def test_a_batch_whose_turns_cannot_be_recovered_stops_the_trainer_before_any_advantage(advantages, spoil, split):
    rows = rows_of(Batch(15), split)
    spoil(rows, sorted(rows)[5])
    with pytest.raises(UserError, match="turns cannot be recovered: ") as raised:
        advantages(rows)
    assert "\n" not in str(raised.value)
    assert advantages.written == {}
