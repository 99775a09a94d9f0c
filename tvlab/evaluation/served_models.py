"""Models of the table and how to serve them: a YAML file, the package's or one's own.

It holds commands for people to start; nothing is started or downloaded from it here.  The public baselines
(ToolRL, AgentFlow, SimpleTIR) are rows like any other: whoever has their checkpoint serves it and scores it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from tvlab.foundation.atomic_files import read_text
from tvlab.foundation.errors import UserError

"""Stands in a checkpoint that the user has to name."""


@dataclass(frozen=True)
class ServedModel:
    """One row of the table and how it is served.

    Attributes:
        model: name that the server answers to.
        arm: base, or what it was trained with.
        checkpoint: hub name or path.
        serve: the server's command, filled in.
        mode: native or prompt.
        flags: further words for ``tvlab evaluate``.
        note: what to know, "" if nothing.
    """

    model: str
    arm: str
    checkpoint: str
    serve: str
    mode: str
    flags: str
    note: str = ""

    @property
    def evaluate(self) -> str:
        """The command that scores it."""
        return f"tvlab evaluate --model {self.model} --mode {self.mode} {self.flags}"


def served_models(path: str | Path | None = None) -> dict[str, ServedModel]:
    """Return the models by name.

    Args:
        path: a YAML file; None means the package's ``served_models.yaml``.

    Raises:
        UserError: not YAML, or an entry lacks arm or checkpoint, or has a setting that is not known.
    """
    place = resources.files("tvlab") / "data" / "served_models.yaml"
    text = place.read_text(encoding="utf-8") if path is None else read_text(path, "served models")
    try:
        value: Any = yaml.safe_load(text)
        defaults, models = value.get("defaults") or {}, value["models"]
        return {name: _served(name, {**defaults, **entry}) for name, entry in models.items()}
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())[:150]
        raise UserError(f"served models {path or place} cannot be read ({reason}): see the package's file") from None


def _served(name: str, entry: dict[str, Any]) -> ServedModel:
    filled = {key: str(value) for key, value in entry.items()}
    filled["serve"] = filled["serve"].format(checkpoint=filled["checkpoint"], model=name)
    return ServedModel(name, **filled)
