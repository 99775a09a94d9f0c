"""An OpenAI-compatible address for each rollout, so that an agent that knows nothing of training plays it.

    POST  /rollouts/ID/v1/chat/completions     the protocol of OpenAI's clients; streamed too, in one piece
    GET   /rollouts/ID/v1/models
    GET   /rollouts/ID/tools                   tools offered now
    POST  /rollouts/ID/calls                   {"name", "arguments"} -> {"content"}
    POST  /rollouts/ID/turn                    {"reply": text, or null at the beginning} -> {"user": text, or null}

verl 0.9.1 has no such facility: its rollout servers speak the protocol, but keep no record and re-tokenise. An agent in
this process is given a `Session`; one in another process uses the last three routes.

Sampling is the trainer's: an agent's temperature and top_p are not taken over, its limit of tokens is. Refused: more
than one choice, forced tool choice, response formats. The model's name is not looked at.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any
from uuid import uuid4

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.agent_rollout import AgentRollout, Reply
from tvlab.learning.verl.chat_tokens import Message, tool_for_chat

Agent = Callable[["Session"], Any]
"""Somebody's agent: a function, or a coroutine function, that plays a session to its end."""


class Session:
    """What an agent is given. The methods block and are for an agent in a thread; those with ``a`` are for coroutines.

    Attributes:
        base_url: for an OpenAI client.
        api_key, model: for the same; any will do.
        system: a system message that the agent may use.
    """

    api_key, model = "none", "policy"

    def __init__(self, rollout: AgentRollout, base_url: str, loop: asyncio.AbstractEventLoop) -> None:
        self.rollout = rollout
        self.base_url = base_url
        self.system = rollout.system
        self._loop = loop

    @property
    def tools(self) -> list[Message]:
        """The tools offered at the beginning, as OpenAI's clients take them; changes are said by the user."""
        return [tool_for_chat(tool) for tool in self.rollout.tools]

    @property
    def all_tools(self) -> list[Message]:
        """All tools of the environment, for an agent that needs a handler for each before it begins."""
        held = self.rollout.user.tools
        return [tool_for_chat(tool) for tool in self.rollout.episode.environment.tools if tool["name"] not in held]

    def words(self) -> str | None:
        """The user's first words."""
        return self._wait(self.awords())

    def call(self, name: str, arguments: Any) -> str:
        """Make a call; returns what the model reads."""
        return str(self._wait(self.acall(name, arguments)))

    def reply(self, text: str) -> str | None:
        """Hand the agent's last message to the user; returns what the user says next, None at the end."""
        return self._wait(self.areply(text))

    async def awords(self) -> str | None:
        return await self.rollout.words()

    async def acall(self, name: str, arguments: Any) -> str:
        return await self.rollout.call(name, arguments)

    async def areply(self, text: str) -> str | None:
        return await self.rollout.reply(text)

    def _wait(self, waiting: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(waiting, self._loop).result()


class AgentEndpoint:
    """The routes, for any number of rollouts at once."""

    def __init__(self) -> None:
        self.rollouts: dict[str, AgentRollout] = {}
        self.app = Starlette(
            routes=[
                Route("/rollouts/{id}/v1/chat/completions", self._completion, methods=["POST"]),
                Route("/rollouts/{id}/v1/models", self._models),
                Route("/rollouts/{id}/tools", self._tools),
                Route("/rollouts/{id}/calls", self._call, methods=["POST"]),
                Route("/rollouts/{id}/turn", self._turn, methods=["POST"]),
            ],
            exception_handlers={UserError: _refused},  # type: ignore[dict-item]  # narrower than Starlette's annotation
        )
        self.address = ""

    @asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncIterator[str]:
        """Serve on 127.0.0.1 in the running event loop; gives the address."""
        listener = socket.create_server(("127.0.0.1", port))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = _Server(uvicorn.Config(self.app, log_level="warning", lifespan="off", ws="none"))
        running = asyncio.ensure_future(server.serve(sockets=[listener]))
        try:
            while not server.started:
                await asyncio.sleep(0.01)
                if running.done():
                    await running
            self.address = address
            yield address
        finally:
            server.should_exit = True
            with suppress(asyncio.CancelledError):  # the loop is closing
                await running
            listener.close()

    async def play(self, rollout: AgentRollout, agent: Agent, timeout: float | None = None) -> AgentRollout:
        """Let an agent play a rollout to its end; what it raises ends the rollout and is kept in ``failure``.

        Args:
            rollout: not yet begun.
            agent: see `Agent`; a plain function runs in a thread of its own.
            timeout: seconds until the rollout ends without it. A thread cannot be stopped: it is left to end.

        Raises:
            UserError: the agent never asked the model.
        """
        name = uuid4().hex
        self.rollouts[name] = rollout
        session = Session(rollout, f"{self.address}/rollouts/{name}/v1", asyncio.get_running_loop())
        failure = ""
        try:
            work = agent(session) if inspect.iscoroutinefunction(agent) else _in_a_thread(agent, session)
            await asyncio.wait_for(work, timeout)
        except TimeoutError:
            failure = f"no end after {timeout:g} s" if timeout else "TimeoutError"
        except Exception as error:
            failure = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        finally:
            del self.rollouts[name]
        rollout.finish(failure)
        return rollout

    async def _completion(self, request: Request) -> Response:
        rollout, body = self._rollout(request), await _body(request)
        if body.get("n", 1) not in (1, None):
            raise UserError("n: one choice a request; ask again for another")
        if body.get("tool_choice") not in (None, "auto", "none"):
            raise UserError("tool_choice: the policy chooses; give auto or none")
        if (body.get("response_format") or {}).get("type", "text") != "text":
            raise UserError("response_format: the policy is not constrained; leave it out")
        if not isinstance(body.get("messages"), list) or not body["messages"]:
            raise UserError("messages: a list with at least one message")
        most = body.get("max_completion_tokens") or body.get("max_tokens")
        tools = [] if body.get("tool_choice") == "none" else body.get("tools") or []
        reply = await rollout.write(body["messages"], tools, most)
        name = str(body.get("model") or Session.model)
        return _streamed(reply, name) if body.get("stream") else JSONResponse(_completed(reply, name))

    async def _models(self, request: Request) -> Response:
        self._rollout(request)
        return JSONResponse({"object": "list", "data": [{"id": Session.model, "object": "model", "owned_by": "tvlab"}]})

    async def _tools(self, request: Request) -> Response:
        return JSONResponse({"tools": self._rollout(request).offered})

    async def _call(self, request: Request) -> Response:
        rollout, body = self._rollout(request), await _body(request)
        return JSONResponse({"content": await rollout.call(str(body.get("name") or ""), body.get("arguments"))})

    async def _turn(self, request: Request) -> Response:
        rollout, body = self._rollout(request), await _body(request)
        said = body.get("reply")
        return JSONResponse({"user": await (rollout.words() if said is None else rollout.reply(str(said)))})

    def _rollout(self, request: Request) -> AgentRollout:
        name = request.path_params["id"]
        if name not in self.rollouts:
            raise UserError(f"there is no rollout {name}: it has ended, or never began")
        return self.rollouts[name]


class _Server(uvicorn.Server):
    """A server that leaves the signal handlers of its process alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def play_at_hand_of(rollout: AgentRollout, path: str, timeout: float | None = None) -> AgentRollout:
    """Let the agent of that path play a rollout, at an address of its own."""
    agent, endpoint = find_agent(path), AgentEndpoint()
    async with endpoint.serving():
        return await endpoint.play(rollout, agent, timeout)


async def _in_a_thread(agent: Agent, session: Session) -> None:
    """Run a plain function; the threads of the event loop serve it, so that it must hold none of them."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[BaseException | None] = loop.create_future()

    def end(error: BaseException | None) -> None:
        if not ended.done():  # it was not given up
            ended.set_result(error)

    def work() -> None:
        error: BaseException | None = None
        try:
            agent(session)
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(end, error)

    threading.Thread(target=work, name="agent", daemon=True).start()
    error = await ended
    if isinstance(error, Exception):
        raise error
    if error is not None:
        raise RuntimeError(f"the agent left by {type(error).__name__}")


def find_agent(path: str) -> Agent:
    """The agent that "package.module:function" names.

    Raises:
        UserError: it leads nowhere.
    """
    module, _, name = path.partition(":")
    try:
        found: Agent = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UserError(f"tvlab.agent={path}: write package.module:function ({error})") from None
    return found


async def _body(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except ValueError:
        raise UserError("the request's body is not JSON") from None
    if not isinstance(body, dict):
        raise UserError("the request's body is not an object")
    return body


async def _refused(request: Request, error: UserError) -> Response:
    told = {"message": str(error), "type": "invalid_request_error", "param": None, "code": None}
    return JSONResponse({"error": told}, status_code=404 if str(error).startswith("there is no rollout") else 400)


def _message(reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.content or None}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": f"call-{reply.first + at}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
            }
            for at, (name, arguments) in enumerate(reply.calls)
        ]
    elif not reply.content:
        message["content"] = ""
    return message


def _head(name: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{uuid4().hex}", "object": kind, "created": int(time.time()), "model": name}


def _usage(reply: Reply) -> dict[str, int]:
    return {"prompt_tokens": reply.read, "completion_tokens": reply.wrote, "total_tokens": reply.read + reply.wrote}


def _completed(reply: Reply, name: str) -> dict[str, Any]:
    choice = {"index": 0, "message": _message(reply), "finish_reason": reply.finish, "logprobs": None}
    return {**_head(name, "chat.completion"), "choices": [choice], "usage": _usage(reply)}


def _streamed(reply: Reply, name: str) -> Response:
    head, delta = _head(name, "chat.completion.chunk"), _message(reply)
    for at, call in enumerate(delta.get("tool_calls", ())):
        call["index"] = at
    parts = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]},
        {**head, "choices": [], "usage": _usage(reply)},
    ]
    text = "".join(f"data: {json.dumps(part, ensure_ascii=False)}\n\n" for part in parts)
    return Response(text + "data: [DONE]\n\n", media_type="text/event-stream")
