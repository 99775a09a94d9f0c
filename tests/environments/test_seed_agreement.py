"""Records of made-up servers agree within themselves and with one another, whatever the seed."""

import pytest
from plain_tools import tool

from tvlab.environments.prepared_servers import prepare_server
from tvlab.environments.seeding.catalogues import once
from tvlab.environments.seeding.conditions import conditioned
from tvlab.environments.seeding.pairs import together
from tvlab.environments.seeding.seeding import CLOCK_START, seed_state
from tvlab.environments.seeding.spans import in_order
from tvlab.environments.seeding.tables import Tables
from tvlab.environments.seeding.twins import told_alike
from tvlab.environments.tool_lists import OWN, ToolList

TEXT, FLAG, WHOLE = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}
SEEDS = pytest.mark.parametrize("seed", range(4))


def seeded(*tools, seed=0, origin=""):
    domain = prepare_server(ToolList("made-up", source={"origin": origin}, tools=list(tools)), seed=seed).domain
    return seed_state(domain, list(domain.entities), seed, "made-up")


def rows(state, table):
    return list(state[table].values())


def listed(**properties):
    return {"type": "array", "items": {"type": "object", "properties": properties}}


GROVES = (
    tool("create_grove", "Create a grove.", ("name",), name=TEXT),
    tool("list_groves", "List groves."),
    tool("create_row", "Create a row in a grove.", ("name",), name=TEXT, grove_id=TEXT),
    tool("list_rows", "List rows of a grove.", (), grove_id=TEXT),
    tool("create_gardener", "Create a gardener.", ("display_name",), display_name=TEXT, first_name=TEXT,
         last_name=TEXT),
    tool("list_gardeners", "List gardeners."),
    tool("create_seedling", "Plant a seedling in a row.", ("row_id", "name"), row_id=TEXT, grove_id=TEXT, name=TEXT,
         gardener_id=TEXT, gardener_name=TEXT, visits=listed(gardener_id=TEXT, gardener_name=TEXT)),
    tool("list_seedlings", "List seedlings.", (), row_id=TEXT, grove_id=TEXT),
)  # fmt: skip


@SEEDS
def test_what_a_record_names_lies_under_what_else_it_names(seed):
    state = seeded(*GROVES, seed=seed)
    seedlings = [row for row in rows(state, "seedlings") if "grove_id" in state["rows"][row["row_id"]]]
    assert len(seedlings) > 2
    for row in seedlings:
        assert row["grove_id"] == state["rows"][row["row_id"]]["grove_id"]


@SEEDS
def test_a_name_beside_an_id_is_that_of_the_record_at_any_depth(seed):
    state = seeded(*GROVES, seed=seed)
    named = [row for row in rows(state, "seedlings") if "gardener_id" in row and "gardener_name" in row]
    named += [one for row in rows(state, "seedlings") for one in row.get("visits", ())]
    assert len(named) > 3
    for one in named:
        assert one["gardener_name"] == state["gardeners"][one["gardener_id"]]["display_name"]


@SEEDS
def test_the_parts_of_a_name_make_up_the_name(seed):
    whole = [r for r in rows(seeded(*GROVES, seed=seed), "gardeners") if {"first_name", "last_name"} <= set(r)]
    assert len(whole) > 2
    assert all(row["display_name"] == f"{row['first_name']} {row['last_name']}" for row in whole)


def test_the_packages_own_records_stay_as_they_are():
    own, other = (seeded(*GROVES, origin=origin) for origin in (OWN, "elsewhere"))
    assert own["gardeners"] != other["gardeners"]


BARGES = (
    tool("create_barge", "Create a barge.", ("name",), name=TEXT, pennant_id=TEXT,
         crates=listed(name=TEXT, weight=WHOLE),
         berths={"type": "array", "items": TEXT, "description": "Array of berth IDs"}, berth_id=TEXT),
    tool("list_barges", "List barges."),
    tool("create_pennant", "Create a pennant of a barge.", ("barge_id", "name"), barge_id=TEXT, name=TEXT),
    tool("list_pennants", "List pennants of a barge.", ("barge_id",), barge_id=TEXT),
    tool("create_berth", "Create a berth.", ("name",), name=TEXT),
    tool("list_berths", "List berths."),
    tool("create_crate", "Create a crate on a barge.", ("barge_id", "name"), barge_id=TEXT, name=TEXT, weight=WHOLE),
    tool("list_crates", "List crates of a barge.", ("barge_id",), barge_id=TEXT),
)  # fmt: skip


