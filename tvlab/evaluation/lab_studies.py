"""The experiments of notebooks 06 to 11 as lists of runs; what two of them share is trained once.

Fixed before any result was seen: the two conditions. ``unlimited`` sets no limit but the step cap of a turn.
``call_budget`` allows ``CALL_BUDGET`` calls an episode, as a context limit does: a prototype on other environments had
14 calls for about 11 golden ones, items here have 6.3 golden calls on average, and 14 / 11 * 6.3 = 8.

``seeds`` is how many training seeds are run; 0 for what the profile has. In profile lab, which must end in minutes, the
call budget is played by five arms and equal steps by three, and the studies beside the components have two seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tvlab.evaluation.lab_experiment import BASELINES, Job, job_of
from tvlab.evaluation.lab_suites import SuiteName
from tvlab.foundation.errors import UserError
from tvlab.foundation.profiles import get_profile

CALL_BUDGET = 8
CONDITIONS: dict[str, dict[str, Any]] = {"unlimited": {}, "call_budget": {"call_budget": CALL_BUDGET}}
PAPER_ARMS = ("tara", "turn_local_future", "turn_local", "grpo", "grpo_outcome")
PUBLISHED_ARMS = ("return_to_go", "dr_grpo", "rloo", "mt_grpo", "matchtir", "gigpo", "salt", "espo")
ALL_ARMS = ("tara", "turn_local_future", "turn_local", "return_to_go", "grpo", "grpo_outcome", *PUBLISHED_ARMS[1:])
EQUAL_STEPS = ("tara", "turn_local_future", "turn_local", "return_to_go", "grpo")
LAB_EQUAL = ("tara", "turn_local", "grpo")
POINTS = {2: (0.0, 0.5), 5: (0.0, 0.25, 0.5, 0.75, 1.0), 9: (0.0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0)}
SIZES = ("small", "medium", "large")
#: the test fold takes up to 7 of 20 domains
TRAINING_DOMAINS = 13
SCALES = {"smoke": (1, 2), "lab": (2, 6, 13), "full": (8, 13, 100, 200, 300, 422)}
#: of 20 domains; those of 13 are trained on
VARIATIONS = {"smoke": 0, "lab": 0, "full": 660}
HORIZONS = {"smoke": (2, 4), "lab": (2, 4, 8), "full": (2, 4, 6, 8, 12)}
FLIPS = {"smoke": (0.2,), "lab": (0.2,), "full": (0.05, 0.1, 0.2)}
TOTAL_ITEMS = {"smoke": 8, "lab": 112, "full": 422}
ITEMS_EACH = {"smoke": 4, "lab": 28, "full": 4}
SIDE_SEEDS = {"smoke": 1, "lab": 2, "full": 9}
"""Training seeds of all studies but the components, which have the profile's."""


def listed(text: str) -> list[str]:
    """Return the names in a comma-separated parameter.

    >>> listed("tara, grpo")
    ['tara', 'grpo']
    """
    return [word.strip() for word in text.split(",") if word.strip()]


def component_jobs(profile: str, arms: Sequence[str], condition: str, seeds: int = 0, equal_steps: bool = False,
                   **settings: Any) -> list[Job]:  # fmt: skip
    """Every arm that the profile has under a condition, with every seed; the baselines are played too."""
    arms = arms_under(profile, condition, arms, equal_steps)
    labels = {"condition": condition, "steps": "equal" if equal_steps else "own"}
    names = list(arms) if equal_steps else [*arms, *BASELINES]
    extra = {"equal_rms": True, "lr": 0.4} if equal_steps else {}
    return [job_of(profile, arm, seed, labels=labels, **{**_condition(condition), **extra, **settings})
            for arm in names for seed in range(seeds or get_profile(profile).seeds)]  # fmt: skip


def arms_under(profile: str, condition: str, arms: Sequence[str], equal_steps: bool = False) -> list[str]:
    """Return those of the arms that a profile runs under a condition."""
    kept: Sequence[str] = EQUAL_STEPS if equal_steps else arms
    if profile == "lab" and (equal_steps or condition != "unlimited"):
        kept = LAB_EQUAL if equal_steps else EQUAL_STEPS
    return [arm for arm in arms if arm in kept]


