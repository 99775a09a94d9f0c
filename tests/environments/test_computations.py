"""Pure computations: recognition that is strict, code that answers and refuses, mutants that are caught."""

import dataclasses
import functools

import pytest

from tvlab.environments.build import build_server
from tvlab.environments.checks.verification import verify
from tvlab.environments.computations.computation_forms import Computation
from tvlab.environments.computations.computations import CATALOGUE, recognise
from tvlab.environments.computing import evaluate, power, root
from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.environments.environment import function_name, load_functions
from tvlab.environments.runtime import ToolError
from tvlab.environments.sandbox.sandbox import SandboxedEnvironment
from tvlab.environments.sandbox.source_check import OWN_MODULES
from tvlab.environments.tool_lists import ToolList
from tvlab.environments.writing.rules_computations import MODULES, helpers_of

TYPES = {
    "number": {"type": "number"},
    "whole": {"type": "integer"},
    "text": {"type": "string"},
    "date": {"type": "string"},
    "choice": {"type": "string"},
    "flag": {"type": "boolean"},
    "numbers": {"type": "array", "items": {"type": "number"}},
    "matrix": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
}

#: what a description must say where the name alone leaves a doubt
SAID = {
    "logarithm": "Logarithm of x to the base b, the natural logarithm by default",
    "range_of_list": "The difference between the largest and the smallest number",
    "population_variance": "The population variance of the numbers",
    "sample_variance": "The sample variance of the numbers",
    "population_deviation": "The population standard deviation of the numbers",
    "sample_deviation": "The sample standard deviation of the numbers",
    "fibonacci": "The n-th Fibonacci number",
    "permutations": "The number of ways to choose k of n items in order",
    "expression": "Evaluate an arithmetic expression such as (1 + 2) * 3",
    "hex_encode": "Write the bytes of a text in hex",
    "hex_decode": "Read a text from its bytes in hex",
    "replace": "Replace all occurrences in a text",
    "luhn": "Check a number by the Luhn algorithm",
    "percent_of": "What a percentage of a value is: percent of value",
    "monthly_payment": "The monthly payment of a loan; the rate is a percentage a year",
    "simple_interest": "Simple interest; the rate is a percentage a year",
    "compound_amount_percent": "The final amount with compound interest at a rate in percent",
    "compound_amount_decimal": "The final amount with compound interest at a rate as a decimal",
    "to_base_unit": "Convert an amount of a token to its base unit",
    "from_base_unit": "Convert an amount of a token from its base unit",
    "bmi_of_metres": "Body mass index of a weight in kg and a height in meters",
    "bmi_of_centimetres": "Body mass index of a weight in kg and a height in cm",
    "maintenance_fluids": "Maintenance fluids in mL/hr by the 4-2-1 rule for a weight in kg",
    "homa_ir": "HOMA-IR: insulin * glucose in mg/dL / 405",
    "egfr_creatinine": "eGFR by the 2021 CKD-EPI equation, creatinine in mg/dL",
    "egfr_creatinine_cystatin": "eGFR by the 2021 CKD-EPI creatinine-cystatin C equation, mg/dL and mg/L",
    "child_pugh": "Child-Pugh score: bilirubin in mg/dL, albumin in g/dL, ascites absent, slight or moderate",
    "mean_arterial_pressure": "Mean arterial pressure in mmHg",
    "corrected_sodium": "Corrected sodium by Katz and by Hillier; glucose in mg/dL",
    "ideal_body_weight": "Ideal body weight (Devine) and adjusted body weight: IBW + 0.4 * (actual weight - IBW)",
    "haversine": "The great circle distance by the haversine formula in km",
    "iso_week": "The ISO week of a date",
    "weekday": "The name of the day of the week",
} | {f"{name}_of_{unit}": f"The {name} of an angle in {unit}" for name in ("sine", "cosine", "tangent")
     for unit in ("radians", "degrees")} | {f"arc_{name}": f"The inverse {name} in radians"
     for name in ("sine", "cosine", "tangent")}  # fmt: skip
BY_NAME = {computation.name: computation for computation in CATALOGUE}


def named(computation: Computation) -> dict:
    """Return the simplest tool that is the computation."""
    properties, required = {}, []
    for wanted in computation.inputs:
        name = wanted.role if wanted.role in wanted.names else min(wanted.names - properties.keys())
        properties[name] = dict(TYPES[wanted.kind])
        if wanted.kind == "choice":
            properties[name]["enum"] = sorted(v for v in wanted.choices if "-" not in v)
        required += [] if wanted.otherwise else [name]
    return tool(
        (computation.names[0] or computation.names[1]).replace(" ", "_"),
        SAID.get(computation.name, ""),
        properties,
        required,
    )


