"""What a trainer can write of its batches for people: each rollout's tokens as text, with turn and advantage of each.

The trainer writes it where TVLAB_ROLLOUTS names a file: one JSON line a sequence,

    {"step", "group", "rollout", "item", "turns", "turn_rewards", "truncated", "prompt",
     "tokens": [[text, turn, advantage]]}

with turn -1 on tokens that the model did not write. Kept are the first sequences of a batch, and of a prompt its end;
of a run that validates, the first step and those after which it does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

VARIABLE = "TVLAB_ROLLOUTS"
MOST, PROMPT_END = 16, 600


def record_rollouts(
    path: str | Path,
    decode: Any,
    step: int,
    keys: Sequence[str],
    prompts: Sequence[Sequence[int]],
    responses: Sequence[Sequence[int]],
    notes: Sequence[Mapping[str, Any]],
    advantages: Any,
) -> int:
    """Append the first sequences of a batch to a file.

    Args:
        path: the file.
        decode: ids to text.
        step: of the trainer.
        keys: verl's, "<uid>_<session>_<index>", one a sequence.
        prompts, responses: ids, without padding.
        notes: what the agent loops noted; rows without turn ids are padding and left out.
        advantages: (M, L) of each response token.

    Returns:
        Number of lines written.
    """
    lines: list[dict[str, Any]] = []
    groups = list(dict.fromkeys(key.rsplit("_", 2)[0] for key in keys))
    for at, (key, note) in enumerate(zip(keys, notes, strict=True)):
        if "turn_ids" not in note or len(lines) == MOST:
            continue
        tokens = [
            [decode([token]), int(turn), round(float(value), 4)]
            for token, turn, value in zip(responses[at], note["turn_ids"], advantages[at], strict=False)
        ]
        group, rollout, _ = key.rsplit("_", 2)
        lines.append({
            "step": step, "group": groups.index(group), "rollout": int(rollout), "item": note["item"],
            "turns": int(note["turns"]), "turn_rewards": [float(value) for value in note["turn_rewards"]],
            "truncated": [int(turn) for turn in note["truncated"]], "prompt": decode(prompts[at])[-PROMPT_END:],
            "tokens": tokens,
        })  # fmt: skip
    with Path(path).open("a", encoding="utf-8") as out:
        out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return len(lines)
