"""What verl imports wherever it loads a model (`actor_rollout_ref.model.external_lib`): all of ours is registered here.

The estimators, the agent loop "tvlab" and the rollout engine "tvlab_transformers"; and modules of one's own, which the
variable TVLAB_MODULES names, separated by commas: an estimator registered in one of them has its name in verl too.
"""

from __future__ import annotations

import importlib
import os

from tvlab.learning.verl.estimators import register_estimators
from tvlab.learning.verl.registration_names import MODULES, ROLLOUT

_HERE = "tvlab.learning.verl"


def register_all() -> None:
    """Register everything in this process; calling it again changes nothing."""
    from verl.workers.rollout.base import _ROLLOUT_REGISTRY
    from verl.workers.rollout.replica import RolloutReplicaRegistry

    for module in filter(None, os.environ.get(MODULES, "").split(",")):
        importlib.import_module(module)
    register_estimators()
    importlib.import_module(f"{_HERE}.agent_loop")
    _ROLLOUT_REGISTRY[ROLLOUT, "async"] = f"{_HERE}.transformers_rollout.TransformersWeights"
    RolloutReplicaRegistry.register(ROLLOUT, _replica)
    if os.environ.get("VERL_PLATFORM", "").strip().lower() == "cpu":
        importlib.import_module(f"{_HERE}.cpu_platform").without_pinned_memory()


def _replica() -> type:
    replica: type = importlib.import_module(f"{_HERE}.transformers_rollout").TransformersReplica
    return replica


register_all()
