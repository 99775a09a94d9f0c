"""A small real model trained on a CPU in about an hour: golden traces first, then TARA, both in verl.

    python -m tvlab.learning.verl.train_cpu MODEL OUT [--items 96] [--epochs 2] [--steps 12] [--rollouts 4]

MODEL is a folder or a GGUF file. The environments are small ones, five tools each, built by rules from one line a
thing; two of them are held out. Items are those whose golden trace fits the limits. OUT gets the models, verl's rows,
and results.json: the held-out turn reward, greedy, before, after fine-tuning and after TARA, with n items and 95%
intervals. What is there already is not made again: the same command goes on after a kill.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from tvlab.environments.build import build_environments
from tvlab.environments.environment import Environment
from tvlab.environments.tool_lists import ToolList
from tvlab.foundation.atomic_files import read_json, read_jsonl, write_json
from tvlab.foundation.errors import UserError
from tvlab.learning.verl import rollout_record
from tvlab.learning.verl.golden_tokens import golden_segments, write_golden
from tvlab.learning.verl.held_out import play_items, summary
from tvlab.learning.verl.main_ppo import FP32, HERE, set_variables
from tvlab.learning.verl.rollout import Limits
from tvlab.learning.verl.trainer_folder import TrainerFolder
from tvlab.tasks.dataset_export import write_verl_parquet
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items, write_items
from tvlab.tasks.item import Item

THINGS = {
    "bed": "zone", "note": "text", "parcel": "address", "ticket": "subject", "song": "artist", "room": "floor",
    "recipe": "title", "visit": "reason",
}  # fmt: skip
HELD_OUT = ("recipes", "visits")
LIMITS = Limits(turn_tokens=96, response_tokens=400, prompt_tokens=512, turn_calls=4)
STAGES = ("before", "after fine-tuning", "after TARA")
TURNS, STAGE_CALLS = {2: 0.7, 3: 0.3}, 1  # short items: two or three turns, mostly one call each


def small_environments(folder: Path, things: Mapping[str, str] = THINGS) -> dict[str, Environment]:
    """Environments of five tools, one a thing and the field it has, built into a folder; by name."""
    lists = []
    for thing, field in things.items():
        said, one = {field: {"type": "string"}}, {f"{thing}_id": {"type": "string"}}
        told = {
            f"create_{thing}": (f"Create a {thing}. Returns the {thing} with its {thing}_id.", said, [field]),
            f"list_{thing}s": (f"List all {thing}s.", {}, []),
            f"get_{thing}": (f"Show a {thing}.", one, list(one)),
            f"update_{thing}": (f"Change a {thing}.", {**one, **said}, [*one, field]),
            f"delete_{thing}": (f"Delete a {thing}.", one, list(one)),
        }
        lists.append(ToolList(f"{thing}s", tools=[_tool(name, *parts) for name, parts in told.items()]))
    build_environments(lists, folder, 0, 1, progress=False)
    found = [Environment.load(path.parent) for path in sorted(folder.glob("*/tools.json"))]
    return {environment.name: environment for environment in found}


def _tool(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": description, "inputSchema": schema}


def items_that_fit(environment: Environment, count: int, chat: Any) -> list[Item]:
    """Short items whose golden trace fits `LIMITS`, so that full reward is possible."""
    made = build_items(environment, build_graph(environment), 4 * count, seed=0, n=STAGE_CALLS, turns=TURNS)
    fit = (item for item in made if golden_segments(environment, item, chat, _encode(chat), LIMITS))
    return list(islice(fit, count))


def _encode(chat: Any) -> Any:
    return lambda text: chat.tokenizer.encode(text, add_special_tokens=False)


def train(given: Path, folder: TrainerFolder, asked: argparse.Namespace) -> dict[str, Any]:
    """Do all of it; returns what results.json holds."""
    out = folder.path
    about = _about(given, asked)
    _check_same(out / "settings.json", about)
    base = _folder_of(given, out)
    chat = importlib.import_module(f"{HERE}.agent_loop").chat_of(str(base))
    environments = small_environments(out / "environments")
    each = max(asked.items // (len(environments) - len(HELD_OUT)), 1)
    counts = {name: asked.held_out if name in HELD_OUT else each for name in environments}
    items = {name: items_that_fit(environment, counts[name], chat) for name, environment in environments.items()}
    trained = [item for name, some in items.items() if name not in HELD_OUT for item in some]
    held_out = [item for name in HELD_OUT for item in items.get(name, [])]
    write_items(out / "items.jsonl", [*trained, *held_out])
    results: dict[str, Any] = {**about, "items": len(trained), "rows": []}
    model = base
    for stage in STAGES:
        if stage == "after fine-tuning":
            model = _fine_tuned(base, folder, environments, trained, asked)
        elif stage == "after TARA":
            model = _reinforced(model, folder, trained, held_out, asked)
        file = out / f"held-out-{stage.replace(' ', '-')}{f'-{asked.steps}' if stage == STAGES[-1] else ''}.jsonl"
        results["rows"].append({"stage": stage, **_evaluated(model, file, environments, held_out)})
        print(results["rows"][-1], flush=True)
        write_json(out / "results.json", results)
    return results


def _about(model: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Model, hardware, versions and settings of a run."""
    settings = {name: value for name, value in vars(asked).items() if name not in ("model", "out", "port")}
    threads = os.environ.get("OMP_NUM_THREADS", "")
    return {
        "model": model.name, "hardware": f"CPU ({platform.machine()}), {threads} of {os.cpu_count()} cores",
        "versions": {name: version(name) for name in ("verl", "torch", "transformers")},
        "settings": {**settings, "limits": asdict(LIMITS), "turns": TURNS},
    }  # fmt: skip