def sweep_conditions(profile: str) -> list[str]:
    """The conditions that the sweeps run under: both in full, one else."""
    return list(CONDITIONS)[: 2 if profile == "full" else 1]


def sweep_jobs(profile: str, condition: str, seeds: int = 0, arm: str = "tara") -> list[Job]:
    """Two one-dimensional sweeps through (0.5, 0.5): lambda and gamma; with a call budget at most five points each."""
    points = POINTS[min(get_profile(profile).sweep_points, 9 if condition == "unlimited" else 5)]
    sweeps = [("lambda", "lam", value) for value in points] + [("gamma", "gamma", value) for value in points]
    return [job_of(profile, arm, seed, labels={"condition": condition, "parameter": name, "value": value},
                   **{**_condition(condition), setting: value})
            for name, setting, value in sweeps for seed in _seeds(profile, seeds)]  # fmt: skip


def scale_jobs(profile: str, arms: Sequence[str], seeds: int = 0, corpus: str = "") -> list[Job]:
    """Training environments from few to many: with the total of items fixed, and with so many items each.

    Args:
        profile: the scale.
        arms: what to train.
        seeds: training seeds; 0 for what the profile has.
        corpus: a dump of servers whose environments are used beside the domains; "" for variations of the domains.
    """
    jobs = []
    for arm in arms:
        for count in SCALES[profile]:
            few = count <= TRAINING_DOMAINS
            suite = SuiteName() if few else SuiteName(corpus=corpus, variations=0 if corpus else VARIATIONS[profile])
            source = "domains" if few else f"domains and {'a corpus' if corpus else 'variations'}"
            each, total = ITEMS_EACH[profile], TOTAL_ITEMS[profile]
            for plan, items in (("fixed", total), ("growing", each * count)):
                labels = {"environments": count, "items": plan, "items_total": items, "source": source}
                amount = {"total": total} if plan == "fixed" else {"items": each}
                jobs += [job_of(profile, arm, seed, suite, count, labels=labels, **amount)
                         for seed in _seeds(profile, seeds)]  # fmt: skip
    return jobs


def size_jobs(profile: str, arms: Sequence[str], seeds: int = 0) -> list[Job]:
    """Every arm, and the policy before training, in three sizes."""
    return [job_of(profile, arm, seed, labels={"size": size}, size=size)
            for size in SIZES for arm in (*arms, "untrained") for seed in _seeds(profile, seeds)]  # fmt: skip


def horizon_jobs(profile: str, arms: Sequence[str], seeds: int = 0) -> list[Job]:
    """Items of one length each, trained and tested."""
    return [job_of(profile, arm, seed, SuiteName(turns=turns), labels={"turns": turns})
            for turns in HORIZONS[profile] for arm in (*arms, "untrained")
            for seed in _seeds(profile, seeds)]  # fmt: skip


def reward_jobs(profile: str, arms: Sequence[str], seeds: int = 0) -> list[Job]:
    """Rewards that are read wrongly with some probability, and a reward that comes at the last turn only."""
    kinds: list[tuple[str, dict[str, Any]]] = [("exact", {})]
    kinds += [(f"{flip:.0%} flipped", {"flip": flip}) for flip in FLIPS[profile]]
    kinds.append(("last turn only", {"turn_reward": "delayed"}))
    return [job_of(profile, arm, seed, labels={"reward": kind}, **settings)
            for kind, settings in kinds for arm in arms for seed in _seeds(profile, seeds)]  # fmt: skip


def _condition(name: str) -> dict[str, Any]:
    if name not in CONDITIONS:
        raise UserError(f"condition {name!r} is unknown: choose from {', '.join(CONDITIONS)}")
    return CONDITIONS[name]


def _seeds(profile: str, count: int) -> range:
    return range(count or SIDE_SEEDS[profile])
