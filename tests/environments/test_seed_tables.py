"""The tables that the rules of agreement work on: which records may change, and which entities have any."""

import pytest

from tvlab.environments.domain.entities import Entity, FactRows, Field
from tvlab.environments.seeding import catalogues as seed_catalogues
from tvlab.environments.seeding import passes as seed_passes
from tvlab.environments.seeding.tables import Tables, found_by

TEXT = {"type": "string"}


def thing(called, *columns, reference="", **more):
    fields = {name: Field(name, TEXT, reference=reference if name == f"{reference}_id" else None) for name in columns}
    return Entity(called, tuple(called.split("_")), f"{called}_id", "string", "minted", fields, **more)


HARBOUR, BOAT = thing("harbour", "name"), thing("boat", "name", "harbour_id", reference="harbour", pair=("name",))


def test_only_records_of_the_named_entities_may_change():
    state = {"harbours": {"h": {"harbour_id": "h"}}, "boats": {"b": {"boat_id": "b"}}, "oars": {}}
    tables = Tables([HARBOUR, BOAT, thing("oar")], state, {"boat", "oar"})
    assert [(entity.name, kept) for entity, _, kept in tables.changing()] == [
        ("boat", {"boat_id", "name", "harbour_id"})
    ]
    assert list(tables.known) == ["harbour", "boat"]


def test_what_a_record_is_found_by_holds_the_keys_of_a_fact():
    assert found_by(thing("tide", "port", fact=FactRows(keys=("port",)))) == {"tide_id", "port"}


def test_an_entity_without_records_is_not_known_any_more():
    tables = Tables([BOAT], {"boats": {key: {"boat_id": key} for key in "ab"}}, {"boat"})
    tables.remove(BOAT, "a")
    assert tables.known == {"boat": BOAT}
    tables.remove(BOAT, "b")
    assert (tables.known, tables.state) == ({}, {"boats": {}})


def test_one_relation_told_from_both_ends_leaves_no_table_without_records_known():
    """Owners by gem hold nothing in common with gems by owner: no pair is left, and no later rule draws from them."""
    owners = Entity("gem_owner", ("gem", "owner"), "id", "string", "minted",
                    {n: Field(n, TEXT) for n in ("gem", "owner")}, told=True)  # fmt: skip
    gems = Entity("owner_gem", ("owner", "gem"), "id", "string", "minted",
                  {n: Field(n, TEXT) for n in ("gem", "owner")}, told=True)  # fmt: skip
    state = {
        "_clock": {"now": "2026-03-02T09:00:00Z"},
        "gem_owners": {"1": {"id": "1"}}, "owner_gems": {"2": {"id": "2", "gem": "opal", "owner": "Ada"}},
    }  # fmt: skip
    tables = Tables([owners, gems], state, {"gem_owner", "owner_gem"})
    assert len(tables.known) == 2
    seed_catalogues.agree(tables)
    assert list(tables.known) == ["gem_owner"]


@pytest.mark.parametrize("own", [True, False])
def test_the_package_s_own_records_keep_what_other_servers_leave_out(own):
    guest = {"guest_id": "g", "name": "Ada", "spare": {}}
    state = {"_clock": {"now": "2026-03-02T09:00:00Z"}, "guests": {"g": guest}}
    seed_passes.agree(Tables([thing("guest", "name", "spare")], state, {"guest"}), own)
    assert ("spare" in state["guests"]["g"]) is own
