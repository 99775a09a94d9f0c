"""Seeded values and states, and text for patterns."""

import re

import numpy as np
import pytest

from tvlab.environments.schemas import patterns
from tvlab.environments.seeding.values import Values
from tvlab.foundation.seeds import generator


def values(seed=0):
    return Values(generator(seed, "test"))


@pytest.mark.parametrize(
    ("name", "schema", "pattern"),
    [
        ("email", {"type": "string"}, r"^[^@ ]+@example\.com$"),
        ("due_date", {"type": "string"}, r"^\d{4}-\d{2}-\d{2}$"),
        ("start_time", {"type": "string", "format": "date-time"}, r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"),
        ("startTime", {"type": "string", "description": "Time of day, HH:MM"}, r"^\d{2}:\d{2}$"),
        ("phone", {"type": "string"}, r"^\+1-555-"),
        ("ref", {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"}, r"^[A-Z]{3}-[0-9]{4}$"),
        ("iata", {"type": "string", "minLength": 3, "maxLength": 3}, r"^.{3}$"),
    ],
)
def test_a_text_fits_its_name(name, schema, pattern):
    for seed in range(5):
        assert re.search(pattern, values(seed).value(name, schema, ("thing",)))


@pytest.mark.parametrize("bounds", [(0, 1), (-5, -2), (3, 3), (10, 100000)])
def test_a_number_lies_within_its_bounds(bounds):
    low, high = bounds
    for seed in range(20):
        one = values(seed).value("level", {"type": "integer", "minimum": low, "maximum": high}, ("thing",))
        assert low <= one <= high
        assert isinstance(one, int)


def test_enumerations_are_covered():
    maker = values()
    found = {
        maker.value("kind", {"type": "string", "enum": ["a", "b", "c"]}, ("thing",), i) for i in range(6)
    }
    assert found == {"a", "b", "c"}


def test_people_have_names_and_tasks_have_titles():
    assert re.fullmatch(r"[\w.' -]+", values().label(("customer",)))
    assert " the " in values().label(("task",))


@pytest.mark.parametrize(
    "pattern",
    [r"^\d+$", r"^[A-Z][A-Z0-9_]+-\d+(?:-\d+)*$", r"^[a-z0-9_-]{1,64}$", r"^#?[0-9a-fA-F]{6}$", r"^(a|b)+$",
     r"^[^\s@]+@[^\s@]+\.[^\s@]+$", r"\w{3}", r"^v\d\.\d$"],
)  # fmt: skip
def test_a_sampled_text_matches_its_pattern(pattern):
    for seed in range(10):
        text = patterns.sample(pattern, np.random.default_rng(seed))
        assert text is not None
        assert re.search(pattern, text)


@pytest.mark.parametrize("pattern", ["(", r"(?!x)x", r"^(?=a)b$", r"(a)\1(?<!a)"])
def test_a_pattern_that_cannot_be_met_gives_none(pattern):
    assert patterns.sample(pattern, np.random.default_rng(0)) is None
