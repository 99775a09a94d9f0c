"""The one dial for scale: a profile says how much is built, trained and evaluated.

A result of one profile is never shown as another's; every table and figure carries the profile's name.
"""

from dataclasses import dataclass

from tvlab.foundation.errors import UserError


@dataclass(frozen=True)
class Profile:
    """How much one scale runs.

    Attributes:
        name: one of the keys of ``PROFILES``.
        machine: the machine that it is meant for.
        trains: what is trained, in words.
        local: True if everything runs here on the CPU with the lab policy.
        seeds: number of training seeds an arm.
        updates: policy updates a training run.
        items_per_update: GUST items sampled an update.
        rollouts: rollouts of one item in a group (K).
        items_per_environment: GUST items made for each environment.
        evaluation_items: held-out items an environment in each evaluation.
        evaluation_rollouts: rollouts an item in each evaluation.
        sweep_points: values of a swept parameter (lambda or gamma).
        minutes: rough time of all notebooks on two cores; None where it depends on the machine.
    """

    name: str
    machine: str
    trains: str
    local: bool
    seeds: int
    updates: int
    items_per_update: int
    rollouts: int
    items_per_environment: int
    evaluation_items: int
    evaluation_rollouts: int
    sweep_points: int
    minutes: int | None


_PROFILES = (
    Profile(
        "smoke",
        "any, in tests",
        "lab policy, few steps, 1 seed",
        True,
        seeds=1,
        updates=3,
        items_per_update=4,
        rollouts=4,
        items_per_environment=12,
        evaluation_items=3,
        evaluation_rollouts=1,
        sweep_points=2,
        minutes=5,
    ),
    Profile(
        "lab",
        "a laptop: no GPU, no key, no network",
        "lab policy, 3 seeds",
        True,
        seeds=3,
        updates=60,
        items_per_update=8,
        rollouts=8,
        items_per_environment=60,
        evaluation_items=12,
        evaluation_rollouts=2,
        sweep_points=5,
        minutes=25,
    ),
    Profile(
        "full",
        "the same laptop overnight",
        "lab policy, 9 seeds",
        True,
        seeds=9,
        updates=60,
        items_per_update=8,
        rollouts=8,
        items_per_environment=120,
        evaluation_items=12,
        evaluation_rollouts=2,
        sweep_points=9,
        minutes=None,
    ),
    Profile(
        "gpu",
        "one GPU",
        "a 0.5B-8B model through verl and vLLM",
        False,
        seeds=1,
        updates=200,
        items_per_update=32,
        rollouts=8,
        items_per_environment=120,
        evaluation_items=80,
        evaluation_rollouts=4,
        sweep_points=3,
        minutes=None,
    ),
    Profile(
        "cluster",
        "many GPUs, Ray",
        "the paper's setting",
        False,
        seeds=1,
        updates=1000,
        items_per_update=128,
        rollouts=8,
        items_per_environment=200,
        evaluation_items=80,
        evaluation_rollouts=8,
        sweep_points=9,
        minutes=None,
    ),
)

PROFILES: dict[str, Profile] = {profile.name: profile for profile in _PROFILES}


def get_profile(name: str) -> Profile:
    """Return the profile called ``name``.

    Raises:
        UserError: no such profile; the message lists those there are.
    """
    if name not in PROFILES:
        raise UserError(f"profile {name!r} is unknown: choose one of {', '.join(PROFILES)}")
    return PROFILES[name]
