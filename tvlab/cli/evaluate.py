"""``tvlab evaluate``: scores of a lab policy, or of any model behind an endpoint; comparing and explaining them."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption, SandboxOption, SeedOption, WorkersOption
from tvlab.cli.paths import output_folder
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import workspace
from tvlab.foundation.profiles import get_profile

ENDPOINT, MODEL_ROLE, WORK, OTHER = "The endpoint", "The user's model", "What is scored, and how", "Instead"


def _option(text: str, panel: str, *names: str, **more):
    return typer.Option(*names, help=text, rich_help_panel=panel, **more)


@app.command()
def evaluate(
    policy: Annotated[Path | None, typer.Argument(help="File that `tvlab train` wrote; or give --base-url.")] = None,
    base_url: Annotated[str, _option("Address of the model, up to and with /v1.", ENDPOINT)] = "",
    model: Annotated[str, _option("Its name there.", ENDPOINT)] = "",
    api_key_env: Annotated[str, _option("Environment variable with its key.", ENDPOINT)] = "OPENAI_API_KEY",
    mode: Annotated[str, _option("Tool calls: native, or prompt (as text).", ENDPOINT)] = "native",
    temperature: Annotated[float, _option("Of sampling.", ENDPOINT, min=0)] = 0.7,
    max_tokens: Annotated[int, _option("Most tokens of one message.", ENDPOINT, min=1)] = 1024,
    timeout: Annotated[float, _option("Seconds for one request.", ENDPOINT, min=0.001)] = 600.0,
    price_in: Annotated[float, _option("Money a million input tokens, to show the cost.", ENDPOINT, min=0)] = 0.0,
    price_out: Annotated[float, _option("The same for output tokens.", ENDPOINT, min=0)] = 0.0,
    hardware: Annotated[str, _option("What it runs on; stands beside the scores.", ENDPOINT)] = "",
    user_base_url: Annotated[
        str, _option("Address of the model that plays the user; else that of --base-url.", MODEL_ROLE)
    ] = "",
    user_model: Annotated[str, _option("Its name there.", MODEL_ROLE)] = "",
    user_api_key_env: Annotated[str, _option("Environment variable with its key.", MODEL_ROLE)] = "OPENAI_API_KEY",
    bench: Annotated[str, _option("Of gust, bfcl, tau2, acebench; with commas.", WORK)] = "gust",
    runs: Annotated[int, _option("Repetitions of every task: avg@RUNS.", WORK, min=1)] = 4,
    limit: Annotated[str, _option("Tasks a benchmark: 40, or gust=40,tau2=8; by default all.", WORK)] = "",
    out: Annotated[
        Path | None, _option("Folder of the scores; goes on if it is there.", WORK, callback=output_folder)
    ] = None,
    concurrency: Annotated[int, _option("Tasks played at once.", WORK, min=1)] = 8,
    minutes: Annotated[
        float | None, _option("Begin no task after so many minutes; else no limit.", WORK, min=0)
    ] = None,
    items: Annotated[Path | None, _option("GUST: items, or a dataset's folder; else the sample.", WORK)] = None,
    split: Annotated[str, _option("GUST: the part of a dataset.", WORK)] = "test",
    environments: Annotated[Path | None, _option("GUST: folder with the items' environments.", WORK)] = None,
    ace_data: Annotated[Path | None, _option("ACEBench: a clone of its repository.", WORK)] = None,
    bfcl_version: Annotated[str, _option("BFCL: v3 or v4.", WORK)] = "v3",
    tau2_steps: Annotated[int, _option("tau2: messages of a simulation; 0: upstream's 200.", WORK, min=0)] = 0,
    compare: Annotated[tuple[Path, Path] | None, _option("Paired differences of two folders of scores.", OTHER)] = None,
    explain: Annotated[Path | None, _option("Group the failures of a folder of scores.", OTHER)] = None,
    failures: Annotated[Path | None, _option("With --explain: write them, for `tvlab tasks --like`.", OTHER)] = None,
    sft: Annotated[Path | None, _option("With --explain: right conversations of failed items (JSONL).", OTHER)] = None,
    teacher: Annotated[Path | None, _option("With --sft: scores of a stronger model, taken first.", OTHER)] = None,
    served: Annotated[str, _option("Print how to serve and score a model of the table; or: list.", OTHER)] = "",
    setup: Annotated[bool, _option("Make the harnesses' environments (--bench, or all).", OTHER, "--setup")] = False,
    self_test: Annotated[bool, _option("Count ground truth and doing nothing.", OTHER, "--self-test")] = False,
    quick: Annotated[bool, _option("With --self-test: a few tasks only.", OTHER, "--quick")] = False,
    profile: ProfileOption = "lab",
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    sandbox: SandboxOption = "auto",
) -> None:
    """Score a trained policy, or any model behind an OpenAI-compatible endpoint.

    A run that was stopped goes on where it was. Errors are counted and left out, never taken for wrong answers.

    Example: tvlab evaluate workspace/smoke/policies/tara-0.npz --profile smoke

    Example: tvlab evaluate --base-url http://localhost:8000/v1 --model qwen3-8b --bench gust,bfcl --runs 4
    """
    named = [word.strip() for word in bench.split(",") if word.strip()]
    if setup or self_test:
        external = [name for name in named if name != "gust"]
        _set_up(external) if setup else _check(external, quick, ace_data)
    elif served:
        _print_served(served)
    elif compare:
        _compare(*compare, seed)
    elif explain:
        _explain(explain, failures, sft, teacher, environments, profile, sandbox, workers)
    elif base_url or model:
        from tvlab.evaluation.score_rows import MODES, task_limits
        from tvlab.evaluation.score_run import ScorePlan, run_scores
        from tvlab.foundation.endpoint import EndpointConfig

        if not (base_url and model):
            raise UserError("an endpoint has an address and a model's name: give --base-url and --model")
        if mode not in MODES:
            raise UserError(f"--mode {mode}: choose from {', '.join(MODES)}")
        needing = [name for name in named if name in ("tau2", "acebench")]
        if needing and not user_model:
            raise UserError(f"{' and '.join(needing)}: another model plays the user: give --user-model")
        agent = EndpointConfig(base_url, model, api_key_env, temperature, max_tokens, timeout)
        user = EndpointConfig(user_base_url or base_url, user_model, user_api_key_env, 0.0, max_tokens, timeout)
        plan = ScorePlan(
            agent,
            user if user_model else None,
            mode,
            runs,
            task_limits(limit),
            concurrency,
            price_in,
            price_out,
            minutes,
            hardware,
            tau2_steps,
        )
        from tvlab.evaluation.score_sources import chosen_harnesses, keep_origin

        folder = out or workspace("scores") / model.replace("/", "_")
        chosen = chosen_harnesses(named, items, split, environments, ace_data, bfcl_version, profile, sandbox, workers)
        keep_origin(folder, chosen, plan.limit)
        run_scores(chosen, plan, folder)
        _show([folder], seed)
        typer.echo(f"Rows and answers in {folder}")
    elif policy is not None:
        _play_policy(policy, profile, seed, workers)
    else:
        raise UserError("nothing to evaluate: give a policy's file, or --base-url and --model")


def _play_policy(policy: Path, profile: str, seed: int, workers: int) -> None:
    from tvlab.evaluation.lab_experiment import evaluate_held_out
    from tvlab.evaluation.suite import load_suite
    from tvlab.learning.policy_files import load_policy
    from tvlab.reporting.run_display import console_for, frame_table

    loaded, config, held_out = load_policy(policy)
    scale = get_profile(profile)
    suite = load_suite(scale.name, seed=0, workers=workers)
    size = (scale.evaluation_items, scale.evaluation_rollouts)
    rows = evaluate_held_out(loaded, config, suite, held_out, *size, seed)
    means = rows.groupby("environment")[["turn_reward", "outcome", "all_turns"]].mean().reset_index()
    title = f"{config.arm}, profile {profile}, {len(rows)} rollouts"
    console_for(sys.stdout).print(frame_table(means, title))


def _print_served(name: str) -> None:
    from tvlab.evaluation.served_models import served_models

    models = served_models()
    if name not in models:
        if name != "list":
            raise UserError(f"no model {name!r} in the table: choose from {', '.join(models)}")
        typer.echo("\n".join(f"{model.model:24} {model.arm:10} {model.checkpoint}" for model in models.values()))
        return
    model = models[name]
    typer.echo(f"{model.serve}\n{model.evaluate}")
    if model.note:
        typer.echo(model.note, err=True)


def _set_up(names: list[str]) -> None:
    from tvlab.evaluation.harnesses import setup

    for folder in setup(names):
        typer.echo(f"Ready: {folder}")


def _check(names: list[str], quick: bool, ace_data: Path | None) -> None:
    import pandas as pd

    from tvlab.evaluation.harnesses import self_test
    from tvlab.reporting.run_display import console_for, frame_table

    counts = self_test(names, quick, ace_data)
    frame = pd.DataFrame([{**vars(count), "right": count.right} for count in counts])
    console_for(sys.stdout).print(frame_table(frame, "Ground truth and doing nothing"))
    wrong = sum(not count.right for count in counts)
    if wrong:
        raise UserError(f"{wrong} of {len(counts)} counts are not as they should be: another version or other data")


def _show(folders: list[Path], seed: int) -> None:
    from tvlab.reporting.run_display import console_for, frame_table
    from tvlab.reporting.score_tables import column_table, footnotes, gust_table, turn_table

    frame = column_table(folders, seed)
    console_for(sys.stdout).print(frame_table(frame, "Scores in percent, 95% intervals"))
    for note in footnotes(folders):
        typer.echo(note)
    finer = gust_table(folders, seed)
    if "value" in finer:
        console_for(sys.stdout).print(frame_table(finer, "GUST's other scores in percent, 95% intervals"))
        console_for(sys.stdout).print(frame_table(turn_table(folders), "GUST's turns by kind, number and depth"))


def _compare(first: Path, second: Path, seed: int) -> None:
    from tvlab.reporting.run_display import console_for, frame_table
    from tvlab.reporting.score_tables import difference_table

    if first.resolve() == second.resolve():
        raise UserError(f"--compare {first} {second}: the two are one folder; name two")
    _show([first, second], seed)
    frame = difference_table(first, second, seed)
    console_for(sys.stdout).print(frame_table(frame, f"{first.name} minus {second.name}, paired over tasks"))


def _explain(
    folder: Path,
    failures: Path | None,
    sft: Path | None,
    teacher: Path | None,
    environments: Path | None,
    profile: str,
    sandbox: str,
    workers: int,
) -> None:
    from tvlab.evaluation.failure_groups import failure_rows, grouped
    from tvlab.evaluation.score_store import load_scores
    from tvlab.foundation.atomic_files import write_jsonl
    from tvlab.reporting.run_display import console_for, frame_table

    _, rows = load_scores(folder)
    found = failure_rows(rows)
    console_for(sys.stdout).print(frame_table(grouped(rows), f"Failures of {folder.name} by kind"))
    if failures is not None:
        typer.echo(f"{len(found)} failures in {write_jsonl(failures, found)}")
    if sft is not None:
        from tvlab.evaluation.score_sources import played_items
        from tvlab.evaluation.sft_export import right_conversations

        items, places = played_items(folder, environments, profile, sandbox, workers)
        lines = right_conversations(rows, items, places, teacher)
        typer.echo(f"{len(lines)} conversations in {write_jsonl(sft, lines)}")