@SEEDS
def test_both_directions_of_a_relation_agree(seed):
    state = seeded(*BARGES, seed=seed)
    told = [row for row in rows(state, "barges") if "pennant_id" in row]
    assert told
    for row in told:
        assert state["pennants"][row["pennant_id"]]["barge_id"] == row["barge_id"]


@SEEDS
def test_the_one_thing_is_among_the_things_and_children_stand_in_their_table_alone(seed):
    barges = rows(seeded(*BARGES, seed=seed), "barges")
    both = [row for row in barges if "berth_id" in row and "berths" in row]
    assert both
    assert all(row["berth_id"] in row["berths"] for row in both)
    assert not any("crates" in row for row in barges)


PIERS = (
    tool("list_supported_chains", "List the supported chains."),
    tool("get_stock_price", "Get the current price of a stock.", ("symbol",), symbol=TEXT),
    tool("get_stock_quote", "Get a quote of a stock: price and volume.", ("symbol",), symbol=TEXT),
    tool("get_historical_stock_prices", "Get historical stock prices (open, high, low, close).", ("symbol",),
         symbol=TEXT),
    tool("list_upcoming_dividends", "List upcoming dividends: symbol, record date and payment date."),
)  # fmt: skip


def test_a_list_of_known_things_has_each_of_them_once():
    domain = prepare_server(ToolList("made-up", tools=list(PIERS))).domain
    names = ["Base", "Fantom", "Base", "Polygon", "Fantom"]
    state = {"supported_chains": {f"c{at}": {"supported_chain_id": f"c{at}", "name": n} for at, n in enumerate(names)}}
    once(Tables([domain.entities["supported_chain"]], state, {"supported_chain"}))
    assert [row["name"] for row in rows(state, "supported_chains")] == ["Base", "Fantom", "Polygon"]


@SEEDS
def test_one_fact_of_one_thing_is_told_alike_by_two_tables(seed):
    state = seeded(*PIERS, seed=seed)
    tables = {name: rows(state, name) for name in state if not name.startswith("_")}
    prices: dict[str, set[float]] = {}
    for table in tables.values():
        for row in table:
            if {"price", "symbol"} <= set(row) and "close" not in row:
                prices.setdefault(row["symbol"], set()).add(row["price"])
    history = next(table for table in tables.values() if "close" in table[0])
    assert len(prices) > 3
    assert all(len(told) == 1 for told in prices.values())
    last = {row["symbol"]: row["close"] for row in sorted(history, key=lambda row: row["date"])}
    assert len(set(last) & set(prices)) > 3
    for symbol in set(last) & set(prices):
        assert last[symbol] == pytest.approx(*prices[symbol], rel=0.001)


@SEEDS
def test_what_is_upcoming_lies_ahead_of_the_clock(seed):
    table = rows(seeded(*PIERS, seed=seed), "upcoming_dividends")
    dates = [max(v for n, v in row.items() if n.endswith("_date")) for row in table]
    assert dates
    assert all(date > CLOCK_START[:10] for date in dates)


def test_moments_and_bounds_change_places_where_they_are_out_of_order():
    record = {
        "window": {"start": {"dateTime": "2026-03-05T10:00:00Z"}, "end": {"dateTime": "2026-03-01T10:00:00Z"}},
        "min_weight": 9, "max_weight": 4, "transaction_date": "2026-02-26", "disclosure_date": "2025-12-10",
        "sale_start": "2026-03-02", "rental_end": "2026-02-02", "period_of_report": "2026-02-28",
        "filing_date": "2026-02-27",
    }  # fmt: skip
    in_order(record)
    assert record["window"]["start"]["dateTime"] < record["window"]["end"]["dateTime"]
    assert (record["min_weight"], record["max_weight"]) == (4, 9)
    assert record["transaction_date"] < record["disclosure_date"]
    assert record["period_of_report"] < record["filing_date"]
    assert (record["sale_start"], record["rental_end"]) == ("2026-03-02", "2026-02-02")  # of two things


def test_a_moment_that_stays_moves_the_other():
    record = {"period_of_report": "2026-02-28", "filing_date": "2026-02-27"}
    in_order(record, kept={"filing_date"})
    assert record == {"period_of_report": "2026-02-26", "filing_date": "2026-02-27"}


