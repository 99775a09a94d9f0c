"""Launching verl: the dial's settings, the plan's arithmetic, errors in one line; verl's own validation."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner
from verl_models import REPOSITORY, need_verl

from tvlab.cli import app
from tvlab.foundation.errors import UserError
from tvlab.learning.verl.launch_data import split_items
from tvlab.learning.verl.launch_plan import Assumed, plan_launch
from tvlab.learning.verl.launch_settings import LAUNCHES, Launch, hydra_value
from tvlab.learning.verl.model_shape import ModelShape
from tvlab.learning.verl.verl_process import find_verl
from tvlab.tasks.sample import load_sample

QWEN3_4B = {
    "model_type": "qwen3",
    "hidden_size": 2560,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 9728,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
}
QWEN25_05B = {
    "model_type": "qwen2",
    "hidden_size": 896,
    "num_hidden_layers": 24,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "intermediate_size": 4864,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
}
QWEN3_30B_A3B = {
    "model_type": "qwen3_moe",
    "hidden_size": 2048,
    "num_hidden_layers": 48,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "intermediate_size": 6144,
    "vocab_size": 151936,
    "tie_word_embeddings": False,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 768,
}


def launch(profile="cluster", tmp=Path("/runs/one"), **more):
    return Launch(profile, Path("/models/m"), tmp, [Path("/data/environments")], **more)


@pytest.mark.parametrize(
    ("config", "parameters", "active"),
    [(QWEN3_4B, 4_022_468_096, None), (QWEN25_05B, 494_032_768, None), (QWEN3_30B_A3B, 30_532_122_624, 3_353_032_704)],
)
def test_parameters_are_those_of_the_published_models(config, parameters, active):
    shape = ModelShape.from_config(config)
    assert shape.parameters == parameters
    assert shape.active_parameters == (active or parameters)


def test_the_arithmetic_is_that_of_transformers():
    need_verl()
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    for config in (
        QWEN3_4B,
        QWEN25_05B,
        QWEN3_30B_A3B,
        {**QWEN3_4B, "model_type": "llama", "tie_word_embeddings": False},
    ):
        made = AutoConfig.for_model(**config)
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(made)
        assert sum(weight.numel() for weight in model.parameters()) == ModelShape.from_config(config).parameters


def test_a_model_of_an_unknown_kind_is_refused_and_not_guessed(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({**QWEN3_4B, "model_type": "deepseek_v3"}))
    with pytest.raises(UserError, match=r"is of kind 'deepseek_v3': sizes are known for llama"):
        ModelShape.of(tmp_path)
    with pytest.raises(UserError, match=r"config.json does not exist: --model takes the folder"):
        ModelShape.of(tmp_path / "none")


def test_the_plan_of_the_paper_s_setting_can_be_worked_by_hand():
    shape = ModelShape.from_config(QWEN3_4B)
    plan = plan_launch(shape, launch().settings(), "A100-80GB", items=2987)
    assert plan.value("GPUs") == 32
    assert plan.value("rollouts a step") == 128 * 8
    assert plan.value("most tokens a step") == pytest.approx(1024 * 32_000 / 1e6, rel=0.01)
    assert plan.value("updates a step") == 4
    assert plan.value("KV cache a token") == 2 * 36 * 8 * 128 * 2 / 1024 == 144
    assert plan.value("weights") == pytest.approx(4_022_468_096 * 4 / 2**30)
    assert plan.value("optimizer") == pytest.approx(4_022_468_096 * 8 / 2**30)
    assert plan.value("passes over the items") == pytest.approx(1000 * 128 / 2987)
    assert plan.warnings == []
    assert all(line.estimate for line in plan.lines if line.section == "time")


def test_the_plan_follows_the_overrides_and_says_what_does_not_fit():
    shape = ModelShape.from_config(QWEN3_4B)
    small = launch("gpu", overrides=["data.train_batch_size=8", "actor_rollout_ref.rollout.gpu_memory_utilization=0.3"])
    plan = plan_launch(shape, small.settings(), "RTX4090-24GB")
    assert plan.value("rollouts a step") == 64
    assert any("use LoRA" in warning for warning in plan.warnings)
    assert any("not one rollout of 16,384 tokens fits" in warning for warning in plan.warnings)
    adapters = plan_launch(shape, launch("gpu", lora_rank=32).settings(), "H100-80GB")
    assert adapters.value("peak a GPU while training") < plan.value("peak a GPU while training") / 2
    longer = plan_launch(shape, launch(overrides=["data.max_response_length=80000"]).settings(), "A100-80GB")
    assert any("a micro-batch 65,536" in warning for warning in longer.warnings)
    slow = plan_launch(shape, launch().settings(), "A100-80GB", assumed=Assumed(train_efficiency=0.175))
    fast = plan_launch(shape, launch().settings(), "A100-80GB")
    assert slow.value("training a step") == pytest.approx(2 * fast.value("training a step"))


def test_what_is_passed_through_replaces_what_the_profile_sets():
    made = launch(lam=0.5, overrides=["trainer.nnodes=2", "++algorithm.tvlab.lam=0.3", "+new.key='a b'"]).words()
    assert made.count("trainer.nnodes=2") == 1
    assert "trainer.nnodes=4" not in made
    assert [word for word in made if "tvlab.lam" in word] == ["++algorithm.tvlab.lam=0.3"]
    assert made[-1] == "+new.key='a b'"
    with pytest.raises(UserError, match=r"'trainer' is no override: write KEY=VALUE behind --"):
        launch(overrides=["trainer"]).words()
    assert hydra_value(Path("/a b").as_posix()) == '"/a b"'


def test_training_and_validation_items_share_no_environment():
    parts = split_items(load_sample(), 0)
    names = [{item.environment for item in part} for part in (parts.train, parts.validation)]
    assert names[0]
    assert names[1]
    assert not names[0] & names[1]
    one = split_items([item for item in load_sample() if item.environment == "travel"], 0)
    assert not {item.id for item in one.train} & {item.id for item in one.validation}
    with pytest.raises(UserError, match="too few"):
        split_items(load_sample()[:1])


def complaint(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert isinstance(done.exception, UserError), done.output
    text = str(done.exception)
    assert "\n" not in text
    return text


def test_wrong_words_get_one_line_each(tmp_path, monkeypatch):
    monkeypatch.setenv("TVLAB_HOME", str(tmp_path))
    assert "belongs to a language model" in complaint("train", "--profile", "smoke", "--model", tmp_path)
    assert "give its folder with --model" in complaint("train", "--profile", "gpu")
    assert "holds no model" in complaint("train", "--profile", "gpu", "--model", tmp_path)
    assert "no advantage estimator is called 'none'" in complaint(
        "train", "--profile", "gpu", "--model", tmp_path, "--estimator", "none"
    )
    (tmp_path / "config.json").write_text(json.dumps(QWEN3_4B))
    plan = ("train", "--profile", "gpu", "--model", tmp_path, "--plan")
    assert "--gpu 'K80' is unknown" in complaint(*plan, "--gpu", "K80")
    assert "is no override" in complaint(*plan, "--", "nonsense")


def test_a_missing_verl_and_a_missing_gpu_are_said_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("TVLAB_HOME", str(tmp_path))
    (tmp_path / "config.json").write_text(json.dumps(QWEN3_4B))
    start = ("train", "--profile", "gpu", "--model", tmp_path)
    assert "run `make verl`" in complaint(*start, "--verl", tmp_path / "no-python")
    fake = tmp_path / "python"
    fake.write_text('#!/bin/sh\necho \'{"verl": "0.9.1", "torch": "2.11.0", "vllm": true, "gpus": []}\'\n')
    fake.chmod(0o755)
    assert "wants 1 GPU(s) on this machine" in complaint(*start, "--verl", fake)
    assert find_verl(fake).accelerator.startswith("CPU")
    assert "no GPU" in find_verl(fake).accelerator


def test_a_checkpoint_is_found_and_an_export_that_cannot_be_made_is_said_in_one_line(tmp_path):
    from tvlab.learning.verl.checkpoints import checkpoint_actor, serve_command

    assert "holds no checkpoint of verl" in complaint("export-model", tmp_path, "--out", tmp_path / "out")
    for step in (2, 10):
        actor = tmp_path / "checkpoints" / f"global_step_{step}" / "actor"
        actor.mkdir(parents=True)
        (actor / "model_world_size_1_rank_0.pt").touch()
    assert checkpoint_actor(tmp_path) == actor
    (tmp_path / "checkpoints" / "latest_checkpointed_iteration.txt").write_text("2")
    assert checkpoint_actor(tmp_path).parent.name == "global_step_2"
    assert checkpoint_actor(actor.parent) == checkpoint_actor(actor) == actor
    assert "is there already" in complaint("export-model", tmp_path, "--out", tmp_path)
    command = serve_command(tmp_path / "hf")
    assert command[:5] == ["vllm", "serve", str(tmp_path / "hf"), "--served-model-name", "tuned"]


def test_the_plan_is_printed_and_names_what_would_be_started(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(QWEN3_4B))
    done = CliRunner().invoke(
        app, ["train", "--profile", "cluster", "--model", str(tmp_path), "--plan", "--", "trainer.nnodes=2"]
    )
    assert done.exit_code == 0, done.output
    assert "KV cache a token                                144 KiB" in done.output
    assert "no run on a GPU has confirmed" in " ".join(done.output.split())
    assert "trainer.nnodes=2" in done.output
    assert "algorithm.adv_estimator=tvlab_tara" in done.output


@pytest.mark.parametrize("step", ["plan", "items", "train", "export", "evaluate", "teacher", "user", "ray", "serve"])
def test_every_command_of_the_recipe_is_one_that_there_is(step):
    """The recipe prints its commands; those of tvlab are parsed by tvlab, the others are those of vLLM and Ray."""
    environment = {**os.environ, "DRY": "1", "USER_URL": "http://127.0.0.1:8002/v1"}
    done = subprocess.run(["bash", str(REPOSITORY / "recipes" / "cluster.sh"), step], capture_output=True, text=True,
                          check=True, env=environment)  # fmt: skip
    lines = [shlex.split(line.removeprefix("+ ")) for line in done.stdout.splitlines()]
    assert lines
    for program, name, *words in lines:
        assert program in ("tvlab", "vllm", "ray")
        if program == "tvlab":
            command = typer.main.get_command(app).commands[name]
            assert command.make_context(name, list(words)).params


VALIDATE = """
import json, sys
from tvlab.learning.verl.main_ppo import check, set_variables, store_configs
set_variables(cpu=True)
store_configs()
from hydra import compose, initialize_config_module
from verl.trainer.ppo.utils import need_critic, need_reference_policy
from verl.utils.config import omega_conf_to_dataclass, validate_config

