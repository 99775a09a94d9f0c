"""Toolsets: 5 to 20 tools, related things together, every tool at most once."""

import pytest
from made_up_servers import tool_list

from tvlab.environments.build import build_server
from tvlab.environments.coherence import coherence
from tvlab.environments.prepared_servers import prepare_server
from tvlab.environments.toolsets import split_toolsets


def server(nouns, chain=False):
    lines = []
    for at, noun in enumerate(nouns):
        parent = f"{nouns[at - 1]}_id*, " if chain and at else ""
        lines += [f"create_{noun}({parent}name*)", f"get_{noun}({noun}_id*)", f"list_{noun}s(limit:integer)",
                  f"update_{noun}({noun}_id*, name)", f"delete_{noun}({noun}_id*)"]  # fmt: skip
    return tool_list("many", "; ".join(lines))


NOUNS = ["album", "basket", "camel", "dollar", "easel", "fossil", "garden", "hammer", "island", "jungle"]


@pytest.mark.parametrize("chain", [False, True])
def test_a_big_server_is_split_and_no_tool_is_lost_or_doubled(chain):
    build = build_server(server(NOUNS, chain))
    names = [name for built in build.environments for name in built.environment.tool_names]
    assert len(build.environments) > 1
    assert all(5 <= len(built.environment.tools) <= 20 for built in build.environments)
    assert sorted(names) == sorted(tool["name"] for tool in server(NOUNS, chain).tools)


def test_the_tools_of_one_thing_stay_together():
    for built in build_server(server(NOUNS, chain=True)).environments:
        names = set(built.environment.tool_names)
        for noun in NOUNS:
            mine = {f"create_{noun}", f"get_{noun}", f"update_{noun}", f"delete_{noun}"}
            assert mine <= names or not mine & names


def test_a_small_server_is_one_toolset():
    build = build_server(server(NOUNS[:2]))
    assert [built.name for built in build.environments] == ["many"]


def test_too_few_tools_are_dropped_with_a_reason():
    build = build_server(tool_list("tiny", "create_bed(name*); get_bed(bed_id*)"))
    assert not build.environments
    assert {(d.stage, d.reason) for d in build.drops} == {("toolset", "too few tools that go together")}


def of_tools(*counts_and_parents):
    """Meanings of made-up entities: (noun, number of tools, parent)."""
    lines = []
    for noun, count, parent in counts_and_parents:
        inside = f"{parent}_id*, " if parent else ""
        verbs = [f"create_{noun}({inside}name*)", f"get_{noun}({noun}_id*)", f"delete_{noun}({noun}_id*)",
                 f"list_{noun}s({inside}limit:integer)", f"update_{noun}({noun}_id*, name)"]  # fmt: skip
        lines += verbs[:count]
    return prepare_server(tool_list("many", "; ".join(lines))).meanings


def nouns(toolset):
    return {meaning.entity.name for meaning in toolset}


def test_a_small_entity_goes_with_the_parent_that_it_refers_to():
    sets = split_toolsets(
        of_tools(("album", 5, ""), ("basket", 5, ""), ("camel", 5, ""), ("dollar", 5, ""), ("easel", 3, "camel"))
    )
    assert len(sets) == 4
    assert {"camel", "easel"} in [nouns(toolset) for toolset in sets]


def test_leftovers_are_distractors_of_at_most_a_third_and_never_lumped_together():
    small = [(noun, 2, "") for noun in NOUNS[4:]]
    meanings = of_tools(("album", 5, ""), ("basket", 4, "album"), ("camel", 5, ""), *small)
    sets = split_toolsets(meanings)
    assert [sorted(nouns(toolset) & {"album", "basket", "camel"}) for toolset in sets] == [
        ["album", "basket"],
        ["camel"],
    ]
    for toolset in sets:
        core = [m for m in toolset if m.entity.name in ("album", "basket", "camel")]
        assert len(toolset) <= 1.5 * len(core)
    assert sum(map(len, sets)) == 14 + 6
    assert split_toolsets(of_tools(*((noun, 2, "") for noun in [*NOUNS, "kettle"]))) == []


def test_groups_stop_growing_at_about_ten_tools():
    chain = [(noun, 5, NOUNS[at - 1] if at else "") for at, noun in enumerate(NOUNS)]
    assert [len(toolset) for toolset in split_toolsets(of_tools(*chain))] == [10] * 5


def test_coherence_is_the_share_of_tools_that_another_tool_is_tied_to():
    built = build_server(tool_list("s", "create_bed(name*); get_bed(bed_id*); list_plants(bed_id*); list_pumps(); "
                                        "get_bed_count()")).environments  # fmt: skip
    for one in built:
        report = one.environment.report
        assert report["coherence"]["tools"] == len(one.environment.tools)
    meanings = {
        "a": {"entity": "bed", "parameters": {"bed_id": {"role": "key", "entity": "bed"}}},
        "b": {"entity": "plant", "parameters": {"bed_id": {"role": "reference", "entity": "bed"}}},
        "c": {"entity": "weather", "operation": "fact", "parameters": {"city": {"role": "filter", "field": "city"}}},
        "d": {"entity": "tide", "operation": "fact", "parameters": {"city": {"role": "filter", "field": "city"}}},
        "e": {"entity": "pump", "parameters": {}},
    }
    city = {"fields": {"city": {"type": "string"}}, "parents": []}
    entities = {"weather": city, "tide": city, "bed": {"key": "bed_id", "key_kind": "minted", "fields": {}}}
    assert coherence({"meanings": meanings, "entities": entities}) == {"connected": 4, "tools": 5, "share": 0.8}
