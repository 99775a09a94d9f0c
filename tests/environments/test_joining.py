"""Joined environments: only inside a sub-domain, side by side, verified as one, every tool accounted for."""

import json

import pytest
from made_up_servers import tool_list

from tvlab.environments.build import build_environments, build_server
from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.environments.environment import Environment
from tvlab.environments.joining.joined_environments import _one_module, join_servers
from tvlab.environments.joining.joining import LeftOver, Part, plan_joins
from tvlab.environments.joining.subdomains import (
    FAMILIES,
    SUBDOMAINS,
    family_of,
    name_words_of,
    subdomains_of,
    words_of,
)
from tvlab.environments.schemas.schemas import refactor_tools
from tvlab.environments.tool_lists import ToolList
from tvlab.foundation.words import singular

SKY = "get_weather(city*); get_forecast(city*, day*)"
RAIN = "get_humidity(city*); get_temperature(city*); get_weather(city*)"
SHELF = "create_paper(title*, author); get_paper(paper_id*); delete_paper(paper_id*)"
DESK = "list_papers(author, limit:integer); search_papers(query*); get_paper(paper_id*)"
TOY = "create_toy(name*); get_toy(toy_id*)"


def named(server, text, **source):
    one = tool_list(server, text)
    return ToolList(one.server, one.title, one.description, source, one.tools)


def found(pure=(), **tools):
    """The sub-domains of tools: name="words of its parameters"."""
    names = {tool: frozenset(singular(word) for word in tool.split("_")) for tool in tools}
    return subdomains_of(names, {t: names[t] | frozenset(text.split()) for t, text in tools.items()}, frozenset(pure))


def test_two_distinct_words_prove_a_sub_domain_and_one_proves_nothing():
    assert found(get_weather="city") == {"get_weather": "weather"}
    assert found(get_weather="") == {}
    assert found(find="city latitude") == {}
    both = found(get_forecast="", get_humidity="", read_file="path")
    assert both == {"get_forecast": "weather", "get_humidity": "weather", "read_file": "files"}


def test_names_of_the_other_tools_count_where_a_thing_is_in_their_parameters_or_fills_the_server():
    assert found(list_devices="", get_device="id", send_command="device", update_mark="") == {
        "list_devices": "home-devices", "get_device": "home-devices", "send_command": "home-devices",
        "update_mark": "home-devices",
    }  # fmt: skip
    assert found(list_devices="", send_message="device", open_a="", open_b="", open_c="") == {}
    some = found(list_devices="", send_command="device", open_a="", open_b="", open_c="")
    assert some == {"list_devices": "home-devices", "send_command": "home-devices"}


def test_tools_go_along_only_in_what_most_of_a_server_is_named_after():
    two = found(get_forecast="", get_weather="", get_station="", list_deployments="zone", open_a="", open_b="")
    assert two["get_station"] == "weather"
    assert two["list_deployments"] == "cloud-resources"
    more = found(get_forecast="", get_weather="", get_station="", open_a="", open_b="", get_zone="",
                 list_deployments="zone", get_instance="", get_tenant="")  # fmt: skip
    assert "get_station" not in more
    assert more["get_zone"] == "cloud-resources"


def test_a_verb_is_no_thing_but_names_a_computation():
    tools = parse_tools(refactor_tools([{"name": n, "inputSchema": {}} for n in ("place_block", "add_numbers")]).tools)
    assert [name_words_of(one, verb=False) for one in tools] == [{"block"}, {"number"}]
    assert "add" in name_words_of(tools[1])


def test_a_thing_that_only_a_parameter_names_puts_no_tool_into_its_sub_domain():
    assert found(count_words="file path directory") == {}


def test_a_computation_is_in_no_sub_domain_of_things_nor_the_other_way_round():
    assert found(convert_weight="unit") == {}
    assert found(pure=["convert_weight"], convert_weight="unit") == {"convert_weight": "units"}


def test_sub_domains_are_apart_and_their_words_singular():
    assert len({domain.name for domain in SUBDOMAINS}) == len(SUBDOMAINS)
    assert all(domain.things and not domain.things & domain.beside for domain in SUBDOMAINS)


def test_words_come_from_names_and_parameters_never_from_descriptions():
    text = "weather forecast for a city, temperature and humidity"
    schema = {"type": "object", "properties": {"bedIds": {"type": "string", "description": text}}}
    tool = parse_tools(refactor_tools([{"name": "listPlants", "description": text, "inputSchema": schema}]).tools)[0]
    assert words_of(tool) == {"list", "plant", "bed", "id"}