def tool(name: str, description: str, properties: dict, required: list[str] | None = None, **more) -> dict:
    required = list(properties) if required is None else required
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": description, "inputSchema": schema, **more}


@functools.cache
def built_of(name: str):
    return built(named(BY_NAME[name]))


def built(*tools: dict):
    server = ToolList("bench", "bench", "", {"license": "Apache-2.0"}, list(tools))
    return build_server(server, seed=1, smallest=1)


def meant(made: dict) -> str | None:
    found = recognise(parse_tools([made])[0])
    return found.computation.name if found else None


NUMBERS = {"type": "number"}
A_B = {"a": NUMBERS, "b": NUMBERS}
TEXT = {"type": "string"}


@pytest.mark.parametrize("computation", CATALOGUE, ids=lambda c: c.name)
def test_every_operation_is_recognised_written_and_verified(computation):
    made = named(computation)
    build = built_of(computation.name)
    assert build.kept == 1, build.drops
    environment = build.environments[0].environment
    assert environment.report["kind"] == "pure"
    assert environment.meaning(made["name"])["computation"] == computation.name
    assert {check.check for check in build.environments[0].checks} >= {"known_answer", "parameter_matters"}


@pytest.mark.parametrize("computation", CATALOGUE, ids=lambda c: c.name)
def test_what_has_no_answer_is_refused_as_invalid_arguments(computation):
    made = named(computation)
    session = built_of(computation.name).environments[0].environment.session()
    names = list(made["inputSchema"]["properties"])
    for values in computation.refused:
        result = session.call(made["name"], dict(zip(names, values, strict=True)))
        assert not result.ok
        assert result.error.startswith("invalid_arguments")


CONVERTER = {"value": NUMBERS, "from_unit": TEXT, "to_unit": TEXT}


def units(*values: str) -> dict:
    unit = {"type": "string", "enum": list(values)}
    return {"value": NUMBERS, "from_unit": unit, "to_unit": unit}


@pytest.mark.parametrize(
    ("made", "operation"),
    [
        (tool("add", "", A_B), "add"),
        (tool("math_add", "Add two numbers", A_B), "add"),
        (tool("calculate_sum", "Returns the sum of two numbers", {"num1": NUMBERS, "num2": NUMBERS}), "add"),
        (tool("subtract", "Subtract b from a", A_B), "subtract"),
        (tool("sha256_hash", "", {"text": TEXT}), "sha256"),
        (tool("hash_text", "Hash a text", {"text": TEXT, "algorithm": {"type": "string", "enum": ["md5", "sha1"]}}),
         "hash"),
        (tool("celsius_to_fahrenheit", "Convert Celsius to Fahrenheit", {"celsius": NUMBERS}),
         "celsius_to_fahrenheit"),
        (tool("km-to-miles", "", {"km": NUMBERS}), "km_to_miles"),
        (tool("convert_weight", "", units("g", "kg", "oz", "lb")), "convert_units"),
        (tool("convert_units", "Convert units (m, km, mi, kg, lb)", CONVERTER), "convert_units"),
        (tool("calculateBMI", "", {"weightKg": NUMBERS, "heightCm": NUMBERS}), "bmi_of_centimetres"),
        (tool("calculator", "Basic arithmetic", {"operation": {"type": "string", "enum": ["add", "divide"]}, **A_B}),
         "arithmetic"),
        (tool("sin", "Sine of an angle in degrees", {"angle": NUMBERS}), "sine_of_degrees"),
    ],
    ids=lambda value: value if isinstance(value, str) else value["name"],
)  # fmt: skip
def test_a_certain_computation_is_recognised(made, operation):
    assert meant(made) == operation


