"""A gateway on this machine between harnesses and models: one place for everything that harnesses do badly.

A harness speaks plain chat completions to an address of its job, ``http://127.0.0.1:PORT/JOB/agent/v1``.
The gateway answers from the disk what was answered before, waits and asks again where the endpoint is busy,
sets sampling, writes tool calls as text for a server that parses none, takes thinking out of the answer, and
keeps a ledger of the job.  The key of the endpoint never reaches a harness.

The same question asked twice in one job is asked with another seed, so that a harness that repeats a request
gets another answer; a job that is played again after a kill repeats the same questions and finds them all.

A request that fails for good is answered with status 400, which clients do not repeat, and stands in the
ledger: whatever the harness makes of it, the job is an error and no wrong answer.  Listens on the loopback
address only.  Streaming is refused; of the request's own sampling only ``tool_choice: none`` is heeded.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tvlab.evaluation.hermes_format import as_text, read_calls, without_thinking
from tvlab.foundation.canonical import content_hash
from tvlab.foundation.endpoint import Answer, Endpoint, RefusedRequestError
from tvlab.foundation.errors import UserError

SEEDS_APART = 1000
"""A question asked again in one job gets a seed this much higher: runs are counted below it."""


@dataclass
class Ledger:
    """What one job has asked of the models.

    Attributes:
        requests: answers given to the harness, for agent and user.
        cached: how many of them came from the disk.
        input_tokens, output_tokens: of the agent, as its server counted them; -1 once it did not say.
        user_input_tokens, user_output_tokens: of the user's model, likewise.
        cut: the agent's answers that hit the token limit.
        unreadable: the agent's tool calls that were no JSON.
        failure: why a request failed for good, "" if none did.
        side: ``endpoint`` or ``user``: whose request that was.
        refused: True if the endpoint is there and refused that one request (too long, say).
    """

    requests: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    user_input_tokens: int = 0
    user_output_tokens: int = 0
    cut: int = 0
    unreadable: int = 0
    failure: str = ""
    side: str = ""
    refused: bool = False
    asked: Counter[str] = field(default_factory=Counter)

    def measured(self) -> dict[str, Any]:
        """Return what goes into the job's row."""
        names = ("requests", "cached", "input_tokens", "output_tokens", "user_input_tokens")
        return {name: getattr(self, name) for name in (*names, "user_output_tokens", "cut", "unreadable")}


