"""Golden traces as tokens, for supervised fine-tuning in verl: the very sequences that a rollout of the trace has.

`write_golden` plays items with the golden policy and writes a parquet file; `GoldenDataset` is what verl's trainer is
told to read it with (`data.custom_cls.path=pkg://tvlab.learning.verl.golden_tokens name=GoldenDataset`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tvlab.environments.environment import Environment
from tvlab.learning.verl.chat_tokens import ChatTokens, Packing
from tvlab.learning.verl.golden_policy import GoldenPolicy
from tvlab.learning.verl.rollout import Limits
from tvlab.learning.verl.segments import Segment
from tvlab.learning.verl.simulated_users import ScriptedUser
from tvlab.learning.verl.token_rollout import TokenRollout
from tvlab.tasks.dataset_export import SYSTEM
from tvlab.tasks.episode import Episode
from tvlab.tasks.item import Item


def golden_segments(
    environment: Environment,
    item: Item,
    chat: ChatTokens,
    encode: Any,
    limits: Limits,
    packing: Packing = "sequence",
    system: str = SYSTEM,
) -> list[Segment]:
    """The sequences of an item's golden trace; none if it does not fit the limits."""
    episode = Episode(environment, item, step_cap=limits.turn_calls)
    policy = GoldenPolicy(episode, lambda text: [*encode(text), chat.end_id])
    rollout = TokenRollout(episode, policy, chat, ScriptedUser(), system, limits, packing)
    asyncio.run(rollout.play())
    return rollout.segments if all(episode.rewards) else []


def write_golden(
    path: str | Path,
    environments: Mapping[str, Environment],
    items: Sequence[Item],
    chat: ChatTokens,
    encode: Any,
    limits: Limits,
    packing: Packing = "sequence",
) -> int:
    """Write the golden traces of items as rows of tokens: input_ids, loss_mask.

    Args:
        path: the parquet file.
        environments: by name.
        items: to play; one whose trace does not fit the limits is left out.
        chat, encode: of the model; ``encode`` turns text into ids without special tokens.
        limits, packing: as in training.

    Returns:
        Number of rows.
    """
    import pandas as pd

    rows = []
    for item in items:
        for segment in golden_segments(environments[item.environment], item, chat, encode, limits, packing):
            ids = segment.prompt_ids + segment.response_ids
            rows.append({"input_ids": ids, "loss_mask": [0] * len(segment.prompt_ids) + segment.mask})
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows, columns=["input_ids", "loss_mask"]).to_parquet(path)
    return len(rows)


class GoldenDataset:
    """What verl's supervised trainer reads: one sequence a row, 1 in the mask on what is imitated."""

    def __init__(self, parquet_files: Any, max_samples: int = -1, **_: Any) -> None:
        import pandas as pd

        files = [parquet_files] if isinstance(parquet_files, str) else list(parquet_files)
        table = pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)
        self.table = table if max_samples < 0 else table.head(max_samples)

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, at: int) -> dict[str, Any]:
        import torch

        row = self.table.iloc[at]
        ids = torch.tensor(row["input_ids"].tolist(), dtype=torch.long)
        return {
            "input_ids": ids,
            "position_ids": torch.arange(len(ids)),
            "loss_mask": torch.tensor(row["loss_mask"].tolist(), dtype=torch.long),
        }
