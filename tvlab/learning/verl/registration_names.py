"""Names under which ours is known to verl, for modules that must not import verl."""

MODULES = "TVLAB_MODULES"
"""Environment variable: modules of one's own to import in each process, separated by commas."""

ROLLOUT = "tvlab_transformers"
"""`actor_rollout_ref.rollout.name` of the rollout engine without vLLM."""
