"""Extension of griffe: examples in docstrings (``>>>``) are shown as code, not as quotations.

mkdocstrings loads it by its path in mkdocs.yml.
"""

import re

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).+)*", re.M)


def fenced(text: str) -> str:
    """Return a docstring with each example in a fence; an example ends at an empty line."""
    return _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)


class Examples(griffe.Extension):
    """Fences the examples of every object."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Change the docstring of an object that was loaded."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
