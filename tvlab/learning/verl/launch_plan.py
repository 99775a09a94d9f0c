"""Memory and token arithmetic of a launch, from the model's config.json and the settings: before anything is paid.

Counted exactly: parameters, bytes of weights, gradients, Adam's moments, the KV cache a token, rollouts and the most
tokens they can have. Estimated, and marked so: activations, logits, tokens really written, seconds a step. An estimate
holds for the stated assumptions; it has not been compared with a run on a GPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.launch_settings import number
from tvlab.learning.verl.model_shape import ModelShape

GIB = 2.0**30
_ROLLOUT, _ACTOR, _MODEL = "actor_rollout_ref.rollout", "actor_rollout_ref.actor", "actor_rollout_ref.model"


@dataclass(frozen=True)
class Gpu:
    """What a GPU's data sheet says: GiB of memory, dense bfloat16 operations a second, bytes a second."""

    memory: float
    operations: float
    bandwidth: float


GPUS = {
    "A100-40GB": Gpu(40, 312e12, 1.555e12),
    "A100-80GB": Gpu(80, 312e12, 2.039e12),
    "H100-80GB": Gpu(80, 989e12, 3.35e12),
    "H200-141GB": Gpu(141, 989e12, 4.8e12),
    "L40S-48GB": Gpu(48, 362e12, 0.864e12),
    "RTX4090-24GB": Gpu(24, 165e12, 1.008e12),
}


@dataclass(frozen=True)
class Assumed:
    """What the estimates assume.

    Attributes:
        response_share: mean response, as a share of the most it may have.
        written_share: share of a response that the model writes; the rest are results of calls and the user's words.
        train_efficiency: share of a GPU's peak that forward and backward passes reach.
        decode_efficiency: share of the bandwidth that decoding reaches.
        idle_share: share of the rollout phase in which a GPU waits for tools, users and the longest rollouts.
    """

    response_share: float = 0.25
    written_share: float = 0.4
    train_efficiency: float = 0.35
    decode_efficiency: float = 0.5
    idle_share: float = 0.4


@dataclass(frozen=True)
class Line:
    """One quantity of a plan: what, how much, in which unit, how it comes about, and whether it is an estimate."""

    section: str
    quantity: str
    value: float
    unit: str
    how: str
    estimate: bool = False


@dataclass
class LaunchPlan:
    """The lines of a plan, and what does not fit."""

    lines: list[Line] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, section: str, quantity: str, value: float, unit: str, how: str, estimate: bool = False) -> float:
        """Add a line and return its value."""
        self.lines.append(Line(section, quantity, value, unit, how, estimate))
        return value

    def value(self, quantity: str) -> float:
        """The value of that quantity."""
        return next(line.value for line in self.lines if line.quantity == quantity)


def plan_launch(
    shape: ModelShape, settings: Mapping[str, Any], gpu: str, items: int = 0, assumed: Assumed | None = None
) -> LaunchPlan:
    """The plan of a run.

    Args:
        shape: of the model.
        settings: of ``Launch.settings``.
        gpu: a key of ``GPUS``.
        items: training items; 0 if not known.
        assumed: see there.

    Raises:
        UserError: no such GPU, or settings that are no numbers.
    """
    if gpu not in GPUS:
        raise UserError(f"--gpu {gpu!r} is unknown: choose one of {', '.join(GPUS)}")
    plan, card, assumed = LaunchPlan(), GPUS[gpu], assumed or Assumed()
    count = int(number(settings, "trainer.nnodes", 1) * number(settings, "trainer.n_gpus_per_node", 1))
    plan.add("machine", "GPUs", count, "", "trainer.nnodes x trainer.n_gpus_per_node")
    _training(plan, shape, settings, count, card)
    _serving(plan, shape, settings, card)
    _tokens(plan, settings, items, assumed)
    _time(plan, shape, settings, count, card, assumed)
    return plan


