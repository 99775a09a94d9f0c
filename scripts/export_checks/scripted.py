"""The scripted policy of the export checks: an item's golden calls, the last one left out where it is told to fail."""

from tvlab.environments.environment import Environment
from tvlab.tasks.item import Item
from tvlab.tasks.replying import REPLY
from tvlab.tasks.teachers import replay


def golden_calls(environment: Environment, item: Item, forget: bool = False) -> list[tuple[str, dict]]:
    """Calls of an item's golden trace, answers to the user among them; ``forget`` leaves the last one out."""
    left_out = {max(key for key, _ in item.golden()): None} if forget else {}
    episode, calls = replay(environment, item, left_out), []
    for t, turn in enumerate(item.turns):
        calls += [(REPLY, {"message": "What is missing?"})] if turn.answer else []
        calls += [(call.tool, call.arguments) for call in episode.calls[t]]
        calls.append((REPLY, {"message": "Done."}))
    return calls
