"""Drops: tools that are in no environment, each with the stage at which it was left out and why.

The list of stages is here and nowhere else; reports, tables and figures take it from here, and a drop at any
other stage cannot be made.
"""

from __future__ import annotations

from dataclasses import dataclass

#: the stages in the order in which a tool passes them
STAGES = ("schema", "meaning", "code", "verification", "toolset")


@dataclass(frozen=True)
class Drop:
    """A tool that was left out.

    Attributes:
        tool: its name, as far as it has one.
        stage: one of ``STAGES``.
        reason: one of few; tables count by it.
        detail: free text.

    Raises:
        ValueError: the stage is none of ``STAGES``.
    """

    tool: str
    stage: str
    reason: str
    detail: str = ""

    def __post_init__(self) -> None:
        if self.stage not in STAGES:
            raise ValueError(
                f"tool {self.tool!r}: stage {self.stage!r} is unknown: expected one of {', '.join(STAGES)}"
            )

    def to_json(self) -> dict[str, str]:
        """Return the drop as it stands in report.json and build.json."""
        return {"tool": self.tool, "stage": self.stage, "reason": self.reason, "detail": self.detail}
