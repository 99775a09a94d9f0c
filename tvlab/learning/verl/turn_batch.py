"""The turns of a batch of rollouts as a trainer passes them to an estimator, and the token advantages they give.

`token_advantages` is a pure function: it needs no verl and is what every way through verl ends in. A trainer whose
`_compute_advantage` has fetched turn ids and rewards either calls it, or hands them to verl's own code:

    with passing(turn_batch(rows, length)):
        super()._compute_advantage(batch, metrics)
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tvlab.foundation.errors import UserError
from tvlab.learning.advantages import Estimator, advantage, required_signals
from tvlab.learning.group_statistics import Array, is_torch
from tvlab.learning.tokens import to_tokens


@dataclass(frozen=True)
class TurnBatch:
    """Turns of N rollouts that lie in M rows of tokens.

    Attributes:
        rewards: (N, T) turn rewards.
        turn_ids: (M, L) turn of each response token, -1 on tokens the policy did not write.
        reached: (N, T) bool; None = every turn the item has.
        turns: (N,) turns of each rollout's item; None = T.
        rollout: (M,) rollout of each row, where a rollout is packed into several rows; None = one row each.
        signals: what else an estimator may need, by name (`advantages.REQUIRES`), with N entries each.
    """

    rewards: Array
    turn_ids: Array
    reached: Array | None = None
    turns: Array | None = None
    rollout: Array | None = None
    signals: Mapping[str, Any] = field(default_factory=dict)


_PASSED: ContextVar[TurnBatch | None] = ContextVar(
    "turns of the batch whose advantages are being computed", default=None
)


@contextmanager
def passing(batch: TurnBatch) -> Iterator[None]:
    """Let the registered estimators that run inside the `with` block read the turns of `batch`."""
    token = _PASSED.set(batch)
    try:
        yield
    finally:
        _PASSED.reset(token)


def passed() -> TurnBatch | None:
    """The batch that `passing` set, if any."""
    return _PASSED.get()


def turn_batch(rows: Sequence[Mapping[str, Any]], length: int) -> TurnBatch:
    """Gather what agent loops noted into a batch, one row a rollout.

    Args:
        rows: one mapping a rollout: "turn_rewards" (rewards of the turns reached), "turn_ids" (turn of each response
            token), "turns" (turns of the item; if absent, as many as rewards).
        length: L, the padded length of the responses.

    Raises:
        UserError: a row lacks its turns, or has more rewards than turns or more tokens than `length`.
    """
    for at, row in enumerate(rows):
        if missing := {"turn_rewards", "turn_ids"} - set(row):
            raise UserError(
                f"turns cannot be recovered: row {at} has no {sorted(missing)[0]!r}; the agent loop must note it"
            )
        if len(row["turn_rewards"]) > row.get("turns", len(row["turn_rewards"])) or len(row["turn_ids"]) > length:
            raise UserError(
                f"row {at} has {len(row['turn_rewards'])} rewards for {row.get('turns')} turns and "
                f"{len(row['turn_ids'])} token ids for {length} tokens: neither may be more"
            )
    seen = np.array([len(row["turn_rewards"]) for row in rows], dtype=np.int64)
    turns = np.array([row.get("turns", n) for row, n in zip(rows, seen, strict=True)], dtype=np.int64)
    rewards = np.zeros((len(rows), int(turns.max(initial=0))))
    ids = np.full((len(rows), length), -1, dtype=np.int64)
    for at, row in enumerate(rows):
        rewards[at, : seen[at]] = row["turn_rewards"]
        ids[at, : len(row["turn_ids"])] = row["turn_ids"]
    return TurnBatch(rewards, ids, np.arange(rewards.shape[1]) < seen[:, None], turns)


def rollout_batch(
    rows: Sequence[Mapping[str, Any]], keys: Sequence[str], length: int, padding: Sequence[bool] | None = None
) -> TurnBatch:
    """Gather what agent loops noted into a batch where a rollout may lie in several rows.

    Args:
        rows: one mapping a row, as for `turn_batch`, with "rows", how many rows the rollout has; the turn rewards stand
            in each of them, and the turn ids are those of the row's own tokens.
        keys: verl's key of each row, "<uid>_<session>_<index>"; rows with equal uid and session are one rollout.
        length: L, the padded length of the responses.
        padding: (M,) True on rows that verl added to fill a batch: each is a rollout without turns.

    Raises:
        UserError: a row lacks its turns, or a rollout lacks rows.
    """
    fills = list(padding) if padding is not None else [False] * len(rows)
    notes = [{"turn_rewards": [], "turn_ids": [], "turns": 0, "rows": 1} if fill else row
             for row, fill in zip(rows, fills, strict=True)]  # fmt: skip
    by_row = turn_batch(notes, length)
    names = [key if fill else key.rpartition("_")[0] for key, fill in zip(keys, fills, strict=True)]
    _, first, rollout, counts = np.unique(names, return_index=True, return_inverse=True, return_counts=True)
    for at, row in enumerate(notes):
        if row.get("rows", 1) != counts[rollout[at]]:
            raise UserError(f"turns cannot be recovered: rollout {names[at]} has {counts[rollout[at]]} of its "
                            f"{row.get('rows', 1)} rows in this batch")  # fmt: skip
    assert by_row.reached is not None
    assert by_row.turns is not None
    return TurnBatch(by_row.rewards[first], by_row.turn_ids, by_row.reached[first], by_row.turns[first], rollout)


def token_advantages(
    name: str,
    turn_rewards: Array,
    turn_ids: Array,
    response_mask: Array,
    index: Any,
    *,
    reached: Array | None = None,
    turns: Any = None,
    rollout: Any = None,
    signals: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Array:
    """Advantages of an estimator on response tokens.

    Args:
        name: built in, registered, or "package.module:function".
        turn_rewards: (N, T), numpy or torch.
        turn_ids: (M, L) turn of each response token, -1 on tokens the policy did not write; M = N unless `rollout`.
        response_mask: (M, L) 1 on tokens that are trained; a token masked out (by rejection sampling) keeps its turn.
        index: (M,) group of each row: rollouts of one item are equal (verl's uid).
        reached, turns: (N, T) and (N,), see `turn_rewards`.
        rollout: (M,) rollout of each row where a rollout lies in several rows, one for each user turn, say.
        signals: what the estimator needs beside rewards.
        settings: its keyword arguments, such as lam and gamma.

    Returns:
        (M, L) in the kind and dtype of `turn_rewards`; exactly 0 where `response_mask` is 0.

    Raises:
        UserError: no such estimator, a signal it needs is missing, a setting it does not take.
        ValueError: shapes that do not fit, a trained token of no turn or of a turn not reached, a NaN reward.
    """
    estimator = advantage(name)
    arguments = {**_settings(name, estimator, settings or {}), **_signals(name, estimator, signals or {})}
    rows = np.arange(len(turn_rewards)) if rollout is None else _host(rollout)
    groups = _groups(_host(index), rows, len(turn_rewards))
    _check_tokens(_host(turn_ids), _host(response_mask), rows, len(turn_rewards), reached)
    per_turn = estimator(turn_rewards, reached, groups, turns=turns, **arguments)
    out = to_tokens(per_turn[_same_kind(rows, per_turn)], _same_kind(turn_ids, per_turn))
    out *= _same_kind(response_mask, per_turn) != 0
    return out


def _settings(name: str, estimator: Estimator, settings: Mapping[str, Any]) -> dict[str, Any]:
    known = inspect.signature(estimator).parameters
    if unknown := [key for key in settings if key not in known]:
        raise UserError(f"estimator {name!r} takes no setting {unknown[0]!r}; it takes: {', '.join(list(known)[3:])}")
    return dict(settings)


def _signals(name: str, estimator: Estimator, signals: Mapping[str, Any]) -> dict[str, Any]:
    needed = required_signals(estimator)
    if missing := [key for key in needed if key not in signals]:
        raise UserError(f"estimator {name!r} needs {missing[0]!r}, which this batch does not carry: put it into "
                        "TurnBatch.signals, or choose an estimator that needs turn rewards only")  # fmt: skip
    return {key: signals[key] for key in needed}


def _groups(index: np.ndarray, rows: np.ndarray, count: int) -> np.ndarray:
    """(N,) group of each rollout, from that of its rows."""
    if index.shape != rows.shape:
        raise ValueError(f"index has shape {index.shape}; expected {rows.shape}, one a row")
    if not np.array_equal(np.unique(rows), np.arange(count)):
        raise ValueError(f"rollout holds {np.unique(rows).tolist()[:9]}; expected 0..{count - 1}, each with a row")
    groups = np.empty(count, dtype=index.dtype)
    groups[rows] = index
    if not (groups[rows] == index).all():
        raise ValueError("two rows of one rollout have different groups")
    return groups


def _check_tokens(ids: np.ndarray, mask: np.ndarray, rows: np.ndarray, count: int, reached: Any) -> None:
    if ids.ndim != 2 or ids.shape != mask.shape or len(ids) != len(rows):
        raise ValueError(f"turn_ids {ids.shape} and response_mask {mask.shape}; expected ({len(rows)}, tokens) both")
    if (orphans := (mask != 0) & (ids < 0)).any():
        row, token = np.argwhere(orphans)[0]
        raise ValueError(f"row {row}, token {token} is the assistant's but belongs to no turn: its turn id is -1")
    if reached is None or not ids.size:
        return
    table = np.pad(_host(reached).astype(bool), ((0, 0), (1, 0)), constant_values=True)
    if ids.max() + 1 < table.shape[1] and (early := ~np.take_along_axis(table[rows], ids + 1, axis=1)).any():
        row, token = np.argwhere(early)[0]
        raise ValueError(f"row {row}, token {token} belongs to turn {ids[row, token]}, which is marked as not reached")


def _host(x: Any) -> np.ndarray:
    return np.asarray(x.detach().cpu() if is_torch(x) else x)


def _same_kind(x: Any, reference: Array) -> Array:
    if not is_torch(reference):
        return _host(x)
    import torch

    return torch.as_tensor(x, device=reference.device)
