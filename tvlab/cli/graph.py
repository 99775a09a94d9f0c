"""``tvlab graph``: which tool can feed which."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import ProfileOption, SandboxOption, SeedOption
from tvlab.cli.paths import one_environment, output_file
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import workspace
from tvlab.foundation.profiles import get_profile

if TYPE_CHECKING:
    from tvlab.environments.environment import Environment
    from tvlab.tasks.model_proposals import Proposal


@app.command()
def graph(
    environment: Annotated[Path, typer.Argument(callback=one_environment, help="Folder of an environment.")],
    out: Annotated[
        Path | None,
        typer.Option(
            callback=output_file,
            help="File for the graph (node-link JSON); by default workspace/PROFILE/graphs/NAME.json.",
        ),
    ] = None,
    base_url: Annotated[
        str, typer.Option(help="OpenAI-compatible endpoint, up to and with /v1: its model proposes edges too.")
    ] = "",
    model: Annotated[str, typer.Option(help="Name of the model there.")] = "",
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
    also = _proposed(loaded, base_url, model) if base_url or model else ()
    tools = build_graph(loaded, seed=seed, also=also)
    path = tools.save(out or workspace(get_profile(profile).name) / "graphs" / f"{loaded.name}.json")
    data, order = (sum(1 for _ in tools.edges(kind)) for kind in ("data", "order"))
    tasks = "carries tasks" if carries_tasks(loaded, tools) else "carries no tasks"
    typer.echo(f"{loaded.name}: {len(loaded.tools)} tools, {data} data edges, {order} order edges; {tasks}")
    if also:
        held = sum(about["found"] == "model" for *_, about in tools.edges("data"))
        typer.echo(f"The model proposed {len(also)} edges; {held} held that nothing else proposes")
    typer.echo(f"Graph in {path}")


def _proposed(environment: "Environment", base_url: str, model: str) -> "tuple[Proposal, ...]":
    from tvlab.foundation.endpoint import Endpoint, EndpointConfig
    from tvlab.tasks.model_proposals import proposals_of

    if not (base_url and model):
        raise UserError("a model that proposes edges needs both --base-url and --model")
    return proposals_of(environment, Endpoint(EndpointConfig(base_url, model, temperature=0.0))).proposals
