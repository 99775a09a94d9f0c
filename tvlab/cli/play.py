"""``tvlab play``: a person plays the agent in the terminal."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tvlab.cli.application import app
from tvlab.cli.options import SandboxOption, SeedOption
from tvlab.cli.paths import one_environment
from tvlab.foundation.errors import UserError

if TYPE_CHECKING:
    from rich.console import Console

    from tvlab.environments.environment import Environment
    from tvlab.tasks.item import Item
    from tvlab.tasks.play import Play, Told

#: items made to choose from where no file is given
_ITEMS_MADE = 5
_REWARDS = ("coverage", "outcome", "both")
_STYLES = {"user": "bold cyan", "tool": "green", "error": "red", "reward": "bold magenta", "note": "dim"}
_HEADS = {"user": "User: ", "tool": "<- ", "error": "! "}


@app.command()
def play(
    environment: Annotated[Path, typer.Argument(callback=one_environment, help="Folder of an environment.")],
    items: Annotated[Path | None, typer.Option(help="File of items; by default a few are made now.")] = None,
    item: Annotated[str, typer.Option(help="Which item: its id, or its place in the file counted from 1.")] = "1",
    reward: Annotated[str, typer.Option(help="What a turn is paid for: coverage, outcome or both.")] = "coverage",
    step_cap: Annotated[int, typer.Option(min=1, help="Calls after which a turn ends by itself.")] = 8,
    seed: SeedOption = 0,
    sandbox: SandboxOption = "auto",
) -> None:
    """Play the agent by hand on an item: call tools, answer the user, see each turn's reward and why.

    Lines may also be piped in, as in: tvlab play ENVIRONMENT < lines.txt

    Example: tvlab play workspace/lab/environments/travel --item 2
    """
    from tvlab.environments.opening import open_environment
    from tvlab.reporting.run_display import console_for
    from tvlab.tasks.play import Play

    if reward not in _REWARDS:
        raise UserError(f"--reward {reward}: choose from {', '.join(_REWARDS)}")
    loaded = open_environment(environment, sandbox)
    game = Play(loaded, _chosen(loaded, items, item, seed), step_cap, reward)
    console = console_for(sys.stdout)
    _show(console, game.begin())
    for line in _lines(game):
        _show(console, game.answer(line))
        if game.over:
            break
    _show(console, game.end())


def _chosen(environment: "Environment", path: Path | None, name: str, seed: int) -> "Item":
    """Return the item that is played, from a file or made now."""
    from tvlab.tasks.graph import build_graph
    from tvlab.tasks.gust import build_items, read_items

    if path is None:
        count = max(_ITEMS_MADE, int(name) if name.isdecimal() else 0)
        found = build_items(environment, build_graph(environment, seed=seed), count, seed)
        if not found:
            raise UserError(f"{environment.name} carries no tasks: two state-changing tools must feed each other")
    else:
        found = [item for item in read_items(path) if item.environment == environment.name]
        if not found:
            raise UserError(f"{path} holds no item of {environment.name!r}: make some with `tvlab tasks`")
    places = {str(place): item for place, item in enumerate(found, start=1)}
    named = {item.id: item for item in found}
    if name not in places | named:
        raise UserError(f"item {name!r} is unknown: choose 1 to {len(found)} or one of {', '.join(list(named)[:5])}")
    return {**named, **places}[name]


def _lines(game: "Play") -> Iterator[str]:
    """Yield typed lines; on a terminal with history and completion, else what is piped in, shown as it is read."""
    if not sys.stdin.isatty():
        for line in sys.stdin:
            print(f"> {line.rstrip()}")
            yield line
        return
    _complete_with(game)
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            yield input("> ")


def _complete_with(game: "Play") -> None:
    """Let the Tab key complete names of tools, parameters and known values, where the platform can."""
    try:
        import readline
    except ImportError:
        return

    def complete(_: str, state: int) -> str | None:
        options = game.complete(readline.get_line_buffer()[: readline.get_endidx()])
        return options[state] if state < len(options) else None

    readline.set_completer_delims(" ")
    readline.set_completer(complete)
    editline = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if editline else "tab: complete")


def _show(console: "Console", told: "Iterator[Told]") -> None:
    for role, text in told:
        shown = f"{_HEADS.get(role, '')}{text}"
        console.print(shown, style=_STYLES.get(role), highlight=False, markup=False, soft_wrap=True)
