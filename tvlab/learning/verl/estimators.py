"""Our estimators under verl's names.

`register_estimators()` puts every estimator of `advantages.ADVANTAGES`, one's own included, into verl's registry as
"tvlab_<name>"; verl has a "grpo" and an "rloo" of its own, and treats the name "grpo" apart. Choose one with

    algorithm.adv_estimator=tvlab_tara  +algorithm.tvlab.lam=0.5  +algorithm.tvlab.gamma=0.5

Settings come from `algorithm.tvlab` only; what is not there keeps the estimator's default. verl's own
`algorithm.gamma` and `algorithm.lam` are those of GAE, are 1.0 unless set, and are not read. One's own estimator:
a module named in `actor_rollout_ref.model.external_lib` that registers it and then calls `register_estimators()`.

Turns reach an estimator in one of two ways; a batch with neither is an error, never a result per rollout:
a trainer passes a `TurnBatch` (`turn_batch.passing`), which carries everything; or, in verl's own trainer, the agent
loop marks turn ends in the token rewards (`turn_marks`), which carries complete rollouts and no signals.

Written against verl 0.9.1, whose trainer passes the rows in the order of the `TurnBatch` (tests/learning/
test_verl_turn_trainer.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tvlab.foundation.errors import UserError
from tvlab.learning.advantages import ADVANTAGES, advantage
from tvlab.learning.verl.turn_batch import TurnBatch, passed, token_advantages
from tvlab.learning.verl.turn_marks import read_turn_ends

PREFIX = "tvlab_"


def register_estimators(*import_paths: str) -> list[str]:
    """Register with verl, in this process, all estimators there are; calling it again adds what is new.

    Args:
        import_paths: further estimators, "package.module:function"; registered under the function's name.

    Returns:
        verl's names of all of them, sorted.

    Raises:
        UserError: verl is not installed, or an import path leads nowhere or to a name already taken.
    """
    try:
        from verl.trainer.ppo.core_algos import register_adv_est
    except ImportError as error:
        raise UserError(f"verl cannot be imported ({error}): install the extra `verl`, or `gpu`") from error
    names = {PREFIX + name: name for name in ADVANTAGES}
    for path in import_paths:
        advantage(path)
        short = PREFIX + path.rpartition(":")[2]
        if names.setdefault(short, path) != path:
            raise UserError(f"{path!r} cannot be registered as {short!r}: {names[short]!r} has that name")
    for verl_name, name in names.items():
        register_adv_est(verl_name)(verl_estimator(name))
    return sorted(names)


@cache
def verl_estimator(name: str) -> Callable[..., tuple[Any, Any]]:
    """The estimator of that name with verl's signature; one function a name, which looks the estimator up when called.

    It takes token_level_rewards (bs, L), response_mask (bs, L), index (bs,) and config, all by keyword, and returns
    (advantages, returns), the same tensor (bs, L) twice, as verl's own estimators without a critic do.
    """

    def estimate(
        token_level_rewards: Any, response_mask: Any, index: Any = None, config: Any = None, **_: Any
    ) -> tuple[Any, Any]:
        if index is None:
            raise UserError("verl passed no uids (index): without them the rollouts of one item cannot be found")
        if _get(config, "use_kl_in_reward", False):
            raise UserError(f"{PREFIX}{name} with algorithm.use_kl_in_reward: a KL penalty a token is no turn reward; "
                            "set it to False and use actor.use_kl_loss")  # fmt: skip
        batch = passed() or read_turn_ends(token_level_rewards.detach().cpu(), response_mask.detach().cpu(), index)
        settings = dict(_get(config, "tvlab", None) or {})
        advantages = on_tensor(name, batch, token_level_rewards, response_mask, index, settings)
        return advantages, advantages

    estimate.__name__ = estimate.__qualname__ = f"{PREFIX}{name}"
    return estimate


def on_tensor(
    name: str, batch: TurnBatch, like: Any, response_mask: Any, index: Any, settings: Mapping[str, Any]
) -> Any:
    """Token advantages of a batch of turns as a tensor, with the dtype and device of `like`."""
    import torch

    rewards = torch.as_tensor(batch.rewards, dtype=like.dtype, device=like.device)
    return token_advantages(
        name, rewards, batch.turn_ids, response_mask, index, reached=batch.reached, turns=batch.turns,
        rollout=batch.rollout, signals=batch.signals, settings=settings,
    )  # fmt: skip


def _get(config: Any, key: str, default: Any) -> Any:
    return default if config is None else config.get(key, default)
