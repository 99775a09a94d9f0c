"""Training with verl, everything of ours registered: `python -m tvlab.learning.verl.main_ppo [hydra overrides]`.

    --config-name tvlab_ppo    (default) verl's `ppo_trainer` with the section `tvlab`, TARA, our agent loop and dataset
    --config-name tvlab_cpu    the same without a GPU: transformers rollouts, gloo, one logical device
    --config-name tvlab_cpu_vllm    that with vLLM's CPU build (Linux)

All of verl's own settings can be overridden as with `python -m verl.trainer.main_ppo`; settings of an estimator are
`+algorithm.tvlab.lam=0.5`. Environment variables that our workers need are set here, and handed to Ray's workers.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from tvlab.foundation.errors import UserError
from tvlab.foundation.places import home
from tvlab.learning.verl.registration_names import MODULES, ROLLOUT
from tvlab.learning.verl.settings import DEFAULTS, LoopSettings

HERE = "tvlab.learning.verl"
PASSED_ON = (
    "VERL_USE_EXTERNAL_MODULES", "VERL_PLATFORM", "VERL_ENGINE_DEVICE", "VLLM_TARGET_DEVICE", "VLLM_CPU_KVCACHE_SPACE",
    "VLLM_CPU_OMP_THREADS_BIND", "OMP_NUM_THREADS", "TVLAB_HOME", "TVLAB_ROLLOUTS",
    "VERL_FILE_LOGGER_PATH", "TENSORBOARD_DIR", "WANDB_MODE", "WANDB_DIR", "PYTHONPATH", "HF_HUB_OFFLINE", MODULES,
)  # fmt: skip
"""Variables that Ray's workers get too, on other nodes as well."""

TVLAB: dict[str, Any] = {
    "tvlab": DEFAULTS,
    "algorithm": {"adv_estimator": "tvlab_tara", "tvlab": {}, "use_kl_in_reward": False},
    "actor_rollout_ref": {
        "model": {"external_lib": f"{HERE}.registration"},
        "actor": {"use_kl_loss": False, "loss_agg_mode": "token-mean"},
        "rollout": {
            "n": 8,
            "multi_turn": {"enable": True, "format": "hermes"},
            "agent": {"default_agent_loop": "tvlab"},
            "val_kwargs": {"temperature": 0, "n": 1, "do_sample": False},
        },
    },
    "data": {
        "max_prompt_length": 8192,
        "max_response_length": 24_000,
        "train_batch_size": 128,
        "filter_overlong_prompts": True,
        "custom_cls": {"path": f"pkg://{HERE}.dataset", "name": "GustDataset"},
        "seed": 0,
        "environments": "${tvlab.environments}",
        "sandbox": "${tvlab.sandbox}",
    },
    "trainer": {
        "project_name": "tvlab",
        "experiment_name": "tara",
        "logger": ["console", "file"],
        "v1": {"sampler": {"custom_sampler": {"path": f"pkg://{HERE}.turn_trainer", "name": "EpisodicBuffer"}}},
    },
}
FP32 = {"param_dtype": "fp32", "reduce_dtype": "fp32", "buffer_dtype": "fp32"}  # as the rollouts, and bf16 is slower
CPU: dict[str, Any] = {
    "trainer": {"device": "cpu", "n_gpus_per_node": 1, "nnodes": 1},
    # a Ray of its own: whatever cluster runs here has other resources
    "ray_kwargs": {"ray_init": {"address": "local", "num_gpus": 1, "num_cpus": 16, "include_dashboard": False,
                                "object_store_memory": 1_000_000_000}},
    "data": {"dataloader_num_workers": 0},
    "actor_rollout_ref": {
        "model": {
            "override_config": {"attn_implementation": "sdpa"},
            "use_remove_padding": False,
            "enable_gradient_checkpointing": False,
        },
        "actor": {
            "strategy": "fsdp2",
            "fsdp_config": {"strategy": "fsdp2", "use_torch_compile": False, "mixed_precision": FP32},
            "use_torch_compile": False,
            "ppo_micro_batch_size_per_gpu": 1,
        },
        "ref": {
            "log_prob_micro_batch_size_per_gpu": 1,
            "fsdp_config": {"use_torch_compile": False, "mixed_precision": FP32},
        },
        "rollout": {
            "name": ROLLOUT,
            "tensor_model_parallel_size": 1,
            "log_prob_micro_batch_size_per_gpu": 1,
            "calculate_log_probs": True,
            "free_cache_engine": False,
            "enforce_eager": True,
            "load_format": "auto",
            "enable_sleep_mode": False,
            "dtype": "float32",
            "agent": {"num_workers": 1},
            "checkpoint_engine": {"update_weights_bucket_megabytes": 256},
        },
    },
    "reward": {"num_workers": 1},
    "transfer_queue": {"backend": {"SimpleStorage": {"num_data_storage_units": 1}}},
}  # fmt: skip
CPU_VLLM: dict[str, Any] = {
    "actor_rollout_ref": {
        "rollout": {
            "name": "vllm",
            "max_num_seqs": 16,
            "gpu_memory_utilization": 0.5,
            "engine_kwargs": {"vllm": {"worker_extension_cls": f"{HERE}.vllm_on_cpu.CpuWorker"}},
        },
    },
}
CONFIGS = {
    "tvlab_ppo": ("ppo_trainer", TVLAB),
    "tvlab_cpu": ("tvlab_ppo", CPU),
    "tvlab_cpu_vllm": ("tvlab_cpu", CPU_VLLM),
}


