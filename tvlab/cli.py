"""The command line: ``tvlab COMMAND``, thin over the library.

Bad input gives one line on standard error (what, where, what to do) and exit code 2; a fault of ours gives
one line and the file that holds the traceback, and exit code 1. The library is imported inside the commands,
so that ``--help`` is quick.
"""

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tvlab.foundation.errors import UserError
from tvlab.foundation.places import home, workspace
from tvlab.foundation.profiles import get_profile

app = typer.Typer(
    name="tvlab",
    help="MCP tool lists -> verified environments -> multi-turn tasks -> turn-level reinforcement learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

corpus = typer.Typer(help="Collect the tool lists of real servers.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(corpus, name="corpus")

ProfileOption = Annotated[str, typer.Option("--profile", help="Scale: smoke, lab, full.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything that is random.")]
WorkersOption = Annotated[int, typer.Option("--workers", min=1, help="Processes.")]
SandboxOption = Annotated[
    str,
    typer.Option(
        "--sandbox",
        help="Where an environment's code runs: auto (written here: in process; else strict), strict, weak, off.",
    ),
]


#: a build of more servers prints its sums alone
_SERVERS_SHOWN = 40


@app.callback()
def _every_command(
    debug: Annotated[bool, typer.Option("--debug", hidden=True, help="Show tracebacks.")] = False,
) -> None:
    if debug:
        os.environ["TVLAB_DEBUG"] = "1"


@app.command()
def build(
    source: Annotated[
        str,
        typer.Option(
            "--from",
            help="embedded (8 servers), embedded-all (24), live (real servers, needs the network), or a file.",
        ),
    ] = "embedded",
    out: Annotated[Path | None, typer.Option(help="Folder for the environments.")] = None,
    profile: ProfileOption = "lab",
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    writer: Annotated[
        str, typer.Option(help="Who writes the tools: rules, llm, or rules+llm (a model for what the rules drop).")
    ] = "rules",
    base_url: Annotated[str, typer.Option(help="OpenAI-compatible endpoint, up to and with /v1 (llm).")] = "",
    model: Annotated[str, typer.Option(help="Name of the model there (llm).")] = "",
    attempts: Annotated[int, typer.Option(min=1, max=3, help="Answers a tool may have (llm).")] = 3,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests under way at once (llm).")] = 8,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens of one answer (llm).")] = 1024,
    temperature: Annotated[float, typer.Option(min=0, help="Of sampling (llm).")] = 0.2,
    price_in: Annotated[float, typer.Option(min=0, help="Price of a million tokens sent (llm).")] = 0.0,
    price_out: Annotated[float, typer.Option(min=0, help="Price of a million tokens received (llm).")] = 0.0,
    budget: Annotated[float | None, typer.Option(min=0, help="Most money of this run (llm).")] = None,
    token_budget: Annotated[int | None, typer.Option(min=0, help="Most tokens of this run (llm).")] = None,
    answers: Annotated[Path | None, typer.Option(help="File that keeps the model's answers (llm).")] = None,
    sandbox: Annotated[str, typer.Option(help="Where the model's code runs: strict or weak (llm).")] = "strict",
) -> None:
    """Build verified environments from the tool lists of MCP servers; goes on where it was stopped.

    Example: tvlab build --from my_tools.json --out workspace/mine/environments
    """
    from tvlab.environments.build import build_environments
    from tvlab.environments.llm_options import open_writer, spending_text
    from tvlab.environments.tool_lists import load_tool_lists
    from tvlab.reporting.build_summary import build_table, sums_table
    from tvlab.reporting.run_display import console_for
    from tvlab.tasks.carrying import carrying

    place = workspace(get_profile(profile).name)
    folder = out or place / "environments"
    asks = open_writer(
        writer,
        base_url,
        model,
        answers or place / "answers.sqlite",
        prices=(price_in, price_out),
        money=budget,
        tokens=token_budget,
        attempts=attempts,
        concurrency=concurrency,
        max_tokens=max_tokens,
        temperature=temperature,
        sandbox=sandbox,
    )
    tool_lists = load_tool_lists(source)
    rows = build_environments(tool_lists, folder, seed, workers, writer=asks)
    console = console_for(sys.stdout)
    if len(rows) <= _SERVERS_SHOWN:
        console.print(build_table(rows))
    console.print(sums_table(rows, carrying(folder, rows, workers)))
    if asks is not None:
        typer.echo(spending_text(asks))
    typer.echo(f"Environments in {folder}")


