"""Training the lab policy by policy gradient on real episodes.

One update draws items, plays K rollouts of each through ``Episode.call``, turns the turn rewards into advantages with
the estimator that verl would call (``advantages.py``), gives every decision of turn t its rollout's A_t, and takes one
Adam step. No clipping, no KL term, no second pass over a batch: the policy that played is the policy that learns.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import torch

from tvlab.environments.environment import Environment
from tvlab.foundation.errors import UserError
from tvlab.foundation.seeds import generator
from tvlab.learning.advantages import Estimator, advantage, required_signals
from tvlab.learning.lab_adam import Adam
from tvlab.learning.lab_decisions import score_gradient
from tvlab.learning.lab_evaluation import evaluate, trace_score
from tvlab.learning.lab_policy import PAIRS, LabPolicy
from tvlab.learning.lab_rollouts import Playable, Rollouts, roll_out, without_cycle_search
from tvlab.learning.lab_signals import SIGNALS, Watched, needs_watching, signals
from tvlab.learning.lab_transitions import Transitions
from tvlab.learning.lab_view import views
from tvlab.learning.reward_functions import rewards_of
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import Item


@dataclass(frozen=True)
class LabConfig:
    """Everything that decides a training run, given environments and items.

    Attributes:
        arm: name of an advantage estimator.
        lam, gamma: settings of the estimators that have a future part with a weight (TARA and its ablations);
            the others keep their own defaults, so that ``return_to_go`` is the plain sum of what is still to come.
        unreached: how a turn never reached counts, zero|omit.
        equal_rms: rescale each update's advantages to root mean square 1, so that arms take steps of one size.
        updates, items_per_update, rollouts: updates, items an update, rollouts an item (K).
        lr: Adam's step for the dense and dynamic weights.
        pair_rate: the hashed word pairs' step as a share of ``lr``. They are many and know the words of the training
            environments, so that a full step fits these and carries less to others.
        entropy: weight of the entropy bonus.
        size: small|medium|large policy.
        seed: of item draws and rollouts.
        step_cap, call_budget, reward, on_failed_turn: see ``Episode``.
        flip: probability that a turn reward is read wrongly (r becomes 1 - r) in training; evaluations are not touched.
        turn_reward: name of what a turn earns, see ``reward_functions``; "episode" is what the episode itself pays.
        validate_every: updates between validations on held-out items; 0 for none.
        validation_items, validation_rollouts: held-out items an environment, rollouts of each.
        max_seconds: stop after this time; such a run is not reproducible and says so.
    """

    arm: str = "tara"
    lam: float = 0.5
    gamma: float = 0.5
    unreached: str = "zero"
    equal_rms: bool = False
    updates: int = 150
    items_per_update: int = 16
    rollouts: int = 8
    lr: float = 0.2
    pair_rate: float = 0.3
    entropy: float = 0.003
    size: str = "medium"
    seed: int = 0
    step_cap: int = 6
    call_budget: int | None = None
    reward: str = "coverage"
    turn_reward: str = "episode"
    flip: float = 0.0
    on_failed_turn: str = "continue"
    validate_every: int = 0
    validation_items: int = 4
    validation_rollouts: int = 2
    max_seconds: float | None = None

    def episode(self, environment: Environment, item: Item) -> Episode:
        """Return a new episode under this configuration."""
        return Episode(environment, item, self.step_cap, self.call_budget, self.reward, self.on_failed_turn)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class TrainedPolicy:
    """A policy after training.

    Attributes:
        policy: its weights.
        config: how it was trained.
        rows: one row an update, see ``train``.
        complete: False if ``max_seconds`` ended the run.
    """

    policy: LabPolicy
    config: LabConfig
    rows: list[dict[str, Any]] = field(default_factory=list)
    complete: bool = True


def train(
    config: LabConfig,
    environments: Sequence[Environment],
    items: Mapping[str, Sequence[Item]],
    validation: tuple[Sequence[Environment], Mapping[str, Sequence[Item]]] | None = None,
) -> TrainedPolicy:
    """Train a policy.

    Args:
        config: how.
        environments: to train on.
        items: of each environment, by its name.
        validation: environments and items to validate on every ``validate_every`` updates; they train nothing.

    Returns:
        The policy and one row an update: turn_reward (mean r_t), trace_score (share of golden calls covered),
        outcome (share of rollouts), entropy (a decision), gradient_norm, advantage_variance (over reached turns),
        calls_per_golden_call, decisions (a rollout's choices: what tokens are to a language model), seconds, and
        validation_* where validated. ``seconds`` is the only column that is not the same in a second run with the
        same configuration.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with without_cycle_search():
            return _Run(config, environments, items, validation).run()
    finally:
        torch.set_num_threads(threads)


class _Run:
    def __init__(self, config: LabConfig, environments: Sequence[Environment], items: Mapping[str, Sequence[Item]],
                 validation: Any) -> None:  # fmt: skip
        self.config, self.validation = config, validation
        self.environments = {environment.name: environment for environment in environments}
        self.views = views(environments)
        self.transitions = {environment.name: Transitions(environment) for environment in environments}
        self.pool = [(name, item) for name in self.environments for item in items.get(name, ())]
        if len(self.pool) < config.items_per_update:
            raise UserError(f"{len(self.pool)} items to train on, {config.items_per_update} needed an update: "
                            "make more items or lower items_per_update")  # fmt: skip
        self.policy = LabPolicy(config.size)
        for weight in self.policy.weights.values():
            weight.requires_grad_(True)
        rates = {name: config.lr * (config.pair_rate if name in PAIRS else 1.0) for name in self.policy.weights}
        self.optimizer = Adam(self.policy.weights, rates)
        self.estimate, self.signals = bound_estimator(config)

    def run(self) -> TrainedPolicy:
        rows: list[dict[str, Any]] = []
        start = time.perf_counter()
        for update in range(self.config.updates):
            if self.config.max_seconds is not None and time.perf_counter() - start > self.config.max_seconds:
                return TrainedPolicy(self.policy.copy(), self.config, rows, complete=False)
            rows.append({"update": update, **self._update(update)})
            rows[-1] |= self._validate(update)
            rows[-1]["seconds"] = time.perf_counter() - start
        return TrainedPolicy(self.policy.copy(), self.config, rows)

    def _update(self, update: int) -> dict[str, float]:
        config = self.config
        rng = generator(config.seed, "lab training", update)
        drawn = rng.choice(len(self.pool), config.items_per_update, replace=False).tolist()
        names = [self.pool[at][0] for at in drawn for _ in range(config.rollouts)]
        episodes = [config.episode(self.environments[self.pool[at][0]], self.pool[at][1])
                    for at in drawn for _ in range(config.rollouts)]  # fmt: skip
        for name, episode in zip(names, episodes, strict=True):
            episode.session = self.transitions[name].session()
        played: Sequence[Playable] = (
            [Watched(episode) for episode in episodes] if needs_watching(self.signals) else episodes
        )
        rollouts = roll_out(self.policy, played, [self.views[name] for name in names], rng, config.step_cap)
        rewards, reached, turns = reward_table(episodes, config.turn_reward)
        if config.flip:
            wrong = generator(config.seed, "reward noise", update).random(rewards.shape) < config.flip
            rewards = np.where(wrong & reached, 1.0 - rewards, rewards)
        groups = np.repeat(np.arange(config.items_per_update), config.rollouts)
        extra = signals(self.signals, played, rewards.shape[1])
        advantages = self.estimate(rewards, reached, groups, turns=turns, **extra)
        if config.equal_rms:
            advantages = advantages / max(float(np.sqrt(np.mean(advantages[reached] ** 2))), 1e-6)
        row = self._step(rollouts, advantages)
        for view in self.views.values():
            view.trim()
        made = sum(part.count for parts in (rollouts.tools, rollouts.arguments) for part in parts)
        return {**_episode_figures(episodes), **row, "decisions": made / len(episodes),
                "advantage_variance": float(advantages[reached].var()) if reached.any() else 0.0}  # fmt: skip

    def _step(self, rollouts: Rollouts, advantages: np.ndarray) -> dict[str, float]:
        for weight in self.policy.weights.values():
            weight.grad = None
        entropy = loss_gradient(self.policy, rollouts, advantages, self.config.entropy)
        gradients = [weight.grad for weight in self.policy.weights.values() if weight.grad is not None]
        norm = sum(float((gradient**2).sum()) for gradient in gradients) ** 0.5
        self.optimizer.step()
        return {"entropy": entropy, "gradient_norm": norm}

    def _validate(self, update: int) -> dict[str, float]:
        every = self.config.validate_every
        if not every or self.validation is None or (update + 1) % every:
            return {}
        environments, items = self.validation
        few = {name: list(chosen)[: self.config.validation_items] for name, chosen in items.items()}
        table = evaluate(self.policy, environments, few, self.config.validation_rollouts,
                         self.config.seed, self.config)  # fmt: skip
        return {f"validation_{name}": float(table[name].mean()) for name in ("turn_reward", "trace_score", "outcome")}


def loss_gradient(policy: LabPolicy, rollouts: Rollouts, advantages: np.ndarray, entropy: float) -> float:
    """Put the gradient of the policy-gradient loss (``lab_decisions.py``) into the weights' ``.grad``.

    Args:
        policy: the policy that made the rollouts, its weights unchanged since.
        rollouts: what it decided.
        advantages: (N, T) of each rollout and turn.
        entropy: weight of the entropy bonus.

    Returns:
        Mean entropy of the decisions.
    """
    kinds = [("tool", rollouts.table.tool.size, rollouts.tools),
             ("argument", rollouts.table.argument.size, rollouts.arguments)]  # fmt: skip
    total = sum(part.count for _, _, parts in kinds for part in parts)
    summed, gradients = 0.0, []
    for name, size, parts in kinds:
        moves = policy.weights[f"{name}_dynamic"]
        gradient, slopes = np.zeros(size), np.zeros(len(moves))
        for part in parts:
            slope, entropies = score_gradient(part, advantages[part.rollout, part.turn], entropy, total)
            gradient += np.bincount(part.rows, slope, size)
            slopes += slope.astype(np.float32) @ part.dynamic
            summed += entropies
        moves.grad = torch.from_numpy(slopes.astype(np.float32))
        gradients.append(gradient)
    rollouts.table.backward(*gradients)
    return summed / max(total, 1)


def reward_table(
    episodes: Sequence[Episode], turn_reward: str = "episode"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (N, T) turn rewards, (N, T) which turns were reached, and (N,) turns of each item."""
    turns = np.array([len(episode.item.turns) for episode in episodes], np.int64)
    reached = np.zeros((len(episodes), int(turns.max(initial=1))), bool)
    for row, episode in enumerate(episodes):
        reached[row, : turns[row]] = episode.reached
    return rewards_of(turn_reward, episodes), reached, turns


def _episode_figures(episodes: Sequence[Episode]) -> dict[str, float]:
    calls = sum(len(made) for episode in episodes for made in episode.calls)
    golden = sum(len(turn.calls) for episode in episodes for turn in episode.item.turns)
    return {
        "turn_reward": float(np.mean([np.mean(episode.rewards) for episode in episodes])),
        "trace_score": float(np.mean([trace_score(episode) for episode in episodes])),
        "outcome": float(np.mean([episode.outcome_met() for episode in episodes])),
        "calls_per_golden_call": calls / max(golden, 1),
    }


def bound_estimator(config: LabConfig) -> tuple[Estimator, tuple[str, ...]]:
    """Return the arm's estimator with those settings of the configuration that it takes, and the signals it needs.

    Raises:
        UserError: there is no such estimator, or it needs something that lab episodes do not give.
    """
    estimator = advantage(config.arm)
    known = inspect.signature(estimator).parameters
    needed = required_signals(estimator)
    if unknown := set(needed) - set(SIGNALS):
        raise UserError(f"arm {config.arm!r} needs {sorted(unknown)[0]!r}, which lab episodes do not give: "
                        f"they give {', '.join(SIGNALS)}")  # fmt: skip
    settings = {"lam": config.lam, "gamma": config.gamma, "unreached": config.unreached}
    if "lam" not in known:
        del settings["gamma"]
    chosen = {name: value for name, value in settings.items() if name in known}

    def estimate(*args: Any, **kwargs: Any) -> np.ndarray:
        return np.asarray(estimator(*args, **kwargs, **chosen))

    return estimate, needed