@pytest.mark.parametrize(
    ("status", "fits"),
    [("done", lambda a, b: b < CLOCK_START), ("planned", lambda a, b: a > CLOCK_START),
     ("running", lambda a, b: a < CLOCK_START < b)],
)  # fmt: skip
@SEEDS
def test_a_span_lies_where_its_state_says(status, fits, seed):
    moment = {"type": "string", "format": "date-time"}
    options = {"type": "string", "enum": ["done", "planned", "running"]}
    state = seeded(
        tool("create_sprint", "Create a sprint.", ("name", "status", "start_date", "end_date"), name=TEXT,
             status=options, start_date=moment, end_date=moment),
        tool("list_sprints", "List sprints."), seed=seed,
    )  # fmt: skip
    spans = [row for row in rows(state, "sprints") if row["status"] == status]
    assert all(fits(row["start_date"], row["end_date"]) for row in spans)
    assert spans


def test_what_is_told_twice_is_told_alike():
    record = {
        "notes": "Bring rope.", "html_notes": "<p>Something else.</p>", "body": {"content": "<p>Long text</p>"},
        "body_preview": "Other words", "name": "plan.csv", "mime_type": "application/pdf", "file_type": "pdf",
        "display_name": "Rosa Lind", "given_name": "Amber Given", "family_name": "Quiet Family", "initials": "X.Y.",
        "crates": [1, 2], "crate_count": 70, "item_count": 3, "unread_item_count": 9,
        "filter": {"type": "team"}, "filter_type": "account",
    }  # fmt: skip
    told_alike(record, "salt")
    assert record["html_notes"] == "<p>Bring rope.</p>"
    assert record["body_preview"] == "Long text"
    assert (record["mime_type"], record["file_type"]) == ("text/csv", "csv")
    assert (record["given_name"], record["family_name"], record["initials"]) == ("Rosa", "Lind", "R.L.")
    assert (record["crate_count"], record["unread_item_count"], record["filter_type"]) == (2, 3, "team")


def test_name_and_path_of_one_file_end_alike():
    record = {
        "filename": "rope.csv",
        "file_path": "/hold/rope.docx",
        "source_path": "/hold/old.txt",
        "mime": "text/html",
    }
    told_alike(record, "salt")
    assert record == {
        "filename": "rope.csv", "file_path": "/hold/rope.csv", "source_path": "/hold/old.txt", "mime": "text/csv"
    }  # fmt: skip


def test_names_of_a_person_that_agree_stay_and_a_name_beside_a_surname_is_a_given_one():
    record = {"first_name": "Rosa", "last_name": "Lind"}
    told_alike(record, "salt")
    assert record == {"first_name": "Rosa", "last_name": "Lind"}
    record = {"name": "Rosa Lind", "surname": "Berg"}
    told_alike(record, "salt")
    assert record == {"name": "Rosa", "surname": "Berg"}


@SEEDS
def test_one_record_is_the_default_and_what_is_not_done_has_no_end(seed):
    state = seeded(
        tool("create_press", "Create a press.", ("name",), name=TEXT, is_default=FLAG, completed=FLAG,
             completed_on=TEXT),
        tool("list_presses", "List presses."), seed=seed,
    )  # fmt: skip
    presses = rows(state, "presses")
    assert sum(row.get("is_default") is True for row in presses) <= 1
    assert {row["completed"] for row in presses if "completed" in row} == {True, False}
    assert not any("completed_on" in row for row in presses if row.get("completed") is False)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"symbol": "JPM", "sector": "Energy", "industry": "Retail"}, {"sector": "Financials", "industry": "Banks"}),
        ({"sector": "Energy", "industry": "Semiconductors"}, {"sector": "Technology"}),
        ({"name": "Christmas Day", "date": "2026-03-01"}, {"date": "2026-12-25"}),
        ({"temperature_c": 27.1, "condition": "snow"}, {"condition": "cloudy"}),
        ({"temperature_c": -4.7, "condition": "rain"}, {"condition": "snow"}),
        ({"temperature_f": 20, "conditions": "Light rain"}, {"conditions": "Snow"}),
        ({"province": "Tennessee", "country": "Albania", "country_code": "AL"},
         {"country": "United States", "country_code": "US"}),
        ({"province": "Ontario", "country": "Canada"}, {"country": "Canada"}),
        ({"name": "mend_net", "prototype": "int cast_line(char *rope)"}, {"prototype": "int mend_net(char *rope)"}),
        ({"domain": "a.example.com", "parent_domain": "b.example.com"}, {"parent_domain": "a.example.com"}),
    ],
)  # fmt: skip
def test_what_goes_together_by_common_knowledge_goes_together(record, told):
    together(record)
    assert {name: record[name] for name in told} == told


def test_closed_options_stay():
    record = {"sector": "Energy", "industry": "Banks"}
    together(record, {"sector"})
    assert record["sector"] == "Energy"


