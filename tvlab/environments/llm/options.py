"""From the options of ``tvlab build`` to a writer, and what it says about its spending at the end."""

from __future__ import annotations

from pathlib import Path

from tvlab.environments.llm.budget import Budget, Prices
from tvlab.environments.llm.writer import LlmWriter
from tvlab.environments.sandbox.trials import usable_layers
from tvlab.foundation.answer_cache import AnswerCache
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.foundation.errors import UserError

WRITERS = ("rules", "llm", "rules+llm")


def open_writer(
    writer: str,
    base_url: str,
    model: str,
    answers: Path,
    *,
    prices: tuple[float, float] = (0.0, 0.0),
    money: float | None = None,
    tokens: int | None = None,
    attempts: int = 3,
    concurrency: int = 8,
    max_tokens: int = 1024,
    temperature: float = 0.2,
    sandbox: str = "strict",
) -> LlmWriter | None:
    """Return the writer that asks a model, None for the rules alone.

    Args:
        writer: rules|llm|rules+llm.
        base_url: the endpoint, up to and with ``/v1``.
        model: its name there.
        answers: SQLite file of the answers; a build that was stopped goes on from it.
        prices: of a million tokens, in and out.
        money: most money of this run; None: no cap.
        tokens: most tokens of this run; None: no cap.
        attempts: answers a tool may have.
        concurrency: requests under way at once.
        max_tokens: of one answer.
        temperature: of sampling.
        sandbox: strict|weak.

    Raises:
        UserError: an unknown writer, an endpoint that is not given, or a layer of the sandbox that is missing.
    """
    if writer not in WRITERS:
        raise UserError(f"writer {writer!r}: choose one of {', '.join(WRITERS)}")
    if writer == "rules":
        if base_url or model:
            raise UserError("--base-url and --model are for --writer llm and rules+llm")
        return None
    if not base_url or not model:
        raise UserError(f"--writer {writer} needs --base-url and --model")
    usable_layers(sandbox)  # refuses now, not after the first answer has been paid for
    budget = Budget(Prices(*prices), money, tokens)
    config = EndpointConfig(base_url, model, temperature=temperature, max_tokens=max_tokens, timeout=600.0)
    endpoint = Endpoint(config, AnswerCache(answers))
    return LlmWriter(endpoint, budget, writer == "llm", attempts, concurrency, sandbox)


def spending_text(writer: LlmWriter) -> str:
    """Return one line about outcomes, tokens and cost."""
    spent = writer.budget.report()
    outcomes = ", ".join(f"{name}: {count}" for name, count in sorted(writer.records.items())) or "nothing asked"
    line = (
        f"Model {writer.model.config.model}: {outcomes}; {spent['asked']} requests, {spent['input_tokens']:,} tokens "
        f"in, {spent['output_tokens']:,} out, cost {spent['cost']:g}; {spent['from_cache']} answers from the cache"
    )
    return f"{line}; stopped by the budget" if spent["stopped_by_budget"] else line
