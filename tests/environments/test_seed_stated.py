"""Seeded values are of the kind and in the range that formats, descriptions and things state."""

import json
import re

import pytest
from plain_tools import built, tool

from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.domain.fact_fields import field_schema
from tvlab.environments.domain.tool_parsing import Parameter, with_told_values
from tvlab.environments.facts.told_keys import symbols
from tvlab.environments.facts.told_seeding import agreed, told_value
from tvlab.environments.runtime import CLOCK, MINTED, filled, mint
from tvlab.environments.seeding.key_forms import form_of
from tvlab.environments.seeding.numbers import list_schema, number_schema
from tvlab.environments.seeding.said import json_text
from tvlab.environments.seeding.values import Values
from tvlab.foundation.seeds import generator

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
UUID = r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
PERSON = r"^[A-Z][\w.'-]+ [A-Z]"
MACHINE = {"minimum": -(2**31), "maximum": 2**31 - 1}


def values(seed=0, about=None):
    return Values(generator(seed, "stated"), about, guessing=False)


def value(name, noun=("orchard",), description="", seed=0, about=None, **schema):
    said = {"description": description} if description else {}
    return values(seed, about).value(name, {"type": "string", **said, **schema}, noun)


@pytest.mark.parametrize(
    ("name", "description", "form"),
    [
        ("time", "Cron schedule expression (5 fields)", r"^\S+ \S+ \S+ \S+ \S+$"),
        ("cert", "Certificate in PEM format", r"^-----BEGIN CERTIFICATE-----\n"),
        ("key", "Private key in PEM format", r"^-----BEGIN PRIVATE KEY-----\n"),
        ("revision", "The commit SHA to pick", r"^[0-9a-f]{40}$"),
        ("digest", "SHA-256 of the file", r"^[0-9a-f]{64}$"),
        ("handle", "URL slug of the orchard", r"^[a-z]+-[a-z]+$"),
        ("php", "Version to run, as major.minor", r"^\d\.\d$"),
        ("sender", "Number in E.164 format", r"^\+1555\d{7}$"),
        ("value", "Custom field UUID", UUID),
        ("owner", "Repository owner login", r"^[a-z0-9_.]+$"),
        ("password", "Needs mixed case, letters and numbers", r"^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)"),
        ("country", 'The country, eg: "CN"', r"^[A-Z]{2}$"),
        ("daily_budget", "Daily budget (in cents) as a string", r"^\d{3,5}$"),
        ("type", "Must be picking_shift", r"^picking_shift$"),
        ("kind", "Kind of reaction, such as like, heart, or star", r"^(like|heart|star)$"),
        ("type", "Column type (e.g. text, status, numbers)", r"^(text|status|numbers)$"),
        ("type", "Relation type: spouse, child or parent", r"^(spouse|child|parent)$"),
        ("uri", "route path", r"^/[a-z]+-[a-z]+$"),
        ("summary", "Title of the event", r"^\w+( \w+){1,4}$"),
        ("database_name", "Name to create (alphanumeric characters)", r"^[a-z]+$"),
        ("project_name", "using alphanumeric characters, dashes and underscores only", r"^[a-z]+-[a-z]+$"),
        ("tls", 'Ciphers, eg: "0xC02C,0xC030"', r"^0x[0-9A-F]{4}$"),
        ("cookie", 'The cookie, eg: [{"domain": "a.b", "path": "/"}]', r"^\[\{"),
        ("internet_id", "The message ID in the format specified by RFC2822", r"^<\w+@[\w.]+>$"),
        ("signature", "Transaction signature as base-58 encoded string", r"^[1-9A-HJ-NP-Za-km-z]{88}$"),
        ("routing_key", "The 32-character integration key", r"^[0-9a-f]{32}$"),
        ("followers", 'Either "me", an email or a gid', r"@example\.com$"),
        ("statement_1", "First statement - truth or not", r"[.?]$"),
        ("content", "Content to write (string or JSON object)", r"^[A-Z]"),
    ],
)
def test_a_description_states_the_kind(name, description, form):
    for seed in range(4):
        assert re.search(form, value(name, description=description, seed=seed))


@pytest.mark.parametrize(("kind", "form"), [
    ("uuid", UUID), ("ipv4", r"^\d+\.\d+\.\d+\.\d+$"), ("uri", r"^https://"), ("email", r"@example\.com$"),
    ("hostname", r"^[\w-]+\.example\.com$"), ("byte", r"^[\w+/]+=*$"),
])  # fmt: skip
def test_a_format_states_the_kind(kind, form):
    assert re.search(form, value("name", format=kind))


