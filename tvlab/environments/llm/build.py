"""What a build with a model does beyond one by rules: which tools are asked for, and what the report says.

``build.py`` calls this for a server once the rules have kept what they can.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from tvlab.environments.checks.cases import Check
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.drops import Drop
from tvlab.environments.llm.meanings import DOUBTED
from tvlab.environments.llm.writer import Desk, LlmWriter, Record, WrittenTool, helped
from tvlab.environments.meanings.meanings import Meaning
from tvlab.foundation.atomic_files import write_json
from tvlab.foundation.progress import progress as show_progress


class Built(Protocol):
    """An assembled environment (``assembling.BuiltEnvironment``)."""

    environment: Any

    @property
    def failed(self) -> dict[str, Check]:
        """The first failed check of each tool."""


@dataclass
class ModelPart:
    """What a model has done for one server; empty if the rules write alone.

    Attributes:
        writer: asks the model.
        written: the tools that passed, by name.
        records: what became of each tool that could be asked for, by name.
    """

    writer: LlmWriter | None = None
    written: dict[str, WrittenTool] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)

    @property
    def alone(self) -> bool:
        """True if the rules write nothing."""
        return self.writer is not None and self.writer.alone

    def for_rules(self, parsed: list[ParsedTool]) -> list[ParsedTool]:
        """Return the tools that the rules decide on."""
        only = () if self.writer is None or self.writer.only is None else self.writer.only
        return [] if self.alone else [tool for tool in parsed if tool.name not in only]

    def _for_model(self, parsed: list[ParsedTool], drops: list[Drop]) -> list[ParsedTool]:
        """Return the tools to ask for: all, the chosen, or those dropped where a model could help."""
        if self.writer is not None and self.writer.only is not None:
            return [tool for tool in parsed if tool.name in self.writer.only]
        names = {drop.tool for drop in drops if helped(drop)}
        return parsed if self.alone else [tool for tool in parsed if tool.name in names]

    @property
    def sandbox(self) -> str:
        """How the model's code is run."""
        return "strict" if self.writer is None else self.writer.sandbox

    @property
    def asked(self) -> tuple[dict[str, Any], ...]:
        """The records as they stand in build.json."""
        return tuple(record.to_json() for record in self.records.values())

    def blamed(self, meanings: list[Meaning], built: Built) -> dict[str, Check]:
        """Return the tools to drop from an environment that failed checks; see ``blamed``."""
        return blamed(built.failed, [m for m in meanings if m.tool.name in built.environment.tool_names], self.written)

    def sources(self, names: Collection[str]) -> dict[str, str]:
        """Return the sources of those of the tools that the model wrote."""
        return {name: one.source for name, one in self.written.items() if name in names}

    def extend(self, parsed: list[ParsedTool], desk: Desk, drops: list[Drop]) -> tuple[list[Meaning], list[Drop]]:
        """Ask for tools; return the kept meanings with those that passed, and what is dropped now."""
        if self.writer is None:
            return desk.kept, drops
        written, records = self.writer.write(self._for_model(parsed, drops), desk)
        self.written = {one.meaning.tool.name: one for one in written}
        self.records = {record.tool: record for record in records}
        order = {tool.name: at for at, tool in enumerate(parsed)}
        both = [*desk.kept, *(one.meaning for one in written)]
        meanings = sorted(both, key=lambda meaning: order[meaning.tool.name])
        return meanings, remaining_drops(drops, records)

    def report(self, names: Sequence[str]) -> dict[str, Any]:
        """Return report.json's entries about who wrote what: ``writer`` and, with a model, ``writers``."""
        if self.writer is None or not self.sources(names):
            return {"writer": "rules"}
        return {"writer": self.writer.name, "writers": {name: self._writer_of(name) for name in names}}

    def _writer_of(self, name: str) -> dict[str, Any]:
        if self.writer is None or name not in self.written:
            return {"writer": "rules"}
        record = self.records[name]
        return {
            "writer": "llm",
            "model": self.writer.model.config.model,
            "attempts": record.attempts,
            "input_tokens": record.input_tokens,
            "output_tokens": record.output_tokens,
            "failures": record.failures,
        }


def remaining_drops(drops: list[Drop], records: list[Record]) -> list[Drop]:
    """Return the drops after a model was asked: passed tools are none any more, others say what it tried."""
    by_tool = {record.tool: record for record in records}
    left = [_annotated(drop, by_tool[drop.tool]) if drop.tool in by_tool else drop for drop in drops]
    left = [drop for drop in left if by_tool.get(drop.tool, Record(drop.tool)).outcome != "passed"]
    known = {drop.tool for drop in drops}
    return left + [_drop(r) for r in records if r.outcome != "passed" and r.tool not in known]


def _annotated(drop: Drop, record: Record) -> Drop:
    said = record.why or "; ".join(record.failures[-1:])
    text = f"model: {record.outcome} after {record.attempts} attempts ({said})" if said else "model: not asked"
    return replace(drop, detail=f"{drop.detail}; {text}"[:400])


def _drop(record: Record) -> Drop:
    if record.outcome == "not asked":
        return Drop(record.tool, "meaning", "nothing that a model says could be checked", record.why)
    if record.outcome == "out of budget":
        return Drop(record.tool, "code", "the budget was spent", "")
    check, _, detail = (record.failures[-1] if record.failures else "answer: none").partition(": ")
    return Drop(record.tool, "meaning" if check in ("meaning", DOUBTED) else "verification", check, detail)


def blamed(failed: dict[str, Check], meanings: list[Meaning], written: Mapping[str, WrittenTool]) -> dict[str, Check]:
    """Let a rules' tool that fails only beside model-written ones stay, and those of its entity go.

    The rules' tools had passed without them, and each of them beside the rules' tools.
    """
    own = {name: check for name, check in failed.items() if name in written}
    if own or not written or not failed:
        return own or failed
    entities = {id(m.entity) for m in meanings if m.tool.name in failed}
    near = [m.tool.name for m in meanings if m.tool.name in written and id(m.entity) in entities]
    present = [m.tool.name for m in meanings if m.tool.name in written]
    check = next(iter(failed.values()))
    gone = near or present
    if not gone:
        return failed
    return {name: Check(name, f"beside {check.tool}: {check.check}", False, check.detail) for name in gone}


def with_writer(
    build: Callable[[Any], dict[str, Any]], jobs: Sequence[Any], writer: LlmWriter, out: Path, progress: bool
) -> list[dict[str, Any]]:
    """Build servers in threads, so that the requests of several are under way at once; write ``llm.json``.

    What was spent stands in a file of its own: a run that was resumed spends less and builds the same.
    """
    done = 0
    rows: list[dict[str, Any]] = []
    pool = ThreadPoolExecutor(min(writer.concurrency, 8), "servers")
    try:
        with show_progress(len(jobs), "servers", progress) as advance:
            for row in pool.map(build, jobs):
                rows.append(row)
                done += 1
                advance(done)
    finally:
        pool.shutdown(cancel_futures=True)
        writer.close()
        write_json(out / "llm.json", spending(writer))
    return rows


def spending(writer: LlmWriter) -> dict[str, Any]:
    """Return what ``llm.json`` says: writer, model, outcomes of the tools, tokens and cost of this run."""
    return {
        "writer": writer.name,
        "model": writer.model.config.model,
        "outcomes": dict(sorted(writer.records.items())),
        **writer.budget.report(),
    }
