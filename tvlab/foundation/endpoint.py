"""A model behind an OpenAI-compatible endpoint: chat completions, cached on disk, with back-off.

The official ``openai`` client speaks to it; its own retries are off, so that waiting is ours: doubling, with
jitter, and as long as the server asks in Retry-After.  The key is read from the environment and stands in no
file.  An answer is kept under everything that decides it (model, messages, tools, sampling, attempt), not
under the address, so that a move of the server costs nothing.
"""

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tvlab.foundation.answer_cache import AnswerCache
from tvlab.foundation.errors import UserError
from tvlab.foundation.seeds import generator

REFUSED = frozenset({400, 413, 422})
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class RefusedRequestError(UserError):
    """The endpoint is there and refuses this one request: too long, or malformed to it."""


@dataclass(frozen=True)
class EndpointConfig:
    """Where a model is and how it is asked.

    Attributes:
        base_url: address up to and with ``/v1``.
        model: its name there.
        key_variable: environment variable with the key; a missing one sends "none" (local servers).
        temperature: of sampling.
        max_tokens: of one message.
        timeout: seconds until one request is given up.
        retries: how often a request is sent again.
        wait: seconds before the first repetition; doubles each time.
        most_waiting: seconds that no single wait exceeds.
    """

    base_url: str
    model: str
    key_variable: str = "OPENAI_API_KEY"
    temperature: float = 0.7
    max_tokens: int = 1024
    timeout: float = 120.0
    retries: int = 6
    wait: float = 1.0
    most_waiting: float = 60.0


@dataclass(frozen=True)
class Answer:
    """One answer of the model.

    Attributes:
        message: the assistant's message in the protocol's shape.
        input_tokens: tokens of the request as the server counted them, -1 if it did not say.
        output_tokens: tokens of the answer, likewise.
        finish: why it ended: ``stop``, ``length``, ...; "" if the server did not say.
    """

    message: dict[str, Any]
    input_tokens: int = -1
    output_tokens: int = -1
    finish: str = ""

    @property
    def text(self) -> str:
        """The message's text."""
        content = self.message.get("content")
        return content if isinstance(content, str) else ""


class Endpoint:
    """A model that answers chats; may be used from many threads.

    Args:
        config: where and how.
        cache: answers kept so far; None keeps none.
        sleep: waits; a test passes its own.

    Attributes:
        sent: requests sent so far, repetitions included.
    """

    def __init__(
        self,
        config: EndpointConfig,
        cache: AnswerCache | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.config = config
        self.cache = cache
        self.sent = 0
        self._sleep = sleep
        self._lock = threading.Lock()
        self._client = _client(config)

    def message(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]] = (), attempt: int = 0
    ) -> dict[str, Any]:
        """Return the assistant's next message: content, tool_calls as in the protocol.

        Args:
            messages: the conversation.
            tools: in the protocol's shape.
            attempt: sets attempts apart that ask the same; sent as the seed of sampling.

        Raises:
            UserError: the endpoint cannot be reached or refuses; says what to check.
        """
        return self.answer(messages, tools, attempt).message

    def answer(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]] = (), attempt: int = 0
    ) -> Answer:
        """Return the next message with its tokens; arguments and errors as in ``message``."""
        known = self.known(messages, tools, attempt)
        if known is not None:
            return known
        request = self._request(messages, tools, attempt)
        answer = self._ask(request)
        if self.cache is not None:
            self.cache.put(request, asdict(answer))
        return answer

    def known(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]] = (), attempt: int = 0
    ) -> Answer | None:
        """Return the answer from the cache, None if it must be asked for."""
        found = self.cache.get(self._request(messages, tools, attempt)) if self.cache is not None else None
        if found is None:
            return None
        return Answer(**found) if "message" in found else Answer(found)

    def _request(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]], attempt: int
    ) -> dict[str, Any]:
        request = {
            "model": self.config.model,
            "messages": list(messages),
            "temperature": self.config.temperature,
            "max_tokens": self.config.max_tokens,
            "seed": attempt,
        }
        return {**request, "tools": list(tools)} if tools else request

    def _ask(self, request: dict[str, Any]) -> Answer:
        import openai

        for at in range(self.config.retries + 1):
            with self._lock:
                self.sent += 1
            try:
                return _answer(self._client.chat.completions.create(**request))
            except (openai.APIConnectionError, openai.APIStatusError, IndexError) as error:
                status = getattr(error, "status_code", None)
                if at == self.config.retries or (status is not None and status not in RETRIED):
                    kind = RefusedRequestError if status in REFUSED else UserError
                    raise kind(self._trouble(error, status)) from None
                self._sleep(self._waiting(error, at))
        raise AssertionError("unreachable: the last repetition raises")

    def _waiting(self, error: Exception, at: int) -> float:
        """Seconds to wait: what the server asks for, else doubling with jitter."""
        headers = getattr(getattr(error, "response", None), "headers", {})
        try:
            asked = float(headers.get("retry-after", 0))
        except ValueError:
            asked = 0.0
        jitter = generator(at, "endpoint", threading.get_ident(), self.sent).uniform(0.5, 1.5)
        return min(self.config.most_waiting, max(asked, self.config.wait * 2**at * float(jitter)))

    def _trouble(self, error: Exception, status: int | None) -> str:
        where = f"model {self.config.model!r} at {self.config.base_url}"
        if status in (401, 403):
            return f"{where} refuses the key ({status}): set {self.config.key_variable}"
        if status == 404:
            return f"{where} is not there (404): check address and model name"
        reason = " ".join(str(error).split())[:200]
        return f"{where} does not answer ({reason}): check that the server runs, then start again"


def _answer(completion: Any) -> Answer:
    choice, usage = completion.choices[0], completion.usage
    message, finish = choice.message.model_dump(exclude_none=True), choice.finish_reason or ""
    if usage is None:
        return Answer(message, finish=finish)
    return Answer(message, usage.prompt_tokens, usage.completion_tokens, finish)


def _client(config: EndpointConfig) -> Any:
    try:
        import openai
    except ImportError:
        raise UserError("a model endpoint needs the package openai: pip install openai") from None
    key = os.environ.get(config.key_variable) or "none"
    return openai.OpenAI(base_url=config.base_url, api_key=key, timeout=config.timeout, max_retries=0)
