"""How a user asks for a fact, in templates."""

from __future__ import annotations

import numpy as np

from tvlab.tasks.texts import pick


def what_is(fact: str, of: str, rng: np.random.Generator, brief: bool = False) -> str:
    """Ask for a field of a thing; ``brief`` leaves out phrasings that do not bear a long description.

    >>> what_is("status", "order 7", np.random.default_rng(0))
    'what status does order 7 have?'
    """
    ways = [f"what is the {fact} of {of}?", f"tell me the {fact} of {of}", f"find out the {fact} of {of}"]
    if not brief:
        ways[2:] = [f"what {fact} does {of} have?", f"look at {of} and give me its {fact}"]
    return pick(ways, rng)


def whether(fact: str, of: str, rng: np.random.Generator) -> str:
    """Ask for a field that is yes or no."""
    ways = (
        f"is {fact} set for {of}?",
        f"tell me whether {fact} is set for {of}",
        f"what is the {fact} of {of}?",
    )
    return pick(ways, rng)


def how_many(nouns: str, rest: str, rng: np.random.Generator) -> str:
    """Ask for a number of things; ``rest`` says which ones: " for that customer with status open"."""
    ways = (
        f"how many {nouns}{rest} are there?",
        f"tell me how many {nouns} there are{rest}",
        f"count the {nouns}{rest}",
    )
    return pick(ways, rng)


def what_about(subject: str, rest: str, rng: np.random.Generator) -> str:
    """Ask for something that no record holds: the weather in a place."""
    ways = (
        f"what is the {subject}{rest}?",
        f"tell me the {subject}{rest}",
        f"find out the {subject}{rest}",
    )
    return pick(ways, rng)
