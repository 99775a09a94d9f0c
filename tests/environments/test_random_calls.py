"""Random calls fit their schemas, find the records there are, and come from the generator alone."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import jsonschema_rs
import numpy as np
import pytest

from tvlab.environments.checks.random_calls import random_arguments, random_call
from tvlab.environments.environment import Environment
from tvlab.foundation.seeds import generator

BOOKSTORE = Path(__file__).parent.parent / "data" / "environments" / "bookstore"
SCHEMA = {
    "type": "object",
    "properties": {
        "whole": {"type": "integer", "minimum": 3, "exclusiveMaximum": 5},
        "even": {"type": "integer", "multipleOf": 2, "exclusiveMinimum": 0, "maximum": 9},
        "below": {"type": "integer", "maximum": -40},
        "huge": {"type": "integer", "minimum": 10**30},
        "part": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        "text": {"type": "string", "minLength": 30, "maxLength": 33},
        "short": {"type": "string", "maxLength": 2},
        "day": {"type": "string", "format": "date"},
        "choice": {"enum": ["a", 2, None]},
        "fixed": {"const": {"v": 1}},
        "either": {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "one or none"},
        "types": {"type": ["boolean", "null"]},
        "list": {"type": "array", "minItems": 2, "maxItems": 4, "items": {"type": "number"}},
        "tree": {
            "type": "object",
            "properties": {"leaf": {"type": "array", "items": {"type": "string", "enum": ["x"]}}},
            "required": ["leaf"],
        },
        "open": True,
    },
}
SCHEMA["required"] = list(SCHEMA["properties"])


def test_arguments_fit_every_keyword_that_is_read() -> None:
    validator = jsonschema_rs.Draft202012Validator(SCHEMA, validate_formats=True)
    chance = generator(0, "arguments")
    for _ in range(200):
        validator.validate(random_arguments(SCHEMA, chance))


def test_optional_parameters_are_given_as_often_as_told() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    given = [len(random_arguments(schema, generator(s), optional=0.25)) for s in range(400)]
    assert sum(given) / 400 == pytest.approx(0.25, abs=0.07)
    assert random_arguments(schema, generator(0), optional=0.0) == {}


def test_random_calls_of_an_environment_mostly_succeed_and_use_every_tool() -> None:
    bookstore = Environment.load(BOOKSTORE)
    session, chance = bookstore.session(), generator(0, "calls")
    calls = [random_call(bookstore, chance, session.state) for _ in range(400)]
    results = Counter()
    for call in calls:
        result = session.call(call.name, call.arguments)
        results["ok" if result.ok else result.error.split(":")[0]] += 1
    assert {call.name for call in calls} == set(bookstore.tool_names)
    assert set(results) <= {"ok", "conflict"}  # only cancelling twice is refused
    assert results["ok"] > 350


def test_keys_are_drawn_from_the_given_state() -> None:
    bookstore = Environment.load(BOOKSTORE)
    session = bookstore.session()
    session.state["orders"] = {"ord-9": {"order_id": "ord-9"}}
    chance = generator(1, "keys")
    calls = [random_call(bookstore, chance, session.state) for _ in range(200)]
    assert {call.arguments["order_id"] for call in calls if "order_id" in call.arguments} == {"ord-9"}


def test_equal_seeds_give_equal_calls_whatever_the_global_seed() -> None:
    bookstore = Environment.load(BOOKSTORE)
    drawn = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - the global state is what is tested
        chance = generator(5, "calls")
        drawn.append([random_call(bookstore, chance) for _ in range(50)])
    assert drawn[0] == drawn[1]


def test_an_optional_parameter_that_nothing_is_known_for_is_left_out() -> None:
    schema = {
        "type": "object",
        "properties": {
            "cursor": {"type": "string"},
            "order_id": {"type": "string"},
            "note": {"type": "string"},
        },
        "required": ["order_id"],
    }
    known = {"cursor": [], "order_id": []}
    drawn = [random_arguments(schema, generator(s), known, optional=1.0) for s in range(20)]
    assert all(arguments.keys() == {"order_id", "note"} for arguments in drawn)