def told(config_name, *words):
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose(config_name, overrides=words)
    check(config)
    needs = [need_reference_policy(config), need_critic(config)]
    lora = config.actor_rollout_ref.model.lora_rank
    config.actor_rollout_ref.model.lora_rank = 0  # else verl asks vLLM, which is not here, for the ranks that it takes
    validate_config(config, *needs)
    actor = omega_conf_to_dataclass(config.actor_rollout_ref.actor)
    rollout = omega_conf_to_dataclass(config.actor_rollout_ref.rollout)
    return {
        "needs": needs, "lora": lora, "lr": actor.optim.lr, "mini": actor.ppo_mini_batch_size, "kl": actor.use_kl_loss,
        "sp": actor.ulysses_sequence_parallel_size, "n": rollout.n, "prompt": rollout.prompt_length,
        "response": rollout.response_length, "batch": config.data.train_batch_size,
        "logprobs": rollout.calculate_log_probs,
        "estimator": config.algorithm.adv_estimator, "tvlab": dict(config.algorithm.tvlab),
        "turn": config.tvlab.limits.turn_tokens, "nodes": config.trainer.nnodes}

print(json.dumps({profile: told(*words) for profile, words in json.loads(sys.argv[1]).items()}))
"""


@pytest.mark.timeout(300)
def test_verl_itself_accepts_the_configuration_of_every_profile(tmp_path):
    """verl composes it, checks it, and makes its own dataclasses of it; on a CPU, so that no engine starts."""
    need_verl()
    words = {}
    for profile in LAUNCHES:
        made = launch(profile, tmp_path, lam=0.5, gamma=0.5, lora_rank=32 if profile == "gpu" else 0)
        words[profile] = ["tvlab_cpu" if profile == "cpu" else "tvlab_ppo", *made.words()]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, "-c", VALIDATE, json.dumps(words)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("All configuration checks passed successfully") == len(LAUNCHES)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    for one in found.values():
        assert one["needs"] == [False, False]  # no reference model, no critic
        assert one["kl"] is False
        assert one["estimator"] == "tvlab_tara"
        assert one["tvlab"] == {"lam": 0.5, "gamma": 0.5}
        assert one["logprobs"] is True
    gpu, cluster = found["gpu"], found["cluster"]
    assert (gpu["lora"], gpu["lr"], gpu["n"]) == (32, 1e-5, 8)
    assert (cluster["lr"], cluster["batch"], cluster["mini"]) == (1e-6, 128, 32)  # what the paper says
    assert (cluster["prompt"], cluster["response"], cluster["turn"]) == (8192, 24_000, 1024)
    assert (cluster["n"], cluster["nodes"], cluster["sp"]) == (8, 4, 4)
