"""Objects in seeded records are the records that they tell of, empty ones leave, names of one record are one."""

import json

import pytest

from tvlab.environments.domain.entities import Entity, Field
from tvlab.environments.seeding import blanks as seed_blanks
from tvlab.environments.seeding import children as seed_children
from tvlab.environments.seeding import names as seed_names
from tvlab.environments.seeding import nested as seed_nested
from tvlab.environments.seeding import objects as seed_objects
from tvlab.environments.seeding import pairs as seed_pairs
from tvlab.environments.seeding import sorts as seed_sorts
from tvlab.environments.seeding import truths as seed_truths
from tvlab.environments.seeding import twins as seed_twins
from tvlab.environments.seeding.json_kinds import named_value
from tvlab.environments.seeding.open_words import open_object
from tvlab.environments.seeding.said import json_text
from tvlab.environments.seeding.tables import Tables
from tvlab.environments.seeding.values import Values
from tvlab.foundation.seeds import generator

TEXT, OBJECT = {"type": "string"}, {"type": "object"}
ROWS = {"type": "array", "items": OBJECT}


def thing(called, /, *parents, key="", kind="minted", label="name", **fields):
    columns = {n: Field(n, s) for n, s in fields.items()}
    columns |= {f"{one}_id": Field(f"{one}_id", TEXT, one) for one in parents}
    above = {f"{one}_id": one for one in parents}
    return Entity(called, tuple(called.split("_")), key or f"{called}_id", "string", kind, columns, above, label=label)


SHELF = thing("wine_shelf", name=TEXT, wall=OBJECT)
CASK = thing("cask", "wine_shelf", name=TEXT, parentShelf=OBJECT, parts=ROWS, stores=ROWS, notes=ROWS)


def state():
    return {
        "wine_shelves": {f"s{n}": {"wine_shelf_id": f"s{n}", "name": f"Shelf {n}"} for n in range(3)},
        "casks": {
            f"c{n}": {"cask_id": f"c{n}", "wine_shelf_id": f"s{n % 3}", "name": f"Cask {n}", **more}
            for n, more in enumerate((
                {"parentShelf": {"id": "x", "name": "Another", "width": 4}},
                {"stores": [{"id": "x", "type": "wine_shelf_reference"}, {"id": "y", "type": "wine_shelf_reference"}]},
                {"parts": [{}, {}], "notes": [{}, {"text": "full"}]},
            ))
        },
    }  # fmt: skip


def test_a_parent_object_is_the_record_that_the_id_beside_it_names():
    held = state()
    seed_objects.agree(Tables([SHELF, CASK], held, {"cask"}))
    assert held["casks"]["c0"]["parentShelf"] == {"id": "s0", "name": "Shelf 0", "width": 4}


def test_ids_with_the_type_of_a_thing_name_different_records_of_it():
    held = state()
    seed_objects.agree(Tables([SHELF, CASK], held, {"cask"}))
    ids = [one["id"] for one in held["casks"]["c1"]["stores"]]
    assert len(set(ids)) == len(ids) == 2
    assert set(ids) <= set(held["wine_shelves"])


def test_ids_in_a_list_inside_an_object_are_keys_of_the_thing():
    held = state()
    held["casks"]["c0"]["parts"] = [{"wine_shelf_ids": ["x", "y"]}]
    seed_nested.agree(Tables([SHELF, CASK], held, {"cask"}))
    ids = held["casks"]["c0"]["parts"][0]["wine_shelf_ids"]
    assert len(set(ids)) == len(ids) == 2
    assert set(ids) <= set(held["wine_shelves"])


