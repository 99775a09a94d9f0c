"""What one dial sets in verl: `--profile gpu|cluster`, as hydra overrides on top of `main_ppo`'s configuration.

`cluster` is the paper's setting (32 A100: batch 128, mini-batch 32, learning rate 1e-6, prompt 8192, response 24,000,
no KL, lambda = gamma = 0.5). Not in the paper, and fixed here: K = 8 rollouts an item, how the model is sharded, and
all of `gpu`, which is one 80 GB GPU with a 4B-class model. `cpu` is for tests and notebook 12: a tiny model, two steps.

What a caller passes through replaces what stands here, key by key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.estimators import PREFIX

LAMBDA, GAMMA = "++algorithm.tvlab.lam", "++algorithm.tvlab.gamma"
_ROLLOUT, _ACTOR, _MODEL = "actor_rollout_ref.rollout", "actor_rollout_ref.actor", "actor_rollout_ref.model"

_EVERYWHERE: dict[str, Any] = {
    "trainer.resume_mode": "auto",
    "trainer.logger": ["console", "file"],
    "trainer.val_before_train": True,
    f"{_ROLLOUT}.n": 8,
    f"{_ACTOR}.use_kl_loss": False,
    "algorithm.use_kl_in_reward": False,
}
_VLLM: dict[str, Any] = {
    f"{_ROLLOUT}.name": "vllm",
    f"{_ROLLOUT}.enable_chunked_prefill": True,
    f"{_ACTOR}.strategy": "fsdp2",
    f"{_ACTOR}.fsdp_config.strategy": "fsdp2",
    f"{_ACTOR}.use_dynamic_bsz": True,
    f"{_ACTOR}.entropy_from_logits_with_chunking": True,
    f"{_MODEL}.use_remove_padding": True,
    f"{_MODEL}.enable_gradient_checkpointing": True,
}
LAUNCHES: dict[str, dict[str, Any]] = {
    "gpu": {
        **_EVERYWHERE,
        **_VLLM,
        "trainer.nnodes": 1,
        "trainer.n_gpus_per_node": 1,
        "trainer.total_training_steps": 200,
        "trainer.save_freq": 20,
        "trainer.test_freq": 20,
        "data.train_batch_size": 32,
        "data.max_prompt_length": 8192,
        "data.max_response_length": 8192,
        f"{_ACTOR}.ppo_mini_batch_size": 16,
        f"{_ACTOR}.optim.lr": 1e-6,
        f"{_ACTOR}.ppo_max_token_len_per_gpu": 16_384,
        f"{_ACTOR}.fsdp_config.param_offload": True,
        f"{_ACTOR}.fsdp_config.optimizer_offload": True,
        f"{_ROLLOUT}.tensor_model_parallel_size": 1,
        f"{_ROLLOUT}.gpu_memory_utilization": 0.5,
        f"{_ROLLOUT}.max_model_len": 16_384,
    },
    "cluster": {
        **_EVERYWHERE,
        **_VLLM,
        "trainer.nnodes": 4,
        "trainer.n_gpus_per_node": 8,
        "trainer.total_training_steps": 1000,
        "trainer.save_freq": 50,
        "trainer.test_freq": 50,
        "data.train_batch_size": 128,
        "data.max_prompt_length": 8192,
        "data.max_response_length": 24_000,
        f"{_ACTOR}.ppo_mini_batch_size": 32,
        f"{_ACTOR}.optim.lr": 1e-6,
        f"{_ACTOR}.ppo_max_token_len_per_gpu": 16_384,
        f"{_ACTOR}.ulysses_sequence_parallel_size": 4,
        f"{_ROLLOUT}.tensor_model_parallel_size": 2,
        f"{_ROLLOUT}.gpu_memory_utilization": 0.7,
        f"{_ROLLOUT}.max_model_len": 32_192,
    },
    "cpu": {
        **_EVERYWHERE,
        "trainer.val_before_train": False,
        "trainer.total_training_steps": 2,
        "trainer.save_freq": 2,
        "trainer.test_freq": -1,
        "data.train_batch_size": 2,
        "data.max_prompt_length": 8192,
        "data.max_response_length": 2048,
        "tvlab.sandbox": "off",
        "tvlab.limits.turn_tokens": 24,
        "tvlab.limits.turn_calls": 3,
        f"{_ACTOR}.ppo_mini_batch_size": 1,
        f"{_ACTOR}.ppo_micro_batch_size_per_gpu": 4,
        f"{_ACTOR}.optim.lr": 1e-3,
        f"{_ROLLOUT}.n": 4,
        f"{_ROLLOUT}.log_prob_micro_batch_size_per_gpu": 4,
    },
}
_LORA: dict[str, Any] = {
    f"{_MODEL}.lora_alpha": 32,
    f"{_MODEL}.target_modules": "all-linear",
    f"{_ROLLOUT}.load_format": "safetensors",
    f"{_ROLLOUT}.layered_summon": True,
    f"{_ACTOR}.optim.lr": 1e-5,
    f"{_ACTOR}.fsdp_config.model_dtype": "fp32",  # in bfloat16 a step of 1e-5 rounds to nothing on most of an adapter
    f"{_ACTOR}.fsdp_config.param_offload": False,
    f"{_ACTOR}.fsdp_config.optimizer_offload": False,
}


@dataclass(frozen=True)
class Launch:
    """One training run with verl.

    Attributes:
        profile: a key of ``LAUNCHES``.
        model: folder of a Hugging Face model.
        out: folder of checkpoints, rows and data.
        environments: folders that hold the items' environments.
        estimator: of ours, or verl's own name behind "verl:".
        lam, gamma: of the estimator; None leaves its defaults.
        lora_rank: 0 trains all weights.
        seed: of the order of items.
        overrides: hydra's words, which replace what the profile sets.
    """

    profile: str
    model: Path
    out: Path
    environments: Sequence[Path]
    estimator: str = "tara"
    lam: float | None = None
    gamma: float | None = None
    lora_rank: int = 0
    seed: int = 0
    overrides: Sequence[str] = ()

    def settings(self) -> dict[str, Any]:
        """Settings by hydra's key, the overrides among them (their values as text).

        Raises:
            UserError: an override that is no KEY=VALUE, or a profile that is no launch.
        """
        if self.profile not in LAUNCHES:
            raise UserError(f"profile {self.profile!r} is trained without verl: choose one of {', '.join(LAUNCHES)}")
        if self.lora_rank < 0:
            raise UserError(f"--lora {self.lora_rank}: give a rank of 1 or more, or 0 to train all weights")
        own = self.estimator.removeprefix("verl:")
        made = {
            **LAUNCHES[self.profile],
            **({**_LORA, f"{_MODEL}.lora_rank": self.lora_rank} if self.lora_rank else {}),
            f"{_MODEL}.path": str(self.model),
            "algorithm.adv_estimator": own if own != self.estimator else PREFIX + self.estimator,
            "tvlab.environments": [str(folder) for folder in self.environments],
            "data.train_files": str(self.train_file),
            "data.val_files": str(self.validation_file),
            "data.seed": self.seed,
            "trainer.experiment_name": f"{self.profile}-{own}",
            "trainer.default_local_dir": str(self.out / "checkpoints"),
            "trainer.total_epochs": 10_000,
        }
        given = {LAMBDA: self.lam, GAMMA: self.gamma}
        made.update({key: value for key, value in given.items() if value is not None})
        for word in self.overrides:
            key, value = _key_and_value(word)
            made = {name: kept for name, kept in made.items() if name.lstrip("+") != key.lstrip("+~")}
            made[key] = _Raw(value)
        return made

    def words(self) -> list[str]:
        """The settings as hydra's words."""
        return [f"{key}={hydra_value(value)}" for key, value in self.settings().items()]

    def command(self, python: str | Path) -> list[str]:
        """What is started."""
        config = "tvlab_cpu" if self.profile == "cpu" else "tvlab_ppo"
        return [str(python), "-m", "tvlab.learning.verl.main_ppo", "--config-name", config, *self.words()]

    @property
    def train_file(self) -> Path:
        """The parquet file of the training items."""
        return self.out / "data" / "train.parquet"

    @property
    def validation_file(self) -> Path:
        """The parquet file of the validation items."""
        return self.out / "data" / "validation.parquet"

    @property
    def rows_file(self) -> Path:
        """verl's own log: one JSON line a step."""
        return self.out / "rows.jsonl"


class _Raw(str):
    """A value as it was typed: hydra's own writing."""


def hydra_value(value: Any) -> str:
    """A value in hydra's writing.

    >>> [hydra_value(value) for value in (True, None, 1e-06, ["a", 2], "a b=c")]
    ['True', 'null', '1e-06', '[a,2]', '"a b=c"']
    """
    if isinstance(value, _Raw):
        return str(value)
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{hydra_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(hydra_value, value)) + "]"
    if isinstance(value, str) and not all(letter.isalnum() or letter in "_-./:" for letter in value):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def number(settings: Mapping[str, Any], key: str, default: float = 0.0) -> float:
    """A number among the settings, whether a profile or an override set it.

    Raises:
        UserError: it is none.
    """
    found = next((value for name, value in settings.items() if name.lstrip("+") == key), default)
    try:
        return float(found)
    except (TypeError, ValueError):
        raise UserError(f"{key}={found} is not a number: the plan cannot be made") from None


def _key_and_value(word: str) -> tuple[str, str]:
    key, equals, value = word.partition("=")
    if not equals or not key.strip("+~"):
        raise UserError(f"{word!r} is no override: write KEY=VALUE behind --, as in -- trainer.nnodes=2")
    return key, value