@pytest.mark.parametrize(
    ("name", "noun", "form"),
    [
        ("job_title", ("user",), r"^(?!(?:Review|Plan|Update|Check) the )"),
        ("api_method", ("task",), r"^(GET|POST|PUT|DELETE)$"),
        ("domainName", ("browser",), r"^[\w-]+\.example\.com$"),
        ("role", ("channel",), r"^(owner|admin|subscriber)$"),
        ("source", ("ticket",), r"^(email|portal|phone|chat)$"),
        ("relation_type", ("relation",), r"^\w+_\w+$|^owns$"),
        ("emoji_unicode", ("reaction",), r"^[^\w ]+$"),
        ("created_by", ("orchard",), PERSON),
        ("question", ("round",), r"\?$"),
        ("python_code", ("notebook",), r"^def "),
        ("key", ("public", "key"), r"^ssh-ed25519 AAAA"),
        ("content", ("install", "script"), r"^#!/bin/sh\n"),
        ("in_reply_to", ("mail",), r"^<\w+@[\w.]+>$"),
        ("arxiv_version", ("paper",), r"^v\d$"),
        ("name", ("people",), PERSON),
        ("name", ("search", "country"), r"^[A-Z][a-z]+$"),
        ("name", ("paper", "task"), r"^(?!.* the )[A-Z]\w+ [A-Z]\w+$"),
        ("name", ("solution", "article"), r"^How to "),
        ("device_name", ("device",), r"(?<!Wall Clock)(?<!Blanket)(?<!Kettle)$"),
    ],
)
def test_name_and_thing_say_the_kind(name, noun, form):
    for seed in range(6):
        assert re.search(form, value(name, noun, seed=seed))


def test_who_something_is_grouped_by_is_no_person():
    assert value("series_by", ("chart",)) in ("name", "date", "type")


def test_resources_of_a_cluster_have_the_words_of_clusters():
    about = frozenset(("k8s", "list"))
    assert value("kind", ("resource",), about=about) in ("Pod", "Deployment", "Service", "ConfigMap")
    assert re.search(r"^[a-z]+-[a-z]+$", value("name", ("namespace",), about=about))
    assert value("kind", ("resource",)) not in ("Pod", "Deployment", "Service", "ConfigMap")


@pytest.mark.parametrize(
    ("name", "noun", "description", "form"),
    [
        ("file_path", ("presentation",), "", r"^/\w+/[\w-]+\.pptx$"),
        ("image_path", ("slide",), "", r"\.(png|jpg)$"),
        ("media_path", ("message",), "Path of the audio file to send", r"\.(mp3|wav|ogg)$"),
        ("privateKeyPath", ("credential",), "", r"\.pem$"),
        ("archive_path", ("build",), "", r"\.(zip|tar\.gz)$"),
        ("entry_file", ("build",), "The main entry point file", r"^[\w-]+\.js$"),
        ("http_path", ("check",), "", r"^/[a-z]+-[a-z]+$"),
        ("directory_path_str", ("tag",), "", r"^/\w+$"),
        ("filename", ("note",), "The name of the file (without .txt extension)", r"^[a-z]+-[a-z]+$"),
        ("url_path", ("board",), "URL path (e.g., 'main-menu')", r"^[a-z]+-[a-z]+$"),
    ],
)
def test_files_have_the_ending_of_their_kind(name, noun, description, form):
    for seed in range(4):
        assert re.search(form, value(name, noun, description, seed))


@pytest.mark.parametrize(
    ("name", "schema", "low", "high"),
    [
        ("month", {**MACHINE, "description": "The month. This is a number from 1 to 12."}, 1, 12),
        ("day_of_month", MACHINE, 1, 28),
        ("priority", {**MACHINE, "description": "Priority. The range of values is between 0 and 10"}, 0, 10),
        ("percent_complete", {**MACHINE, "description": "Percentage of completion."}, 0, 100),
        ("port", {"description": "upstream port"}, 1024, 9999),
        ("guess", {"description": "Index of the guess (0, 1, or 2)"}, 0, 2),
        ("font_weight", {"description": "Weight (e.g., 400 for Regular, 700 for Bold)"}, 400, 700),
        ("page_size", {"description": "Records on a page (default: 10)"}, 5, 20),
        ("strategy", {"description": "The storage strategy, default is 0"}, 0, 3),
        ("retries", {"description": "retry count", "minimum": 0}, 0, 90),
        ("size", {"description": "The length of the file in bytes."}, 500, 900_000),
        ("timestamp", {"description": "Timestamp (milliseconds since epoch)"}, 1_760_000_000_000, 1_772_442_000_000),
        ("validity_end", {"description": "validity end timestamp"}, 1_772_442_000, 1_790_000_000),
    ],
)
def test_numbers_are_whole_and_in_their_range(name, schema, low, high):
    found = [values(seed).value(name, {**NUMBER, **schema}, ("orchard",), seed) for seed in range(12)]
    assert all(isinstance(one, int) and low <= one <= high for one in found)
    assert len(set(found)) > 1


