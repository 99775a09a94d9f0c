"""LoRA adapters added to the weights that they belong to: in a running model, and in an exported folder.

    python -m tvlab.learning.verl.lora_weights FOLDER     # adds FOLDER/lora_adapter to the weights, then removes it

verl's merger writes the base model and the adapter beside it. A server that is told of the folder alone would serve the
base model and call it the trained one, so that an export is one model.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import torch

from tvlab.foundation.errors import UserError

ADAPTER = "lora_adapter"
_PREFIX, _DOWN, _UP = "base_model.model.", ".lora_A.weight", ".lora_B.weight"


def changes(adapters: Mapping[str, torch.Tensor], scale: float) -> dict[str, torch.Tensor]:
    """What is added to each weight: scale * B A, in float32, by the weight's name in the model.

    Args:
        adapters: by peft's names, "base_model.model.<module>.lora_A.weight" (r, in) and "... .lora_B.weight" (out, r).
        scale: lora_alpha / r.

    Raises:
        ValueError: a name of another form, or a half without the other.

    >>> down, up = torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0], [3.0]])
    >>> name = "base_model.model.a.lora_"
    >>> changes({f"{name}A.weight": down, f"{name}B.weight": up}, 0.5)["a.weight"].tolist()
    [[0.5, 1.0], [1.5, 3.0]]
    """
    modules = {name.removeprefix(_PREFIX).removesuffix(end) for name in adapters for end in (_DOWN, _UP)
               if name.endswith(end)}  # fmt: skip
    wanted = {f"{_PREFIX}{module}{end}" for module in modules for end in (_DOWN, _UP)}
    if wanted != set(adapters):
        raise ValueError(f"not pairs of adapters: {sorted(wanted ^ set(adapters))[:3]}")
    return {
        f"{module}.weight": scale * adapters[f"{_PREFIX}{module}{_UP}"].float()
        @ adapters[f"{_PREFIX}{module}{_DOWN}"].float()
        for module in sorted(modules)
    }


def merge_folder(folder: Path) -> int:
    """Add the adapter of an exported folder to its weights, each rounded once; afterwards the adapter is gone.

    Returns:
        Number of weights changed.

    Raises:
        UserError: no adapter, or one that does not fit.
    """
    from safetensors.torch import load_file, save_file

    place = folder / ADAPTER
    if not (place / "adapter_config.json").is_file():
        raise UserError(f"{folder} has no {ADAPTER}/: nothing to merge")
    config = json.loads((place / "adapter_config.json").read_text(encoding="utf-8"))
    if not config["lora_alpha"]:
        raise UserError(f"{place}: lora_alpha is missing, so the adapter's scale is unknown")
    left = changes(load_file(place / "adapter_model.safetensors"), config["lora_alpha"] / config["r"])
    count = len(left)
    for file in sorted(folder.glob("*.safetensors")):
        weights = load_file(file)
        for name in [name for name in weights if name in left]:
            weights[name] = (weights[name].float() + left.pop(name)).to(weights[name].dtype).contiguous()
        save_file(weights, file, metadata={"format": "pt"})
    if left:
        raise UserError(f"{place} changes weights that {folder} does not have: {', '.join(sorted(left)[:3])}")
    shutil.rmtree(place)
    return count


if __name__ == "__main__":
    print(f"{merge_folder(Path(sys.argv[1]))} weights changed by the adapter")
