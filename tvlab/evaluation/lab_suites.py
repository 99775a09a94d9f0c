"""The suites that lab experiments run on: the embedded domains, items of one length, and more environments for scale.

Profile smoke uses the eight servers that the other notebooks use; lab and full use all twenty-four embedded domains,
because environments are what results are resampled over. For the experiment with many environments further ones stand
beside the domains, to be trained on only: those of a corpus if one is given, else variations (``variations.py``) of the
domains that are not for validation. A variation is no further domain and is named as such.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from tvlab.environments.tool_lists import ToolList, load_tool_lists
from tvlab.environments.variations.variations import variations
from tvlab.evaluation.lab_split import split
from tvlab.evaluation.suite import Suite, load_suite, read_suite
from tvlab.foundation.atomic_files import write_jsonl
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.places import workspace
from tvlab.foundation.stored_runs import file_hash


@dataclass(frozen=True)
class SuiteName:
    """Names a suite of a profile.

    Attributes:
        turns: user turns of each item; None for the usual mixture.
        variations: variations of the domains that are built beside them.
        source: of the tool lists; "" for what the profile uses.
        corpus: a dump of servers whose environments are built beside the domains; "" for none.
    """

    turns: int | None = None
    variations: int = 0
    source: str = ""
    corpus: str = ""

    @property
    def extended(self) -> bool:
        """Whether environments stand beside the domains."""
        return bool(self.variations or self.corpus)

    @property
    def base(self) -> SuiteName:
        """The same without those environments."""
        return replace(self, variations=0, corpus="")

    def part(self, profile: str) -> str:
        """The folder inside the profile's workspace; of an extended suite that of what stands beside the domains."""
        if self.corpus:
            return f"corpus_{file_hash(Path(self.corpus))[:12]}"
        if self.variations:
            return f"scale_{self.variations}"
        return "" if not self.source and profile == "smoke" else "domains"


BASE = SuiteName()
ITEMS = 60
"""Items an environment in lab and in full: these differ in seeds and points only, so that full makes lab's runs."""
EXTRA_ITEMS = 5
"""Items of each environment that stands beside the domains: many environments are wanted, few items of each."""


def open_suite(profile: str, name: SuiteName, seed: int = 0, workers: int = 1) -> Suite:
    """Make the suite if it is not there or out of date, and return it."""
    source = name.source or ("embedded" if profile == "smoke" else "embedded-all")
    count = None if profile == "smoke" else ITEMS
    load_suite(profile, seed, source, workers, name.base.part(profile), name.turns, count)
    get_suite.cache_clear()
    suite_hashes.cache_clear()
    if name.extended:
        more = str(_servers_beside(profile, name, source, seed))
        load_suite(profile, seed, more, workers, name.part(profile), name.turns, EXTRA_ITEMS)
    return get_suite(profile, name)


@lru_cache(maxsize=4)
def get_suite(profile: str, name: SuiteName) -> Suite:
    """Return the suite that lies on disk."""
    if not name.extended:
        return read_suite(profile, name.part(profile), name.turns)
    base, more = get_suite(profile, name.base), read_suite(profile, name.part(profile), name.turns)
    return Suite(profile, more.environments | base.environments, more.graphs | base.graphs, more.items | base.items)


@lru_cache(maxsize=4)
def suite_hashes(profile: str, name: SuiteName) -> dict[str, str]:
    """Return for each environment with items a hash of its tools, state, code and items."""
    suite = get_suite(profile, name)
    return {
        one: content_hash([environment.code_hash, _code_of(environment.path), [item.to_json() for item in items]])
        for one, items in suite.items.items()
        for environment in [suite.environments[one]]
    }


def _code_of(folder: Path | None) -> str:
    return (folder / "tools.py").read_text(encoding="utf-8") if folder is not None else ""


def _servers_beside(profile: str, name: SuiteName, source: str, seed: int) -> Path:
    """Write the servers that stand beside the domains as one dump, named by its content, and return its path."""
    parts = split(list(get_suite(profile, name.base).items), seed)
    domains = load_tool_lists(source)
    if name.corpus:
        known = {one.server for one in domains}
        more: list[ToolList] = [one for one in load_tool_lists(name.corpus) if one.server not in known]
    else:
        parents = [one for one in domains if one.server in (*parts.training, *parts.test)]
        more = variations(parents, name.variations, seed, merged=0.0)
    servers = [one.to_json() for one in more]
    return write_jsonl(workspace(profile) / name.part(profile) / f"servers_{content_hash(servers)}.jsonl", servers)
