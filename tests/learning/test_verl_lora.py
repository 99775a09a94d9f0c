"""LoRA: adapters added to weights, an export that is one model, and two steps of training with verl's loggers."""

import asyncio
import importlib
import json

import pytest
import torch
from verl_exports import check_export
from verl_models import items_for, need_verl, real_model, small_environments
from verl_runs import train

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.lora_weights import changes, merge_folder
from tvlab.tasks.dataset_export import write_verl_parquet

RANK, ALPHA = 8, 16


@pytest.fixture
def tensors():
    """safetensors' module, which comes with verl."""
    need_verl()
    return importlib.import_module("safetensors.torch")


def exported(tensors, folder, **config):
    """An export of two files, and an adapter for a weight in the second."""
    place = folder / "lora_adapter"
    place.mkdir(parents=True)
    tensors.save_file({"a.weight": torch.zeros(2, 2)}, folder / "model-1.safetensors")
    tensors.save_file({"b.weight": torch.ones(2, 3).to(torch.bfloat16)}, folder / "model-2.safetensors")
    name = "base_model.model.b.lora_"
    down, up = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[1.0], [-1.0]])
    tensors.save_file({f"{name}A.weight": down, f"{name}B.weight": up}, place / "adapter_model.safetensors")
    (place / "adapter_config.json").write_text(json.dumps({"r": 1, "lora_alpha": 2, **config}))
    return folder


def test_an_exported_folder_becomes_one_model(tensors, tmp_path):
    folder = exported(tensors, tmp_path / "hf")
    assert merge_folder(folder) == 1
    made = {**tensors.load_file(folder / "model-1.safetensors"), **tensors.load_file(folder / "model-2.safetensors")}
    assert made["b.weight"].tolist() == [[3.0, 5.0, 7.0], [-1.0, -3.0, -5.0]]
    assert not made["a.weight"].any()
    assert not (folder / "lora_adapter").exists()
    with pytest.raises(UserError, match="nothing to merge"):
        merge_folder(folder)


def test_an_adapter_that_cannot_be_added_is_refused(tensors, tmp_path):
    with pytest.raises(UserError, match="lora_alpha is missing"):
        merge_folder(exported(tensors, tmp_path / "no-scale", lora_alpha=0))
    folder = exported(tensors, tmp_path / "other")
    (folder / "model-2.safetensors").unlink()
    with pytest.raises(UserError, match=r"does not have: b\.weight"):
        merge_folder(folder)
    with pytest.raises(ValueError, match="not pairs of adapters"):
        changes({"base_model.model.b.lora_A.weight": torch.ones(1, 2)}, 1.0)


def test_in_bfloat16_most_of_an_adapter_does_not_move():
    moved = {}
    for kind in (torch.bfloat16, torch.float32):
        weight = torch.nn.Parameter(torch.linspace(-0.02, 0.02, 4096).to(kind))
        before, adam = weight.detach().clone(), torch.optim.AdamW([weight], lr=1e-5)
        for _ in range(20):
            weight.grad = torch.ones_like(weight)
            adam.step()
        moved[kind] = float((weight.detach() != before).float().mean())
    assert moved[torch.bfloat16] < 0.4  # why the launch keeps adapters in float32
    assert moved[torch.float32] == 1.0


def test_the_engine_takes_adapters_by_peft_s_names_and_is_then_peft_s_model(tmp_path):
    from test_verl_agent_loop import load

    engine = load("tvlab.learning.verl.transformers_rollout")
    peft, transformers = (importlib.import_module(name) for name in ("peft", "transformers"))
    from tvlab.learning.verl.small_models import tiny

    folder, ids = tiny(real_model(), tmp_path / "tiny"), torch.tensor([[5, 6, 7, 8]])
    base = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    config = peft.LoraConfig(task_type="CAUSAL_LM", r=RANK, lora_alpha=ALPHA, target_modules="all-linear")
    wrapped, server = peft.get_peft_model(base, config).eval(), engine.TransformersServer(str(folder), 0)
    for version in (1, 2):  # adapters replace those there were
        for name, weight in wrapped.named_parameters():
            if "lora_B" in name:
                torch.nn.init.constant_(weight, 0.05 * version)
        adapters = {name: weight.detach() for name, weight in peft.get_peft_model_state_dict(wrapped).items()}
        asyncio.run(server.load(adapters, version, ALPHA / RANK))
        with torch.no_grad():
            found, expected = server.model(ids).logits, wrapped(ids).logits
            with wrapped.disable_adapter():
                without = wrapped(ids).logits
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)
        assert (expected - without).abs().max() > 1e-3


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_two_steps_with_lora_validated_logged_by_all_loggers_and_exported(tensors, tmp_path, monkeypatch):
    from tvlab.learning.verl.small_models import tiny

    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("TENSORBOARD_DIR", str(tmp_path / "tensorboard"))
    data = tmp_path / "data"
    items = items_for(small_environments(data / "environments"), 6, shares={"irrelevant": 0.5})
    write_verl_parquet({"train": items, "validation": items[::5]}, data)
    model = tiny(real_model(), tmp_path / "tiny", tied=False, ends=0.08)
    rows = train(
        tmp_path / "run", model, data, 2,
        actor_rollout_ref__model__lora_rank=RANK, actor_rollout_ref__model__lora_alpha=ALPHA,
        actor_rollout_ref__model__target_modules="all-linear", actor_rollout_ref__rollout__layered_summon=True,
        trainer__logger="[console,file,tensorboard,wandb]", trainer__val_before_train=True, trainer__test_freq=2,
    )  # fmt: skip
    steps = [row for row in rows if "actor/grad_norm" in row]
    assert [row["step"] for row in steps] == [1, 2]
    for row in steps:
        assert row["training/rollout_probs_diff_max"] < 1e-3  # the engine has base and adapters of the actor
        assert row["actor/grad_norm"] > 0
    checked = {row["step"]: row for row in rows if "val-core/gust/acc/mean@1" in row}  # acc: every turn is right
    assert list(checked) == [0, 2]
    for row in checked.values():
        told = {name: row[f"val-aux/gust/{name}/mean@1"] for name in ("turn_reward", "turns_reached", "truncated")}
        assert 0 <= row["val-core/gust/acc/mean@1"] <= told["turn_reward"] <= 1
        assert told["turns_reached"] > 0
        assert 0 <= told["truncated"] <= 1
    check_export(tmp_path / "run", tmp_path / "exported", ALPHA / RANK)
    (model_file,) = (tmp_path / "exported").glob("*.safetensors")
    base, made = tensors.load_file(model / "model.safetensors"), tensors.load_file(model_file)
    changed = {name for name in base if not torch.equal(base[name], made[name])}
    assert changed  # not the base model under another name
    assert all(name.endswith("_proj.weight") for name in changed)
    check_loggers(tmp_path, steps[-1]["tvlab/turn_reward"])


def check_loggers(folder, reward):
    """TensorBoard and W&B hold the last step's turn reward."""
    accumulator = importlib.import_module("tensorboard.backend.event_processing.event_accumulator")
    (file,) = (folder / "tensorboard").rglob("events.out.tfevents*")
    events = accumulator.EventAccumulator(str(file.parent))
    events.Reload()
    assert events.Scalars("tvlab/turn_reward")[-1].value == pytest.approx(reward)
    (record,) = folder.glob("wandb/offline-run-*/run-*.wandb")
    held = record.read_bytes()
    assert b"tvlab/turn_reward" in held
    assert b"tvlab/turn_1/advantage_size" in held
