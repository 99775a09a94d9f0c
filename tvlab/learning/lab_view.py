"""What the lab policy is shown of an environment: its tool list; and everything that can be computed from it once.

Words and observations are read through it too. It holds no state of an episode and nothing of an item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch

from tvlab.environments.environment import CallResult, Environment
from tvlab.learning.lab_features import TurnFeatures, turn_features
from tvlab.learning.lab_observations import Observation, ObservationReader
from tvlab.learning.lab_observed_rows import Mentions, ObservedRowMaker, ObservedRows
from tvlab.learning.lab_tool_features import Bags, ToolFeatures
from tvlab.learning.lab_tools import ToolSet

MOST_VALUES = 60_000
_READINGS: dict[int, tuple[Environment, ToolReading]] = {}


class ToolReading:
    """What a tool list and a turn's words are read as. No run changes it but by adding to it, so runs share it.

    Args:
        tools: refactored tools in the MCP ``tools/list`` shape.
    """

    def __init__(self, tools: Sequence[Mapping]) -> None:
        self.tools = ToolSet([dict(tool) for tool in tools])
        self.features = ToolFeatures(self.tools)
        self._turns: dict[str, TurnFeatures] = {}

    def turn(self, words: str) -> TurnFeatures:
        """Return the features of a turn's words, with mentions of its own."""
        found = self._turns.get(words)
        if found is None:
            found = self._turns[words] = turn_features(words, self.features)
        return replace(found, mentioned={})


class AgentView:
    """A tool list as the policy sees it, with everything that can be computed once: the only input but words and
    observations.

    Args:
        tools: refactored tools in the MCP ``tools/list`` shape, or what they were read as before.
    """

    def __init__(self, tools: Sequence[Mapping] | ToolReading) -> None:
        self.reading = tools if isinstance(tools, ToolReading) else ToolReading(tools)
        self.tools, self.features = self.reading.tools, self.reading.features
        self.reader = ObservationReader(self.tools)
        self.observed = ObservedRowMaker(self.features, self.reader)
        self._turns: dict[str, TurnFeatures] = {}
        self._rows: dict[int, ObservedRows] = {}
        self._results: dict[int, tuple[CallResult, Observation]] = {}
        self._mentions: dict[tuple[int, int], Mentions | None] = {}
        self._names: dict[tuple[str, int], torch.Tensor] = {}
        self.first_leaf = np.array([leaves.start for leaves in self.tools.leaf_range], np.int64)
        self.leaf_count = np.array([len(leaves) for leaves in self.tools.leaf_range], np.int64)

    def turn(self, words: str) -> TurnFeatures:
        """Return the features of a turn's words."""
        found = self._turns.get(words)
        if found is None:
            found = self._turns[words] = self.reading.turn(words)
        return found

    def rows(self, observation: Observation) -> ObservedRows:
        """Return the rows that an observation adds."""
        found = self._rows.get(observation.index)
        if found is None:
            found = self._rows[observation.index] = self.observed.rows(observation)
        return found

    def read(self, tool: int, result: CallResult) -> Observation:
        """Return what a successful call of ``tool`` showed; one result object is read once."""
        found = self._results.get(id(result))
        if found is None:
            found = self._results[id(result)] = (result, self.reader.read(tool, result.value))
        return found[1]

    def mentions(self, observation: Observation, turn: TurnFeatures) -> Mentions | None:
        """Return which records of an observation the turn mentions; None if it mentions none."""
        key = (observation.index, id(turn))
        if key not in self._mentions:
            self._mentions[key] = self.observed.mentions(observation, self.rows(observation), turn)
        return self._mentions[key]

    def trim(self, most: int = 8_000) -> None:
        """Forget what observations were read as, if there are more than ``most`` of them."""
        if len(self._rows) > most or len(self._results) > 8 * most or len(self._mentions) > 40 * most:
            for known in (self._rows, self._results, self._mentions):
                known.clear()
            self.reader.forget()
            self.observed.forget()
            for turn in self._turns.values():
                turn.mentioned.clear()

    def tool_names(self, width: int) -> torch.Tensor:
        """(tools, width) hashed names of the tools."""
        return self._name_table("tool", self.features.tool_bags, width)

    def leaf_names(self, width: int) -> torch.Tensor:
        """(leaves, width) hashed names of the leaves."""
        return self._name_table("leaf", self.features.leaf_bags, width)

    def _name_table(self, which: str, bags: Bags, width: int) -> torch.Tensor:
        found = self._names.get((which, width))
        if found is None:
            found = self._names[which, width] = name_table(bags, width)
        return found


def views(environments: Sequence[Environment]) -> dict[str, AgentView]:
    """Return the tool lists of environments as the policy sees them, by environment name."""
    return {environment.name: AgentView(_reading(environment)) for environment in environments}


def _reading(environment: Environment) -> ToolReading:
    """What the environment's tools are read as, kept while its values are not too many."""
    found = _READINGS.get(id(environment))
    if found is None or len(found[1].tools.values.values) > MOST_VALUES:
        found = _READINGS[id(environment)] = (environment, ToolReading(environment.tools))
        if len(_READINGS) > 512:
            del _READINGS[next(iter(_READINGS))]
    return found[1]


def name_table(bags: Bags, width: int) -> torch.Tensor:
    """Return (bags, width) scaled counts of hashed tokens."""
    lengths = np.diff(bags.starts)
    row = np.repeat(np.arange(bags.count), lengths)
    out = np.zeros((bags.count, width), np.float32)
    np.add.at(out, (row, bags.hashes % width), (1.0 / np.sqrt(lengths))[row].astype(np.float32))
    return torch.from_numpy(out)
