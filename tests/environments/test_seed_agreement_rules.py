"""Single rules of agreement on tables written by hand: relations, nested things, marks, versions, kinds of fields."""

from tvlab.environments.domain.entities import Entity, FactRows, Field
from tvlab.environments.prepared_servers import prepare_server
from tvlab.environments.seeding import catalogues as seed_catalogues
from tvlab.environments.seeding import conditions as seed_conditions
from tvlab.environments.seeding import flags as seed_flags
from tvlab.environments.seeding import lines as seed_lines
from tvlab.environments.seeding import names as seed_names
from tvlab.environments.seeding import nested as seed_nested
from tvlab.environments.seeding import objects as seed_objects
from tvlab.environments.seeding import pairs as seed_pairs
from tvlab.environments.seeding import spans as seed_spans
from tvlab.environments.seeding.tables import Tables
from tvlab.environments.tool_lists import ToolList

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
NOW = {"_clock": {"now": "2026-03-02T09:00:00Z"}}


def thing(called, key, kind="minted", /, **schemas):
    """An entity; a column given as text refers to the entity of that name."""
    fields = {
        n: Field(n, TEXT, reference=s, direct=True) if isinstance(s, str) else Field(n, s) for n, s in schemas.items()
    }
    return Entity(called, tuple(called.split("_")), key, "string", kind, fields)


def test_no_relation_leads_from_a_thing_to_itself():
    pole, wire = thing("pole", "pole_id"), thing("wire", "wire_id", **{"from": "pole", "to": "pole"})
    state = {
        "poles": {p: {"pole_id": p} for p in ("a", "b", "c")},
        "wires": {"w": {"wire_id": "w", "from": "a", "to": "a"}, "v": {"wire_id": "v", "from": "a", "to": "b"}},
    }
    seed_lines.agree(Tables([pole, wire], state, {"pole", "wire"}))
    assert state["wires"]["w"]["to"] == "c"  # the one to b is there
    assert state["wires"]["v"] == {"wire_id": "v", "from": "a", "to": "b"}


def test_the_owner_of_a_thing_is_one_for_each_thing():
    said = {"type": "string", "description": "Name of the owner of the test rig"}
    rig, trial = thing("rig", "rig_id"), thing("trial", "trial_id", rig_id="rig", crew=said)
    crews = (("r", "Blue"), ("r", "Red"), ("s", "Red"))
    state = {
        "rigs": {r: {"rig_id": r} for r in "rs"},
        "trials": {str(at): {"trial_id": str(at), "rig_id": r, "crew": c} for at, (r, c) in enumerate(crews)},
    }
    seed_lines.agree(Tables([rig, trial], state, {"rig", "trial"}))
    assert [row["crew"] for row in state["trials"].values()] == ["Blue", "Blue", "Red"]


def test_nested_things_are_records_and_stand_once():
    sailor = thing("sailor", "sailor_id", name=TEXT)
    many = {"type": "array", "items": {"type": "object", "properties": {"id": TEXT}}}
    watch = thing("watch", "watch_id", targets=many, leads=many, overridden_mate={"type": "object"},
                  overriding_mate={"type": "object"}, child_watches=many)  # fmt: skip
    rows = {
        "1": {"watch_id": "1", "targets": [{"id": "x", "type": "sailor_reference", "summary": "y"}],
              "leads": [{"id": "q"}, {"id": "q"}], "overridden_mate": {"user_id": "m"},
              "overriding_mate": {"user_id": "m"}, "child_watches": [{"id": "k", "parent_watch_id": "z"}]},
        "2": {"watch_id": "2", "overridden_mate": {"user_id": "n"}},
    }  # fmt: skip
    state = {"sailors": {"s1": {"sailor_id": "s1", "name": "Rosa Lind"}}, "watches": rows}
    seed_objects.agree(Tables([sailor, watch], state, {"watch"}))
    seed_nested.agree(Tables([sailor, watch], state, {"watch"}))
    assert rows["1"]["targets"] == [{"id": "s1", "type": "sailor_reference", "summary": "Rosa Lind"}]
    assert rows["1"]["leads"] == [{"id": "q"}]
    assert rows["1"]["overriding_mate"] == {"user_id": "n"}
    assert rows["1"]["child_watches"][0]["parent_watch_id"] == "1"


def test_a_wrapper_tells_what_the_record_tells_and_ids_in_objects_are_keys():
    sailor = thing("sailor", "sailor_id", name=TEXT)
    berth = thing("berth", "berth_id", berth={"type": "object"}, rule={"type": "object"}, scope={"type": "object"})
    row = {"berth_id": "1", "rule": {"limit": 3}, "berth": {"rule": {"limit": 9}}, "scope": {"sailor_ids": ["x", "y"]}}
    state = {"sailors": {"s1": {"sailor_id": "s1", "name": "Rosa"}}, "berths": {"1": row}}
    seed_nested.agree(Tables([sailor, berth], state, {"berth"}))
    assert row["berth"]["rule"] == {"limit": 3}
    assert row["scope"] == {"sailor_ids": ["s1"]}


