"""What the user says in turns that are no plain request: off the subject, held back, or given leave."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tvlab.foundation.words import split_name, stem
from tvlab.tasks.texts import pick

_IRRELEVANT = (
    "What is the capital of Portugal?",
    "Can you tell me a joke about cats?",
    "Who won the world championship in chess in 1972?",
    "Please translate good morning into Italian.",
    "How do I get a red wine stain out of a shirt?",
    "Could you write me a short poem about autumn?",
    "What is the square root of 1764?",
    "Which planet has the most moons?",
    "Please recommend a good novel for a long evening.",
    "How long do I have to boil an egg?",
    "Explain to me how a rainbow comes about.",
    "Can you play some jazz for me?",
    "Please sharpen my kitchen knives.",
    "What rhymes with orange?",
    "Could you water the plants on my desk?",
    "How do I tie a bow tie?",
    "Who painted the Night Watch?",
    "Please vacuum the carpet.",
    "What does a hedgehog eat in winter?",
    "Can you cut my hair this afternoon?",
)
_GRANTED = (
    "You have what you need for that now. Please go ahead.",
    "That was not possible before, now it is. Please do it.",
    "The missing tool is there now; please carry out what I asked for.",
    "It should work now. Please go ahead with it.",
    "Your tools are complete again. Do what I asked for just now, please.",
)
_ANSWERS = (
    "The {cue} should be {value}.",
    "Oh, sorry: {cue} {value}.",
    "Please take {value} as the {cue}.",
    "{Cue}: {value}.",
    "Right, I forgot that. Make the {cue} {value}.",
)


def irrelevant_request(tool_names: Collection[str], rng: np.random.Generator) -> str:
    """Return a request that no tool serves: none of its words is in a tool's name."""
    taken = {stem(word) for name in tool_names for word in split_name(name) if len(word) > 3}
    fitting = [text for text in _IRRELEVANT if not taken & {stem(word) for word in split_name(text)}]
    return pick(fitting or _IRRELEVANT[:1], rng)


def granted_request(rng: np.random.Generator) -> str:
    """Return the words that send the agent back to what it could not do."""
    return pick(_GRANTED, rng)


def answer_with(cue: str, value: str, rng: np.random.Generator) -> str:
    """Return the answer that holds a value the user left out.

    >>> answer_with("carrier", "dhl", np.random.default_rng(3))
    'The carrier should be dhl.'
    """
    return pick(_ANSWERS, rng).format(cue=cue, Cue=cue[:1].upper() + cue[1:], value=value)
