"""verl's dataset of GUST items: prompts that are too long are found with the tools of their item in them.

verl's own dataset measures prompts without tools, or with one list of tools for all. The files are those of
`tasks.dataset_export.write_verl_parquet`.

This module subclasses verl's class, so that it imports verl when it is imported: only verl itself does that.
"""

from __future__ import annotations

import json
from typing import Any

from verl.utils.dataset.rl_dataset import RLHFDataset

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.chat_tokens import tool_for_chat
from tvlab.learning.verl.settings import environment_of
from tvlab.tasks.item import Item


class GustDataset(RLHFDataset):
    """Rows of GUST items; `data.environments` and `data.sandbox` repeat those of the section `tvlab`."""

    def maybe_filter_out_long_prompts(self, dataframe: Any = None) -> Any:
        """Leave out items whose first prompt is longer than `data.max_prompt_length`.

        Raises:
            UserError: rows that are no GUST items, or none short enough.
        """
        if "extra_info" not in dataframe.column_names or "item" not in (dataframe[0].get("extra_info") or {}):
            raise UserError("a data file holds no GUST items: write it with dataset_export.write_verl_parquet")
        if not self.filter_overlong_prompts:
            return dataframe
        lengths = [self._length(row) for row in dataframe]
        kept = [at for at, length in enumerate(lengths) if length <= self.max_prompt_length]
        print(f"{len(kept)} of {len(lengths)} items have a first prompt of at most {self.max_prompt_length} tokens")
        if not kept:
            raise UserError(f"data.max_prompt_length={self.max_prompt_length}: the shortest first prompt has "
                            f"{min(lengths)} tokens; raise it, or give environments with fewer tools")  # fmt: skip
        return dataframe.select(kept)

    def _length(self, row: dict[str, Any]) -> int:
        item = Item.from_json(json.loads(row["extra_info"]["item"]))
        environment = environment_of(tuple(self.config.environments), item.environment, self.config.sandbox)
        withheld = item.turns[0].withheld
        tools = [tool_for_chat(tool) for tool in environment.tools if tool["name"] not in withheld]
        ids = self.tokenizer.apply_chat_template(row[self.prompt_key], tools=tools, add_generation_prompt=True)
        return len(ids["input_ids"] if hasattr(ids, "keys") else ids)
