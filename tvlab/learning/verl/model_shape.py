"""How large a language model is, from its config.json alone: parameters, bytes a token of the KV cache, operations.

Dense decoders in the form of Llama, Qwen2 and Qwen3, and mixtures of experts in that of Qwen3-MoE. Not covered: models
with latent attention, linear attention or a vision tower; they are refused, since their numbers would be wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import read_json
from tvlab.foundation.errors import UserError

KINDS = ("llama", "mistral", "qwen2", "qwen3", "qwen3_moe")
_NEEDED = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size")


@dataclass(frozen=True)
class ModelShape:
    """Sizes of a decoder; the names are those of config.json, shortened.

    Attributes:
        kind: its ``model_type``.
        width, layers, heads, kv_heads, head_width, inner, vocabulary: numbers of the architecture.
        tied: whether the output layer is the embedding.
        attention_bias: whether queries, keys and values have a bias.
        head_norms: whether each head's queries and keys are normalised (Qwen3).
        experts, active_experts, expert_inner: of a mixture of experts; 0 in a dense model.
    """

    kind: str
    width: int
    layers: int
    heads: int
    kv_heads: int
    head_width: int
    inner: int
    vocabulary: int
    tied: bool
    attention_bias: bool = False
    head_norms: bool = False
    experts: int = 0
    active_experts: int = 0
    expert_inner: int = 0

    @classmethod
    def of(cls, model: str | Path) -> ModelShape:
        """Read the config.json in a model's folder, or the file itself.

        Raises:
            UserError: no such file, or a kind of model that is not covered.
        """
        path = Path(model)
        path = path if path.suffix == ".json" else path / "config.json"
        if not path.is_file():
            raise UserError(f"{path} does not exist: --model takes the folder of a Hugging Face model on this machine")
        return cls.from_config(read_json(path, "configuration of a model"), str(path))

    @classmethod
    def from_config(cls, config: dict[str, Any], where: str = "config.json") -> ModelShape:
        """The shape that a configuration describes; see ``of``."""
        kind = str(config.get("model_type"))
        missing = [name for name in _NEEDED if not isinstance(config.get(name), int)]
        if kind not in KINDS or missing:
            what = f"lacks {missing[0]}" if kind in KINDS else f"is of kind {kind!r}"
            raise UserError(f"{where} {what}: sizes are known for {', '.join(KINDS)}")
        heads, width = config["num_attention_heads"], config["hidden_size"]
        moe = kind == "qwen3_moe"
        return cls(
            kind,
            width,
            config["num_hidden_layers"],
            heads,
            config.get("num_key_value_heads") or heads,
            config.get("head_dim") or width // heads,
            config["intermediate_size"],
            config["vocab_size"],
            bool(config.get("tie_word_embeddings", False)),
            kind == "qwen2" or bool(config.get("attention_bias")),
            kind.startswith("qwen3"),
            config["num_experts"] if moe else 0,
            config["num_experts_per_tok"] if moe else 0,
            config["moe_intermediate_size"] if moe else 0,
        )

    @property
    def parameters(self) -> int:
        """All parameters.

        >>> ModelShape("llama", 576, 30, 9, 3, 64, 1536, 49152, True).parameters  # SmolLM2-135M
        134515008
        """
        return self._parameters(self.experts)

    @property
    def active_parameters(self) -> int:
        """Parameters that one token meets: all of them in a dense model."""
        return self._parameters(self.active_experts)

    @property
    def layer_parameters(self) -> int:
        """Parameters of the largest unit that is gathered at once when weights are sharded: one layer."""
        return self._layer(self.experts)

    @property
    def cache_bytes_per_token(self) -> int:
        """Bytes of keys and values of one token in bfloat16: 2 x layers x key/value heads x head width x 2."""
        return 2 * self.layers * self.kv_heads * self.head_width * 2

    def adapter_parameters(self, rank: int) -> int:
        """Parameters of LoRA adapters of that rank on all linear layers but the output layer."""
        q, kv = self.heads * self.head_width, self.kv_heads * self.head_width
        pairs = [(self.width, q), (self.width, kv), (self.width, kv), (q, self.width)]
        inner, copies = (self.expert_inner, self.experts) if self.experts else (self.inner, 1)
        mlp = copies * 3 * (self.width + inner)
        return rank * self.layers * (sum(a + b for a, b in pairs) + mlp)

    def attention_operations(self, context: float) -> float:
        """Floating-point operations of attention for one token that sees ``context`` tokens, forward."""
        return 4.0 * self.layers * self.heads * self.head_width * context

    def _parameters(self, experts: int) -> int:
        embeddings = self.vocabulary * self.width * (1 if self.tied else 2)
        return embeddings + self.layers * self._layer(experts) + self.width

    def _layer(self, experts: int) -> int:
        q, kv = self.heads * self.head_width, self.kv_heads * self.head_width
        attention = self.width * (q + 2 * kv) + q * self.width + (q + 2 * kv if self.attention_bias else 0)
        norms = 2 * self.width + (2 * self.head_width if self.head_norms else 0)
        if self.experts:
            mlp = experts * 3 * self.width * self.expert_inner + self.width * self.experts
        else:
            mlp = 3 * self.width * self.inner
        return attention + norms + mlp


QWEN3_4B: dict[str, Any] = {
    "model_type": "qwen3", "hidden_size": 2560, "num_hidden_layers": 36, "num_attention_heads": 32,
    "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 9728, "vocab_size": 151_936,
    "tie_word_embeddings": True,
}  # fmt: skip
"""The sizes in Qwen3-4B's config.json, for a plan before the model is there."""

QWEN3_8B: dict[str, Any] = {
    **QWEN3_4B, "hidden_size": 4096, "intermediate_size": 12_288, "tie_word_embeddings": False,
}  # fmt: skip
"""Those of Qwen3-8B."""