def test_parts_of_a_list_tell_of_records_of_their_own():
    held = state()
    held["casks"]["c1"]["parts"] = [{"shelf": {"id": "x"}}, {"shelf": {"id": "y"}}]
    cellar = thing("cask", name=TEXT, parts=ROWS)
    seed_objects.agree(Tables([SHELF, cellar], held, {"cask"}))
    told = [part["shelf"]["id"] for part in held["casks"]["c1"]["parts"]]
    assert len(set(told)) == 2
    assert set(told) <= set(held["wine_shelves"])
    held["casks"]["c1"]["parts"] = [{"shelf": {"id": "s1"}}, {"shelf": {"id": "s1"}}]
    seed_objects.agree(Tables([SHELF, cellar], held, {"cask"}))
    assert held["casks"]["c1"]["parts"] == [{"shelf": {"id": "s1"}}]


def test_objects_of_one_record_tell_of_one_line():
    note = thing("note", parentCask=OBJECT, parentShelf=OBJECT)
    held = state()
    held["notes"] = {"n": {"note_id": "n", "parentShelf": {"id": "x"}, "parentCask": {"id": "y", "shelf": {"id": "z"}}}}
    seed_objects.agree(Tables([SHELF, CASK, note], held, {"note"}))
    told = held["notes"]["n"]
    owner = held["casks"][told["parentCask"]["id"]]["wine_shelf_id"]
    assert told["parentShelf"]["id"] == told["parentCask"]["shelf"]["id"] == owner


def test_an_empty_object_under_the_name_of_a_thing_gets_its_id_and_others_leave():
    shelf = thing("wine_shelf", name=TEXT, casks=ROWS, cask=OBJECT, other=OBJECT)
    shelf.fields["cask_id"] = Field("cask_id", TEXT, "cask")
    held = state()
    held["wine_shelves"]["s0"] |= {"cask_id": "c2", "cask": {}, "other": {}}
    seed_objects.agree(Tables([shelf, CASK], held, {"wine_shelf", "cask"}))
    seed_blanks.leave_out(Tables([shelf, CASK], held, {shelf.name, CASK.name}))
    assert held["wine_shelves"]["s0"]["cask"] == {"id": "c2", "name": "Cask 2"}
    assert "other" not in held["wine_shelves"]["s0"]
    assert "parts" not in held["casks"]["c2"]
    assert held["casks"]["c2"]["notes"] == [{"text": "full"}]


@pytest.mark.parametrize(
    ("value", "schema", "kept"),
    [
        ({"rules": [{"actions": {}, "id": "a"}]}, {}, {"rules": [{"id": "a"}]}),
        ({"field": {}}, {"properties": {"field": OBJECT}, "required": ["field"]}, {"field": {}}),
        ({"list": []}, {}, {"list": []}),
        ({"lines": [{"amount": 3, "delete": True}]}, {}, {"lines": [{"amount": 3}]}),
    ],
)
def test_what_is_required_and_what_was_an_empty_list_stays(value, schema, kept):
    assert seed_blanks.filled(value, schema) == kept


def shelves(**more):
    shelf = thing("wine_shelf", name=TEXT, casks=ROWS, childShelves=ROWS, childShelfCount={"type": "integer"})
    shelf.fields["parent_id"] = Field("parent_id", TEXT, "wine_shelf")
    held = state()
    held["wine_shelves"]["s0"] |= {"casks": [{"id": "x"}], "childShelves": [{"id": "y"}], "childShelfCount": 70}
    held["wine_shelves"]["s1"]["parent_id"] = "s0"
    seed_children.agree(Tables([shelf, CASK], held, {shelf.name, CASK.name}, promised=more))
    return held["wine_shelves"]["s0"]


def test_a_list_of_parts_with_records_of_their_own_leaves_and_their_number_is_true():
    assert shelves() == {"wine_shelf_id": "s0", "name": "Shelf 0", "childShelfCount": 1}


def test_a_promised_list_of_parts_is_copied_from_their_table():
    assert shelves(wine_shelf=frozenset(("casks",)))["casks"] == [{"id": "c0", "name": "Cask 0"}]