def test_hashes_and_slots_are_their_own():
    block = thing("block", "block_id", hash=TEXT, slot=WHOLE)
    rows = {k: {"block_id": k, "hash": "ab12cd34", "slot": 7} for k in "abc"}
    seed_flags.agree(Tables([block], {"blocks": rows}, {"block"}))
    assert len({row["hash"] for row in rows.values()}) == len({row["slot"] for row in rows.values()}) == 3
    assert rows["a"] == {"block_id": "a", "hash": "ab12cd34", "slot": 7}


def test_births_lie_back_and_answers_are_written_after_what_they_answer():
    moment = {"type": "string", "format": "date-time"}
    reply = thing("reply", "reply_id", parent_id="reply", created_at=moment, updated_at=moment, birthday=moment)
    rows = {
        "1": {"reply_id": "1", "created_at": "2026-02-10T10:00:00Z", "birthday": "2025-12-24"},
        "2": {"reply_id": "2", "parent_id": "1", "created_at": "2026-02-01T10:00:00Z",
              "updated_at": "2026-02-03T10:00:00Z"},
    }  # fmt: skip
    seed_spans.agree(Tables([reply], {**NOW, "replies": rows}, {"reply"}))
    assert rows["1"]["birthday"] < "2000"
    assert rows["2"]["created_at"] == "2026-02-11T10:00:00Z"
    assert rows["2"]["updated_at"] == "2026-02-13T10:00:00Z"


def test_versions_and_changes_of_told_tables_agree():
    gem = thing("gem", "name", "natural", version=TEXT)
    versions = thing("gem_version", "id", gem=TEXT, version=TEXT)
    bars = thing("gem_bar", "id", symbol=TEXT, open=WHOLE, close=WHOLE, percent_change=WHOLE)
    gem.told, versions.fact, bars.fact = True, FactRows(keys=("gem",)), FactRows()
    domain = prepare_server(ToolList("made-up")).domain
    domain.entities = {e.name: e for e in (gem, versions, bars)}
    state = {
        **NOW, "gems": {"opal": {"name": "opal", "version": "9.9.9"}},
        "gem_versions": {v: {"id": v, "gem": "opal", "version": v} for v in ("1.9.0", "1.10.0")},
        "gem_bars": {"b": {"id": "b", "symbol": "X", "open": 50.0, "close": 60.0, "percent_change": -3.0}},
    }  # fmt: skip
    entities = list(domain.entities.values())
    reads = seed_catalogues.reads_of(domain, entities)
    seed_catalogues.agree(Tables(entities, state, set(domain.entities), reads=reads))
    assert state["gems"]["opal"]["version"] == "1.10.0"
    assert state["gem_bars"]["b"]["percent_change"] == 20.0


def test_free_fields_call_the_record_as_its_columns_do():
    card = thing("card", "card_id", title=TEXT, status=TEXT, fields={"type": "object"})
    row = {"card_id": "1", "title": "Mend the sail", "status": "open", "fields": {"Name": "Other", "Status": "Done"}}
    seed_names.agree(Tables([card], {"cards": {"1": row}}, {card.name}))
    assert row["fields"] == {"Name": "Mend the sail"}


def test_the_kind_of_a_field_goes_with_its_type():
    types, kinds = ["string", "number", "bool"], ["textarea", "number", "string", "bool_box"]
    field = thing("field", "field_id", type={**TEXT, "enum": types}, field_type={**TEXT, "enum": kinds})
    rows = {str(at): {"field_id": str(at), "type": t, "field_type": "textarea"} for at, t in enumerate(types)}
    seed_conditions.agree(Tables([field], {"fields": rows}, {"field"}))
    assert [row["field_type"] for row in rows.values()] == ["textarea", "number", "bool_box"]


def test_weather_of_closed_options_fits_its_temperature():
    sky = thing("sky", "sky_id", condition={**TEXT, "enum": ["sunny", "cloudy", "rain", "snow"]}, temperature_c=WHOLE)
    rows = {"1": {"sky_id": "1", "condition": "snow", "temperature_c": 27}}
    seed_pairs.agree(Tables([sky], {"skies": rows}, {"sky"}))
    assert rows["1"]["condition"] == "cloudy"


def test_what_lies_under_another_record_is_not_taken_from_it():
    cart, bell = thing("cart", "cart_id", bell_id="bell"), thing("bell", "bell_id", cart_id="cart")
    state = {
        "carts": {"a": {"cart_id": "a", "bell_id": "y"}, "b": {"cart_id": "b", "bell_id": "x"}},
        "bells": {"x": {"bell_id": "x", "cart_id": "a"}, "y": {"bell_id": "y", "cart_id": "a"}},
    }
    seed_lines.agree(Tables([cart, bell], state, {"cart", "bell"}))
    assert state["carts"] == {"a": {"cart_id": "a", "bell_id": "y"}, "b": {"cart_id": "b"}}
    assert state["bells"]["y"]["cart_id"] == "a"
