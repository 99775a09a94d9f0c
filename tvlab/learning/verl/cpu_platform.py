"""verl without an accelerator: the platform "cpu", chosen by VERL_PLATFORM=cpu.

verl has platforms for accelerators only. Beside the class, two of its calls do not fit a CPU and are answered here, in
the running process: it asks torch for the process groups "cpu:gloo,cpu:gloo", which torch refuses, and it offloads a
reference model into pinned memory, which needs an accelerator.

This module subclasses verl's class, so that it imports verl when it is imported: `plugin` does that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import ModuleType
from typing import Any

import torch
import torch.distributed as dist
import verl.utils.distributed
from verl.plugin.platform.platform_base import PlatformBase
from verl.plugin.platform.platform_manager import PlatformRegistry


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _memory(*_: Any) -> tuple[int, int]:
    page = os.sysconf("SC_PAGE_SIZE")
    free = "SC_AVPHYS_PAGES" if "SC_AVPHYS_PAGES" in os.sysconf_names else "SC_PHYS_PAGES"
    return os.sysconf(free) * page, os.sysconf("SC_PHYS_PAGES") * page


def _device_module() -> ModuleType:
    """torch.cpu, with what verl asks of torch.cuda."""
    module = ModuleType("tvlab_cpu_device")
    for name in dir(torch.cpu):
        if not name.startswith("__"):
            setattr(module, name, getattr(torch.cpu, name))
    nothing = "empty_cache ipc_collect set_device set_per_process_memory_fraction reset_peak_memory_stats synchronize"
    for name in (*nothing.split(), "manual_seed", "manual_seed_all"):
        setattr(module, name, _nothing)
    zero = "memory_allocated memory_reserved max_memory_allocated max_memory_reserved current_device"
    for name in zero.split():
        setattr(module, name, lambda *_, **__: 0)
    own = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "get_device_name": lambda *_: "CPU",
        "get_rng_state": torch.get_rng_state,
        "set_rng_state": torch.set_rng_state,
        "mem_get_info": _memory,
    }
    for name, value in own.items():
        setattr(module, name, value)
    return module


_MODULE = _device_module()


@PlatformRegistry.register(platform="cpu")
class CpuPlatform(PlatformBase):
    """One "device" of the name cpu; Ray counts it as one logical GPU."""

    @property
    def device_name(self) -> str:
        return "cpu"

    @property
    def vendor_name(self) -> str:
        return "cpu"

    @property
    def device_module(self) -> ModuleType:
        return _MODULE

    def is_available(self) -> bool:
        return True

    def is_platform_available(self, use_smi_check: bool = False) -> bool:
        return False  # never chosen by itself

    def current_device(self) -> Any:
        return "cpu"  # used as tensor.to(...)

    def device_count(self) -> int:
        return 1

    def set_device(self, device_index: int) -> None:
        return None

    def synchronize(self, device_index: int | None = None) -> None:
        return None

    def manual_seed(self, seed: int) -> None:
        torch.default_generator.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        torch.default_generator.manual_seed(seed)

    def set_allocator_settings(self, settings: str) -> None:
        return None

    def empty_cache(self) -> None:
        return None

    def get_device_capability(self, device_index: int = 0) -> tuple[int | None, int | None]:
        return None, None

    def communication_backend_name(self) -> str:
        return "gloo"

    def visible_devices_envvar(self) -> str:
        return "CUDA_VISIBLE_DEVICES"

    @contextmanager
    def nvtx_range(self, msg: str) -> Iterator[None]:
        yield

    def profiler_start(self) -> None:
        return None

    def profiler_stop(self) -> None:
        return None

    def ray_resource_name(self) -> str:
        return "GPU"

    def ray_noset_envvars(self) -> list[str]:
        return []

    def is_ipc_supported(self) -> bool:
        return False  # weights travel through shared memory

    def cudart(self) -> Any:
        return None


def without_pinned_memory() -> None:
    """Let verl offload a reference model into memory that is not pinned."""
    import verl.workers.engine.fsdp.transformer_impl as fsdp
    from torch.distributed.fsdp import CPUOffloadPolicy

    fsdp.CPUOffloadPolicy = lambda pin_memory=False: CPUOffloadPolicy(pin_memory=False)


def _gloo_of_ray(timeout_second: float | None = None, backend: str | None = None) -> None:
    if dist.is_initialized():
        return
    timeout = timedelta(seconds=timeout_second) if timeout_second else None
    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    where = os.environ.get("DIST_INIT_METHOD")
    dist.init_process_group("gloo", rank=rank, world_size=world, timeout=timeout, init_method=where)


def _gloo_of_torchrun(timeout_second: float = 36000) -> tuple[int, int, int]:
    dist.init_process_group("gloo", timeout=timedelta(seconds=timeout_second))
    return int(os.environ["LOCAL_RANK"]), int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


# before verl's workers import these functions by name
verl.utils.distributed.initialize_global_process_group_ray = _gloo_of_ray
verl.utils.distributed.initialize_global_process_group = _gloo_of_torchrun