@pytest.fixture(scope="module")
def joined(tmp_path_factory):
    out = tmp_path_factory.mktemp("joined")
    lists = [named("sky", SKY, license="MIT"), named("rain", RAIN, license="Apache-2.0"), named("toys", TOY)]
    rows = build_environments(lists, out, seed=3, progress=False)
    return out, rows


def test_small_servers_of_one_sub_domain_become_one_environment_named_after_it(joined):
    out, _rows = joined
    environment = Environment.load(out / "joined-weather-1")
    assert len(environment.tools) == 5
    report = environment.report
    assert [one["server"] for one in report["joined"]] == ["sky", "rain"]
    assert [(one["license"], one["kind"]) for one in report["joined"]] == [("MIT", "facts"), ("Apache-2.0", "facts")]
    assert report["source"]["licenses"] == ["MIT", "Apache-2.0"]
    assert report["subdomain"] == "weather"
    assert {tool for one in report["joined"] for tool in one["tools"]} == set(environment.tool_names)
    assert all(check["passed"] for check in json.loads((environment.path / "tests.json").read_text()))


def test_every_tool_is_accounted_for_once(joined):
    out, rows = joined
    assert [(row["kept"], len(row["drops"])) for row in rows] == [(2, 0), (3, 0), (0, 2)]
    assert [drop["stage"] for drop in rows[2]["drops"]] == ["toolset", "toolset"]
    account = json.loads((out / "build.json").read_text())
    assert account["servers"] == rows
    sums = account["totals"]
    assert (sums["environments"], sums["joined"], sums["kept"], sums["mean_size"]) == (1, 1, 5, 5.0)
    assert (sums["kinds"], sums["concentration"]) == ({"facts": 1}, 1.0)


def test_a_tool_name_that_is_taken_begins_with_its_server_and_both_read_one_table(joined):
    out, _ = joined
    environment = Environment.load(out / "joined-weather-1")
    assert {"get_weather", "rain_get_weather"} <= set(environment.tool_names)
    assert environment.report["name_map"]["rain_get_weather"] == "get_weather"
    session, city = environment.session(), next(iter(environment.state["weather"].values()))["city"]
    one, two = (session.call(tool, {"city": city}) for tool in ("get_weather", "rain_get_weather"))
    assert one.ok
    assert one.value == two.value


def test_tables_with_another_key_stay_apart():
    other = named("drops", "get_weather(station*); get_tide(station*, day*); get_elevation(place*)")
    servers = [(named("sky", SKY), ["get_weather", "get_forecast"]),
               (other, ["get_weather", "get_tide", "get_elevation"])]  # fmt: skip
    built = join_servers("joined-weather-1", "weather", servers).built
    assert built is not None
    tables = {about["table"] for about in built.environment.report["entities"].values()}
    assert {"weather", "drops_weather"} <= tables <= set(built.environment.state)
    assert built.environment.meaning("drops_get_weather")["entity"] == "drops_weather"


def test_who_writes_a_thing_joins_nobody_whose_tools_are_about_it():
    shelf = [LeftOver("create_paper", "papers", "paper", True), LeftOver("get_paper", "papers", "paper", False)]
    desk = [LeftOver(f"list_{at}", "papers", "paper", False) for at in range(4)]
    assert not Part(0, tuple(shelf)).goes_with([Part(1, tuple(desk))])
    rows = [{"left_over": [one.to_json() for one in mine]} for mine in (shelf, desk)]
    assert plan_joins(rows, [named("shelf", SHELF), named("desk", DESK)]) == []


def test_two_tools_that_compute_the_same_are_not_joined():
    adds = [Part(at, (LeftOver(f"add_{at}", "arithmetic", "", False, "sum"),)) for at in range(2)]
    assert not adds[0].goes_with(adds[1:])
    rows = [{"left_over": [LeftOver(f"add_{at}", "arithmetic", "", False, "sum").to_json()]} for at in range(6)]
    assert plan_joins(rows, [named(f"s{at}", TOY) for at in range(6)]) == []


def left(tools, subdomain="papers"):
    return {"left_over": [LeftOver(tool, subdomain, f"{tool}_x", False).to_json() for tool in tools]}


def test_servers_of_a_benchmark_join_one_another_only():
    rows = [left([f"a{at}{n}" for n in range(3)]) for at in range(4)]
    lists = [named(f"s{at}", TOY, **({"benchmark": "Some"} if at % 2 else {})) for at in range(4)]
    joins = plan_joins(rows, lists)
    assert [(join.name, [part.at for part in join.parts]) for join in joins] == [
        ("joined-papers-1", [0, 2]),
        ("joined-papers-benchmark-1", [1, 3]),
    ]


