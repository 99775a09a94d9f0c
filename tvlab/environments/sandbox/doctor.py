"""What this machine has for running code from strangers: the rows that ``tvlab doctor`` prints."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from tvlab.environments.sandbox.trials import Layer, layers_here, missing


def doctor() -> list[Layer]:
    """Return one row a layer, each tried just now, and a last one: whether strict sandboxing works."""
    rows = list(layers_here())
    return [*rows, _verdict(rows)]


def doctor_text(rows: Sequence[Layer]) -> str:
    """Return the rows as aligned lines.

    >>> print(doctor_text([Layer("landlock", True, "landlock version 7"), Layer("root", False, "refused")]))
    yes  landlock  landlock version 7
    no   root      refused
    """
    width = max(len(row.layer) for row in rows)
    words = {True: "yes", False: "no "}
    return "\n".join(f"{words[row.available]}  {row.layer:<{width}}  {row.detail}" for row in rows)


def _verdict(rows: Sequence[Layer]) -> Layer:
    lacking = missing(rows)
    where = f"{platform.system()} {platform.release()} on {platform.machine()}"
    if lacking:
        detail = f"{where} lacks {', '.join(lacking)}: foreign code runs with --sandbox weak only"
        return Layer("sandbox", False, detail)
    return Layer("sandbox", True, f"{where}: foreign code can run")
