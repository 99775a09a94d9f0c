"""A GUST item as a conversation in Markdown: what the user says, and the golden calls that answer it."""

import json

from tvlab.tasks.call_texts import call_text
from tvlab.tasks.item import Item


def conversation(item: Item) -> str:
    """Return the item turn by turn; a reference reads ``<order_id of turn 1, call 2>``, counted from 1."""
    lines = [f"**{item.environment}**, {len(item.turns)} turns", ""]
    for number, turn in enumerate(item.turns, start=1):
        lines += [f"{number}. **User:** {turn.user}", ""]
        lines += [f"    * `{call_text(call)}`" for call in turn.calls]
        lines += [
            f"    * asked for: `{fact.path}` = `{json.dumps(fact.value, ensure_ascii=False)}`"
            for fact in turn.facts
        ]
        lines.append("")
    return "\n".join(lines)
