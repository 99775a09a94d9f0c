"""A checkpoint of verl exported, and what must be so of the folder."""

import sys
from pathlib import Path

import torch

from tvlab.learning.verl.checkpoints import checkpoint_actor, export_model, serve_command


def without_adapters(found: dict, scale: float) -> dict:
    """The weights of a checkpoint by the model's names, LoRA adapters added in; the base is bfloat16 on disk."""
    from tvlab.learning.verl.lora_weights import changes

    named = {name.replace(".default", ""): weight for name, weight in found.items()}
    added = changes({name: weight for name, weight in named.items() if "lora_" in name}, scale)
    base = {
        name.removeprefix("base_model.model.").replace(".base_layer", ""): weight
        for name, weight in named.items()
        if "lora_" not in name
    }
    return {
        name: weight.to(torch.bfloat16).float() + added[name] if name in added else weight
        for name, weight in base.items()
    }


def check_export(run: Path, out: Path, scale: float = 1.0) -> None:
    """The exported weights are the trainer's, rounded once; transformers loads them and writes greedily the same.

    Args:
        run, out: of the training; the folder to write.
        scale: lora_alpha / r of adapters.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    (file,) = checkpoint_actor(run).glob("model_world_size_1_rank_0.pt")
    found = torch.load(file, weights_only=False)
    whole = without_adapters({n: w.full_tensor() if hasattr(w, "full_tensor") else w for n, w in found.items()}, scale)
    folder = export_model(run, out, sys.executable, show=False)
    served = AutoModelForCausalLM.from_pretrained(folder).eval()
    for name, weight in served.state_dict().items():
        wanted = whole[name].to(torch.bfloat16)
        # an adapter is rounded once more on its way to the folder: sums near a tie may fall to the next number
        near = 0 if scale == 1.0 else 2**-7
        torch.testing.assert_close(
            weight, wanted, rtol=near, atol=near * 2**-9, msg=lambda text, name=name: f"{name}: {text}"
        )
    trained = AutoModelForCausalLM.from_config(served.config).to(torch.bfloat16).eval()
    trained.load_state_dict({name: weight.to(torch.bfloat16) for name, weight in whole.items()}, strict=False)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    said = [{"role": "user", "content": "Show me the beds."}]
    ids = tokenizer.apply_chat_template(said, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    written = [model.generate(**ids, do_sample=False, max_new_tokens=12).tolist() for model in (served, trained)]
    assert written[0] == written[1]
    assert serve_command(folder)[:3] == ["vllm", "serve", str(folder)]