def _training(plan: LaunchPlan, shape: ModelShape, settings: Mapping[str, Any], count: int, card: Gpu) -> None:
    rank = int(number(settings, f"{_MODEL}.lora_rank"))
    half = "bfloat16" in _text(settings, f"{_ACTOR}.fsdp_config.model_dtype")
    wide = 2 if half else 4
    trained = shape.adapter_parameters(rank) if rank else shape.parameters
    plan.add("training", "parameters", shape.parameters / 1e9, "10^9", "config.json")
    plan.add("training", "trained parameters", trained / 1e9, "10^9", f"LoRA of rank {rank}" if rank else "all")
    weights = plan.add(
        "training",
        "weights",
        shape.parameters * wide / GIB,
        "GiB",
        f"{wide} bytes a parameter ({'bfloat16' if half else 'float32 master copy'})",
    )
    gradients = plan.add("training", "gradients", trained * wide / GIB, "GiB", f"{wide} bytes a trained parameter")
    moments = plan.add(
        "training", "optimizer", trained * 2 * wide / GIB, "GiB", "Adam: two moments a trained parameter"
    )
    layer = plan.add(
        "training",
        "gathered layers",
        2 * shape.layer_parameters * 2 / GIB,
        "GiB",
        "one layer at work and one ahead, in bfloat16",
    )
    sp = max(1, int(number(settings, f"{_ACTOR}.ulysses_sequence_parallel_size", 1)))
    tokens = number(settings, f"{_ACTOR}.ppo_max_token_len_per_gpu", 16_384)
    longest = number(settings, "data.max_prompt_length") + number(settings, "data.max_response_length")
    if longest > tokens * sp:
        plan.warnings.append(
            f"a sequence may have {longest:,.0f} tokens, a micro-batch {tokens * sp:,.0f}: raise "
            f"{_ACTOR}.ppo_max_token_len_per_gpu or ulysses_sequence_parallel_size"
        )
    kept = plan.add(
        "training",
        "activations",
        tokens * shape.width * shape.layers * 2 / GIB,
        "GiB",
        f"{tokens:,.0f} tokens x width x layers x 2 bytes: layer inputs, the rest recomputed",
        True,
    )
    logits = plan.add(
        "training",
        "logits",
        tokens * shape.vocabulary * 2 * 2 / GIB,
        "GiB",
        f"{tokens:,.0f} tokens x vocabulary, in bfloat16, with their gradient",
        True,
    )
    offload = _text(settings, f"{_ACTOR}.fsdp_config.optimizer_offload").lower() == "true"
    peak = (weights + gradients + moments) / count + layer + kept + logits
    note = "sharded over the GPUs; the optimizer is brought back for its step" if offload else "sharded over the GPUs"
    plan.add("training", "peak a GPU while training", peak, "GiB", note, True)
    if peak > 0.95 * card.memory:
        plan.warnings.append(
            f"training needs about {peak:.0f} GiB a GPU and has {card.memory:.0f}: use LoRA "
            "(--lora 32), more GPUs, or a smaller ppo_max_token_len_per_gpu"
        )


def _serving(plan: LaunchPlan, shape: ModelShape, settings: Mapping[str, Any], card: Gpu) -> None:
    tp = max(1, int(number(settings, f"{_ROLLOUT}.tensor_model_parallel_size", 2)))
    share = number(settings, f"{_ROLLOUT}.gpu_memory_utilization", 0.5)
    weights = plan.add(
        "rollouts", "weights of the engine a GPU", shape.parameters * 2 / tp / GIB, "GiB", f"bfloat16 over {tp} GPUs"
    )
    plan.add(
        "rollouts",
        "KV cache a token",
        shape.cache_bytes_per_token / 1024,
        "KiB",
        "2 x layers x key/value heads x head width x 2 bytes",
    )
    longest = number(settings, "data.max_prompt_length") + number(settings, "data.max_response_length")
    whole = plan.add(
        "rollouts",
        "KV cache of the longest rollout",
        shape.cache_bytes_per_token * longest / GIB,
        "GiB",
        f"{longest:,.0f} tokens",
    )
    room = plan.add(
        "rollouts",
        "room for KV cache an engine",
        max(0.0, tp * (share * card.memory - weights - 2)),
        "GiB",
        f"{tp} x ({share:g} of {card.memory:.0f} GiB, less weights and 2 GiB)",
        True,
    )
    plan.add(
        "rollouts", "longest rollouts at once an engine", int(room / whole) if whole else 0, "", "room / cache", True
    )
    if room < whole:
        plan.warnings.append(
            f"not one rollout of {longest:,.0f} tokens fits beside the weights: raise "
            f"{_ROLLOUT}.gpu_memory_utilization or tensor_model_parallel_size"
        )