def test_a_default_with_a_fraction_leaves_numbers_with_one():
    schema = number_schema("width", {**NUMBER, "description": "Default: 5.1 cm"})
    assert (schema["type"], schema["minimum"], schema["maximum"]) == ("number", 2.55, 10.2)
    assert number_schema("share", {**NUMBER, "description": "Default: 10%"}) == {
        **NUMBER, "description": "Default: 10%",
    }  # fmt: skip


def test_lists_have_the_stated_length_and_colours_three_bytes():
    recurrence = {"type": "array", "items": TEXT, "description": "Array with exactly one rule plus dates"}
    assert len(values().value("recurrence", recurrence, ("shift",))) == 1
    people = {"type": "array", "items": TEXT, "description": "Phone numbers (minimum 2 participants)"}
    assert list_schema("participants", people)["minItems"] == 2
    either = {"type": "array", "items": TEXT, "description": "Exactly one of names and ids must be given"}
    assert list_schema("names", either) == either
    colours = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    found = values().value("background_colors", colours, ("slide",))
    assert found
    assert all(len(one) == 3 and all(0 <= part <= 255 for part in one) for one in found)


def test_names_in_an_object_are_those_of_its_own_thing():
    properties = {"email": TEXT, "displayName": TEXT}
    schema = {
        "type": "object",
        "properties": {
            "attendees": {"type": "array", "items": {"type": "object", "properties": properties}},
            "location": {"type": "object", "properties": {"displayName": TEXT, "locationEmailAddress": TEXT}},
            "attachment": {"type": "object", "properties": {"name": TEXT}},
        },
    }
    found = values().value("body", schema, ("event",))
    assert all(re.search(PERSON, one["displayName"]) for one in found["attendees"])
    assert found["location"]["displayName"].split(" ", 1)[1] in (
        "Kitchen", "Living Room", "Bedroom", "Office", "Hallway", "Garage", "Library", "Studio", "Attic", "Bathroom",
        "Dining Room", "Workshop", "Balcony", "Cellar",
    )  # fmt: skip
    assert re.search(r"^[a-z]+-[a-z]+\.\w+$", found["attachment"]["name"])


def test_one_doubtful_part_leaves_the_rest_of_an_object():
    schema = {"type": "object", "properties": {"zzgloop": TEXT, "url": TEXT, "note": TEXT}, "required": ["url"]}
    drawn = values()
    assert set(drawn.value("body", schema, ("orchard",))) == {"url", "note"}
    assert drawn.guesses == 0


def test_json_has_the_shape_that_its_name_says():
    assert isinstance(json.loads(json_text("JSON value", values(), "stop_words")), list)
    assert isinstance(json.loads(json_text("JSON value", values(), "distinct_attribute")), str)
    assert isinstance(json.loads(json_text("JSON value", values(), "faceting")), dict)
    said = 'JSON object keyed by column id, e.g. {"label": "Done"}'
    assert "status" in json.loads(json_text(said, values(), "cells"))
    assert "status" in json.loads(json_text("JSON object keyed by column id", values(), "cells"))


def test_births_lie_decades_back():
    for name in ("birthday", "birth_date", "date_of_birth"):
        assert all(re.search(r"^(19|20)\d\d-", value(name, ("contact",), seed=seed)) for seed in range(6))
        assert all(value(name, ("contact",), seed=seed) < "2007-03-02" for seed in range(6))


SHOP = (
    tool("create_lamp", "Create a lamp.", ("command",), command=TEXT),
    tool("list_lamps", "List lamps."),
    tool("get_lamp", "Get a lamp.", ("lamp_id",),
         lamp_id={**TEXT, "description": "Lamp GID, e.g. gid://shop/Lamp/123"}),
    tool("delete_lamp", "Delete a lamp.", ("lamp_id",), lamp_id=TEXT),
)  # fmt: skip


def test_seeded_and_new_ids_have_the_stated_form():
    _, env = built(*SHOP)
    form = re.compile(r"^gid://shop/Lamp/\d{6}$")
    assert len(env.state["lamps"]) > 2
    assert all(form.search(key) and row["lamp_id"] == key for key, row in env.state["lamps"].items())
    made = env.functions["create_lamp"](env.state, command="on")
    assert form.search(made["lamp_id"])
    assert env.functions["get_lamp"](env.state, lamp_id=made["lamp_id"]) == made