def set_variables(cpu: bool) -> None:
    """Set what verl reads from the environment, before it is imported; what is set already stays."""
    os.environ.setdefault("VERL_USE_EXTERNAL_MODULES", f"{HERE}.plugin")
    os.environ.setdefault("TVLAB_HOME", str(home()))
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if cpu:
        cores = str(os.cpu_count() or 1)
        wanted = {
            "VERL_PLATFORM": "cpu", "VERL_ENGINE_DEVICE": "cuda", "VLLM_TARGET_DEVICE": "cpu",
            "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": cores,
        }  # fmt: skip
        for name, value in wanted.items():
            os.environ.setdefault(name, value)


def store_configs() -> None:
    """Give hydra our configurations, on top of verl's."""
    from hydra.core.config_store import ConfigStore

    for name, (base, node) in CONFIGS.items():
        ConfigStore.instance().store(name=name, node={"defaults": [base, "_self_"], **node})


def run(config: Any) -> None:
    """Train as the configuration says.

    Raises:
        UserError: a setting of ours is wrong, or the trainer mode is not "sync".
    """
    import ray
    from omegaconf import open_dict
    from verl.trainer.main_ppo import TaskRunnerV1, run_ppo
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config
    from verl.utils.device import auto_set_device

    check(config)
    auto_set_device(config)
    with open_dict(config):
        variables = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        init = config.ray_kwargs.ray_init
        runtime = init.get("runtime_env", None) or {}
        init.runtime_env = {**runtime, "env_vars": {**variables, **runtime.get("env_vars", {})}}
    validate_config(
        config=config, use_reference_policy=need_reference_policy(config), use_critic=need_critic(config)
    )
    base = TaskRunnerV1.__ray_metadata__.modified_class

    class TaskRunner(base):  # type: ignore[misc, valid-type]  # a class that mypy cannot see
        def run(self, config: Any) -> None:
            import importlib

            importlib.import_module(f"{HERE}.turn_trainer")  # puts our trainer in the place of "sync"
            super().run(config)

    run_ppo(config, task_runner_class=ray.remote(TaskRunner))


def check(config: Any) -> None:
    """Look at the settings before anything is started."""
    LoopSettings.of(config)
    if config.trainer.v1.trainer_mode != "sync":
        raise UserError(f"trainer.v1.trainer_mode={config.trainer.v1.trainer_mode}: ours is of mode sync")
    groups = config.algorithm.get("filter_groups", None)
    if groups and groups.get("enable", False) and config.trainer.v1.sampler.custom_sampler.get("path"):
        raise UserError("algorithm.filter_groups works with verl's own buffer only: set "
                        "trainer.v1.sampler.custom_sampler.path=null as well")  # fmt: skip
    if config.algorithm.use_kl_in_reward:
        raise UserError("algorithm.use_kl_in_reward=True: a penalty a token is no turn reward; use actor.use_kl_loss")


def main() -> None:
    """The entry point: hydra, then `run`."""
    given = sys.argv[1:]
    cpu = "tvlab_cpu" in " ".join(given) or os.environ.get("VERL_PLATFORM") == "cpu"
    set_variables(cpu)
    try:
        import hydra
    except ImportError as error:
        raise SystemExit(f"verl is not installed ({error}): `make verl`, or the extra `verl` or `gpu`") from error
    store_configs()
    hydra.main(config_path="pkg://verl.trainer.config", config_name="tvlab_ppo", version_base=None)(_run)()


def _run(config: Any) -> None:
    try:
        run(config)
    except UserError as error:
        cause: Any = error
        while getattr(cause, "cause", None) is not None:  # Ray wraps what its workers raise into their tracebacks
            cause = cause.cause
        print(f"error: {cause}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
