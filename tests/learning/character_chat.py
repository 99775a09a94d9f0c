"""A tokenizer of characters with a ChatML template, append-only or one that drops earlier reasoning."""

import json
import re

from tvlab.learning.verl.chat_tokens import Extended
from tvlab.learning.verl.segments import Sample
from tvlab.learning.verl.written_calls import read_hermes

START, END = 1, 2


class CharacterChat:
    """Ids are code points; 1 and 2 begin and end a message."""

    stop_ids = frozenset({END})
    end_id = END

    def __init__(self, forgetful=False):
        self.forgetful = forgetful

    def start(self, messages, tools):
        return [*self._ids(messages, tools), START, *map(ord, "assistant\n")]

    def extend(self, before, after, ids, tools):
        assert list(after[: len(before)]) == list(before)
        assert all(message["role"] != "assistant" for message in after[len(before) :])
        added = [ord("\n")] * (ids[-1] == END) + self._ids(after[len(before) :], [], first=False)
        return Extended([*ids, *added, START, *map(ord, "assistant\n")], len(ids))

    def read(self, ids):
        return read_hermes(self.text(ids))

    def text(self, ids):
        return "".join(chr(i) if i > END else "" for i in ids)

    def _ids(self, messages, tools, first=True):
        last_user = max((at for at, m in enumerate(messages) if m["role"] == "user"), default=-1)
        out = []
        for at, message in enumerate(messages):
            content = message["content"]
            if first and at == 0 and tools:
                content += "\n" + "\n".join(json.dumps(tool) for tool in tools)
            if message["role"] == "assistant":
                if self.forgetful and at < last_user:
                    content = re.sub(r"<think>.*?</think>\s*", "", content, flags=re.DOTALL)
                for call in message.get("tool_calls", ()):
                    content += written_call(call["function"]["name"], call["function"]["arguments"])
            out += [START, *map(ord, f"{message['role']}\n{content}"), END, ord("\n")]
        return out


def written_call(name, arguments):
    return "<tool_call>" + json.dumps({"name": name, "arguments": arguments}) + "</tool_call>"


class ScriptedPolicy:
    """Writes the texts that it is given, one a message, cut where there is no more room."""

    def __init__(self, texts):
        self.texts = list(texts)
        self.prompts = []

    async def __call__(self, ids, most):
        self.prompts.append(list(ids))
        whole = [*map(ord, self.texts.pop(0)), END]
        return Sample(whole[:most], [-0.5] * min(len(whole), most))
