"""What a description says of one argument is found as a pattern with the argument's name would find it."""

import re

import pytest

from tvlab.environments.language.argument_lines import argument_line, led_sentence, told_line

TEXTS = (
    "Moor a boat. The berth is a number. berth must be free.\n\nArgs:\n  - `berth` (optional): where\n  keel: depth",
    "berth_id: not it\nberth - one of: 'north', 'south'\n\tberth (a place\non two lines): told late",
    "\nberth is what it is; 'keel' can be 0.\n* berth:\n* berth: second",
    "Takes keels, no berths.",
)


def searched(form, text, flags=re.MULTILINE):
    found = re.search(form, text, flags)
    return found["text"] if found else ""


@pytest.mark.parametrize("name", ["berth", "keel"])
@pytest.mark.parametrize("text", TEXTS)
def test_each_finder_agrees_with_its_pattern(name, text):
    line = rf"^[ \t\-*`]*{name}`?[ \t]*(?:\([^)]*\))?[ \t]*:[ \t]*(?P<text>.+)$"
    led = rf"(?:^|[.;]\s+)(?:the )?[`'\"]?(?P<text>{name}[`'\"]? (?:is|must|may|can|has to)\b[^.;\n]*)"
    assert argument_line(name, text) == searched(line, text)
    assert told_line(name, text) == searched(rf"^\s*[-*`]*{name}\b[^:\n]*:(?P<text>.*)$", text)
    assert led_sentence(name, text) == searched(led, text, 0)
