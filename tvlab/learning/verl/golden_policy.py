"""The model that writes an item's golden trace: what supervised fine-tuning imitates, in the very tokens of a rollout.

It writes one message a golden call, with the ids that the rollout itself minted, then a short message that ends the
turn. Where the user leaves a value out it asks; where the tool is missing it says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tvlab.learning.verl.segments import Sample
from tvlab.learning.verl.written_calls import CLOSE, OPEN
from tvlab.tasks.episode import Episode
from tvlab.tasks.teachers import resolve

ASK, LACK, DONE = "Which value do you mean?", "I have no tool for that.", "Done."


class GoldenPolicy:
    """Writes the golden trace of the item that an episode plays.

    Args:
        episode: of the rollout that this policy writes in; its observations give the ids.
        encode: text to ids, with the id that ends a message.
    """

    def __init__(self, episode: Episode, encode: Callable[[str], list[int]]) -> None:
        self.episode = episode
        self.encode = encode
        self._turn = -1
        self._made = 0

    async def __call__(self, ids: list[int], most: int) -> Sample:
        return Sample(self.encode(self._next())[:most])

    def _next(self) -> str:
        episode = self.episode
        if episode.turn != self._turn:
            self._turn, self._made = episode.turn, 0
        if episode.asks_first:
            return ASK
        golden = episode.item.turns[self._turn].calls
        if self._made == len(golden):
            return DONE if golden else LACK
        call = golden[self._made]
        self._made += 1
        try:
            return hermes_call(call.tool, resolve(call.arguments, self._observed()))
        except LookupError:  # a limit cut an earlier turn short of the call that gives the id
            return LACK

    def _observed(self) -> Mapping[tuple[int, int], Any]:
        """Observations of the calls made so far, by (turn, call): the golden ones, in their order."""
        made = enumerate(self.episode.calls)
        return {(t, j): call.observation for t, calls in made for j, call in enumerate(calls)}


def hermes_call(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as the model writes it.

    >>> print(hermes_call("get_book", {"sku": "BK-1"}))
    <tool_call>
    {"name": "get_book", "arguments": {"sku": "BK-1"}}
    </tool_call>
    """
    return f"{OPEN}\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n{CLOSE}"
