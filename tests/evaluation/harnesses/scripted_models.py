"""A chat-completions server whose agent and user know the solution: it drives whole harnesses without a model.

An address is ``/KEY/agent/v1`` or ``/KEY/user/v1``; a script is made for each key and called with side and request.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from scripted_chat import serving

from tvlab.evaluation.score_rows import Setting

Script = Callable[[str, dict], dict]


@contextmanager
def scripted_models(script_of: Callable[[str], Script]) -> Iterator[Callable[..., Setting]]:
    """Yield ``setting(key, mode)``; each key's script answers with messages, an exception with status 400."""
    scripts: dict[str, Script] = {}

    def answer(asked):
        _, key, side, *_ = asked.path.split("/")
        return scripts[key](side, asked)

    with serving(answer, usage=(10, 5)) as server:

        def setting(key: str, mode: str = "native", **more) -> Setting:
            scripts[key] = script_of(key)
            address = f"{server.root}/{key}"
            models = ("scripted", "scripted-user", mode)
            return Setting(f"{address}/agent/v1", f"{address}/user/v1", *models, timeout=60.0, **more)

        yield setting


def called(*calls: dict) -> dict:
    """A message with native calls ``{tool, arguments}``."""
    numbered = enumerate(calls)
    return {
        "tool_calls": [
            {
                "id": f"call_{at}",
                "type": "function",
                "function": {"name": call["tool"], "arguments": json.dumps(call["arguments"])},
            }
            for at, call in numbered
        ]
    }


def written(calls: list[dict]) -> dict:
    """A message with calls in the text format of BFCL and ACEBench."""
    texts = (
        f"{call['tool']}({', '.join(f'{key}={value!r}' for key, value in call['arguments'].items())})" for call in calls
    )
    return {"content": f"[{', '.join(texts)}]"}


def bfcl_script(turns: list[list[dict]], mode: str) -> Script:
    """An agent that makes the golden calls of the turn that the conversation is in, then ends the turn."""

    def answer(side: str, body: dict) -> dict:
        messages = body["messages"]
        results = [m["role"] == "tool" or str(m["content"]).startswith("[{'role': 'tool'") for m in messages]
        turn = sum(m["role"] == "user" and not result for m, result in zip(messages, results, strict=True)) - 1
        if results[-1] or not turns[turn]:
            return {"content": "That is done."}
        return called(*turns[turn]) if mode == "native" else written(turns[turn])

    return answer


def tau2_script(actions: list[dict], told: list[str]) -> Script:
    """Agent and user who take the golden actions in their order; at the end the agent says what is to be told."""
    at, said = 0, False

    def answer(side: str, body: dict) -> dict:
        nonlocal at, said
        own = "assistant" if side == "agent" else "user"
        if at < len(actions):
            action = actions[at]
            if action["requestor"] != own:
                return {"content": "Please go on."}
            at += 1
            return called({"tool": action["name"], "arguments": action["arguments"]})
        if side == "agent":
            said = True
            return {"content": "\n".join(["It is done.", *told])}
        return {"content": "###STOP###" if said else "Is there more?"}

    return answer


def acebench_script(steps: list[list[dict]], mode: str) -> Script:
    """An agent that makes the calls of each milestone and then finishes; a user who has nothing to add."""
    left = [[{"tool": name, "arguments": given} for name, given in call.items()] for step in steps for call in step]

    def answer(side: str, body: dict) -> dict:
        if side == "user":
            return {"content": "Please go on."}
        if not left:
            return {"content": "finish conversation"}
        calls = left.pop(0)
        return called(*calls) if mode == "native" else written(calls)

    return answer
