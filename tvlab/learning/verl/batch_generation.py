"""Writing with a transformers model, many requests at a time: what the rollout engine for tests and laptops runs.

Requests have lengths, limits and temperatures of their own. Log-probabilities are those of the distribution that was
sampled from (logits over temperature), which is what verl's actor computes. No top-p and no top-k.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Request:
    """One prompt, the most tokens to write (>= 1), and the temperature (0 is greedy)."""

    prompt_ids: list[int]
    most: int
    temperature: float = 1.0


@dataclass
class Reply:
    """What was written: ids, with the one that stopped it if one did, and their log-probabilities."""

    ids: list[int]
    log_probs: list[float]


@torch.no_grad()
def write(
    model: Any, requests: Sequence[Request], stop_ids: Collection[int], generator: torch.Generator
) -> list[Reply]:
    """Let the model write all requests.

    Args:
        model: a causal language model of transformers.
        requests: at least one.
        stop_ids: ids that end a reply.
        generator: draws tokens.
    """
    longest = max(len(request.prompt_ids) for request in requests)
    ids = torch.zeros(len(requests), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, request in enumerate(requests):
        ids[row, longest - len(request.prompt_ids) :] = torch.tensor(request.prompt_ids)
        mask[row, longest - len(request.prompt_ids) :] = 1
    temperatures = torch.tensor([request.temperature for request in requests])
    replies = [Reply([], []) for _ in requests]
    going = torch.ones(len(requests), dtype=torch.bool)
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    cache = None
    while bool(going.any()):
        out = model(input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True,
                    logits_to_keep=1)  # fmt: skip
        cache = out.past_key_values
        chosen, log_probs = _choose(out.logits[:, -1].float(), temperatures, generator)
        for row in torch.nonzero(going).flatten().tolist():
            reply, token = replies[row], int(chosen[row])
            reply.ids.append(token)
            reply.log_probs.append(float(log_probs[row]))
            going[row] = token not in stop_ids and len(reply.ids) < requests[row].most
        ids = chosen[:, None]
        positions = positions[:, -1:] + 1
        mask = torch.cat([mask, torch.ones(len(requests), 1, dtype=mask.dtype)], dim=1)
    return replies


def _choose(
    logits: torch.Tensor, temperatures: torch.Tensor, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """(N,) tokens drawn from (N, V) logits, the likeliest where the temperature is 0, and their log-probabilities."""
    greedy = temperatures <= 0
    log_probs = (logits / torch.where(greedy, 1.0, temperatures)[:, None]).log_softmax(-1)
    drawn = torch.multinomial(log_probs.exp(), 1, generator=generator).squeeze(-1)
    chosen = torch.where(greedy, logits.argmax(-1), drawn)
    return chosen, log_probs.gather(-1, chosen[:, None]).squeeze(-1)
