"""Seed values of words with several meanings: addresses, ends of redirects, tenants, options that a text lists."""

import re

import pytest
from plain_tools import built, tool

from tvlab.environments.facts.told_seeding import agreed
from tvlab.environments.seeding.values import Values
from tvlab.foundation.seeds import generator

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
ALLOWED = """Returns the list of directories that this server is allowed to access. Subdirectories within these are
also accessible. Use this to understand which directories and their nested paths are available."""
MAIL, LINK, MEMORY = r"^[^@ ]+@example\.com$", r"^https://", r"^0x[0-9a-f]{6}$"


def value(name, noun, description="", about=None, seed=0):
    schema = {**TEXT, **({"description": description} if description else {})}
    return Values(generator(seed, "test"), about).value(name, schema, noun)


@pytest.mark.parametrize(
    ("name", "noun", "description", "pattern"),
    [
        ("address", ("function",), "", MEMORY),
        ("emailAddress", ("thing",), "", MAIL),
        ("address", ("mailbox",), "", MAIL),
        ("address", ("thing",), "The wallet address", r"^0x[0-9a-f]{40}$"),
        ("address", ("customer",), "", r" "),
        ("from", ("redirect",), "", LINK),
        ("from", ("message",), "", MAIL),
        ("to", ("record",), "Destination URL or IP address", LINK),
        ("destination", ("forwarder",), "", MAIL),
        ("destination", ("flight",), "", r"^[A-Z]{3}$"),
        ("country", ("profile",), "ISO 3166 2-letter country code", r"^[A-Z]{2}$"),
        ("proxy_port", ("browser",), "", r"^\d{4}$"),
        ("type", ("policy",), "One of: PASSWORD, MFA_ENROLL", r"^(PASSWORD|MFA_ENROLL)$"),
        ("content_type", ("attachment",), "", r"^\w+/\w+$"),
        ("range", ("sheet",), "", r"^[A-C]1:[D-F]\d+$"),
        ("path", ("directory",), "", r"^/\w+$"),
    ],
)
def test_the_record_or_the_description_says_the_kind(name, noun, description, pattern):
    for seed in range(5):
        assert re.search(pattern, value(name, noun, description, seed=seed))


def test_the_address_of_a_mail_address_inside_an_object_is_no_street():
    person = {"type": "object", "properties": {"address": TEXT, "name": TEXT}}
    schema = {"type": "object", "properties": {"emailAddress": person}}
    found = Values(generator(0, "test")).value("attendee", schema, ("event",))
    assert re.search(MAIL, found["emailAddress"]["address"])


def test_tenants_are_organisations_unless_they_rent():
    values = [value("name", ("tenant",), about=frozenset(("list", "tenant")), seed=seed) for seed in range(8)]
    assert any(re.search(r"Inc|LLC|Ltd|PLC|Group|Sons|-|, ", one) for one in values)
    renting = value("name", ("tenant",), about=frozenset(("tenant", "lease")))
    assert renting == value("name", ("tenant",))


def test_a_function_is_picked_by_the_address_that_lists_tell():
    _, env = built(
        tool("list_functions", "List all functions in the database.", offset=WHOLE),
        tool("set_function_prototype", "Set a function's prototype.", ("function_address", "prototype"),
             function_address=TEXT, prototype=TEXT),
        tool("disassemble_function", "Get a function.", ("address",), address=TEXT),
    )  # fmt: skip
    rows = env.state["functions"].values()
    assert rows
    for row in rows:
        address = row.get("function_address") or row["address"]
        assert re.search(MEMORY, address)
        assert row.get("address", address) == address


def test_allowed_directories_are_those_of_the_files():
    _, env = built(
        tool("list_allowed_directories", ALLOWED),
        tool("read_file", "Read the content of a file.", ("path",), path=TEXT),
        tool("write_file", "Write content to a file.", ("path", "content"), path=TEXT, content=TEXT),
    )
    tables = env.state
    folders = {row["path"] for row in tables["allowed_directories"].values()}
    files = list(tables["files"])
    assert files
    assert all(any(path.startswith(f"{folder}/") for folder in folders) for path in files)
    assert all(any(path.startswith(f"{folder}/") for path in files) for folder in folders)


def test_shares_that_are_traded_are_part_of_those_outstanding():
    row = agreed({"symbol": "KO", "float_shares": 900, "outstanding_shares": 600, "free_float": 3.0})
    assert row == {"symbol": "KO", "float_shares": 600, "outstanding_shares": 900, "free_float": 66.67}


@pytest.mark.parametrize(("description", "kept"), [
    ("Search for news articles from The Courier by keyword", False),
    ("Search for news articles by keyword", True),
])  # fmt: skip
def test_articles_of_one_paper_are_not_those_of_several(description, kept):
    server, env = built(tool("search-news", description, ("keyword",), keyword=TEXT))
    named = [d for d in server.drops if d.reason == "articles of one source among those of others"]
    assert (env is not None and not named) if kept else named
