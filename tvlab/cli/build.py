"""``tvlab build``: tool lists -> verified environments."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption, RayOption, SeedOption, WorkersOption
from tvlab.cli.paths import must_be_tool_lists, output_file, output_folder
from tvlab.foundation.places import workspace
from tvlab.foundation.profiles import get_profile

#: a build of more servers prints its sums alone
_SERVERS_SHOWN = 40


@app.command()
def build(
    source: Annotated[
        str,
        typer.Option(
            "--from",
            help="embedded (8 servers), embedded-all (24), live (real servers, needs the network), or a file of tool "
            "lists (.json, .jsonl).",
        ),
    ] = "embedded",
    out: Annotated[
        Path | None,
        typer.Option(
            callback=output_folder, help="Folder for the environments; by default workspace/PROFILE/environments."
        ),
    ] = None,
    profile: ProfileOption = "lab",
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    ray: RayOption = "",
    writer: Annotated[
        str, typer.Option(help="Who writes the tools: rules, llm, or rules+llm (a model for what the rules drop).")
    ] = "rules",
    base_url: Annotated[str, typer.Option(help="OpenAI-compatible endpoint, up to and with /v1 (llm).")] = "",
    model: Annotated[str, typer.Option(help="Name of the model there (llm).")] = "",
    attempts: Annotated[int, typer.Option(min=1, max=3, help="Answers a tool may have (llm).")] = 3,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests under way at once (llm).")] = 8,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens of one answer (llm).")] = 1024,
    temperature: Annotated[float, typer.Option(min=0, help="Of sampling (llm).")] = 0.2,
    price_in: Annotated[float, typer.Option(min=0, help="Money a million tokens sent (llm).")] = 0.0,
    price_out: Annotated[float, typer.Option(min=0, help="Money a million tokens received (llm).")] = 0.0,
    budget: Annotated[
        float | None, typer.Option(min=0, help="Most money that this run may cost (llm); by default no limit.")
    ] = None,
    token_budget: Annotated[
        int | None,
        typer.Option(min=0, help="Most tokens that this run may send and receive (llm); by default no limit."),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            callback=output_file,
            help="File that keeps the model's answers (llm); by default workspace/PROFILE/answers.sqlite.",
        ),
    ] = None,
    sandbox: Annotated[str, typer.Option(help="Where the model's code runs: strict or weak (llm).")] = "strict",
) -> None:
    """Build verified environments from the tool lists of MCP servers; goes on where it was stopped.

    Example: tvlab build --from my_tools.json --out workspace/mine/environments
    """
    from tvlab.environments.build import build_environments
    from tvlab.environments.llm.options import open_writer, spending_text
    from tvlab.environments.tool_lists import load_tool_lists
    from tvlab.evaluation.folder_locks import locked
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
    must_be_tool_lists(source)
    tool_lists = load_tool_lists(source)
    with locked(folder, wait=False, doing="builds in"):
        rows = build_environments(tool_lists, folder, seed, workers, writer=asks)
        sums = sums_table(rows, carrying(folder, rows, workers))
    console = console_for(sys.stdout)
    if len(rows) <= _SERVERS_SHOWN:
        console.print(build_table(rows))
    console.print(sums)
    if asks is not None:
        typer.echo(spending_text(asks))
    made = any(row["environments"] or row["joined"] for row in rows)
    typer.echo(f"Environments in {folder}" if made else "No environment: too few tools of a server could be meant")
    if any(row["drops"] for row in rows):
        typer.echo(f"Why tools were dropped: {folder / 'build.json'}")
