"""Harnesses that tests may play with: those whose environment is made; slow tests make them."""

import os
from pathlib import Path

import pytest

from tvlab.evaluation import harnesses

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def ace_data():
    """The folder of ACEBench's data, None where it is not here."""
    folder = Path(os.environ.get("TVLAB_ACE_DATA", REPOSITORY.parent / "shared" / "benchmarks" / "acebench"))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def harness_of(ace_data):
    """A function from a benchmark to its harness; skips with the reason where it cannot run."""
    made = {}

    def get(bench):
        harness = made.get(bench) or made.setdefault(bench, harnesses.harnesses(ace_data)[bench]())
        if harness.missing():
            pytest.skip(harness.missing())
        return harness

    yield get
    for harness in made.values():
        harness.close()


@pytest.fixture(scope="session")
def set_up():
    """A function that makes a benchmark's environment if it is missing; for slow tests."""

    def make(bench):
        harnesses.setup([bench], show=False)

    return make