KIND = {"type": "string", "enum": ["rope", "hook", "float"]}


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("Length. Only used when type is 'rope'.", ["rope"]),
        ("Required for rope and hook.", ["rope", "hook"]),
        ("A list of lengths for rope types", ["rope"]),
        ("Ropes aside: not supported for float.", ["rope", "hook"]),
        ("rope: how long it is", ["rope"]),
        ("For hook.", ["hook"]),
        ("The length of the rope", ["rope", "hook", "float"]),
        ("Required.", ["rope", "hook", "float"]),
    ],
)
def test_a_field_stands_only_for_the_kinds_that_its_text_names(said, kinds):
    held = []
    for kind in KIND["enum"]:
        record = {"type": kind, "length": 3}
        conditioned(record, {"type": KIND, "length": {"type": "integer", "description": said}})
        held += [kind] if "length" in record else []
    assert held == kinds


def test_fields_that_exclude_each_other_do_not_stand_together_and_what_is_required_stays():
    schemas = {
        "all": FLAG, "names": {"type": "array", "description": "Required when all is false"},
        "text": TEXT, "link": {"type": "string", "description": "A link, instead of text."},
    }  # fmt: skip
    record = {"all": True, "names": ["a"], "text": "x", "link": "y"}
    conditioned(record, schemas)
    assert record == {"all": True, "text": "x"}
    record = {"all": True, "names": ["a"]}
    conditioned(record, schemas, ["names"])
    assert "names" in record


def test_an_object_holds_the_parts_that_its_text_lists_for_the_kind():
    schemas = {
        "kind": {"type": "string", "enum": ["net", "line"]},
        "options": {"type": "object", "description": "For `net` send `mesh`. For `line` send `hooks`, `bait`."},
    }
    record = {"kind": "line", "options": {"mesh": 3, "hooks": 2, "bait": "worm", "note": "x"}}
    conditioned(record, schemas)
    assert record["options"] == {"hooks": 2, "bait": "worm", "note": "x"}


@SEEDS
def test_flags_follow_states_and_ids_beside_kinds_name_records_of_the_kind(seed):
    kinds = {"type": "string", "enum": ["punt", "jetty"]}
    states = {"type": "string", "enum": ["started", "done"]}
    state = seeded(
        tool("create_punt", "Create a punt.", ("name",), name=TEXT),
        tool("list_punts", "List punts."),
        tool("create_jetty", "Create a jetty.", ("name",), name=TEXT),
        tool("list_jetties", "List jetties."),
        tool("create_repair", "Create a repair.", ("name", "about", "status"), name=TEXT, status=states,
             is_started=FLAG, about={"type": "object", "properties": {"place_type": kinds, "place_id": TEXT},
                    "required": ["place_type", "place_id"]}),
        tool("list_repairs", "List repairs."), seed=seed,
    )  # fmt: skip
    repairs = rows(state, "repairs")
    assert len(repairs) > 3
    for row in repairs:
        assert row["about"]["place_id"] in state["punts" if row["about"]["place_type"] == "punt" else "jetties"]
        assert row.get("is_started", row["status"] == "started") == (row["status"] == "started")


def test_nested_ends_are_in_order_and_no_relation_leads_to_itself():
    record = {"legs": [{"start_at": "2026-02-03", "end_at": "2026-02-01"}, {"birthday": "2026-01-01"}]}
    in_order(record)
    assert record["legs"][0] == {"start_at": "2026-02-01", "end_at": "2026-02-03"}


@SEEDS
def test_owners_by_thing_and_things_by_owner_are_one_relation(seed):
    state = seeded(
        tool("get_kite_owners", "Get the owners of a kite.", ("kite_name",), kite_name=TEXT),
        tool("get_owner_kites", "Get the kites of an owner.", ("owner_name",), owner_name=TEXT), seed=seed,
    )  # fmt: skip
    tables = {name: rows(state, name) for name in ("kite_owners", "owner_kites")}
    named = {tuple(sorted(v for n, v in row.items() if not n.endswith("_id"))) for row in tables["kite_owners"]}
    again = {tuple(sorted(v for n, v in row.items() if not n.endswith("_id"))) for row in tables["owner_kites"]}
    assert again
    assert again <= named


def test_what_must_be_lower_is_lower():
    record = {"amount": 5, "sale_amount": 9}
    conditioned(record, {"amount": WHOLE, "sale_amount": {**WHOLE, "description": "Must be lower than amount."}})
    assert record == {"amount": 9, "sale_amount": 5}