@pytest.mark.parametrize(
    ("made", "doubt"),
    [
        (tool("add", "Add a number to a stored list", A_B), "stored data"),
        (tool("add", "Create a record of two things", A_B), "another thing"),
        (tool("add", "", {"a": TEXT, "b": TEXT}), "texts"),
        (tool("add", "", {**A_B, "c": NUMBERS}), "a third number"),
        (tool("add", "", {**A_B, "precision": {"type": "integer", "default": 2}}, ["a", "b"]), "a default that rounds"),
        (tool("subtract", "Subtract the first number from the second", A_B), "the other order"),
        (tool("subtract", "", {"a": NUMBERS, "second": NUMBERS}), "mixed names"),
        (tool("sin", "Sine of x", {"x": NUMBERS}), "degrees or radians"),
        (tool("round", "Round to the nearest integer", {"x": NUMBERS}), "how a tie is rounded"),
        (tool("mode", "The most common number", {"numbers": TYPES["numbers"]}), "which of two most common ones"),
        (tool("modulo", "", A_B), "the sign of a remainder"),
        (tool("std", "Standard deviation", {"numbers": TYPES["numbers"]}), "population or sample"),
        (tool("convert_volume", "", units("ml", "cup")), "which cup"),
        (tool("convert_volume", "Convert volume (l, gallon)", CONVERTER), "which gallon"),
        (tool("convert_currency", "", CONVERTER), "rates"),
        (tool("convert_units", "Convert units", CONVERTER), "which units"),
        (tool("celsius_to_fahrenheit", "Convert Celsius to Kelvin", {"celsius": NUMBERS}), "another unit"),
        (tool("calculate_bmi", "", {"weight": NUMBERS, "height": NUMBERS}), "units"),
        (tool("calculate_bmi", "BMI and category, kg and meters", {"weight_kg": NUMBERS, "height_m": NUMBERS}),
         "a category that is nowhere defined"),
        (tool("hash", "", {"text": TEXT, "algorithm": {"type": "string", "enum": ["md5", "crc32"]}}), "crc32"),
        (tool("calculate", "Evaluate a mathematical expression with SymPy", {"expression": TEXT}), "another grammar"),
        (tool("evaluate", "Evaluate an expression", {"expression": TEXT}), "of what language"),
        (tool("compound_interest", "Compound interest", {"principal": NUMBERS, "rate": NUMBERS, "time": NUMBERS}),
         "percent or fraction, interest or amount"),
        (tool("calculator", "Arithmetic", {**A_B, "operation": {"type": "string", "enum": ["add", "modulo"]}}),
         "one of the operations"),
        (tool("calculator", "Arithmetic", {**A_B, "operation": TEXT}), "which operations"),
        (tool("random_number", "", A_B), "random"),
        (tool("count_words", "Count the words of a file", {"text": TEXT}), "a file"),
        (tool("days_between", "Business days between dates", {"start_date": TEXT, "end_date": TEXT}), "business days"),
        (tool("weekday", "Day of the week", {"date": {"type": "string", "description": "DD/MM/YYYY"}}), "the format"),
        (tool("add", "Adds two numbers", A_B, outputSchema={"type": "object", "properties": {"sum": TEXT}}),
         "how a number becomes text"),
        (tool("add", "Adds two numbers", A_B, outputSchema={"type": "object", "properties": {
            "sum": NUMBERS, "carry": NUMBERS}}), "an answer of unknown parts"),
    ],
    ids=lambda value: value if isinstance(value, str) else value["name"],
)  # fmt: skip
def test_where_there_is_a_doubt_nothing_is_recognised(made, doubt):
    assert meant(made) is None, doubt


def test_the_declared_output_is_kept_and_arguments_are_echoed():
    output = {"type": "object", "properties": {"a": NUMBERS, "b": NUMBERS, "sum": NUMBERS}}
    build = built(tool("add", "Add two numbers", A_B, outputSchema=output))
    result = build.environments[0].environment.session().call("add", {"a": 2, "b": 40})
    assert result.value == {"a": 2, "b": 40, "sum": 42}


def test_an_optional_parameter_without_a_part_is_narrowed_and_a_declared_default_is_applied():
    build = built(
        tool("add", "Add two numbers", {**A_B, "note": TEXT}, ["a", "b"]),
        tool("log", "Logarithm to a base", {"x": NUMBERS, "base": {"type": "number", "default": 10}}, ["x"]),
        tool("ln", "", {"x": NUMBERS}),
    )
    environment = build.environments[0].environment
    assert [(n["tool"], n["parameter"]) for n in environment.report["narrowed"]] == [("add", "note")]
    assert list(environment.tool("add")["inputSchema"]["properties"]) == ["a", "b"]
    assert environment.session().call("log", {"x": 1000}).value == {"result": 3}
    assert environment.session().call("log", {"x": 8, "base": 2}).value == {"result": 3}


def test_tools_named_like_builtins_and_helpers_do_not_hide_one_another():
    lists = {"numbers": TYPES["numbers"]}
    names = {"sum": 6, "min": 1, "max": 3, "mean": 2, "median": 2, "sort": [1, 2, 3]}
    build = built(*(tool(name, "", lists) for name in names), tool("abs", "", {"x": NUMBERS}))
    session = build.environments[0].environment.session()
    assert {name: session.call(name, {"numbers": [1, 2, 3]}).value["result"] for name in names} == names
    assert session.call("abs", {"x": -2}).value == {"result": 2}


