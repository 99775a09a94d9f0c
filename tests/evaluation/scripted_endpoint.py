"""A chat server on this machine that answers by a function; keeps every request."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tvlab.tasks.teachers import resolve


class _Patient(ThreadingHTTPServer):
    request_queue_size = 128  # the default of 5 drops connections on a busy machine


@contextmanager
def serving(answer):
    """Serve ``answer(body) -> message or (status, body)``; yields the server: ``requests``, ``url``."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self.server.requests.append(body)
            self.server.keys.append(self.headers.get("authorization"))
            message = answer(body)
            if isinstance(message, tuple):
                self._send(message[0], {"error": {"message": message[1]}})
                return
            finish = message.pop("finish", "stop")
            choices = [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}]
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            self._send(
                200,
                {
                    "id": "x",
                    "object": "chat.completion",
                    "created": 0,
                    "model": body["model"],
                    "choices": choices,
                    "usage": usage,
                },
            )

        def do_GET(self):
            self._send(200, {"object": "list", "data": []})

        def _send(self, status, body):
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = _Patient(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.requests, server.keys = [], []
    server.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class GoldenModel:
    """Answers with an item's golden calls, one a message; knows the item by its first words."""

    def __init__(self, items):
        self.items = {first_words(item): item for item in items}

    def __call__(self, body):
        messages = body["messages"]
        said = [message["content"] for message in messages if message["role"] == "user"]
        item = self.items[said[0]]
        keys = [key for key, _ in item.golden()]
        shown = [json.loads(m["content"]) for m in messages if m["role"] == "tool"]
        turn, asked = self._place(item, said)
        if asked:
            return {"content": "Which value do you mean?"}
        last = max(at for at, message in enumerate(messages) if message["role"] == "user")
        done = sum(message["role"] == "tool" for message in messages[last:])
        if done >= len(item.turns[turn].calls):
            return {"content": "<think>What now?</think>All done."}
        call = item.turns[turn].calls[done]
        try:
            arguments = resolve(call.arguments, dict(zip(keys, shown, strict=False)))
        except LookupError:  # an earlier call went wrong
            return {"content": "I am lost."}
        function = {"name": call.tool, "arguments": json.dumps(arguments)}
        call_id = f"c{len(messages)}"
        return {"content": "", "tool_calls": [{"id": call_id, "type": "function", "function": function}]}

    @staticmethod
    def _place(item, said):
        """(turn, True if the user has still to be asked for what is missing)."""
        turn, waiting = -1, False
        for words in said:
            if waiting and words == item.turns[turn].answer:
                waiting = False
                continue
            turn += 1
            waiting = bool(item.turns[turn].answer)
        return turn, waiting


def first_words(item):
    turn = item.turns[0]
    return f"{turn.context}\n\n{turn.user}" if turn.context else turn.user
