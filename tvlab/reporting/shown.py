"""What a notebook cell shows as a picture where it can, and as text elsewhere: HTML beside plain text.

The HTML is static, holds no script and fetches nothing; its colours are light tints that can be read on a
light and on a dark page.  Everything that comes from an environment is escaped: names and texts of a schema
are data and can never become markup.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

BOX = "border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:8px 12px;margin:6px 0;max-width:960px"
CODE = "font-family:monospace;font-size:90%;white-space:pre-wrap;overflow-wrap:anywhere"
_LONGEST = 400


@dataclass(frozen=True)
class Shown:
    """Something to look at.

    Attributes:
        html: for JupyterLab and exported pages.
        text: the same for a terminal; also what ``print`` shows.
    """

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def together(parts: Sequence[Shown]) -> Shown:
    """Return several things below each other."""
    return Shown("".join(part.html for part in parts), "\n\n".join(part.text for part in parts))


def escaped(value: Any) -> str:
    """Return text as HTML that shows it as it is.

    >>> escaped("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return html.escape(str(value), quote=True)


def tag(name: str, inside: str, style: str = "") -> str:
    """Return an HTML element; ``inside`` is HTML already.

    >>> tag("b", "x"), tag("p", "y", "color:red")
    ('<b>x</b>', '<p style="color:red">y</p>')
    """
    return f'<{name}{f" style={chr(34)}{style}{chr(34)}" if style else ""}>{inside}</{name}>'


def tint(colour: str, strength: float) -> str:
    """Return a colour ``#rrggbb`` as a translucent CSS colour.

    >>> tint("#0072B2", 0.5)
    'rgba(0,114,178,0.50)'
    """
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength:.2f})"


def chip(text: str, colour: str, strength: float = 0.25) -> str:
    """Return a small coloured label as HTML."""
    style = f"background:{tint(colour, strength)};border-radius:4px;padding:1px 7px;margin-right:6px;white-space:nowrap"
    return tag("span", escaped(text), style)


def shortened(value: Any) -> str:
    """Return a JSON value as text, cut where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], tints: Mapping[int, str] | None = None) -> str:
    """Return an HTML table of cells that are HTML already; ``tints`` gives rows a background."""
    cell = "padding:2px 10px;text-align:left;vertical-align:top"
    first = f"{cell};white-space:nowrap"
    top = "".join(tag("th", name, first) for name in head)
    body = [
        tag(
            "tr",
            "".join(tag("td", value, cell if at else first) for at, value in enumerate(row)),
            f"background:{colour}" if colour else "",
        )
        for at, row in enumerate(rows)
        for colour in [(tints or {}).get(at, "")]
    ]
    return tag("table", tag("tr", top) + "".join(body), "border-collapse:collapse;margin:6px 0")