class Gateway:
    """A running gateway; use it as a context.

    Args:
        agent: the model that is scored.
        user: the model that plays the user; None if there is none.
        mode: ``native`` or ``prompt``, of the agent.
    """

    def __init__(self, agent: Endpoint, user: Endpoint | None = None, mode: str = "native") -> None:
        self.agent, self.user, self.mode = agent, user, mode
        self._ledgers: dict[str, Ledger] = {}
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.gateway = self
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Gateway:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def address(self, job: str, side: str = "agent") -> str:
        """Return the address up to and with ``/v1`` for a job's ``agent`` or ``user``."""
        return f"http://127.0.0.1:{self._server.server_port}/{job}/{side}/v1"

    def open(self, job: str) -> Ledger:
        """Begin a job's ledger anew and return it."""
        with self._lock:
            self._ledgers[job] = Ledger()
            return self._ledgers[job]

    def complete(self, job: str, side: str, run: int, body: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one request of a job.

        Args:
            job: its key.
            side: agent or user.
            run: number of the repetition; sets the seed.
            body: the request of the chat protocol.

        Raises:
            UserError: the endpoint does not answer, or has none for this side; stands in the ledger too.
        """
        with self._lock:
            ledger = self._ledgers.setdefault(job, Ledger())
        if ledger.failure:
            raise UserError(ledger.failure)
        try:
            return self._complete(ledger, side, run, body)
        except UserError as error:
            ledger.failure = str(error)
            ledger.side = "user" if side == "user" else "endpoint"
            ledger.refused = isinstance(error, RefusedRequestError)
            raise

    def _complete(self, ledger: Ledger, side: str, run: int, body: Mapping[str, Any]) -> dict[str, Any]:
        endpoint = self.user if side == "user" else self.agent
        if endpoint is None:
            raise UserError("this benchmark needs a model for the user: give --user-base-url and --user-model")
        messages, tools = [_sound(message) for message in body["messages"]], list(body.get("tools") or ())
        if body.get("tool_choice") == "none":
            tools = []
        offered = [tool.get("function", tool)["name"] for tool in tools]
        prompted = bool(tools) and self.mode == "prompt" and side == "agent"
        if prompted:
            messages, tools = as_text(messages, tools), []
        with self._lock:
            question = content_hash([side, messages, tools], 32)
            seed = run + SEEDS_APART * ledger.asked[question]
            ledger.asked[question] += 1
        known = endpoint.known(messages, tools, seed)
        answer = known or endpoint.answer(messages, tools, seed)
        with self._lock:
            _enter(ledger, answer, side, known is not None)
        message, unreadable = _read(answer, offered if prompted else None)
        ledger.unreadable += unreadable if side == "agent" else 0
        return _completion(message, answer, endpoint.config.model)


def _sound(message: Mapping[str, Any]) -> dict[str, Any]:
    """Wrap arguments of the model's earlier calls that are no JSON object: servers refuse such a history."""
    calls = message.get("tool_calls")
    if not calls:
        return dict(message)
    return {**message, "tool_calls": [{**call, "function": _wrapped(call["function"])} for call in calls]}


def _wrapped(function: Mapping[str, Any]) -> dict[str, Any]:
    text = function.get("arguments") or "{}"
    try:
        sound = isinstance(json.loads(text), dict)
    except (json.JSONDecodeError, TypeError):
        sound = False
    return {**function, "arguments": text if sound else json.dumps({"malformed": text})}


def _enter(ledger: Ledger, answer: Answer, side: str, cached: bool) -> None:
    ledger.requests += 1
    ledger.cached += cached
    prefix = "user_" if side == "user" else ""
    for name, more in (("input_tokens", answer.input_tokens), ("output_tokens", answer.output_tokens)):
        so_far = getattr(ledger, prefix + name)
        setattr(ledger, prefix + name, -1 if more < 0 or so_far < 0 else so_far + more)
    ledger.cut += side == "agent" and answer.finish == "length"


def _read(answer: Answer, offered: list[str] | None) -> tuple[dict[str, Any], int]:
    """Return (message without thinking, unreadable calls); text is read into calls where tools were offered."""
    text, calls, unreadable = without_thinking(answer.text), answer.message.get("tool_calls") or [], 0
    if offered is not None:
        text, calls, unreadable = read_calls(text, offered)
    elif not calls and "<tool_call>" in text:
        unreadable = text.count("<tool_call>")  # the server's own parser could not read them
    message: dict[str, Any] = {"role": "assistant", "content": text}
    return (message | {"tool_calls": calls} if calls else message), unreadable


def _completion(message: dict[str, Any], answer: Answer, model: str) -> dict[str, Any]:
    finish = "tool_calls" if message.get("tool_calls") else answer.finish or "stop"
    tokens = (max(answer.input_tokens, 0), max(answer.output_tokens, 0))
    return {
        "id": "tvlab",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }


class _Server(ThreadingHTTPServer):
    gateway: Gateway
    daemon_threads = True
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    """``POST /JOB/SIDE/v1/chat/completions``, where JOB ends in the number of the run."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        job, _, rest = self.path.lstrip("/").rpartition("/v1/")
        job, _, side = job.rpartition("/")
        try:
            body = json.loads(data)
            if rest != "chat/completions" or side not in ("agent", "user") or body.get("stream"):
                raise UserError(f"only plain chat completions are served here, not {self.path}")
            run = int(job.rpartition("/")[2])
            self._send(200, self.server.gateway.complete(job, side, run, body))
        except UserError as error:
            self._send(400, {"error": {"message": str(error), "type": "endpoint"}})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self._send(400, {"error": {"message": f"malformed request: {error!r}", "type": "request"}})

    def do_GET(self) -> None:
        """List the model, since some clients look it up."""
        name = self.server.gateway.agent.config.model
        self._send(200, {"object": "list", "data": [{"id": name, "object": "model"}]})

    def _send(self, status: int, body: Mapping[str, Any]) -> None:
        data = json.dumps(body).encode()
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):  # the harness has given up or was ended
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Print nothing."""