def _tokens(plan: LaunchPlan, settings: Mapping[str, Any], items: int, assumed: Assumed) -> None:
    batch, group = number(settings, "data.train_batch_size"), number(settings, f"{_ROLLOUT}.n", 1)
    prompt, response = number(settings, "data.max_prompt_length"), number(settings, "data.max_response_length")
    steps = number(settings, "trainer.total_training_steps")
    rollouts = plan.add("tokens", "rollouts a step", batch * group, "", f"{batch:,.0f} items x K = {group:g}")
    most = plan.add(
        "tokens",
        "most tokens a step",
        rollouts * (prompt + response) / 1e6,
        "10^6",
        f"rollouts x ({prompt:,.0f} + {response:,.0f})",
    )
    plan.add(
        "tokens",
        "updates a step",
        batch / number(settings, f"{_ACTOR}.ppo_mini_batch_size", 256),
        "",
        "batch / mini-batch",
    )
    mean = plan.add(
        "tokens",
        "tokens a step",
        rollouts * (0.5 * prompt + assumed.response_share * response) / 1e6,
        "10^6",
        f"prompts half full, responses {assumed.response_share:.0%} full",
        True,
    )
    plan.add(
        "tokens",
        "written tokens a step",
        rollouts * assumed.response_share * assumed.written_share * response / 1e6,
        "10^6",
        f"{assumed.written_share:.0%} of a response is the model's",
        True,
    )
    plan.add(
        "tokens",
        "tokens of the run",
        mean * steps / 1e3,
        "10^9",
        f"{steps:,.0f} steps (most: {most * steps / 1e3:,.1f})",
        True,
    )
    if items:
        plan.add("tokens", "passes over the items", steps * batch / items, "", f"{items:,} training items")


def _time(
    plan: LaunchPlan, shape: ModelShape, settings: Mapping[str, Any], count: int, card: Gpu, assumed: Assumed
) -> None:
    tokens, written = plan.value("tokens a step") * 1e6, plan.value("written tokens a step") * 1e6
    rollouts, engines = (
        plan.value("rollouts a step"),
        count / max(1, number(settings, f"{_ROLLOUT}.tensor_model_parallel_size", 2)),
    )
    context = tokens / rollouts
    forward = 2.0 * shape.active_parameters + shape.attention_operations(context / 2)
    passes = 5  # a forward pass for old log-probabilities; forward, again for recomputing, and backward (two)
    training = tokens * forward * passes / (count * card.operations * assumed.train_efficiency)
    plan.add(
        "time", "training a step", training, "s", f"{passes} passes at {assumed.train_efficiency:.0%} of peak", True
    )
    at_once = min(
        rollouts / engines, max(1.0, plan.value("longest rollouts at once an engine") / assumed.response_share)
    )
    moved = shape.active_parameters * 2 + at_once * shape.cache_bytes_per_token * context / 2
    a_token = moved / (card.bandwidth * count / engines * assumed.decode_efficiency)
    prefill = tokens * forward / (count * card.operations * assumed.train_efficiency)
    rollout = (written / engines / at_once * a_token + prefill) / (1 - assumed.idle_share)
    plan.add(
        "time",
        "rollouts, a step",
        rollout,
        "s",
        f"{at_once:,.0f} at once an engine at {assumed.decode_efficiency:.0%} of "
        f"bandwidth, {assumed.idle_share:.0%} idle",
        True,
    )
    step = plan.add("time", "a step", training + rollout, "s", "without validation and checkpoints", True)
    steps = number(settings, "trainer.total_training_steps")
    plan.add("time", "the run", step * steps / 3600, "h", f"{steps:,.0f} steps", True)
    plan.add("time", "GPU-hours", step * steps / 3600 * count, "h", f"x {count} GPUs", True)


def _text(settings: Mapping[str, Any], key: str) -> str:
    return str(next((value for name, value in settings.items() if name.lstrip("+") == key), ""))
