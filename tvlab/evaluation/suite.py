"""The environments, graphs and GUST items that notebooks and commands work on, made once and kept on disk.

Everything lies under ``workspace/<profile>/``. A marker file names the code, source and seed that it was made
by; if that has changed it is made again. Two programs that want the same suite at once make it once: the second
waits. Environments that carry no tasks are kept and take no part in items.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import tvlab
from tvlab.environments.build import build_environments
from tvlab.environments.build_totals import environment_names
from tvlab.environments.environment import Environment
from tvlab.environments.tool_lists import load_tool_lists
from tvlab.evaluation.folder_locks import locked
from tvlab.foundation.atomic_files import read_json, write_json
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import workspace
from tvlab.foundation.profiles import get_profile
from tvlab.foundation.runner import run_jobs
from tvlab.foundation.stored_runs import file_hash, source_hash
from tvlab.tasks.graph import ToolGraph, build_graph, carries_tasks
from tvlab.tasks.gust import build_items, read_items, write_items
from tvlab.tasks.item import Item

_PACKAGE = Path(tvlab.__file__).parent
_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Suite:
    """What one profile trains and is evaluated on.

    Attributes:
        profile: its scale.
        environments: all that were built, by name.
        graphs: the tool graph of each environment.
        items: GUST items of each environment that carries tasks.
    """

    profile: str
    environments: dict[str, Environment]
    graphs: dict[str, ToolGraph]
    items: dict[str, list[Item]]

    @property
    def with_tasks(self) -> list[Environment]:
        """The environments that have items, by name."""
        return [self.environments[name] for name in sorted(self.items)]

    @property
    def key(self) -> str:
        """A hash of the items and of the environments that they were made on."""
        made_on = {name: self.environments[name].code_hash for name in self.items}
        items = {name: [item.to_json() for item in chosen] for name, chosen in self.items.items()}
        return content_hash([made_on, items])


def load_suite(
    profile: str,
    seed: int = 0,
    source: str = "embedded",
    workers: int = 1,
    part: str = "",
    turns: int | None = None,
    count: int | None = None,
) -> Suite:
    """Return the suite of a profile; what is missing or out of date is made first.

    Args:
        profile: sets the number of items an environment.
        seed: of states and items.
        source: embedded, live, or a file of tool lists.
        workers: processes.
        part: a folder of its own inside the profile's, so that suites of several sources lie side by side.
        turns: items of this many user turns only; None for the usual mixture.
        count: items an environment; None for the profile's.
    """
    scale = get_profile(profile)
    folder = workspace(profile) / part
    count = scale.items_per_environment if count is None else count
    with _alone(folder):
        environments = _built(folder / "environments", seed, source, workers)
        graphs = load_graphs(folder / "graphs", environments, seed, workers)
        able = [e for name, e in sorted(environments.items()) if carries_tasks(e, graphs[name])]
        _make_items(folder, able, seed, turns, count, workers)
        return read_suite(profile, part, turns)


def _alone(folder: Path) -> AbstractContextManager[None]:
    """Hold a suite's folder; parts lie inside that of the profile and have locks of their own."""
    return locked(folder, doing="makes a suite in")


def _make_items(
    folder: Path, able: Sequence[Environment], seed: int, turns: int | None, count: int, workers: int
) -> None:
    """Make the items of a suite unless they are there and hold."""
    path = items_file(folder, turns)
    rooms = ("foundation", "environments", "tasks")
    key = [_code(*rooms), seed, count, [environment.code_hash for environment in able], turns]
    if not _made_by(path.with_suffix(".made.json"), key):
        jobs = [(folder, environment.name, count, seed, turns) for environment in able]
        made = run_jobs(_items_of, jobs, workers, progress=False)
        write_items(path, [item for items in made for item in items])
        write_json(path.with_suffix(".made.json"), {"key": content_hash(key)})


def items_file(folder: Path, turns: int | None) -> Path:
    """Return where a suite's items lie."""
    return folder / "gust" / ("items.jsonl" if turns is None else f"items_of_{turns}_turns.jsonl")


