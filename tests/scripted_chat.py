"""An OpenAI-compatible chat server on this machine whose model is a function; for tests of everything that asks one."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Asked(dict):
    """The body of a request; ``path`` and ``key`` (the authorization header) are those it came with."""

    path: str
    key: str | None


class ChatServer(ThreadingHTTPServer):
    """The server. ``url``: up to and with /v1. ``requests``: what was asked, in order."""

    request_queue_size = 128  # the default of 5 drops connections on a busy machine
    daemon_threads = True  # one that still thinks is not waited for

    def __init__(self, answer: Callable[[Asked], Any], usage: tuple[int, int] | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer, self.usage = answer, usage
        self.requests: list[Asked] = []
        self.root = f"http://127.0.0.1:{self.server_port}"
        self.url = f"{self.root}/v1"


@contextmanager
def serving(answer: Callable[[Asked], Any], usage: tuple[int, int] | None = (100, 10)) -> Iterator[ChatServer]:
    """Serve a function for as long as the block lasts.

    Args:
        answer: takes a request; returns a message, with "finish" in it if the reason is none of the usual ones; or
            (status, text) or (status, text, headers). What it raises is told with status 400.
        usage: (read, written) tokens told with each message; None tells none.
    """
    server = ChatServer(answer, usage)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ChatServer

    def do_POST(self):
        asked = Asked(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        asked.path, asked.key = self.path, self.headers.get("authorization")
        self.server.requests.append(asked)
        try:
            said = self.server.answer(asked)
        except Exception as error:
            said = (400, str(error))
        if isinstance(said, tuple):
            status, text, headers = (*said, {})[:3]
            self._send(status, {"error": {"message": text}}, headers)
        else:
            self._send(200, self._completion(asked, {"role": "assistant", "content": None, **said}))

    def do_GET(self):
        self._send(200, {"object": "list", "data": []})

    def _completion(self, asked, message):
        finish = message.pop("finish", "tool_calls" if message.get("tool_calls") else "stop")
        choice = {"index": 0, "finish_reason": finish, "message": message}
        told = {"id": "x", "object": "chat.completion", "created": 0, "model": asked["model"], "choices": [choice]}
        if self.server.usage is None:
            return told
        read, written = self.server.usage
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        return {**told, "usage": usage}

    def _send(self, status, body, headers=None):
        data = json.dumps(body).encode()
        with suppress(ConnectionError):  # who asked may have gone
            self.send_response(status)
            told = {"content-type": "application/json", "content-length": str(len(data)), **(headers or {})}
            for name, value in told.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    def log_message(self, *_):
        pass
