"""Texts: what the code of a pure computation may use to encode, hash, format and take apart a text.

Every function answers from its arguments alone and refuses what has no answer with ``invalid_arguments``.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import html
import json
import re
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from tvlab.environments.computing import whole
from tvlab.environments.runtime import fail

_DIGESTS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def digest(text: str, algorithm: str, encoding: str = "hex") -> str:
    """Return the hash of a text's UTF-8 bytes.

    >>> digest("abc", "MD5")
    '900150983cd24fb0d6963f7d28e17f72'
    """
    name = algorithm.lower().replace("-", "").replace("_", "")
    if name not in _DIGESTS:
        fail("invalid_arguments", f"unknown algorithm {algorithm!r}")
    value = hashlib.new(name, utf8(text), usedforsecurity=False).digest()
    return base64.b64encode(value).decode() if encoding.lower() == "base64" else value.hex()


def utf8(text: str) -> bytes:
    """Return the text's bytes, or refuse text that has none."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        fail("invalid_arguments", "the text holds half a character")


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        fail("invalid_arguments", "the data is no UTF-8 text")


def base64_encoded(text: str, url_safe: bool = False) -> str:
    """Return the Base64 form of a text's UTF-8 bytes."""
    data = utf8(text)
    return (base64.urlsafe_b64encode(data) if url_safe else base64.b64encode(data)).decode()


def base64_decoded(data: str, url_safe: bool = False) -> str:
    """Return the text whose Base64 form is given, or refuse data that is none."""
    try:
        return _text(base64.b64decode(data, "-_" if url_safe else None, validate=True))
    except (binascii.Error, ValueError):
        fail("invalid_arguments", "not valid Base64")


def hex_decoded(data: str) -> str:
    """Return the text whose bytes are given in hexadecimal, or refuse data that is none."""
    try:
        return _text(bytes.fromhex(data))
    except ValueError:
        fail("invalid_arguments", "not valid hexadecimal")


def url_encoded(text: str) -> str:
    """Return the percent-encoded text (RFC 3986)."""
    utf8(text)
    return quote(text, safe="")


def url_decoded(text: str) -> str:
    """Return the text without percent encoding."""
    return _text(unquote_to_bytes(text))


def html_encoded(text: str) -> str:
    """Return the text with the characters of markup escaped."""
    return html.escape(text)


def html_decoded(text: str) -> str:
    """Return the text with character references resolved."""
    return html.unescape(text)


def json_formatted(data: str, indent: int | None = 2, sort_keys: bool = False) -> str:
    """Return a JSON text indented, or without white space if ``indent`` is None."""
    width = None if indent is None else whole(indent, 0, 16)
    separators = (",", ":") if width is None else None
    return json.dumps(_parsed(data), indent=width, sort_keys=sort_keys, ensure_ascii=False, separators=separators)


def is_json(data: str) -> bool:
    """Tell whether a text is valid JSON."""
    try:
        json.loads(data, parse_constant=_no_constant)
        return True
    except (ValueError, RecursionError):
        return False


def _parsed(data: str) -> Any:
    try:
        return json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        fail("invalid_arguments", "not valid JSON")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def roman(number: Any) -> str:
    """Return a number from 1 to 3999 in Roman numerals.

    >>> roman(1994)
    'MCMXCIV'
    """
    rest, text = whole(number, 1, 3999), ""
    for value, letters in _ROMAN:
        text += letters * (rest // value)
        rest %= value
    return text


def from_roman(numeral: str) -> int:
    """Return the number that Roman numerals stand for, or refuse what is none.

    >>> from_roman("MCMXCIV")
    1994
    """
    text, number = numeral.strip().upper(), 0
    for value, letters in _ROMAN:
        while text.startswith(letters):
            number, text = number + value, text[len(letters) :]
    if text or not 1 <= number <= 3999 or roman(number) != numeral.strip().upper():
        fail("invalid_arguments", f"{numeral!r} is no Roman numeral")
    return number


def in_base(text: str, base: int) -> int:
    """Return the number written in a base from 2 to 36, or refuse what is none.

    >>> in_base("0xff", 16), in_base("1010", 2)
    (255, 10)
    """
    try:
        return whole(int(text.strip(), base))
    except ValueError:
        fail("invalid_arguments", f"{text!r} is no number in base {base}")


def word_count(text: str) -> int:
    """Return the number of words between white space."""
    return len(text.split())


def character_count(text: str) -> int:
    """Return the number of characters."""
    return len(text)


def occurrences(text: str, part: str) -> int:
    """Return how often a part occurs in a text, without overlap."""
    if not part:
        fail("invalid_arguments", "the text to count is empty")
    return text.count(part)


def replaced(text: str, old: str, new: str) -> str:
    """Return the text with every occurrence of ``old`` replaced."""
    if not old:
        fail("invalid_arguments", "the text to replace is empty")
    return text.replace(old, new)


def repeated(text: str, times: Any) -> str:
    """Return the text as often as asked, one after the other."""
    return text * whole(times, 0, max(1, 100_000 // max(1, len(text))))


def rgb(color: str) -> dict[str, int]:
    """Return red, green and blue of a hexadecimal color.

    >>> rgb("#ff8000")
    {'r': 255, 'g': 128, 'b': 0}
    """
    digits = color.strip().removeprefix("#")
    digits = "".join(c + c for c in digits) if len(digits) == 3 else digits
    if not re.fullmatch(r"[0-9a-fA-F]{6}", digits):
        fail("invalid_arguments", f"{color!r} is no hexadecimal color")
    return {name: int(digits[at : at + 2], 16) for name, at in (("r", 0), ("g", 2), ("b", 4))}


def hex_color(red: Any, green: Any, blue: Any) -> str:
    """Return the hexadecimal form of a color.

    >>> hex_color(255, 128, 0)
    '#ff8000'
    """
    return "#" + "".join(f"{whole(part, 0, 255):02x}" for part in (red, green, blue))


def passes_luhn(number: str) -> bool:
    """Tell whether the digits of a number, spaces and hyphens left out, pass the Luhn check.

    >>> passes_luhn("4539 1488 0343 6467"), passes_luhn("8273 1232 7352 0569")
    (True, False)
    """
    digits = re.sub(r"[ -]", "", number)
    if not re.fullmatch(r"[0-9]{2,}", digits):
        return False
    doubled = [int(d) * (2 if at % 2 else 1) for at, d in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0
