"""The action space of tool environments: any text, sampled as tool calls that fit the tools' schemas."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from tvlab.environments.checks.random_calls import Known, random_arguments

MAX_TEXT = 2**17


class ToolCallSpace(spaces.Text):
    """All texts up to a length; ``sample`` draws tool calls.

    Args:
        tools: tools in the MCP ``tools/list`` shape.
        known: per tool, the values that its key and reference parameters are drawn from.
        max_length: longest action, in characters.
        seed: of ``sample``.
    """

    def __init__(
        self,
        tools: Sequence[dict[str, Any]],
        known: Mapping[str, Known] | None = None,
        max_length: int = MAX_TEXT,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(max_length, min_length=0, charset=string.printable, seed=seed)
        self.tools = tuple(tools)
        self.known = dict(known or {})

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """Draw a call as JSON text.

        Args:
            mask: (number of tools,) 1 where a tool may be drawn.
            probability: (number of tools,) how often each is drawn.
        """
        weights = np.ones(len(self.tools)) if mask is None else np.asarray(mask, dtype=float)
        weights = weights if probability is None else np.asarray(probability, dtype=float)
        if weights.shape != (len(self.tools),) or not weights.sum() > 0:
            raise ValueError(f"expected {len(self.tools)} weights, one a tool, some above 0, got {weights}")
        tool = self.tools[int(self.np_random.choice(len(self.tools), p=weights / weights.sum()))]
        arguments = random_arguments(tool["inputSchema"], self.np_random, self.known.get(tool["name"]))
        return json.dumps({"name": tool["name"], "arguments": arguments}, ensure_ascii=False)

    def contains(self, x: Any) -> bool:
        """Tell whether ``x`` is text that is not too long, of any characters."""
        return isinstance(x, str) and len(x) <= self.max_length

    def __repr__(self) -> str:
        return f"ToolCallSpace({', '.join(tool['name'] for tool in self.tools)})"

    def __eq__(self, other: object, /) -> bool:
        if not isinstance(other, ToolCallSpace):
            return False
        return self.tools == other.tools and self.max_length == other.max_length