MUTANTS = [
    ("add", "a + b", "a - b"),
    ("add", "a + b", "a + a"),
    ("sin", "math.sin", "math.cos"),
    ("sin", "math.sin, angle", "math.sin, math.radians(angle)"),
    ("hash_text", "algorithm", '"md5"'),
    ("convert_weight", "from_unit, to_unit", "to_unit, from_unit"),
    ("days_in_month", "given_x", '"2026-04-01"'),
    ("calculate_bmi", "** 2", "** 3"),
    ("json_format", "indent, sort_keys", "indent, False"),
    ("calculate", "evaluate(expression)", "evaluate('22')"),
]


@pytest.fixture(scope="module")
def bench():
    return built(
        tool("add", "Add two numbers", A_B),
        tool("sin", "Sine of an angle in radians", {"angle": NUMBERS}),
        tool("hash_text", "Hash a text", {"text": TEXT, "algorithm": {"type": "string", "enum": ["md5", "sha256"]}}),
        tool("convert_weight", "", units("g", "kg", "oz", "lb")),
        tool("days_in_month", "The number of days in the month of a date", {"date": TEXT}, []),
        tool("calculate_bmi", "BMI of kg and meters", {"weight": NUMBERS, "height": NUMBERS}),
        tool("json_format", "", {"json": TEXT, "indent": {"type": "integer", "default": 2},
             "sort_keys": {"type": "boolean", "default": False}}, ["json"]),
        tool("calculate", "Evaluate an arithmetic expression", {"expression": TEXT}),
    ).environments[0]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new"), MUTANTS)
def test_a_wrong_computation_fails_verification(bench, name, old, new):
    start = bench.source.index(f"def {name}(")
    end = bench.source.find("\n\n\ndef ", start)
    body = bench.source[start : end if end > 0 else None]
    head, _, code = body.partition("return ")
    assert old in code
    source = bench.source.replace(body, f"{head}return {code.replace(old, new)}")
    functions = load_functions(source, "mutant")
    environment = bench.environment
    mutant = dataclasses.replace(
        environment, functions={t: functions[function_name(t)] for t in environment.tool_names}
    )
    failed = {check.tool for check in verify(mutant) if not check.passed}
    assert failed == {name}


def test_without_a_date_the_month_is_that_of_the_environments_clock(bench):
    assert bench.environment.session().call("days_in_month", {}).value == {"result": 31}


@pytest.mark.parametrize("source", ["9**9**9", "(" * 900 + "1" + ")" * 900, "1" * 2001, "4 (2)", ""])
def test_no_expression_runs_for_long_or_breaks_the_evaluator(source):
    with pytest.raises(ToolError, match="invalid_arguments"):
        evaluate(source)


def test_powers_and_roots_at_the_edges():
    assert power(-1, 10**30) == 1
    assert power(-1, 10**30 + 1) == -1
    assert power(0, 0) == 1
    assert root(2**52, 52) == 2
    for arguments in ((10, 10**9), (0, -1), (-2, 0.5), (10.0, 400)):
        with pytest.raises(ToolError, match="invalid_arguments"):
            power(*arguments)


def test_pure_tools_answer_the_same_in_the_sandbox(bench, tmp_path):
    with_layers = SandboxedEnvironment.open(bench.write(tmp_path), sandbox="weak")
    try:
        sandboxed, plain = with_layers.session(), bench.environment.session()
        for name, arguments in (
            ("add", {"a": 1, "b": 2.5}),
            ("hash_text", {"text": "abc", "algorithm": "md5"}),
            ("convert_weight", {"value": 1, "from_unit": "lb", "to_unit": "kg"}),
            ("json_format", {"json": "{"}),
            ("calculate", {"expression": "1 / 0"}),
            ("days_in_month", {}),
        ):
            assert sandboxed.call(name, arguments) == plain.call(name, arguments)
    finally:
        with_layers.pool.close()


def test_generated_code_reaches_the_helpers_and_nothing_behind_them():
    assert {module.__name__ for module in MODULES} <= OWN_MODULES
    for module in MODULES:
        assert helpers_of(module)
    for source in (
        "import tvlab.environments.computing as computing\ndef f(state): return computing.operator",
        "import tvlab.environments.computing_units as computing_units\ndef f(state): return computing_units._units",
        "import tvlab.environments.computing_texts as c\ndef f(state): return c.json",
        "import tvlab.environments.language.units",
    ):
        with pytest.raises(Exception, match="may not use"):
            load_functions(source, "hostile")
