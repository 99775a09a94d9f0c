"""What a batch of rollouts tells of its turns, as numbers for verl's loggers.

    tvlab/rollouts             in the batch; fewer than asked for where an agent loop failed (verl's log says why)
    tvlab/trace_score          share of rollouts in which every turn was right
    tvlab/turn_reward          mean r_t over the turns of the items, those never reached as 0
    tvlab/turns_reached        mean number of turns that ended
    tvlab/truncated            share of rollouts in which a limit cut the model
    tvlab/calls, malformed, user_fallbacks       mean a rollout
    tvlab/trained_tokens       tokens that the model wrote, in the batch
    tvlab/turn_T/reward, advantage, reached      by user turn, counted from 1; over the rollouts whose item has it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tvlab.learning.verl.turn_batch import TurnBatch

SECTION = "tvlab"


def turn_metrics(
    batch: TurnBatch, notes: Sequence[Mapping[str, Any]], advantages: np.ndarray, padding: Sequence[bool]
) -> dict[str, float]:
    """Numbers of one batch.

    Args:
        batch: its turns.
        notes: (M) what the agent loop noted with each row.
        advantages: (M, L) token advantages.
        padding: (M,) True on rows that verl added.
    """
    assert batch.reached is not None
    assert batch.turns is not None
    rows = np.arange(len(notes)) if batch.rollout is None else np.asarray(batch.rollout)
    real = np.zeros(len(batch.rewards), bool)
    real[rows[~np.asarray(padding, bool)]] = True
    first = {int(rollout): note for rollout, note in zip(rows[::-1], list(notes)[::-1], strict=True)}
    told = [first[int(at)] for at in np.flatnonzero(real)]
    rewards, reached, turns = (np.asarray(x)[real] for x in (batch.rewards, batch.reached, batch.turns))
    exists = np.arange(rewards.shape[1]) < turns[:, None]
    r = np.where(reached, rewards, 0.0)
    out = {
        "rollouts": len(told),
        "trace_score": np.mean(((r > 0) | ~exists).all(1)),
        "turn_reward": r.sum() / max(exists.sum(), 1),
        "turns_reached": np.mean(reached.sum(1)),
        "truncated": np.mean([bool(note.get("truncated")) for note in told]),
        "calls": np.mean([note.get("calls", 0) for note in told]),
        "malformed": np.mean([note.get("malformed", 0) for note in told]),
        "user_fallbacks": np.mean([note.get("fallbacks", 0) for note in told]),
        "trained_tokens": (np.asarray(batch.turn_ids) >= 0).sum(),
    }
    for turn in range(rewards.shape[1]):
        of_turn = np.asarray(batch.turn_ids) == turn
        out[f"turn_{turn + 1}/reward"] = r[exists[:, turn], turn].mean()
        out[f"turn_{turn + 1}/reached"] = reached[exists[:, turn], turn].mean()
        if of_turn.any():
            out[f"turn_{turn + 1}/advantage"] = advantages[of_turn].mean()
            out[f"turn_{turn + 1}/advantage_size"] = np.abs(advantages[of_turn]).mean()
    return {f"{SECTION}/{name}": float(value) for name, value in out.items()}
