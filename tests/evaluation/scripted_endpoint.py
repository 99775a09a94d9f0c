"""A model behind a scripted chat server that knows the golden calls of GUST items."""

import json

from tvlab.tasks.teachers import resolve


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
