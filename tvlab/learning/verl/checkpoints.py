"""From a checkpoint of verl to a folder in the Hugging Face format, by verl's own merger, and how that is served.

The merger writes bfloat16: what is served is the trained weights rounded once. With LoRA it writes the base model and
the adapter beside it; the adapter is then added to the weights (`lora_weights`): one folder is the trained model.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.verl_process import VerlPlace, find_verl, run_verl

STEP, LATEST, ACTOR = "global_step_", "latest_checkpointed_iteration.txt", "actor"


def checkpoint_actor(path: Path) -> Path:
    """The actor's folder of a checkpoint.

    Args:
        path: that folder, a ``global_step_N``, the folder of checkpoints (its last one is taken), or that of a run.

    Raises:
        UserError: no checkpoint there.
    """
    for folder in (path, path / "checkpoints"):
        last = folder / LATEST
        steps = sorted(folder.glob(f"{STEP}*"), key=_step)
        if last.is_file() and (named := folder / f"{STEP}{last.read_text().strip()}").is_dir():
            steps = [named]
        for found in (folder, folder / ACTOR, *([steps[-1] / ACTOR] if steps else [])):
            if list(found.glob("model_world_size_*_rank_*.pt")):
                return found
    raise UserError(f"{path} holds no checkpoint of verl: give OUT of `tvlab train`, or its checkpoints/{STEP}N")


def export_model(path: Path, out: Path, verl: str = "", show: bool = True) -> Path:
    """Write the model of a checkpoint as a Hugging Face folder; it is there whole or not at all.

    Args:
        path: see ``checkpoint_actor``.
        out: must not exist.
        verl: a Python that has verl.
        show: print what the merger says.

    Raises:
        UserError: no checkpoint, no verl, or `out` is there.
    """
    actor = checkpoint_actor(path)
    if out.exists():
        raise UserError(f"{out} is there already: name another folder with --out, or remove it")
    place = find_verl(verl)
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    log = out.with_name(f"{out.name}.log")
    run_verl(merge_command(place, actor, partial), log, _variables(place), show)
    if not list(partial.glob("*.safetensors")):
        raise UserError(f"verl's merger wrote no weights into {partial}: see {log}")
    if (partial / "lora_adapter").is_dir():
        run_verl([str(place.python), "-m", "tvlab.learning.verl.lora_weights", str(partial)], log, None, show)
    os.replace(partial, out)
    return out


def merge_command(place: VerlPlace, actor: Path, target: Path) -> list[str]:
    """What is started: verl's merger."""
    return [
        str(place.python),
        "-m",
        "verl.model_merger",
        "merge",
        "--backend",
        "fsdp",
        "--local_dir",
        str(actor),
        "--target_dir",
        str(target),
    ]


def serve_command(folder: Path, name: str = "tuned", port: int = 8000) -> list[str]:
    """How vLLM serves the folder with tool calls in the Hermes form."""
    return [
        "vllm",
        "serve",
        str(folder),
        "--served-model-name",
        name,
        "--port",
        str(port),
        "--enable-auto-tool-choice",
        "--tool-call-parser",
        "hermes",
    ]


def _variables(place: VerlPlace) -> dict[str, str]:
    if place.gpus:
        return {}
    return {"VERL_PLATFORM": "cpu", "VERL_USE_EXTERNAL_MODULES": "tvlab.learning.verl.plugin"}


def _step(folder: Path) -> int:
    number = folder.name.removeprefix(STEP)
    return int(number) if number.isdigit() else -1
