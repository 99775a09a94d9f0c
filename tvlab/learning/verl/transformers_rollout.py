"""A rollout engine of verl that runs a transformers model in one Ray actor: no GPU, no vLLM. For tests and laptops.

`actor_rollout_ref.rollout.name=tvlab_transformers`. Weights travel from the actor in full precision. One replica, one
process; what was read is kept until new weights come (`prefix_store`). With LoRA the adapters travel and are added to
the weights here.

This module subclasses verl's classes, so that it imports verl when it is imported: only verl itself does that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

import ray
import torch
from verl.workers.rollout.base import BaseRollout
from verl.workers.rollout.replica import RolloutReplica, TokenOutput

from tvlab.learning.verl.batch_generation import Request, write
from tvlab.learning.verl.lora_weights import changes
from tvlab.learning.verl.prefix_store import PrefixStore

SERVER = "tvlab_transformers_{rank}"
MOST_AT_ONCE = 16
GATHER = 0.02  # seconds to wait for more requests of the same moment


class TransformersServer:
    """The model, in an actor of its own.

    Args:
        path: folder of the model.
        seed: of sampling.
    """

    def __init__(self, path: str, seed: int) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

        self.model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, attn_implementation="sdpa").eval()
        stops = {AutoTokenizer.from_pretrained(path).eos_token_id}
        try:
            found = GenerationConfig.from_pretrained(path).eos_token_id
            stops |= set(found) if isinstance(found, list) else {found}
        except OSError:  # the model has none
            pass
        self.stop_ids = frozenset(stops - {None})
        self.store = PrefixStore()
        self.base: dict[str, torch.Tensor] = {}  # what adapters are added to
        self.generator = torch.Generator().manual_seed(seed)
        self.version = 0
        self.waiting: list[tuple[Request, asyncio.Future[TokenOutput]]] = []
        self.working: asyncio.Task[None] | None = None

    async def load(self, weights: dict[str, torch.Tensor], version: int | None, scale: float | None = None) -> int:
        """Take over weights: every one of the model's, tied ones once; or, with a scale, LoRA adapters."""
        if scale is not None:
            self.base = self.base or {name: tensor.clone() for name, tensor in self.model.state_dict().items()}
            added = changes(weights, scale)
            weights = {**self.base, **{name: self.base[name] + change for name, change in added.items()}}
        left = self.model.load_state_dict(weights, strict=False)
        tied = {name for name in left.missing_keys if name.endswith("lm_head.weight")}
        if set(left.missing_keys) - tied or left.unexpected_keys:
            raise ValueError(f"weights do not fit: missing {left.missing_keys[:3]}, unknown {left.unexpected_keys[:3]}")
        self.store.clear()
        self.version = version if version is not None else self.version
        return len(weights)

    async def generate(
        self, prompt_ids: list[int], sampling_params: dict[str, Any], request_id: str, **_: Any
    ) -> TokenOutput:
        """Write one reply."""
        most = int(sampling_params.get("max_tokens") or sampling_params["max_new_tokens"])
        request = Request(list(prompt_ids), max(most, 1), float(sampling_params.get("temperature", 1.0)))
        future: asyncio.Future[TokenOutput] = asyncio.get_running_loop().create_future()
        self.waiting.append((request, future))
        if self.working is None or self.working.done():
            self.working = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        await asyncio.sleep(GATHER)
        while self.waiting:
            self.waiting.sort(key=lambda pair: len(pair[0].prompt_ids))  # little padding
            batch, self.waiting = self.waiting[:MOST_AT_ONCE], self.waiting[MOST_AT_ONCE:]
            try:
                requests = [request for request, _ in batch]
                given = (self.model, requests, self.stop_ids, self.generator, self.store)
                replies = await asyncio.to_thread(write, *given)
            except Exception as error:
                for _, future in batch:
                    future.set_exception(error)
                continue
            for (_, future), reply in zip(batch, replies, strict=True):
                extra = {"global_steps": self.version}
                future.set_result(TokenOutput(token_ids=reply.ids, log_probs=reply.log_probs,
                                              stop_reason="completed", extra_fields=extra))  # fmt: skip

    async def _nothing(self, *_: Any, **__: Any) -> None:
        return None

    wake_up = sleep = abort_all_requests = resume_generation = ready = _nothing
    clear_kv_cache = release_kv_cache = resume_kv_cache = start_profile = stop_profile = _nothing


class TransformersWeights(BaseRollout):
    """The actor's side: sends weights to the server."""

    def __init__(self, config: Any, model_config: Any, device_mesh: Any, replica_rank: int = -1) -> None:
        super().__init__(config, model_config, device_mesh)

    async def resume(self, tags: list[str]) -> None:
        return None

    async def release(self) -> None:
        return None

    async def update_weights(
        self,
        weights: Generator[tuple[str, torch.Tensor], None, None],
        peft_config: dict[str, Any] | None = None,
        base_sync_done: bool = False,
        global_steps: int | None = None,
        **_: Any,
    ) -> None:
        """Send the weights of a policy version, or its adapters."""
        copied = {name: tensor.detach().to("cpu", torch.float32) for name, tensor in weights}
        scale = peft_config["lora_alpha"] / peft_config["r"] if peft_config and base_sync_done else None
        server = ray.get_actor(SERVER.format(rank=0))
        await server.load.remote(copied, global_steps, scale)


class TransformersReplica(RolloutReplica):
    """verl's handle on the server."""

    async def launch_servers(self) -> None:
        name = SERVER.format(rank=self.replica_rank)
        made: Any = ray.remote(TransformersServer).options(name=name, max_concurrency=256)
        server = made.remote(self.model_config.path, self.config.get("seed", 0) or 0)
        await server.ready.remote()
        self.servers = [server]
        self._server_handle, self._server_address = server, name
