"""Writing with a transformers model, many requests at a time: what the rollout engine for tests and laptops runs.

Requests have lengths, limits and temperatures of their own. Prompts are read one by one, each from where a
`PrefixStore` knows it; then all replies are written side by side. Log-probabilities are those of the
distribution that was sampled from (logits over temperature), which is what verl's actor computes. No top-p, no top-k.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tvlab.learning.verl.prefix_store import Layers, PrefixStore


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
    model: Any,
    requests: Sequence[Request],
    stop_ids: Collection[int],
    generator: torch.Generator,
    store: PrefixStore | None = None,
) -> list[Reply]:
    """Let the model write all requests.

    Args:
        model: a causal language model of transformers whose layers all attend to everything before.
        requests: at least one.
        stop_ids: ids that end a reply.
        generator: draws tokens.
        store: what this model has read before; what it reads now is put there.
    """
    store = store if store is not None else PrefixStore()
    read = [_read(model, request.prompt_ids, store) for request in requests]
    lengths = torch.tensor([len(request.prompt_ids) for request in requests])
    cache, longest = _side_by_side([layers for layers, _ in read]), int(lengths.max())
    mask = (torch.arange(longest) >= longest - lengths[:, None]).long()
    temperatures = torch.tensor([request.temperature for request in requests])
    replies = [Reply([], []) for _ in requests]
    going = torch.ones(len(requests), dtype=torch.bool)
    logits, positions = torch.cat([last for _, last in read]), lengths[:, None]
    while True:
        chosen, log_probs = _choose(logits, temperatures, generator)
        for row in torch.nonzero(going).flatten().tolist():
            reply, token = replies[row], int(chosen[row])
            reply.ids.append(token)
            reply.log_probs.append(float(log_probs[row]))
            going[row] = token not in stop_ids and len(reply.ids) < requests[row].most
        if not bool(going.any()):
            break
        mask = torch.cat([mask, torch.ones(len(requests), 1, dtype=mask.dtype)], dim=1)
        out = model(input_ids=chosen[:, None], attention_mask=mask, position_ids=positions, past_key_values=cache,
                    use_cache=True)  # fmt: skip
        cache, logits, positions = out.past_key_values, out.logits[:, -1].float(), positions + 1
    for row, (request, reply) in enumerate(zip(requests, replies, strict=True)):
        begin, ids = longest - len(request.prompt_ids), request.prompt_ids + reply.ids[:-1]
        whole = slice(begin, begin + len(ids))
        store.put(ids, [(layer.keys[row : row + 1, :, whole].clone(), layer.values[row : row + 1, :, whole].clone())
                        for layer in cache.layers])  # fmt: skip
    return replies


def _read(model: Any, ids: list[int], store: PrefixStore) -> tuple[Layers, torch.Tensor]:
    """Keys and values of a prompt, and the (1, V) logits behind it."""
    from transformers import DynamicCache

    known, layers = store.longest(ids)
    positions = torch.arange(known, len(ids))[None]
    out = model(input_ids=torch.tensor([ids[known:]]), position_ids=positions,
                past_key_values=DynamicCache(layers) if layers else DynamicCache(), use_cache=True,
                logits_to_keep=1)  # fmt: skip
    made = [(layer.keys, layer.values) for layer in out.past_key_values.layers]
    store.put(ids, made)
    return made, out.logits[:, -1].float()


def _side_by_side(rows: Sequence[Layers]) -> Any:
    """One cache of all rows, filled up with zeros on the left."""
    from torch.nn.functional import pad
    from transformers import DynamicCache

    longest = max(layers[0][0].shape[2] for layers in rows)
    fill = [longest - layers[0][0].shape[2] for layers in rows]
    return DynamicCache([
        tuple(torch.cat([pad(layers[at][side], (0, 0, left, 0)) for layers, left in zip(rows, fill, strict=True)])
              for side in (0, 1))
        for at in range(len(rows[0]))
    ])  # fmt: skip


def _choose(
    logits: torch.Tensor, temperatures: torch.Tensor, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """(N,) tokens drawn from (N, V) logits, the likeliest where the temperature is 0, and their log-probabilities."""
    greedy = temperatures <= 0
    log_probs = (logits / torch.where(greedy, 1.0, temperatures)[:, None]).log_softmax(-1)
    drawn = torch.multinomial(log_probs.exp(), 1, generator=generator).squeeze(-1)
    chosen = torch.where(greedy, logits.argmax(-1), drawn)
    return chosen, log_probs.gather(-1, chosen[:, None]).squeeze(-1)
