"""Keys and texts of made-up servers have the form that is said; columns do not contradict one another."""

import re

import pytest
from plain_tools import built, tool

from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.facts.told_seeding import agreed
from tvlab.environments.language.told_values import told_values
from tvlab.environments.prepared_servers import prepare_server
from tvlab.environments.runtime import CLOCK, MINTED
from tvlab.environments.seeding.beside import agree
from tvlab.environments.seeding.key_forms import form_of
from tvlab.environments.seeding.nested import agree as agree_nested
from tvlab.environments.seeding.seeding import seed_state
from tvlab.environments.seeding.tables import Tables
from tvlab.environments.seeding.values import Values
from tvlab.environments.tool_lists import ToolList
from tvlab.foundation.seeds import generator

TEXT, NUMBER, FLAG, OBJECT = {"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "object"}
UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
PERSON = r"^[A-Z][\w.'-]+ [A-Z]"


def seeded(*tools, seed=0):
    domain = prepare_server(ToolList("made-up", "", "", "", list(tools)), seed=seed).domain
    return seed_state(domain, list(domain.entities), seed, "made-up")


def value(name, noun=("orchard",), description="", about=None, seed=0, **schema):
    said = {"description": description} if description else {}
    drawn = Values(generator(seed, "beside"), about, guessing=False)
    return drawn.value(name, {"type": "string", **said, **schema}, noun)


def settled(columns, *rows, noun=("orchard",), key="orchard_id"):
    fields = {
        name: Field(name, {"type": column["type"], **column.get("schema", {})}) for name, column in columns.items()
    }
    entity = Entity("_".join(noun), noun, key, "string", "minted", fields)
    table = {row[key]: row for row in rows}
    state = {CLOCK: {"now": "2026-03-02T09:00:00Z"}, MINTED: {}, entity.table: table}
    agree(Tables([entity], state, {entity.name}))
    return list(table.values())


def test_keys_called_uuid_are_uuids_seeded_and_new():
    tools = (
        tool("create_picking", "Create a picking.", ("name",), name=TEXT),
        tool("get_picking", "Get a picking.", ("picking_uuid",), picking_uuid=TEXT),
        tool("list_pickings", "List pickings."),
    )
    _, environment = built(*tools)
    table = environment.state["pickings"]
    assert len(table) > 5
    assert all(UUID.match(key) for key in table)
    made = environment.session().call("create_picking", {"name": "Early plums"}).observation
    assert UUID.match(made["picking_uuid"])


@pytest.mark.parametrize(
    ("said", "words", "form"),
    [
        ("Enterprise uuid (cloud only)", (), "~~~~~~~~-~~~~-4~~~-a~~~-~~~~~~~~~~~~"),
        ("Key (e.g. b61b0172d95e266c18aea0c624db987e971a5d6d4ebc2aaed85da4642d635735i0)", (), "~" * 64 + "i0"),
        ("The id of the coin (coin address)", (), "0x" + "~" * 40),
        ("The mint id of the coin(coin address)", ("mint", "id"), "?" * 44),
        ("Orchard key (e.g., 'PLUM', 'APL2')", ("orchard", "key"), "PLUM##"),
        ("Orchard name (e.g., 'PLUM')", ("name",), ""),
    ],
)
def test_forms_of_keys_that_texts_say(said, words, form):
    assert form_of(said, words) == form


def test_keys_begin_with_the_code_of_what_they_belong_to():
    orchard = {"type": "string", "description": "Orchard key (e.g., 'PLUM', 'APL2')"}
    picking = {"type": "string", "description": "Picking key (e.g., 'PLUM-123')"}
    _, environment = built(
        tool("create_orchard", "Create an orchard.", ("name",), name=TEXT),
        tool("get_orchard", "Get an orchard.", ("orchard_key",), orchard_key=orchard),
        tool("create_picking", "Create a picking.", ("orchard_key", "name"), orchard_key=orchard, name=TEXT),
        tool("get_picking", "Get a picking.", ("picking_key",), picking_key=picking),
        tool("list_pickings", "List the pickings of an orchard.", ("orchard_key",), orchard_key=orchard),
    )
    rows = list(environment.state["pickings"].values())
    assert len(rows) > 5
    assert all(re.fullmatch(rf"{row['orchard_key']}-\d+", row["picking_key"]) for row in rows)
    home = rows[0]["orchard_key"]
    assert re.fullmatch(r"PLUM\d\d", home)
    made = environment.session().call("create_picking", {"orchard_key": home, "name": "Plums"}).observation
    assert re.fullmatch(rf"{home}-\d+", made["picking_key"])


@pytest.mark.parametrize(
    ("name", "noun", "description", "form"),
    [
        ("name", ("trade",), "Reporting person's name to search for", PERSON),
        ("display_name", ("sender",), "A name that appears in the 'From:' header", PERSON),
        ("user_name", ("sender",), "Local part of the address (before the @)", r"^[a-z0-9_.]+$"),
        ("laptop_os", ("worker",), "", r"^[A-Z]\w+ [\d.]+$"),
        ("storage_uri", ("orchard",), "", r"^https://"),
        ("database_uri", ("orchard",), "", r"^postgresql://[\w.]+@[\w.-]+:5432/\w+$"),
        ("recurring_billing_period", ("product",), "", r"^P\d+M$"),
        ("purchase_from", ("crate",), "", r"^(?!.*@).+$"),
        ("resource", ("subscription",), "What is watched. Don't include the base URL", r"^/\w+/\w+$"),
        ("style", ("shape",), "List of styles, in the form of `key=value`. Example: `a=1;b=2`", r"^\w+=[^;]+;"),
        ("repo_path", ("commit",), "", r"^/home/dev/[a-z-]+$"),
        ("key", ("setting",), "Environment variable name", r"^[A-Z]+_[A-Z]+$"),
        ("language", ("repository",), "", r"^(Python|TypeScript|Go|Rust|Java)$"),
        ("language", ("reader",), "", r"^[a-z]{2}$"),
        ("started", ("picking",), "When it began. Example: '2023-08-01T12:00:00.000+0000'", r"^202[56]-\d\d-\d\dT12"),
        ("domain", ("grove",), 'Full name. Example: "login.example.com" is reserved', r"^[a-z]+-\d+\.example\.com$"),
        ("summary", ("issue",), "Summary/title of the issue", r"^(?!.*\.$).+$"),
    ],
)  # fmt: skip
def test_texts_that_are_written_in_one_way(name, noun, description, form):
    for seed in range(4):
        assert re.match(form, value(name, noun, description, seed=seed)), value(name, noun, description, seed=seed)


def test_names_of_things_that_are_written_in_one_way():
    drawn = Values(generator(0, "names"), None, guessing=False)
    assert re.match(r"^(feature|fix|release)-\w+$", drawn.label(("branch",)))
    assert re.match(r"^[a-z]+$", drawn.label(("color",)))
    assert re.match(PERSON, drawn.label(("author", "record")))


def test_a_package_of_an_app_is_named_as_such_and_one_of_a_registry_is_not():
    assert value("package_name", ("app",), about=frozenset(("mobile",))).startswith("com.example.")
    assert not value("package_name", ("app",), about=frozenset(("mobile", "npm"))).startswith("com.example.")


def test_parameters_of_which_one_must_be_given_are_no_values():
    assert told_values("The text. Either 'text' or 'text_file' must be provided, but not both.") == []
    assert told_values("Either 'low' or 'high'.") == ["low", "high"]


def test_objects_hold_what_their_texts_list():
    said = "The rule configuration containing: - name (str, required): its name - priority (int, optional): order"
    held = Values(generator(0, "open"), None, guessing=False).value("rule", {**OBJECT, "description": said}, ("hedge",))
    assert set(held) == {"name", "priority"}
    assert isinstance(held["priority"], int)


def test_one_moment_is_told_alike():
    columns = {n: {"type": "string"} for n in ("due_string", "due_date", "due_datetime", "made_date")}
    row = {"orchard_id": "a", "due_string": "2026-04-01T08:00:00Z", "due_date": "2026-05-05",
           "due_datetime": "2026-03-24T16:00:00Z", "made_date": "2026-01-01"}  # fmt: skip
    [row] = settled(columns, row)
    assert len({row[n][:10] for n in ("due_string", "due_date", "due_datetime")}) == 1
    assert row["made_date"] == "2026-01-01"


def test_what_lasts_all_day_begins_at_midnight_and_what_is_single_does_not_recur():
    columns = {"start": {"type": "object"}, "isAllDay": {"type": "boolean"}, "type": {"type": "string"},
               "recurrence": {"type": "object"}}  # fmt: skip
    start = {"dateTime": "2026-03-24T16:15:00Z", "timeZone": "UTC"}
    whole = {"orchard_id": "a", "isAllDay": True, "start": start, "type": "singleInstance", "recurrence": {"n": 1}}
    part = {"orchard_id": "b", "isAllDay": False, "start": start, "type": "occurrence", "recurrence": {"n": 1}}
    first, second = settled(columns, whole, part)
    assert first["start"]["dateTime"] == "2026-03-24T00:00:00Z"
    assert "recurrence" not in first
    assert second["start"] == start
    assert second["recurrence"] == {"n": 1}


def test_only_choices_have_options_and_controls_are_of_their_kind():
    kinds = {"type": "string", "schema": {"enum": ["text", "date", "enumeration"]}}
    controls = {"type": "string", "schema": {"enum": ["text", "date", "select"]}}
    columns = {"type": kinds, "field_type": controls, "options": {"type": "array"}}
    plain = {"orchard_id": "a", "type": "date", "field_type": "text", "options": ["x"]}
    chosen = {"orchard_id": "b", "type": "enumeration", "field_type": "date", "options": ["x"]}
    first, second = settled(columns, plain, chosen)
    assert "options" not in first
    assert first["field_type"] == "date"
    assert second["options"] == ["x"]
    assert second["field_type"] == "select"


def test_values_beside_their_type_are_of_it_and_flags_that_are_not_set_hold_no_moment():
    columns = {"cue": {"type": "object"}, "flag": {"type": "object"}}
    row = {"orchard_id": "a", "cue": {"type": "color", "value": "plum"},
           "flag": {"flagStatus": "notFlagged", "completedDateTime": "2026-01-01"}}  # fmt: skip
    [row] = settled(columns, row)
    assert re.fullmatch(r"#[0-9a-f]{6}", row["cue"]["value"])
    assert row["flag"] == {"flagStatus": "notFlagged"}


def test_a_record_tells_size_site_engine_and_lists_once():
    columns = {"file_size": {"type": "integer"}, "sizes": {"type": "integer"}, "domain": {"type": "string"},
               "this_domain": {"type": "string"}, "engine": {"type": "string"}, "uri": {"type": "string"},
               "has_leaves": {"type": "boolean"}, "leaves": {"type": "array"}}  # fmt: skip
    row = {"orchard_id": "a", "file_size": 451, "sizes": 2645, "domain": "a.example.com",
           "this_domain": "b.example.com",
           "engine": "mysql", "uri": "postgresql://u@h:5432/d", "has_leaves": True, "leaves": []}  # fmt: skip
    [row] = settled(columns, row)
    assert row["sizes"] == 451
    assert row["this_domain"] == "a.example.com"
    assert row["uri"] == "mysql://u@h:3306/d"
    assert row["has_leaves"] is False


def test_a_thing_is_of_the_kind_of_the_object_in_it():
    kinds = {"type": "string", "schema": {"enum": ["vault", "safe"]}}
    fixed = {"type": "object", "schema": {"properties": {"type": {"const": "vault"}}}}
    [row] = settled(
        {"manager": kinds, "held": fixed}, {"orchard_id": "a", "manager": "safe", "held": {"type": "vault"}}
    )
    assert row["manager"] == "vault"


def test_one_record_is_primary_and_names_of_parents_are_those_of_records():
    columns = {"is_primary": {"type": "boolean"}, "name": {"type": "string"}, "parent_name": {"type": "string"}}
    rows = [{"orchard_id": n, "is_primary": True, "name": f"N{n}", "parent_name": "Nobody"} for n in "abc"]
    found = settled(columns, *rows)
    assert [row["is_primary"] for row in found] == [True, False, False]
    assert "parent_name" not in found[0]
    assert all(row["parent_name"] in {"Na", "Nb"} for row in found[1:])


def test_ids_of_one_work_are_not_shared_and_contracts_have_their_own():
    columns = {"arxiv_id": {"type": "string"}, "year": {"type": "integer"}}
    rows = [{"orchard_id": n, "arxiv_id": "1607.00001", "year": 2020} for n in "ab"]
    first, second = settled(columns, *rows)
    assert first["year"] == 2016
    assert "arxiv_id" not in second
    held = {"contract_address": {"type": "string"}}
    coins = [{"orchard_id": n, "contract_address": "0x" + "a" * 40} for n in "ab"]
    assert len({row["contract_address"] for row in settled(held, *coins, noun=("token",))}) == 2


def test_links_to_things_that_are_kept_are_their_keys():
    tree = Entity("tree", ("tree",), "tree_id", "string", "minted", {})
    columns = {n: Field(n, TEXT) for n in ("tree_link", "site_link")} | {"subtree_link": Field("subtree_link", TEXT)}
    grove = Entity("grove", ("grove",), "grove_id", "string", "minted", columns)
    row = {"grove_id": "g", **dict.fromkeys(columns, "https://x.example.com")}
    state = {CLOCK: {"now": "2026-03-02T09:00:00Z"}, "trees": {"t": {"tree_id": "t"}}, "groves": {"g": row}}
    agree(Tables([tree, grove], state, {"grove"}))
    assert row == {"grove_id": "g", "tree_link": "t", "site_link": "https://x.example.com"}


def test_a_certificate_beside_its_id_is_no_name():
    certificate = Entity("seal", ("seal",), "seal_id", "string", "minted", {"name": Field("name", TEXT)})
    encoded = {**TEXT, "description": "A base64-encoded seal"}
    fields = {"seal_id": Field("seal_id", TEXT, reference="seal"), "seal": Field("seal", encoded)}
    letter = Entity("letter", ("letter",), "letter_id", "string", "minted", fields)
    row = {"letter_id": "a", "seal_id": "s", "seal": "SGVsbG8="}
    state = {CLOCK: {"now": "x"}, "seals": {"s": {"seal_id": "s", "name": "Round"}}, "letters": {"a": row}}
    agree_nested(Tables([certificate, letter], state, {"letter"}))
    assert row["seal"] == "SGVsbG8="


def test_a_comment_has_its_text_and_an_insider_a_name():
    tools = (
        tool("add_comment", "Add a comment.", (), body=TEXT, pinned=FLAG),
        tool("list_comments", "List comments."),
    )
    for seed in range(3):
        assert all(row.get("body") for row in seeded(*tools, seed=seed)["comments"].values())
    assert agreed({"symbol": "AAPL", "name": "Ann Lee"}, ("insider", "trade"))["name"] == "Ann Lee"


def test_companies_of_stock_exchanges_lie_in_their_country_and_countries_have_no_symbols():
    text = {"type": "string"}
    columns = {"symbol": text, "country": text}
    [row] = settled(columns, {"orchard_id": "a", "symbol": "AAPL", "country": "Kenya"}, noun=("company",))
    assert row["country"] == "United States"
    [row] = settled(columns, {"orchard_id": "a", "symbol": "AAPL", "country": "KE"}, noun=("company",))
    assert row["country"] == "US"
    [row] = settled({"symbol": text, "name": text}, {"orchard_id": "a", "symbol": "AAPL", "name": "Kenya"},
                    noun=("available", "country"))  # fmt: skip
    assert row == {"orchard_id": "a", "name": "Kenya"}


def test_numbers_of_builds_are_numbers():
    assert value("build_number", ("build",)).isdigit()
    drawn = Values(generator(0, "numbers"), None, guessing=False)
    assert drawn.natural_key("build_number", ("build",)).isdigit()