@pytest.mark.parametrize(
    ("said", "form"),
    [
        ("Shop product GID, e.g. gid://shop/Product/123", "gid://shop/Product/######"),
        ("Customer ID, numeric excluding gid prefix", "######"),
        ("Account (format: act_XXXXXXXXX)", "act_######"),
        ("Ticket key (e.g. PROJ-1234567)", "PROJ-#######"),
        ("The message ID in the format specified by RFC2822", "<~~~~~~~~~~~~~~~~@mail.example.com>"),
        ("Pubkey of the program", "?" * 44),
        ("The lamp GID to retrieve", "#" * 16),
        ("The UUID of the object", "~~~~~~~~-~~~~-4~~~-a~~~-~~~~~~~~~~~~"),
        ("UUID or name of the object", ""),
        ("Name, e.g. Rex", ""),
        ("Path, e.g. /data/12", ""),
    ],
)
def test_forms_of_ids_are_read_from_descriptions(said, form):
    assert form_of(said) == form


def test_minted_ids_fill_a_form_and_differ():
    state = {CLOCK: {"now": "2026-03-02T09:00:00Z"}, MINTED: {}}
    made = [mint(state, "create", {"at": at}, "act_######") for at in (1, 1, 2)]
    assert len(set(made)) == 3
    assert all(re.fullmatch(r"act_[1-9]\d{5}", one) for one in made)
    assert filled("~-#", 16 * 3 + 10) == "a-4"
    assert filled("??", 58 * 2 + 57) == "z3"


def test_no_number_stands_behind_a_value_of_a_closed_kind():
    kinds = {"type": "string", "const": "picking_shift"}
    _, env = built(
        tool("create_shift", "Create a shift.", ("type",), type=kinds, emoji=TEXT),
        tool("list_shifts", "List shifts."),
        tool("get_shift", "Get a shift.", ("shift_id",), shift_id=TEXT),
    )
    rows = list(env.state["shifts"].values())
    assert len(rows) > 4
    assert {row["type"] for row in rows} == {"picking_shift"}
    assert not any(re.search(r"\d", row.get("emoji", "")) for row in rows)


def test_parts_of_a_persons_name_are_no_names_of_things():
    for name in ("given_name", "middle_name", "family_name"):
        assert re.search(r"^[A-Z][a-z'A-Z]+$", value(name, ("customer",)))
    assert " " in value("font_family_name", ("theme",))


def test_keys_of_a_closed_list_end_with_the_list():
    _, env = built(
        tool("create_city_note", "Create a note.", ("city", "text"), city=TEXT, text=TEXT),
        tool("get_city", "Get a city.", ("city",), city={**TEXT, "description": 'The city (e.g. "Berlin", "Paris")'}),
        tool("update_city", "Update a city.", ("city", "note"), city=TEXT, note=TEXT),
        tool("list_cities", "List cities."),
    )
    assert len(env.state["cities"]) > 2
    assert not any(re.search(r"\d", key) for key in env.state["cities"])


def test_global_ids_are_digits_in_seeds_and_in_new_records():
    _, env = built(
        tool("create_lamp", "Create a lamp.", ("note",), note=TEXT),
        tool("list_lamps", "List lamps."),
        tool("get_lamp", "Get a lamp.", ("lamp_gid",), lamp_gid={**TEXT, "description": "The lamp GID to retrieve"}),
    )
    made = env.functions["create_lamp"](env.state, note="on")
    assert all(re.fullmatch(r"[1-9]\d{15}", key) for key in env.state["lamps"])
    assert made["lamp_gid"] in env.state["lamps"]


def test_coins_of_a_stable_price_and_countries_keep_their_own_names():
    assert symbols("", "supported stablecoin Fetch the stablecoins")[0] == "USDT"
    assert agreed({"symbol": "USDT", "name": "x"})["name"] == "Tether"
    assert agreed({"symbol": "AAPL", "name": "Brazil"}, ("country",))["name"] == "Brazil"


def test_a_list_of_mentions_is_json_and_what_is_received_has_a_date():
    said = 'Mentions as JSON array: [{"id": "1", "type": "User"}]. Valid types are: User, Team'
    assert "enum" not in with_told_values(parameter("mentions", said), "").schema
    assert with_told_values(parameter("kind", "Valid types are: User, Team"), "").enum == ["User", "Team"]
    assert field_schema("received_date_time") == {"type": "string", "format": "date-time"}


def parameter(name, said):
    return Parameter((name,), {**TEXT, "description": said}, False, (name,))


def test_interfaces_are_up_or_down():
    _, env = built(
        tool("list_devices", "List devices."),
        tool("show_interfaces", "Show interface status summary on a device.\n\nReturns all interfaces with "
             "admin/operational status, speed, and description.", ("device",), device=TEXT),
        tool("show_interface_detail", "Show an interface.\n\nReturns counters, errors, MTU, and speed.",
             ("device", "interface"), device=TEXT, interface=TEXT),
    )  # fmt: skip
    assert told_value(Entity("interface", ("interface",), "id", "string", "minted", told=True),
                      Field("status", TEXT), [], values(), 0) in ("up", "down")  # fmt: skip
    found = {row.get("operational_status", "up") for row in env.state["interfaces"].values()}
    assert found <= {"up", "down"}