@app.command()
def serve(
    environment: Annotated[Path, typer.Argument(help="Folder of an environment.")],
    transport: Annotated[str, typer.Option(help="stdio or http (streamable).")] = "stdio",
    host: Annotated[str, typer.Option(help="Address to listen on (http).")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on (http); 0 takes a free one.")] = 8000,
    sandbox: SandboxOption = "auto",
) -> None:
    """Serve an environment as an MCP server, one state a client session.

    Example: tvlab serve workspace/lab/environments/travel --transport http --port 8000
    """
    from tvlab.environments.serving import serve as serve_environment

    serve_environment(environment, transport, host, port, sandbox)


@app.command()
def doctor() -> None:
    """Say which layers of the sandbox for foreign code this machine has, each tried just now.

    Example: tvlab doctor
    """
    from tvlab.environments.doctor import doctor as try_layers
    from tvlab.environments.doctor import doctor_text

    typer.echo(doctor_text(try_layers()))


@corpus.command()
def pull(
    source: Annotated[
        str, typer.Argument(help="live, a checkout or archive of a collection, an mcp.json, or an http(s) address.")
    ],
    out: Annotated[Path, typer.Option(help="Dump to make or to extend (.jsonl).")],
    only: Annotated[list[str] | None, typer.Option("--only", help="A server's name; may be repeated.")] = None,
) -> None:
    """Add the tool lists of real servers to a dump, with provenance and licence; goes on where it was stopped.

    Example: tvlab corpus pull live --out workspace/live.jsonl
    """
    from tvlab.environments.corpus_sources import pull as pull_source

    typer.echo(str(pull_source(source, out, only)))


@app.command()
def graph(
    environment: Annotated[Path, typer.Argument(help="Folder of an environment.")],
    out: Annotated[Path | None, typer.Option(help="File for the graph (node-link JSON).")] = None,
    seed: SeedOption = 0,
    profile: ProfileOption = "lab",
    sandbox: SandboxOption = "auto",
) -> None:
    """Find which tool can feed which, run every such pair, and write the graph of those that held.

    Example: tvlab graph workspace/lab/environments/travel
    """
    from tvlab.environments.opening import open_environment
    from tvlab.tasks.graph import build_graph, carries_tasks

    loaded = open_environment(environment, sandbox)
    tools = build_graph(loaded, seed=seed)
    path = tools.save(out or workspace(get_profile(profile).name) / "graphs" / f"{loaded.name}.json")
    data, order = (sum(1 for _ in tools.edges(kind)) for kind in ("data", "order"))
    tasks = "carries tasks" if carries_tasks(loaded, tools) else "carries no tasks"
    typer.echo(f"{loaded.name}: {len(loaded.tools)} tools, {data} data edges, {order} order edges; {tasks}")
    typer.echo(f"Graph in {path}")


@app.command()
def tasks(
    environments: Annotated[list[Path], typer.Argument(help="Folders of environments.")],
    out: Annotated[Path | None, typer.Option(help="File for the items (JSON lines).")] = None,
    count: Annotated[
        int | None, typer.Option(min=1, help="Items an environment; by default the profile's.")
    ] = None,
    dataset: Annotated[
        Path | None,
        typer.Option(help="Folder for a dataset instead: split by environment, with a card; goes on if stopped."),
    ] = None,
    workers: WorkersOption = 1,
    seed: SeedOption = 0,
    profile: ProfileOption = "lab",
    sandbox: SandboxOption = "auto",
) -> None:
    """Make multi-turn items (GUST) with golden calls on environments.

    Example: tvlab tasks workspace/lab/environments/travel --count 20 --out travel.jsonl
    """
    if dataset is not None:
        items_each = count or get_profile(profile).items_per_environment
        _make_dataset(environments, dataset, items_each, seed, workers, sandbox)
        return
    from tvlab.environments.opening import open_environment
    from tvlab.tasks.graph import build_graph, carries_tasks
    from tvlab.tasks.gust import build_items, write_items

    scale = get_profile(profile)
    items = []
    for environment in [open_environment(folder, sandbox) for folder in environments]:
        tools = build_graph(environment, seed=seed)
        if not carries_tasks(environment, tools):
            typer.echo(f"{environment.name}: carries no tasks")
            continue
        made = build_items(environment, tools, count or scale.items_per_environment, seed)
        turns = sum(len(item.turns) for item in made) / max(len(made), 1)
        typer.echo(f"{environment.name}: {len(made)} items, {turns:.1f} user turns an item")
        items += made
    if not items:
        raise UserError(
            "no item could be made: give environments with two state-changing tools that feed each other"
        )
    path = write_items(out or workspace(scale.name) / "tasks" / "items.jsonl", items)
    typer.echo(f"{len(items)} items in {path}")


def _make_dataset(
    environments: list[Path], out: Path, count: int, seed: int, workers: int, sandbox: str
) -> None:
    from tvlab.tasks.dataset import Settings, make_dataset

    make_dataset(environments, out, Settings(count=count, seed=seed), workers, progress=True, sandbox=sandbox)
    typer.echo(f"Dataset in {out}: train.jsonl, validation.jsonl, test.jsonl, card.json")


@app.command()
def train(
    arm: Annotated[str, typer.Option(help="Advantage estimator, or package.module:function.")] = "tara",
    out: Annotated[Path | None, typer.Option(help="File for the policy.")] = None,
    lam: Annotated[float, typer.Option(help="Weight of the future part (lambda).")] = 0.5,
    gamma: Annotated[float, typer.Option(help="Discount between future turns.")] = 0.5,
    profile: ProfileOption = "lab",
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
) -> None:
    """Train the lab policy on half of the profile's environments; the other half is held out.

    Example: tvlab train --arm grpo --profile smoke --seed 1
    """
    from tvlab.evaluation.lab_experiment import lab_config, train_fold
    from tvlab.evaluation.suite import load_suite
    from tvlab.learning.policy_files import save_policy

    config = lab_config(get_profile(profile).name, arm, seed, lam=lam, gamma=gamma)
    trained, held_out = train_fold(config, load_suite(profile, seed=0, workers=workers), fold=0)
    for row in trained.rows[:: max(len(trained.rows) // 10, 1)]:
        typer.echo(f"update {row['update']:4d}: turn reward {row['turn_reward']:.3f}")
    path = save_policy(
        out or workspace(profile) / "policies" / f"{arm}-{seed}.npz", trained.policy, config, held_out
    )
    typer.echo(f"Policy in {path}; held out: {', '.join(held_out)}")


@app.command()
def evaluate(
    policy: Annotated[Path, typer.Argument(help="File that `tvlab train` wrote.")],
    profile: ProfileOption = "lab",
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
) -> None:
    """Play a trained policy on the environments that it was not trained on.

    Example: tvlab evaluate workspace/smoke/policies/tara-0.npz --profile smoke
    """
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


@app.command()
def reproduce(
    profile: ProfileOption = "lab",
    seed: SeedOption = 0,
    only: Annotated[str, typer.Option(help="Notebooks by name or number, separated by commas.")] = "",
    param: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE for notebooks with that parameter.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what is already done.")] = False,
) -> None:
    """Run the notebooks headlessly and end with a summary; what is done already is not run again.

    Example: tvlab reproduce --profile smoke --only 05,06 --param seed=1
    """
    from tvlab.reporting.notebook_runs import reproduce as run_notebooks
    from tvlab.reporting.notebooks import parse_parameters
    from tvlab.reporting.run_display import RunDisplay, console_for, print_summary
    from tvlab.reporting.run_records import FAILED

    console = console_for(sys.stdout)
    records = run_notebooks(
        profile,
        RunDisplay(console),
        seed=seed,
        only=[name.strip() for name in only.split(",") if name.strip()],
        parameters=parse_parameters(param or []),
        fresh=fresh,
    )
    print_summary(records, profile, console)
    if any(record.status == FAILED for record in records):
        raise typer.Exit(1)


@app.command()
def figures(profile: ProfileOption = "lab") -> None:
    """Draw every figure again from the saved tables, without running anything.

    Example: tvlab figures --profile lab
    """
    from tvlab.reporting.drawings import draw_all

    for name, outcome in draw_all(get_profile(profile).name).items():
        typer.echo(f"{name}: {outcome}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code: 0, 1 for our faults, 2 for the user's."""
    try:
        app(args=None if arguments is None else list(arguments), prog_name="tvlab")
    except UserError as error:
        if os.environ.get("TVLAB_DEBUG"):
            raise
        print(f"tvlab: {error}", file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        if os.environ.get("TVLAB_DEBUG"):
            raise
        print(f"tvlab: {_one_line(error)}; traceback in {_write_traceback()}", file=sys.stderr)
        sys.exit(1)


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _write_traceback() -> Path:
    """Write the traceback of the exception at hand into the work folder, else into a temporary one."""
    name = f"error-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (home() / "workspace" / "logs", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(traceback.format_exc(), encoding="utf-8")
        except OSError:
            continue
        return folder / name
    return Path("(nowhere: no folder can be written)")
