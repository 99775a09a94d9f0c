"""The llm writer: ask a model for the functions of single tools, and keep what passes every check.

For each tool the model declares a meaning and writes one function.  The declaration is held against name,
description and schema; the code is filtered, then run in sandbox workers beside the rules' tools of the same
server, by the same checks.  What failed goes back to the model, up to three attempts.  Tools are asked for
independently of one another, so that the result does not depend on the order of the answers; each answer is on
disk before it is looked at, so that a stopped build goes on without asking again.

Not done: repair of tools that pass alone and fail together with another model-written tool; they are dropped.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

from tvlab.environments.checks.cases import Check
from tvlab.environments.domain.domain import Domain
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.drops import Drop
from tvlab.environments.environment import function_name
from tvlab.environments.llm.answers import AnswerError, rewritten, split_answer
from tvlab.environments.llm.budget import Budget, BudgetSpentError, tokens_of
from tvlab.environments.llm.meanings import DOUBTED, declared_meaning, possible_entities, verb_evidence, why_not_asked
from tvlab.environments.llm.prompts import first_messages, repair_messages
from tvlab.environments.llm.trials import TrialEnvironment, tried
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.runtime import State
from tvlab.environments.writing.drafts import applied_default
from tvlab.foundation.endpoint import Answer, RefusedRequestError
from tvlab.foundation.errors import UserError

MOST_ATTEMPTS = 3
#: reasons of the rules that say something of the rules, not of the tool: there a model may know better
_HELPED = frozenset(
    {
        "no entity in the name",
        "read of one thing without a key",
        "required parameter without a rule",
        "state change with unknown key",
        "no state for the verb",
        "create without the key",
    }
)


class Model(Protocol):
    """What answers: ``tvlab.foundation.endpoint.Endpoint``, or a script in a test."""

    config: Any

    def known(self, messages: list[dict[str, Any]], tools: Any = (), attempt: int = 0) -> Answer | None:
        """Return an answer that is there already."""

    def answer(self, messages: list[dict[str, Any]], tools: Any = (), attempt: int = 0) -> Answer:
        """Ask."""


@dataclass(frozen=True)
class WrittenTool:
    """A model-written tool that passed: its meaning, and the source of its function."""

    meaning: Meaning
    source: str


@dataclass
class Record:
    """What became of one tool that a model could be asked for.

    Attributes:
        outcome: passed, failed, not asked, or out of budget.
        attempts: answers that were looked at.
        failures: the first failed check of each failed attempt, as "check: detail".
    """

    tool: str
    outcome: str = "failed"
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    failures: list[str] = field(default_factory=list)
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the record as it stands in build.json."""
        return {name: value for name, value in vars(self).items() if value != ""}


@dataclass(frozen=True)
class Desk:
    """What a server gives for writing.

    Attributes:
        domain: its domain dictionary.
        state: a seeded state of all entities, to show records of.
        kept: meanings that the rules have kept.
        assemble: puts meanings and foreign sources together as an environment in its sandbox.
        lock: held while the domain is in use.
    """

    domain: Domain
    state: State
    kept: list[Meaning]
    assemble: Callable[[list[Meaning], dict[str, str]], TrialEnvironment]
    lock: Any = field(default_factory=threading.RLock)


