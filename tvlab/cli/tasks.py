"""``tvlab tasks``: multi-turn items (GUST) on environments."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption, RayOption, SandboxOption, SeedOption, WorkersOption
from tvlab.cli.paths import environment_folders, output_file, output_folder
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import workspace
from tvlab.foundation.profiles import get_profile

if TYPE_CHECKING:
    from tvlab.tasks.teaching import AskedModel

_DATASET_ONLY = "{} needs --dataset FOLDER: say where the dataset goes"


@app.command()
def tasks(
    environments: Annotated[list[Path], typer.Argument(help="Folders of environments, or of a build.")],
    out: Annotated[
        Path | None,
        typer.Option(
            callback=output_file,
            help="File for the items (JSON lines); by default workspace/PROFILE/tasks/items.jsonl.",
        ),
    ] = None,
    count: Annotated[int | None, typer.Option(min=1, help="Items an environment; by default the profile's.")] = None,
    dataset: Annotated[
        Path | None,
        typer.Option(
            callback=output_folder,
            help="Folder for a dataset instead: split by environment, with a card; goes on if stopped.",
        ),
    ] = None,
    like: Annotated[
        Path | None, typer.Option(help="Failures of `tvlab evaluate --explain`: draw items that stress them.")
    ] = None,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="All turn kinds (missing parameter, irrelevant, ...), not plain alone.")
    ] = False,
    share: Annotated[
        list[str] | None,
        typer.Option(help="Share of one kind of turn, as irrelevant=0.1; may be given again, over --mixed if both."),
    ] = None,
    attempts: Annotated[
        int, typer.Option(min=0, help="Attempts of the teacher at each item, for pass@k (dataset).")
    ] = 0,
    keep_least: Annotated[
        int, typer.Option(min=0, help="Keep items that the teacher solved at least so often (dataset).")
    ] = 0,
    keep_most: Annotated[
        int | None, typer.Option(min=0, help="Keep items that the teacher solved at most so often (dataset).")
    ] = None,
    teach: Annotated[
        bool, typer.Option("--teach", help="The model is the teacher, not the built-in search (dataset).")
    ] = False,
    plans: Annotated[
        int, typer.Option(min=0, help="Equivalent plans to sample an item and way, for the card (dataset).")
    ] = 0,
    asking: Annotated[
        bool,
        typer.Option("--asking", help="Take in environments with too few changing tools: items that ask (dataset)."),
    ] = False,
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Write verl's parquet files too, in DATASET/verl (dataset).")
    ] = False,
    decontaminate: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder that holds BFCL, tau2-bench or ACEBench; may be given again. Items that match are listed "
            "in decontamination.json and taken out (dataset)."
        ),
    ] = None,
    keep_matches: Annotated[
        bool, typer.Option("--keep-matches", help="List items that match a benchmark and keep them (dataset).")
    ] = False,
    rewrite: Annotated[
        bool, typer.Option("--rewrite", help="Let the model put the users' words anew, under checks (dataset).")
    ] = False,
    propose: Annotated[
        bool, typer.Option("--propose", help="Let the model propose edges of the tool graphs; all are run (dataset).")
    ] = False,
    try_items: Annotated[
        int, typer.Option("--try", min=0, help="Items that the model tries, for pass@k in the card (dataset).")
    ] = 0,
    tries: Annotated[int, typer.Option(min=1, help="Attempts of the model at each of them.")] = 4,
    base_url: Annotated[str, typer.Option(help="OpenAI-compatible endpoint, up to and with /v1.")] = "",
    model: Annotated[str, typer.Option(help="Name of the model there.")] = "",
    temperature: Annotated[float, typer.Option(min=0, help="Of the model's sampling.")] = 0.7,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens of one answer of the model.")] = 512,
    longest: Annotated[int, typer.Option(min=100, help="Most characters of a tool's answer that it is shown.")] = 6000,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests under way at once.")] = 4,
    answers: Annotated[
        Path | None,
        typer.Option(
            callback=output_file,
            help="File that keeps the model's answers; by default workspace/PROFILE/answers.sqlite.",
        ),
    ] = None,
    workers: WorkersOption = 1,
    ray: RayOption = "",
    seed: SeedOption = 0,
    profile: ProfileOption = "lab",
    sandbox: SandboxOption = "auto",
) -> None:
    """Make multi-turn items (GUST) with golden calls on environments.

    Example: tvlab tasks workspace/lab/environments/travel --count 20 --out travel.jsonl
    """
    scale, shares = get_profile(profile), _shares(mixed, share or ())
    environments = environment_folders(environments)
    asked = _asked_model(
        {"--rewrite": rewrite, "--teach": teach, "--propose": propose, "--try": bool(try_items)},
        (base_url, model),
        (temperature, max_tokens, concurrency),
        answers or workspace(scale.name) / "answers.sqlite",
    )
    if dataset is None:
        wanted = {
            "--attempts": attempts, "--decontaminate": decontaminate, "--rewrite": rewrite, "--try": try_items,
            "--teach": teach, "--propose": propose, "--plans": plans, "--asking": asking, "--parquet": parquet,
        }  # fmt: skip
        for name, value in wanted.items():
            if value:
                raise UserError(_DATASET_ONLY.format(name))
        number = count or scale.items_per_environment
        _make_items(environments, out, number, seed, scale.name, shares, sandbox, like)
        return
    if like is not None:
        raise UserError("--like draws items, not a dataset: give --out FILE instead of --dataset")
    if (teach or keep_least or keep_most is not None) and not attempts:
        raise UserError("a teacher needs to try the items: give --attempts")
    from tvlab.evaluation.folder_locks import locked
    from tvlab.tasks.dataset import Models, Settings, make_dataset, read_dataset
    from tvlab.tasks.dataset_export import write_verl_parquet
    from tvlab.tasks.dataset_models import try_model

    with locked(dataset, wait=False, doing="makes a dataset in"):
        make_dataset(
            environments,
            dataset,
            Settings(
                count=count or scale.items_per_environment,
                seed=seed,
                shares=shares,
                attempts=attempts,
                keep_least=keep_least,
                keep_most=keep_most,
                plans=plans,
                asking=asking,
            ),
            workers,
            progress=True,
            sandbox=sandbox,
            models=Models(asked if rewrite else None, asked if teach else None, asked if propose else None),
            benchmarks=decontaminate or (),
            keep_matches=keep_matches,
        )
        if asked is not None and try_items:
            record = try_model(dataset, environments, asked, try_items, tries, longest, seed, sandbox)
            typer.echo("; ".join(f"pass@{row['k']} {row['pass_at_k']:.3f}" for row in record["pass_at_k"]))
        if parquet:
            write_verl_parquet(read_dataset(dataset), dataset / "verl")
    typer.echo(f"Dataset in {dataset}: train.jsonl, validation.jsonl, test.jsonl, card.json")


def _shares(mixed: bool, given: Iterable[str]) -> dict[str, float]:
    """The shares of special turns: those of a mix if wanted, then what was given one by one."""
    from tvlab.tasks.turn_kinds import MIXED_SHARES, checked_shares

    shares = dict(MIXED_SHARES) if mixed else {}
    for text in given:
        kind, _, share = text.partition("=")
        try:
            shares[kind] = float(share)
        except ValueError:
            raise UserError(f"--share {text}: give KIND=SHARE, as irrelevant=0.1") from None
    return checked_shares(shares)


def _asked_model(
    wanted: dict[str, bool], place: tuple[str, str], sampling: tuple[float, int, int], answers: Path
) -> "AskedModel | None":
    """The model that the options name; None if nothing asks for one."""
    from tvlab.foundation.endpoint import EndpointConfig
    from tvlab.tasks.teaching import AskedModel

    asking = next((name for name, value in wanted.items() if value), None)
    if asking is None:
        return None
    if not all(place):
        raise UserError(f"{asking} needs a model: give --base-url and --model")
    temperature, max_tokens, concurrency = sampling
    config = EndpointConfig(*place, temperature=temperature, max_tokens=max_tokens, timeout=600.0)
    return AskedModel(config, answers, concurrency)


def _make_items(
    environments: list[Path],
    out: Path | None,
    count: int,
    seed: int,
    profile: str,
    shares: dict[str, float],
    sandbox: str,
    like: Path | None,
) -> None:
    from tvlab.environments.opening import open_environment
    from tvlab.tasks.graph import build_graph, carries_tasks
    from tvlab.tasks.gust import build_items, write_items
    from tvlab.tasks.stressing import stress_of, stressing_items

    stress = None if like is None else stress_of(_failures(like))
    items = []
    for environment in [open_environment(folder, sandbox) for folder in environments]:
        tools = build_graph(environment, seed=seed)
        if not carries_tasks(environment, tools):
            typer.echo(f"{environment.name}: carries no tasks")
            continue
        if stress is None:
            made = build_items(environment, tools, count, seed, shares=shares)
        else:
            made = stressing_items(environment, tools, count, seed, stress)
        turns = sum(len(item.turns) for item in made) / max(len(made), 1)
        typer.echo(f"{environment.name}: {len(made)} items, {turns:.1f} user turns an item")
        items += made
    if not items:
        raise UserError("no item could be made: give environments with two state-changing tools that feed each other")
    path = write_items(out or workspace(profile) / "tasks" / "items.jsonl", items)
    typer.echo(f"{len(items)} items in {path}")


def _failures(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of failures."""
    from tvlab.foundation.atomic_files import iterate_jsonl

    rows = []
    for number, row in iterate_jsonl(path, "failures"):
        if not (isinstance(row, dict) and isinstance(row.get("kind"), str)):
            raise UserError(f"{path} line {number} is no failure: give what `tvlab evaluate --explain` wrote")
        rows.append(row)
    if not rows:
        raise UserError(f"{path} holds no failures: there is nothing to stress; leave --like out")
    return rows
