"""Every example in a docstring does what it shows."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import tvlab

#: modules that import what only verl's or a harness's own environment has
ELSEWHERE = ("tvlab.learning.verl", "tvlab.evaluation.harnesses.inside", "tvlab.__main__")
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(tvlab.__path__, "tvlab.", onerror=lambda _: None)
    if not module.name.startswith(ELSEWHERE)
)


@pytest.mark.parametrize("room", sorted({name.split(".")[1] for name in MODULES}))
def test_every_example_holds(room: str) -> None:
    tried = 0
    for name in MODULES:
        if name.split(".")[1] == room:
            result = doctest.testmod(importlib.import_module(name))
            assert result.failed == 0, name
            tried += result.attempted
    assert tried or room in ("cli",), f"no example in {room}: has the search lost it?"
