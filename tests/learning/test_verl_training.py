"""Training in verl's own trainer, from the command line: two environments, TARA, a checkpoint, and going on from it.

A model with random weights and a real tokenizer that ends a message with probability 0.08 a token: a turn that wants
no call is right if the message ends before the limit cuts it. So rewards differ within groups, without a good model.
"""

import sys

import pytest
import torch
from verl_exports import check_export
from verl_models import items_for, need_verl, real_model, small_environments
from verl_runs import ended, train

from tvlab.learning.verl.checkpoints import export_model
from tvlab.tasks.dataset_export import write_verl_parquet

pytestmark = pytest.mark.timeout(1500)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    need_verl()
    folder = tmp_path_factory.mktemp("data")
    environments = small_environments(folder / "environments")
    items = items_for(environments, 6, shares={"irrelevant": 0.5})
    assert len({item.environment for item in items}) == 2
    write_verl_parquet({"train": items, "validation": items[::5]}, folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    need_verl()
    from tvlab.learning.verl.small_models import tiny

    return tiny(real_model(), tmp_path_factory.mktemp("model") / "tiny", tied=False, ends=0.08)


def weights(folder, step):
    (path,) = (folder / "checkpoints" / f"global_step_{step}" / "actor").glob("model_world_size_1_rank_0.pt")
    return torch.load(path, weights_only=False)


def adam_steps(folder, step):
    (path,) = (folder / "checkpoints" / f"global_step_{step}" / "actor").glob("optim_world_size_1_rank_0.pt")
    states = torch.load(path, weights_only=False)["state"].values()
    return {int(state["step"]) for state in states}


def test_two_steps_of_tara_a_checkpoint_and_a_third_step_from_it_with_one_sequence_a_turn(data, model, tmp_path):
    rows = train(tmp_path, model, data, 2)
    assert [row["step"] for row in rows] == [1, 2]
    for row in rows:
        assert row["training/rollout_probs_diff_max"] < 1e-3  # the engine has the actor's weights
        assert 0 < row["tvlab/turn_reward"] < 1
        assert row["tvlab/turn_1/advantage_size"] > 0.1
        assert row["tvlab/turn_1/reached"] == 1
        assert row["tvlab/rollouts"] == 8
        assert row["tvlab/trained_tokens"] > 0
        assert row["actor/grad_norm"] > 0
        assert row["tvlab/gpu_hours"] > 0
    assert adam_steps(tmp_path, 2) == {4}  # two updates a batch
    more = train(tmp_path, model, data, 3, tvlab__packing="turns", algorithm__adv_estimator="tvlab_salt")
    assert [row["step"] for row in more] == [3]
    assert adam_steps(tmp_path, 3) == {6}  # as many updates a batch with more rows than rollouts
    before, after = weights(tmp_path, 2), weights(tmp_path, 3)
    moved = max(float((after[name] - before[name]).abs().max()) for name in before)
    assert 0 < moved < 2 * 1.5e-3  # two updates of Adam from where the checkpoint was
    check_export(tmp_path, tmp_path / "exported")


@pytest.mark.slow
def test_two_workers_share_rows_and_weights_and_their_checkpoint_is_one_model(data, model, tmp_path):
    """World size 2, as on a cluster: rows are dealt out anew, several a rollout; weights lie in two shards."""
    from safetensors.torch import load_file

    two = {"trainer__n_gpus_per_node": 2, "ray_kwargs__ray_init__num_gpus": 2, "tvlab__packing": "turns"}
    (row,) = train(tmp_path, model, data, 1, **two, actor_rollout_ref__rollout__tensor_model_parallel_size=2)
    assert row["training/rollout_probs_diff_max"] < 1e-3
    assert row["tvlab/rollouts"] == 8
    assert row["tvlab/turn_1/advantage_size"] > 0.1
    assert row["actor/grad_norm"] > 0
    actor = tmp_path / "checkpoints" / "global_step_1" / "actor"
    optimizer = torch.load(actor / "optim_world_size_2_rank_1.pt", weights_only=False)["state"].values()
    assert {int(state["step"]) for state in optimizer} == {2}  # two updates a batch
    parts = [torch.load(actor / f"model_world_size_2_rank_{rank}.pt", weights_only=False) for rank in (0, 1)]
    (file,) = export_model(tmp_path, tmp_path / "exported", sys.executable, show=False).glob("*.safetensors")
    made = load_file(file)
    assert made.keys() == parts[0].keys()
    for name, weight in made.items():
        whole = torch.cat([part[name].to_local() for part in parts])
        torch.testing.assert_close(weight, whole.to(weight.dtype), rtol=0, atol=0)


@pytest.mark.slow
def test_a_run_whose_agent_loop_notes_no_turns_ends_with_one_line_and_nothing_trained(data, model, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    (tmp_path / "environments").symlink_to(data / "environments")
    for part in ("train", "validation"):
        table = parquet.read_table(data / f"{part}.parquet")
        at, loops = table.schema.get_field_index("agent_name"), pa.array(["turnless"] * len(table))
        parquet.write_table(table.set_column(at, "agent_name", loops), tmp_path / f"{part}.parquet")
    lib = {"actor_rollout_ref__model__external_lib": "turnless_loop"}
    code, log = ended(tmp_path / "run", model, tmp_path, 1, **lib)
    assert code == 2, log[-6000:]
    told = [line for line in log.splitlines() if line.startswith("error: ")]
    assert len(told) == 1
    assert "turns cannot be recovered: row " in told[0]
    assert told[0].endswith('use the agent loop "tvlab"')
    assert not (tmp_path / "run" / "checkpoints" / "global_step_1").exists()


@pytest.mark.slow
def test_fine_tuning_then_tara_gives_a_table_of_three_stages_and_is_not_made_twice(tmp_path, capsys):
    import json

    need_verl()
    from tvlab.learning.verl.small_models import tiny
    from tvlab.learning.verl.train_cpu import main

    model = tiny(real_model(), tmp_path / "tiny")
    words = [str(model), str(tmp_path / "out"), "--items", "12", "--epochs", "1", "--batch", "4", "--steps", "1"]
    words += ["--prompts", "2", "--rollouts", "2", "--held-out", "2"]
    assert main(words) == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [row["stage"] for row in results["rows"]] == ["before", "after fine-tuning", "after TARA"]
    assert all(row["n"] == 4 and row["low"] <= row["turn_reward"] <= row["high"] for row in results["rows"])
    logged = (tmp_path / "out" / "sft.jsonl").read_text().splitlines()
    losses = [json.loads(line)["data"]["train/loss"] for line in logged]
    assert len(losses) == results["items"] // 4 > 0  # one epoch in batches of four
    assert all(9 < loss < 12 for loss in losses)  # a random model: the logarithm of its vocabulary
    assert main(words) == 0
    assert (tmp_path / "out" / "sft.jsonl").read_text().splitlines() == logged
    assert main([*words, "--batch", "2"]) == 2
    assert "holds a run with another batch" in capsys.readouterr().err
