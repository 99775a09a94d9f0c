"""The suites that lab experiments run on: the embedded domains, items of one length, and variations for scale.

Profile smoke uses the eight servers that the other notebooks use; lab and full use all twenty-four embedded domains,
because environments are what results are resampled over. Variations (``variations.py``) are no further domains; they
stand beside the domains for the experiment with many environments when there is no corpus, and are named as such.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tvlab.environments.tool_lists import load_tool_lists
from tvlab.environments.variations import variations
from tvlab.evaluation.suite import Suite, load_suite, read_suite
from tvlab.foundation.atomic_files import write_jsonl
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.places import workspace


@dataclass(frozen=True)
class SuiteName:
    """Names a suite of a profile.

    Attributes:
        turns: user turns of each item; None for the usual mixture.
        variations: variations of the domains that are built beside them.
        source: of the tool lists; "" for what the profile uses.
    """

    turns: int | None = None
    variations: int = 0
    source: str = ""

    def part(self, profile: str) -> str:
        """The folder inside the profile's workspace."""
        if self.variations:
            return f"scale_{self.variations}"
        return "" if not self.source and profile == "smoke" else "domains"


BASE = SuiteName()
ITEMS = 60
"""Items an environment in lab and in full: these differ in seeds and points only, so that full makes lab's runs."""


def open_suite(profile: str, name: SuiteName, seed: int = 0, workers: int = 1) -> Suite:
    """Make the suite if it is not there or out of date, and return it."""
    part = name.part(profile)
    source = name.source or ("embedded" if profile == "smoke" else "embedded-all")
    if name.variations:
        source = str(_with_variations(profile, part, source, name.variations, seed))
    count = None if profile == "smoke" else ITEMS
    load_suite(profile, seed, source, workers, part, name.turns, count)
    get_suite.cache_clear()
    suite_hashes.cache_clear()
    return get_suite(profile, name)


@lru_cache(maxsize=4)
def get_suite(profile: str, name: SuiteName) -> Suite:
    """Return the suite that lies on disk."""
    return read_suite(profile, name.part(profile), name.turns)


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


def _with_variations(profile: str, part: str, source: str, count: int, seed: int) -> Path:
    """Write the domains and their variations as one dump, named by its content, and return its path."""
    parents = load_tool_lists(source)
    servers = [one.to_json() for one in (*parents, *variations(parents, count, seed, merged=0.0))]
    return write_jsonl(workspace(profile) / part / f"servers_{content_hash(servers)}.jsonl", servers)