def _check_same(file: Path, about: Mapping[str, Any]) -> None:
    """Refuse a folder that a run with other settings made; only how far TARA goes may change."""
    told = {"model": about["model"], **{key: value for key, value in about["settings"].items() if key != "steps"}}
    told = json.loads(json.dumps(told))
    if not file.is_file():
        write_json(file, told)
    elif differ := sorted(key for key, value in read_json(file).items() if value != told.get(key)):
        raise UserError(f"{file.parent} holds a run with another {differ[0]}: name another folder, or take that again")


def _folder_of(model: Path, out: Path) -> Path:
    if model.is_dir():
        return model
    if not model.is_file():
        raise UserError(f"no model at {model}: give a model's folder or a GGUF file")
    folder = out / "model"
    if not (folder / "config.json").is_file():
        importlib.import_module(f"{HERE}.small_models").from_gguf(model, folder)
    return folder


def _fine_tuned(
    base: Path,
    folder: TrainerFolder,
    environments: Mapping[str, Environment],
    items: Sequence[Item],
    asked: argparse.Namespace,
) -> Path:
    out = folder.path
    chat = importlib.import_module(f"{HERE}.agent_loop").chat_of(str(base))
    rows = write_golden(out / "golden.parquet", environments, items, chat, _encode(chat), LIMITS)
    steps = max(rows // asked.batch, 1) * asked.epochs
    settings = {
        "model.path": base, "+model.override_config.attn_implementation": "sdpa", "model.use_remove_padding": False,
        "model.enable_gradient_checkpointing": False, "engine.strategy": "fsdp2", "engine.use_torch_compile": False,
        **{f"+engine.mixed_precision.{name}": kind for name, kind in FP32.items()},
        "optim.lr": asked.sft_lr, "optim.lr_warmup_steps_ratio": 0.1, "data.train_files": out / "golden.parquet",
        "data.custom_cls.path": f"pkg://{HERE}.golden_tokens", "data.custom_cls.name": "GoldenDataset",
        "data.train_batch_size": asked.batch, "data.micro_batch_size_per_gpu": 1, "data.use_dynamic_bsz": False,
        "data.max_length": LIMITS.prompt_tokens + LIMITS.response_tokens, "data.num_workers": 0,
        "checkpoint.save_contents": "[model,optimizer,extra,hf_model]", "trainer.default_local_dir": out / "sft",
        "trainer.project_name": "tvlab", "trainer.experiment_name": "golden", "trainer.total_epochs": asked.epochs,
        "trainer.total_training_steps": steps, "trainer.device": "cpu", "trainer.logger": "[console,file]",
        "trainer.save_freq": "after_each_epoch", "trainer.max_ckpt_to_keep": 1,
    }  # fmt: skip
    alone = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": asked.port}
    return folder.run("sft", ["-m", "verl.trainer.sft_trainer"], settings, steps, "huggingface", alone)


def _reinforced(
    model: Path, folder: TrainerFolder, items: Sequence[Item], held_out: Sequence[Item], asked: argparse.Namespace
) -> Path:
    out = folder.path
    write_verl_parquet({"train": items, "validation": held_out}, out / "data")
    settings = {
        "tvlab.environments": f"[{out / 'environments'}]", "tvlab.sandbox": "off",
        "tvlab.limits.turn_tokens": LIMITS.turn_tokens, "tvlab.limits.turn_calls": LIMITS.turn_calls,
        "data.max_prompt_length": LIMITS.prompt_tokens, "data.max_response_length": LIMITS.response_tokens,
        "data.train_files": out / "data" / "train.parquet", "data.val_files": out / "data" / "validation.parquet",
        "data.train_batch_size": asked.prompts, "actor_rollout_ref.rollout.n": asked.rollouts,
        "actor_rollout_ref.actor.ppo_mini_batch_size": asked.prompts, "actor_rollout_ref.model.path": model,
        "actor_rollout_ref.actor.optim.lr": asked.rl_lr, "algorithm.adv_estimator": f"tvlab_{asked.estimator}",
        "actor_rollout_ref.actor.checkpoint.save_contents": "[model,optimizer,extra,hf_model]",
        "trainer.total_training_steps": asked.steps, "trainer.total_epochs": 1000, "trainer.save_freq": 2,
        "trainer.max_actor_ckpt_to_keep": 1, "trainer.val_before_train": False, "trainer.default_local_dir": out / "rl",
    }  # fmt: skip
    command = ["-m", f"{HERE}.main_ppo", "--config-name", "tvlab_cpu"]
    recorded = {rollout_record.VARIABLE: str(out / "rollouts.jsonl")}
    return folder.run("rl", command, settings, asked.steps, "actor/huggingface", recorded)


def _evaluated(
    folder: Path, file: Path, environments: Mapping[str, Environment], items: Sequence[Item]
) -> dict[str, Any]:
    """Held-out items played greedily by the model of a folder; kept in the file."""
    if file.is_file() and len(read_jsonl(file)) == len(items):
        return summary(read_jsonl(file))
    loop = importlib.import_module(f"{HERE}.agent_loop")
    server = importlib.import_module(f"{HERE}.transformers_rollout").TransformersServer(str(folder), 0)
    policy = loop.ServerPolicy(server, {"temperature": 0.0})
    rows = play_items(environments, items, loop.chat_of(str(folder)), policy, LIMITS, file)
    del policy, server
    gc.collect()  # the model lies in a cycle, and a trainer wants the memory next
    return summary(rows)


def main(words: Sequence[str] | None = None) -> int:
    """The command line; see the module."""
    parser = argparse.ArgumentParser(description="Fine-tune a small model on golden traces, then TARA, on a CPU.")
    parser.add_argument("model", type=Path, help="folder or GGUF file")
    parser.add_argument("out", type=Path, help="folder for everything that is made")
    for name, default, about in [
        ("items", 96, "items to train on, over all environments"),
        ("held-out", 16, "items of each of the two environments held out"), ("epochs", 2, "of fine-tuning"),
        ("batch", 8, "sequences an update of fine-tuning"), ("steps", 12, "of TARA"), ("prompts", 4, "items a step"),
        ("rollouts", 4, "of an item"),
    ]:  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{about} ({default})")
    parser.add_argument("--sft-lr", type=float, default=1e-4)
    parser.add_argument("--rl-lr", type=float, default=2e-6)
    parser.add_argument("--estimator", default="tara")
    parser.add_argument("--port", default="29517", help="of fine-tuning's process group on this machine")
    asked = parser.parse_args(words)
    set_variables(cpu=True)
    try:
        with TrainerFolder(asked.out.resolve()) as folder:
            train(asked.model.resolve(), folder, asked)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