def read_suite(profile: str, part: str = "", turns: int | None = None) -> Suite:
    """Return the suite that lies on disk, as it is: nothing is checked or made."""
    folder = workspace(profile) / part
    environments = _read_environments(folder / "environments")
    graphs = {name: ToolGraph.load(folder / "graphs" / f"{name}.json") for name in environments}
    items: dict[str, list[Item]] = {}
    for item in read_items(items_file(folder, turns)):
        items.setdefault(item.environment, []).append(item)
    return Suite(profile, environments, graphs, items)


def load_environments(
    profile: str, seed: int = 0, source: str = "embedded", workers: int = 1, part: str = ""
) -> dict[str, Environment]:
    """Return the environments of a profile by name; they are built first if code, source or seed changed."""
    folder = workspace(profile) / part
    with _alone(folder):
        return _built(folder / "environments", seed, source, workers)


def _built(folder: Path, seed: int, source: str, workers: int) -> dict[str, Environment]:
    marker, key = folder / "made.json", [_code("foundation", "environments", "data"), _named(source), seed]
    if not _made_by(marker, key):
        rows = build_environments(load_tool_lists(source), folder, seed, workers, progress=False)
        names = environment_names(rows)
        if not names:
            raise UserError(f"no environment could be built from {source}: see the reports in {folder}")
        write_json(marker, {"key": content_hash(key), "names": names})
    return _read_environments(folder)


def _named(source: str) -> str | list[str]:
    """What a source is known by: a file by its content, and by the name that servers without one get theirs from."""
    path = Path(source)
    return [path.stem, file_hash(path)] if path.is_file() else source


def _read_environments(folder: Path) -> dict[str, Environment]:
    names = read_json(folder / "made.json", "list of environments")["names"]
    return {name: Environment.load(folder / name) for name in names}


def named(found: Mapping[str, _Found], name: str) -> _Found:
    """Return what belongs to an environment's name: the environment, its graph, its items.

    Raises:
        UserError: there is none of that name.
    """
    if name not in found:
        raise UserError(f"environment {name!r} is not among those built: choose from {', '.join(sorted(found))}")
    return found[name]


def load_graphs(
    folder: Path, environments: dict[str, Environment], seed: int, workers: int = 1
) -> dict[str, ToolGraph]:
    """Return the graph of each environment, read from its folder; those missing or out of date are made, edges run."""
    code = _code("foundation", "environments", "tasks")
    keys = {name: [code, environment.code_hash, seed] for name, environment in environments.items()}
    with locked(folder, doing="makes graphs in"):
        missing = [name for name in environments if not _made_by(folder / f"{name}.made.json", keys[name])]
        jobs = [(folder, environments[name].path, seed, keys[name]) for name in missing]
        run_jobs(_make_graph, jobs, workers, progress=False)
        return {name: ToolGraph.load(folder / f"{name}.json") for name in environments}


def _make_graph(job: tuple[Path, Path, int, list]) -> None:
    folder, path, seed, key = job
    environment = Environment.load(path)
    build_graph(environment, seed=seed).save(folder / f"{environment.name}.json")
    write_json(folder / f"{environment.name}.made.json", {"key": content_hash(key)})


def folds(names: Sequence[str], count: int = 2) -> list[tuple[list[str], list[str]]]:
    """Split names into ``count`` folds; return (train, held out) of each, so that each name is held out once.

    >>> folds(["d", "a", "c", "b"])
    [(['b', 'd'], ['a', 'c']), (['a', 'c'], ['b', 'd'])]
    """
    ordered = sorted(names)
    held = [ordered[at::count] for at in range(count)]
    return [([name for name in ordered if name not in out], out) for out in held]


def _items_of(job: tuple[Path, str, int, int, int | None]) -> list[Item]:
    folder, name, count, seed, turns = job
    environment = Environment.load(folder / "environments" / name)
    graph = ToolGraph.load(folder / "graphs" / f"{name}.json")
    return build_items(environment, graph, count, seed, turns=None if turns is None else {turns: 1.0})


def _code(*rooms: str) -> str:
    return source_hash(*(_PACKAGE / room for room in rooms))


def _made_by(marker: Path, key: list) -> bool:
    return marker.is_file() and read_json(marker).get("key") == content_hash(key)
