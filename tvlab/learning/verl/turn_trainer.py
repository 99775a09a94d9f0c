"""verl's synchronous trainer, which also tells the estimators whose turn each token is.

Before verl computes advantages, the notes of the agent loops are fetched, in the order of the batch, and passed on
(`turn_batch.passing`); everything else is verl's. A batch whose turns cannot be recovered stops the run.

With one sequence a user turn a batch has more rows than rollouts; the number of policy updates a batch is kept: a
mini-batch then has that many more rows. `EpisodicBuffer` lays the rows of a rollout side by side and refuses a
rollout of which a row is missing.

This module subclasses verl's classes, so that it imports verl when it is imported: `main_ppo` does that in the process
of the trainer.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import transfer_queue as tq
from omegaconf import open_dict
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer
from verl.trainer.ppo.v1.trainer_base import TRAINER_REGISTRY
from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.estimators import PREFIX
from tvlab.learning.verl.rollout_record import VARIABLE, record_rollouts
from tvlab.learning.verl.turn_batch import TurnBatch, passing, rollout_batch
from tvlab.learning.verl.turn_metrics import SECTION, turn_metrics


def episodic_order(keys: list[str]) -> list[int]:
    """Positions of verl's keys, "<uid>_<session>_<index>", with the rows of a rollout side by side and in order.

    >>> episodic_order(["b_0_0", "a_1_1", "a_0_0", "a_1_0"])
    [0, 2, 3, 1]
    """
    parts = [key.rsplit("_", 2) for key in keys]
    seen = {uid: at for at, uid in reversed(list(enumerate(part[0] for part in parts)))}
    return sorted(range(len(keys)), key=lambda at: (seen[parts[at][0]], int(parts[at][1]), int(parts[at][2])))


class EpisodicBuffer(ReplayBuffer):
    """A replay buffer that hands out whole rollouts: all user turns of an episode are in one batch.

    verl leaves group filtering (`algorithm.filter_groups`) to its own buffer: with this one it has no effect.
    """

    def _materialize_batch(self, partition_id: str, selected_prompt_uids: list[str], partition_snapshot: Any) -> Any:
        batch = super()._materialize_batch(partition_id, selected_prompt_uids, partition_snapshot)
        batch.reorder(episodic_order(batch.keys))
        return batch


class TurnTrainer(PPOTrainerSync):
    """The trainer of a run."""

    def _compute_advantage(self, batch: Any, metrics: dict[str, Any]) -> Any:
        if not str(self.config.algorithm.adv_estimator).startswith(PREFIX):
            return super()._compute_advantage(batch, metrics)
        notes, length = _notes(batch)
        padding = [bool(tag.get("is_padding", False)) for tag in batch.tags]
        turns = with_signals(rollout_batch(notes, batch.keys, length, padding), notes)
        with passing(turns):
            batch = super()._compute_advantage(batch, metrics)
        made = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=["advantages"])
        advantages = made.to_padded_tensor()["advantages"].numpy()
        metrics.update(turn_metrics(turns, notes, advantages, padding))
        if (path := os.environ.get(VARIABLE)) and self._is_shown():
            self._record(path, batch, [{} if fill else n for n, fill in zip(notes, padding, strict=True)], advantages)
        return batch

    def _is_shown(self) -> bool:
        every = self.config.trainer.test_freq  # rollouts of the paper's length are large: as often as it validates
        return bool(every <= 0 or self.global_steps == 1 or self.global_steps % every == 0)

    def _record(self, path: str, batch: Any, notes: list[dict[str, Any]], advantages: np.ndarray) -> None:
        fields = ["prompts", "responses"]
        said = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=fields)
        prompts, responses = ([row.tolist() for row in said[name].unbind()] for name in fields)
        record_rollouts(
            path, self.tokenizer.decode, self.global_steps, batch.keys, prompts, responses, notes, advantages
        )

    def _compute_metrics(self, batch: Any, metrics: dict[str, Any], timing_raw: dict[str, float], **where: Any) -> None:
        super()._compute_metrics(batch, metrics, timing_raw, **where)
        seconds = sum(value for name, value in timing_raw.items() if name in ("step", "testing"))
        self._hours = getattr(self, "_hours", 0.0) + seconds / 3600 * self._get_n_gpus_for_throughput()
        metrics[f"{SECTION}/seconds"] = seconds
        metrics[f"{SECTION}/gpu_hours"] = self._hours  # of this process; a resumed run counts anew

    def _get_required_batch_multiple(self, dp_size: int) -> int:
        least: int = super()._get_required_batch_multiple(dp_size)
        return math.lcm(least, self._updates() * self.config.actor_rollout_ref.rollout.n * dp_size)

    def _update_actor(self, batch: Any, metrics: dict[str, Any]) -> Any:
        actor, rollouts = self.config.actor_rollout_ref.actor, self.config.actor_rollout_ref.rollout.n
        asked = actor.ppo_mini_batch_size
        with open_dict(self.config):
            actor.ppo_mini_batch_size = len(batch) // (self._updates() * rollouts)
            try:
                return super()._update_actor(batch, metrics)
            finally:
                actor.ppo_mini_batch_size = asked

    def _updates(self) -> int:
        """Policy updates a batch: as many as with one row a rollout."""
        return max(1, self.config.data.train_batch_size // self.config.actor_rollout_ref.actor.ppo_mini_batch_size)


def with_signals(turns: TurnBatch, notes: list[dict[str, Any]]) -> TurnBatch:
    """The batch with the signals that the agent loops noted: (N, T) labels, or (N,) numbers."""
    rows = np.asarray(turns.rollout)
    first = np.unique(rows, return_index=True)[1]
    names = {name for note in notes for name in note.get("signals", {})}
    made: dict[str, Any] = {}
    for name in names:
        values = [notes[at].get("signals", {}).get(name, "") for at in first]
        if all(isinstance(value, int | float) for value in values):
            made[name] = np.array(values, dtype=float)
        else:
            width = turns.rewards.shape[1]
            made[name] = np.array([[*value, *[""] * (width - len(value))] for value in map(list, values)])
    return TurnBatch(turns.rewards, turns.turn_ids, turns.reached, turns.turns, turns.rollout, made)


def _notes(batch: Any) -> tuple[list[dict[str, Any]], int]:
    """What the agent loops noted, in the order of the batch, and the padded length of the responses."""
    found = tq.kv_batch_get(
        keys=batch.keys, partition_id=batch.partition_id, select_fields=["extra_fields", "response_mask"]
    )
    lengths = found["response_mask"].offsets().diff()
    notes = [dict(note) for note in found.pop("extra_fields").tolist()]
    for at, (key, note, tag) in enumerate(zip(batch.keys, notes, batch.tags, strict=True)):
        if not tag.get("is_padding", False) and len(note.get("turn_ids", ())) != int(lengths[at]):
            raise UserError(f"turns cannot be recovered: row {key} has {int(lengths[at])} response tokens and "
                            f"{len(note.get('turn_ids', ()))} turn ids; use the agent loop \"tvlab\"")  # fmt: skip
    return notes, int(lengths.max())


TRAINER_REGISTRY["sync"] = TurnTrainer  # any other name selects the buffer of the asynchronous trainers