class LlmWriter:
    """Writes tools by asking a model; may serve several servers at once.

    Args:
        model: the endpoint.
        budget: counts and caps what is spent.
        alone: True for the writer ``llm``: the rules write nothing.
        attempts: answers a tool may have, at most 3.
        concurrency: requests under way at the same time.
        sandbox: strict|weak.
        only: names of the tools that are the model's, whatever the rules could do; None: by ``alone``.
    """

    def __init__(
        self,
        model: Model,
        budget: Budget | None = None,
        alone: bool = False,
        attempts: int = MOST_ATTEMPTS,
        concurrency: int = 8,
        sandbox: str = "strict",
        only: Collection[str] | None = None,
    ) -> None:
        if not 1 <= attempts <= MOST_ATTEMPTS:
            raise UserError(f"attempts must be 1 to {MOST_ATTEMPTS}, got {attempts}")
        if concurrency < 1:
            raise UserError(f"concurrency must be at least 1, got {concurrency}")
        self.model, self.budget, self.alone = model, budget or Budget(), alone
        self.attempts, self.concurrency, self.sandbox = attempts, concurrency, sandbox
        self.only = only
        self.records: Counter[str] = Counter()
        self._pool = ThreadPoolExecutor(concurrency, "llm-writer")
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The writer's name on the command line and in reports."""
        return "llm" if self.alone else "rules+llm"

    def close(self) -> None:
        """Let the requests under way end; no other is begun."""
        self._pool.shutdown(cancel_futures=True)

    def write(self, tools: Iterable[ParsedTool], desk: Desk) -> tuple[list[WrittenTool], list[Record]]:
        """Ask for tools and return those that passed, and a record of each, in the order of the tools."""
        futures = [self._pool.submit(self._write_one, tool, desk) for tool in tools]
        results = [future.result() for future in futures]
        return [written for written, _ in results if written is not None], [record for _, record in results]

    def _write_one(self, tool: ParsedTool, desk: Desk) -> tuple[WrittenTool | None, Record]:
        record = Record(tool.name)
        with desk.lock:
            record.why = why_not_asked(tool, desk.domain)
        if record.why:
            record.outcome = "not asked"
            written = None
        else:
            written = self._attempted(tool, desk, record)
        with self._lock:
            self.records[f"passed at attempt {record.attempts}" if written else record.outcome] += 1
        return written, record

    def _attempted(self, tool: ParsedTool, desk: Desk, record: Record) -> WrittenTool | None:
        with desk.lock:
            desk.domain.used = set(desk.domain.entities)
            entity = possible_entities(tool, desk.domain)[0]
            row: dict[str, Any] = next(iter(desk.state.get(entity.table, {}).values()), {})
            first = first_messages(tool, verb_evidence(tool), desk.domain, row)
        messages = first
        for attempt in range(self.attempts):
            try:
                answer = self._answer(messages, attempt)
            except BudgetSpentError:
                record.outcome = "out of budget"
                return None
            except RefusedRequestError as error:
                record.failures.append(f"endpoint: {error}"[:300])
                return None
            record.attempts += 1
            counts = tokens_of(answer, messages)
            record.input_tokens += counts[0]
            record.output_tokens += counts[1]
            written, failures = self._tried(answer, tool, desk)
            if written is not None:
                record.outcome = "passed"
                return written
            record.failures.append(f"{failures[0]['check']}: {failures[0]['detail']}"[:300])
            if failures[0]["check"] == DOUBTED:
                return None
            messages = repair_messages(first, answer.text, failures)
        return None

    def _answer(self, messages: list[dict[str, Any]], attempt: int) -> Answer:
        """Return the answer from the cache, else ask if the budget allows it."""
        known = self.model.known(messages, (), attempt)
        if known is not None:
            self.budget.note_cached(known, messages)
            return known
        reserved = self.budget.reserve(messages, self.model.config.max_tokens)
        answer = None
        try:
            answer = self.model.answer(messages, (), attempt)
        finally:
            self.budget.settle(reserved, answer, messages)
        return answer

    def _tried(self, answer: Answer, tool: ParsedTool, desk: Desk) -> tuple[WrittenTool | None, list[dict[str, str]]]:
        """Return the written tool, or what failed."""
        try:
            if answer.finish == "length":
                raise AnswerError("answer", "the answer was cut off: write less")
            raw = split_answer(answer.text)
            with desk.lock:
                meaning = declared_meaning(raw.declaration, tool, desk.domain)
            without = [path for path, _ in meaning.narrowed]
            source = rewritten(raw.code, function_name(tool.name), _parameters(meaning), without)
            written = WrittenTool(meaning, source)
        except AnswerError as error:
            return None, [{"check": error.check, "detail": error.detail}]
        failed = [check for check in self.trial(written, desk) if not check.passed]
        if not failed:
            return written, []
        return None, [{"check": check.check, "detail": check.detail[:200]} for check in failed]

    def trial(self, written: WrittenTool, desk: Desk) -> list[Check]:
        """Check a written tool beside the rules' tools of its entity, in a sandbox."""
        name, entity = written.meaning.tool.name, written.meaning.entity
        others = [m for m in desk.kept if m.tool.name != name]
        near = {m.tool.name for m in others if m.entity is entity}
        with desk.lock:
            try:
                environment = desk.assemble([*others, written.meaning], {name: written.source})
            except UserError as error:
                return [Check(name, "sandbox", False, str(error)[:300])]
            with environment:
                return tried(environment, {name}, {name, *near})


def _parameters(meaning: Meaning) -> dict[str, Any]:
    """Return parameter -> default of the function: ``...`` if required, the declared default, else None."""
    result: dict[str, Any] = {}
    for role in meaning.roles:
        p = role.parameter
        keyed = role.role == "key" and meaning.operation in ("read", "update")
        result[p.name] = ... if p.required or keyed else applied_default(meaning, p.name, p.schema)
    return result


def helped(drop: Drop) -> bool:
    """True if the rules dropped a tool for a reason where a model could help."""
    return drop.stage in ("code", "verification") or (drop.stage == "meaning" and drop.reason in _HELPED)