@pytest.mark.parametrize("sizes", [[4, 4], [1] * 5, [4] * 13, [3, 2, 1, 4, 4, 4, 1, 1], [4, 4, 4, 4, 4, 1]])
def test_joined_environments_have_five_to_twenty_tools_and_a_servers_tools_stay_together(sizes):
    rows = [left([f"t{at}_{n}" for n in range(size)]) for at, size in enumerate(sizes)]
    joins = plan_joins(rows, [named(f"s{at}", TOY) for at in range(len(sizes))])
    counts = [sum(len(part.tools) for part in join.parts) for join in joins]
    assert all(5 <= count <= 20 for count in counts)
    assert sum(counts) == sum(sizes)
    assert sorted(part.at for join in joins for part in join.parts) == list(range(len(sizes)))


def test_few_tools_of_sub_domains_of_one_family_are_joined_with_one_another():
    calendar, mail = left(["a", "b", "c", "d"], "calendar"), left(["e", "f"], "mail")
    lists = [named(f"s{at}", TOY) for at in range(4)]
    joins = plan_joins([calendar, mail, left(["g", "h", "i"], "weather")], lists[:3])
    assert [(join.name, join.subdomain) for join in joins] == [("joined-mail-and-calendar-1", "mail-and-calendar")]
    alone = plan_joins([calendar, left(["k"], "calendar")], lists[:2])
    assert [join.name for join in alone] == ["joined-calendar-1"]
    full = plan_joins([calendar, left(["j", "k", "l", "m"], "calendar"), mail, left(["x", "y", "z"], "mail")], lists)
    assert [join.name for join in full] == ["joined-calendar-1", "joined-mail-1"]


def test_families_hold_known_sub_domains_and_each_at_most_once():
    inside = [one for family in FAMILIES.values() for one in family]
    assert len(inside) == len(set(inside))
    assert set(inside) <= {domain.name for domain in SUBDOMAINS}
    assert (family_of("mail"), family_of("weather")) == ("mail-and-calendar", "")


def test_what_a_server_leaves_stays_together_if_it_changes_anything():
    writes = build_server(named("desk", "create_note(title*, tag); list_tasks(priority); create_task(title*, due)"))
    assert {one.subdomain for one in writes.left_over} == {"tasks"}
    reads = build_server(named("sky", "get_weather(city*); get_forecast(city*); get_stock_price(symbol*)"))
    assert {one.tool: one.subdomain for one in reads.left_over} == {
        "get_weather": "weather", "get_forecast": "weather", "get_stock_price": "equity-prices",
    }  # fmt: skip


def test_a_computation_that_a_server_leaves_has_a_sub_domain():
    build = build_server(named("sums", "add(a*:number, b*:number)"))
    assert [(one.subdomain, one.computes) for one in build.left_over] == [("arithmetic", "add")]


def test_one_server_alone_and_fewer_than_five_tools_join_nothing():
    assert plan_joins([left(["a", "b", "c", "d", "e"])], [named("s", TOY)]) == []
    assert plan_joins([left(["a", "b"]), left(["c", "d"])], [named("s", TOY), named("t", TOY)]) == []


def test_a_name_that_a_server_has_is_not_taken():
    rows = [left(["a", "b", "c"]), left(["d", "e", "f"])]
    joins = plan_joins(rows, [named("s", TOY), named("t", TOY)], ["joined-papers-1"])
    assert [join.name for join in joins] == ["joined-papers-2"]


def test_one_and_two_workers_give_the_same_bytes(joined, tmp_path):
    out, _ = joined
    lists = [named("sky", SKY, license="MIT"), named("rain", RAIN, license="Apache-2.0"), named("toys", TOY)]
    build_environments(lists, tmp_path, seed=3, workers=2, progress=False)
    files = sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    for file in files:
        assert (out / file).read_bytes() == (tmp_path / file).read_bytes(), file


def test_helpers_of_one_name_stay_two_functions():
    one = '"""A."""\n\nfrom tvlab.environments.runtime import find\n\n\ndef _remove_x(state):\n    find(state)\n'
    head = "from tvlab.environments.runtime import fail, find"
    two = f'"""B."""\n\n{head}\n\n\ndef _remove_x(state):\n    _remove_x(state)\n'
    text = _one_module("joined-files-1", [one, two])
    assert text.count("def _remove_x(") == 1
    assert "def _remove_x_2(state):\n    _remove_x_2(state)" in text
    assert "import fail, find\n" in text
