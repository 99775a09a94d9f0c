"""vLLM's CPU build under verl: weights that arrive while the engine runs, everywhere in the model.

    +actor_rollout_ref.rollout.engine_kwargs.vllm.worker_extension_cls=tvlab.learning.verl.vllm_on_cpu.CpuWorker

On a CPU vLLM repacks weights when it loads them. verl's own update then fails; and an update that goes through
vLLM's reload leaves a tied output layer on the *old* weights without a word. So the weights are copied out of the
shared memory (which is reused), reloaded in one piece, and a tied output layer is packed anew. Not supported: LoRA.

This module subclasses verl's class, so that it imports verl when it is imported: only vLLM's worker does that.
"""

from __future__ import annotations

from typing import Any

import torch
from verl.workers.rollout.vllm_rollout.bucketed_weight_transfer import BucketedWeightReceiver
from verl.workers.rollout.vllm_rollout.utils import vLLMColocateWorkerExtension


class CpuWorker(vLLMColocateWorkerExtension):
    """The worker's side of a weight update."""

    def update_weights_from_ipc(
        self, peft_config: Any = None, base_sync_done: bool = False, use_shm: bool = True
    ) -> None:
        """Receive all weights and put them in place.

        Raises:
            NotImplementedError: a LoRA adapter is sent.
        """
        if peft_config:
            raise NotImplementedError("vLLM's CPU build takes no LoRA adapters here: set model.lora_rank=0")
        found: list[tuple[str, torch.Tensor]] = []
        receiver = BucketedWeightReceiver(
            zmq_handle=self._get_zmq_handle(), device=torch.device("cpu"), use_shm=use_shm
        )
        receiver.receive_weights(lambda weights, last: found.extend((name, x.clone()) for name, x in weights))
        put_in_place(self.model_runner, found)


def put_in_place(runner: Any, weights: list[tuple[str, torch.Tensor]]) -> None:
    """Reload the weights of a running engine, its tied output layer included.

    Args:
        runner: vLLM's model runner.
        weights: all of the model's, by their names in the checkpoint.
    """
    from vllm.model_executor.layers.utils import dispatch_cpu_unquantized_gemm

    runner.reload_weights(weights_iterator=iter(weights))
    model = runner.get_model()
    head, inner = getattr(model, "lm_head", None), getattr(model, "model", None)
    embedding = getattr(inner, "embed_tokens", None)
    if head is not None and embedding is not None and head is not embedding and head.weight is embedding.weight:
        dispatch_cpu_unquantized_gemm(head, remove_weight=False)
