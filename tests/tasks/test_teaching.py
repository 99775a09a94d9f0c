"""Teachers and the keep band: what they record, and which items stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tvlab.environments.environment import Environment
from tvlab.foundation.endpoint import EndpointConfig
from tvlab.tasks.item import Item
from tvlab.tasks.teaching import AskedModel, Band, taught


def copies(items: list[Item]) -> list[Item]:
    return [replace(item, filters=dict(item.filters)) for item in items]


def test_the_search_teacher_keeps_what_is_solved_often_enough_and_not_too_often(
    bookstore: Environment, items: list[Item]
) -> None:
    tried = copies(items[:12])
    assert taught(bookstore, tried, Band(4), 0) == tried
    solved = [item.filters["teacher"]["successes"] for item in tried]
    assert {item.filters["teacher"]["name"] for item in tried} == {"search"}
    assert min(solved) < 4
    assert max(solved) > 0
    kept = taught(bookstore, copies(items[:12]), Band(4, least=1, most=3), 0)
    assert [item.id for item in kept] == [
        item.id for item, times in zip(tried, solved, strict=True) if 1 <= times <= 3
    ]


def test_a_model_is_a_teacher_too_and_a_second_run_asks_nothing(
    bookstore: Environment, items: list[Item], tmp_path: Path, chat_server: Callable
) -> None:
    pytest.importorskip("openai")
    address = chat_server(lambda body: {"role": "assistant", "content": "Done."})
    model = AskedModel(EndpointConfig(address, "tiny", retries=0, temperature=0.3), tmp_path / "answers.sqlite", 2)
    tried = copies(items[:3])
    assert taught(bookstore, tried, Band(2, least=1), 0, model) == []
    assert tried[0].filters["teacher"] == {
        "name": "tiny", "temperature": 0.3, "attempts": 2, "successes": 0, "turn_reward": 0.0,
    }  # fmt: skip
    gone = replace(model, config=replace(model.config, base_url="http://127.0.0.1:9/v1"))
    assert len(taught(bookstore, copies(items[:3]), Band(2), 0, gone)) == 3
