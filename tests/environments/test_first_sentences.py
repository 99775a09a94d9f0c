"""The first sentence of a description: verb, object, number, and when it says nothing."""

import pytest

from tvlab.environments.language.first_sentences import read, requests_the_web, returns_list, returns_object


@pytest.mark.parametrize(
    ("text", "verb", "kind", "noun", "plural"),
    [
        ("Retrieves the ratings of a mill.", "retrieve", "read", ("rating",), True),
        ("Get detailed information about a specific mill", "get", "read", ("mill",), False),
        ("Returns a list of all wheels in a mill", "return", "read", ("wheel",), True),
        ("Get list of available grindstones", "get", "read", ("grindstone",), True),
        ("Returns metadata for one or more mills.", "return", "read", ("mill",), True),
        ("This tool allows you to search for sacks by weight", "search", "search", ("sack",), True),
        ("[Read] Get a mill (by id)", "get", "read", ("mill",), False),
        ("Retrieve the number of sacks in a cellar", "retrieve", "count", ("sack",), True),
        ("Create or update a miller", "upsert", "upsert", ("miller",), False),
        ("Fetch the sacks and save them to a file", "fetch", "unknown", ("sack",), True),
        ("Quickly grind the corn", "", "", (), False),
        ("'''; import os #", "", "", (), False),
        ("", "", "", (), False),
    ],
)
def test_a_first_sentence_gives_verb_and_object(text, verb, kind, noun, plural):
    said = read(text)
    assert (said.verb, said.kind, said.noun, said.plural) == (verb, kind, noun, plural)


def test_two_objects_are_several():
    assert read("Search for mills, weirs, or sluices").several
    assert not read("Get a mill, the one of the day").several


def test_a_participle_ends_the_object_and_a_preposition_names_the_target():
    assert read("Get sacks owned by a miller").noun == ("sack",)
    assert read("Add a comment to a sack").target == ("sack",)


def test_promised_lists_and_objects_are_told_apart():
    assert returns_list("Get corn data. Returns: List of corn data")
    assert returns_object("Get corn data. Returns an object with weight and price")
    assert not returns_object("Get corn data. Returns: dictionary with a list of sacks")


def test_a_web_request_is_known_by_its_first_sentence():
    assert requests_the_web("Perform an HTTP GET request to a URL")
    assert not requests_the_web("Get a request for leave")