def named(entity, row):
    row.setdefault(entity.key, "a")
    held = {entity.table: {"a": row}, "wine_shelves": {"s1": {"wine_shelf_id": "s1", "name": "Shelf 1"}}}
    seed_pairs.agree(Tables([entity], held, {entity.name}))
    seed_truths.agree(Tables([entity], held, {entity.name}))
    seed_twins.agree(Tables([entity], held, {entity.name}))
    seed_names.agree(Tables([entity, SHELF], held, {entity.name, SHELF.name}))
    seed_nested.agree(Tables([SHELF, entity], held, {entity.name}))
    return row


def test_a_key_that_is_a_name_is_the_name():
    gem = thing("gem", key="gem_name", kind="natural", name=TEXT)
    assert named(gem, {"gem_name": "ruby", "name": "opal"})["name"] == "ruby"
    gem = thing("gem", name=TEXT, gem_name=TEXT)
    assert named(gem, {"gem_id": "a", "name": "opal", "gem_name": "ruby"})["gem_name"] == "opal"


def test_marked_up_texts_free_fields_and_names_beside_ids_say_what_the_record_says():
    texts = dict.fromkeys(("name", "notes", "html_notes", "status", "wine_shelf"), TEXT)
    task = thing("task", "wine_shelf", fields=OBJECT, **texts)
    row = named(task, {
        "name": "Fill", "notes": "Slowly.", "html_notes": "<p>no</p>", "status": "open", "wine_shelf_id": "s1",
        "wine_shelf": "Some name", "fields": {"Name": "Another", "Status": "Done", "Size": 4},
    })  # fmt: skip
    assert row["html_notes"] == "<p>Slowly.</p>"
    assert row["fields"] == {"Name": "Fill", "Size": 4}
    assert row["wine_shelf"] == "Shelf 1"


def test_a_name_beside_an_id_is_that_of_the_record_inside_lists_too():
    bill = thing("bill", "wine_shelf", wine_shelf_name=TEXT, lines=ROWS)
    line = {"wine_shelf_id": "s1", "wine_shelf_name": "Another"}
    row = named(bill, {"wine_shelf_id": "s1", "wine_shelf_name": "Third", "lines": [line]})
    assert row["wine_shelf_name"] == row["lines"][0]["wine_shelf_name"] == "Shelf 1"


def test_a_prototype_declares_the_function_that_it_is_of():
    row = named(thing("function", name=TEXT, prototype=TEXT), {"name": "fill_cask", "prototype": "int drain(char *of)"})
    assert row["prototype"] == "int fill_cask(char *of)"


def test_a_record_holds_the_fields_of_its_sort():
    job = thing("job", name=TEXT, command=TEXT, prompt=TEXT, manner=TEXT)
    sorts = (seed_sorts.Sort(frozenset(("prompt",)), {"manner": "shell"}), seed_sorts.Sort(frozenset(("command",))))
    table = {str(n): {"job_id": str(n), "name": "A", "command": "ls", "prompt": "Ask"} for n in range(2)}
    seed_sorts.agree(job, table, sorts)
    assert table["0"] == {"job_id": "0", "name": "A", "command": "ls", "manner": "shell"}
    assert table["1"] == {"job_id": "1", "name": "A", "prompt": "Ask"}


@pytest.mark.parametrize(
    ("name", "kind"), [("stop_words", list), ("distinct_attribute", str), ("synonyms", dict), ("pagination", dict)]
)
def test_a_json_text_has_the_shape_that_its_name_says(name, kind):
    values = Values(generator(0, "json"), None, guessing=False)
    assert isinstance(json.loads(json_text("JSON value for the setting", values, name)), kind)
    held = named_value(name, values)
    assert name != "synonyms" or all(isinstance(words, list) for words in held.values())


def test_one_field_that_is_defined_is_no_row_of_cells():
    assert set(open_object("field", 0, defined=True)) == {"name", "type"}
    assert "Name" in open_object("fields", 0, defined=True)
