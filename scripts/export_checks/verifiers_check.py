"""Plays every item of a verifiers export by its own Env.run, the model's words scripted: ``verifiers_check.py FOLDER``.

For a Python with verifiers, not the project's own. The taskset is loaded by verifiers; what stands in is the agent's
interaction. Prints one JSON line: [golden rewards, rewards with the last call left out] of each item.
"""

import asyncio
import contextlib
import json
import sys
from types import SimpleNamespace

sys.path[:0] = [sys.argv[1], sys.path[0]]

import tvlab_taskset as exported
from scripted import golden_calls


class Interaction:
    """Answers each turn with the next scripted text, and keeps what a trace would."""

    def __init__(self, texts):
        self.texts, self.heard = iter(texts), []
        self.trace = SimpleNamespace(info={}, rewards={})
        self.trace.record_reward = self.trace.rewards.__setitem__

    async def turn(self, text):
        self.heard.append(text)
        reply = next(self.texts, None)
        return SimpleNamespace(terminated=reply is None, last_reply=reply or "")


def main() -> None:
    taskset = exported.GustTaskset(exported.GustConfig())
    rows = []
    for task in taskset:
        item = exported.ITEMS[task.data.item]
        assert task.data.system_prompt.startswith("You help a user with tools.")
        rows.append([asyncio.run(played(task, item, forget)) for forget in (False, True)])
    assert len(rows) == len(exported.ITEMS)
    print(json.dumps(rows))


async def played(task, item, forget: bool) -> list[float]:
    """Run one task and return its turn rewards."""
    calls = golden_calls(exported.ENVIRONMENTS[item.environment], item, forget)
    texts = [arguments["message"] if name == "reply_to_user" else json.dumps({"name": name, "arguments": arguments})
             for name, arguments in calls]  # fmt: skip
    interaction = Interaction(texts)

    @contextlib.asynccontextmanager
    async def opened(_):
        yield interaction

    env = object.__new__(exported.GustEnv)  # its own constructor resolves a model's endpoint, which there is none of
    await env.run(task, SimpleNamespace(player=SimpleNamespace(interaction=opened)))
    assert interaction.heard[0] in item.turns[0].user or item.turns[0].user in interaction.heard[0]
    rewards = interaction.trace.info["turn_rewards"]
    assert interaction.trace.rewards["turn_reward"] == sum(rewards) / len(rewards)
    return rewards


if __name__ == "__main__":
    main()
