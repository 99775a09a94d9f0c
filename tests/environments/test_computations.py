"""Pure computations: every answer against an independent library, recognition that is strict, mutants caught."""

import base64
import calendar
import dataclasses
import datetime
import hashlib
import html
import json
import math
import statistics
import urllib.parse

import numpy as np
import pytest
import scipy.constants
import sympy

from tvlab.environments.build import build_server
from tvlab.environments.checks_computations import same
from tvlab.environments.computation_forms import Computation
from tvlab.environments.computations import CATALOGUE, recognise
from tvlab.environments.computing import evaluate, power, root
from tvlab.environments.computing_units import convert
from tvlab.environments.environment import function_name, load_functions
from tvlab.environments.rules_computations import MODULES, helpers_of, qualified, short
from tvlab.environments.runtime import ToolError
from tvlab.environments.source_check import OWN_MODULES
from tvlab.environments.tool_lists import ToolList
from tvlab.environments.tool_parsing import parse_tools
from tvlab.environments.units import KNOWN, UNCERTAIN, UNITS, dimension_of
from tvlab.environments.verification import verify
from tvlab.foundation.seeds import generator

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
    "to_base_unit": "Convert an amount of a token to its base unit",
    "from_base_unit": "Convert an amount of a token from its base unit",
    "bmi_of_metres": "Body mass index of a weight in kg and a height in meters",
    "bmi_of_centimetres": "Body mass index of a weight in kg and a height in cm",
    "maintenance_fluids": "Maintenance fluids in mL/hr by the 4-2-1 rule for a weight in kg",
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
    build = built(made)
    assert build.kept == 1, build.drops
    environment = build.environments[0].environment
    assert environment.report["kind"] == "pure"
    assert environment.meaning(made["name"])["computation"] == computation.name
    assert {check.check for check in build.environments[0].checks} >= {"known_answer", "parameter_matters"}


@pytest.mark.parametrize("computation", CATALOGUE, ids=lambda c: c.name)
def test_what_has_no_answer_is_refused_as_invalid_arguments(computation):
    made = named(computation)
    session = built(made).environments[0].environment.session()
    names = list(made["inputSchema"]["properties"])
    for values in computation.refused:
        result = session.call(made["name"], dict(zip(names, values, strict=True)))
        assert not result.ok
        assert result.error.startswith("invalid_arguments")


def answer(name: str, *values):
    """Run the code of an operation on values, without a tool around it."""
    computation = BY_NAME[name]
    code = qualified(computation.code).format(**{part.role: part.role for part in computation.inputs})
    scope = {short(module): module for module in MODULES} | {"math": math}
    return eval(code, scope, dict(zip([part.role for part in computation.inputs], values, strict=True)))


def a_date(rng) -> str:
    return (datetime.date(1990, 1, 1) + datetime.timedelta(days=int(rng.integers(30000)))).isoformat()


def number(rng) -> float:
    return round(float(rng.uniform(-50, 50)), 3)


def positive(rng) -> float:
    return round(float(rng.uniform(0.1, 50)), 3)


def whole(rng) -> int:
    return int(rng.integers(1, 90))


def numbers(rng) -> list:
    return [number(rng) for _ in range(int(rng.integers(2, 9)))]


def text(rng) -> str:
    return "".join(rng.choice(list("abAB <>&'\"%+/ü€ \n{}0"), size=int(rng.integers(0, 14))))


def matrix(rng) -> list:
    return np.round(rng.uniform(-5, 5, size=(3, 3)), 2).tolist()


def deviation(ddof):
    return lambda x: float(np.std(np.array(x), ddof=ddof))


def roots_of(a, b, c):
    found = sorted(np.roots([a, b, c]), key=lambda r: (-r.real, -r.imag))
    if any(abs(r.imag) > 1e-9 for r in found):
        return [{"real": float(r.real), "imaginary": float(r.imag)} for r in found]
    return [float(r.real) for r in found]


def payment(principal, rate, years):
    month = sympy.Rational(str(rate)) / 1200 or sympy.Rational(1, 10**30)
    periods = 12 * years
    return float(sympy.N(sympy.Rational(str(principal)) * month / (1 - (1 + month) ** -periods), 30))


def great_circle(lat1, lon1, lat2, lon2):
    def vector(lat, lon):
        lat, lon = np.radians(lat), np.radians(lon)
        return np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])

    u, v = vector(lat1, lon1), vector(lat2, lon2)
    return 6371 * float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))


#: operation -> (an independent library's answer, how to draw each argument)
ORACLES = {
    "add": (lambda a, b: float(np.add(a, b)), number, number),
    "subtract": (lambda a, b: float(np.subtract(a, b)), number, number),
    "multiply": (lambda a, b: float(np.multiply(a, b)), number, number),
    "divide": (lambda a, b: float(np.divide(a, b)), number, positive),
    "power": (lambda a, b: float(np.power(float(a), b)), positive, lambda rng: float(rng.uniform(-3, 3))),
    "square_root": (lambda x: float(np.sqrt(x)), positive),
    "cube_root": (lambda x: float(np.cbrt(x)), number),
    "nth_root": (lambda x, n: float(sympy.N(sympy.real_root(sympy.Rational(str(x)), n), 30)), positive, whole),
    "square": (lambda x: float(np.square(x)), number),
    "cube": (lambda x: float(np.power(x, 3)), number),
    "exponential": (lambda x: float(np.exp(x)), number),
    "natural_logarithm": (lambda x: float(np.log(x)), positive),
    "log10": (lambda x: float(np.log10(x)), positive),
    "log2": (lambda x: float(np.log2(x)), positive),
    "logarithm": (lambda x, b: float(sympy.log(sympy.Float(x, 40), b)), positive, lambda rng: whole(rng) + 1),
    "factorial": (lambda x: int(sympy.factorial(x)), whole),
    "gcd": (lambda a, b: int(np.gcd(a, b)), whole, whole),
    "lcm": (lambda a, b: int(np.lcm(a, b)), whole, whole),
    "is_prime": (lambda x: bool(sympy.isprime(x)), whole),
    "is_even": (lambda x: not np.mod(x, 2), whole),
    "is_odd": (lambda x: bool(np.mod(x, 2)), whole),
    "prime_factors": (lambda x: list(sympy.factorint(x, multiple=True)), lambda rng: whole(rng) + 1),
    "divisors": (lambda x: list(sympy.divisors(x)), whole),
    "fibonacci": (lambda x: int(sympy.fibonacci(x)), whole),
    "combinations": (lambda n, k: int(sympy.binomial(n, k)), whole, whole),
    "permutations": (lambda n, k: int(sympy.ff(n, k)), whole, lambda rng: 1),
    "absolute": (lambda x: float(np.abs(x)), number),
    "floor": (lambda x: int(np.floor(x)), number),
    "ceiling": (lambda x: int(np.ceil(x)), number),
    "truncate": (lambda x: int(np.trunc(x)), number),
    "negate": (lambda x: float(np.negative(x)), number),
    "reciprocal": (lambda x: float(np.reciprocal(float(x))), positive),
    "quadratic_roots": (roots_of, positive, number, number),
    "expression": (lambda x: float(sympy.Rational(str(sympy.sympify(x, rational=True)))),
                   lambda rng: f"({whole(rng)} - {positive(rng)}) * -{whole(rng)} + {whole(rng)} / 4"),
    "sum_of_list": (lambda x: float(math.fsum(x)), numbers),
    "product_of_list": (lambda x: float(np.prod(x)), numbers),
    "mean": (statistics.fmean, numbers),
    "median": (lambda x: float(np.median(x)), numbers),
    "smallest": (lambda x: float(np.min(x)), numbers),
    "largest": (lambda x: float(np.max(x)), numbers),
    "range_of_list": (lambda x: float(np.ptp(x)), numbers),
    "population_variance": (lambda x: float(np.var(x)), numbers),
    "sample_variance": (statistics.variance, numbers),
    "population_deviation": (deviation(0), numbers),
    "sample_deviation": (deviation(1), numbers),
    "sort": (lambda x: np.sort(x).tolist(), numbers),
    "dot_product": (lambda a, b: float(np.dot(a, b)), lambda rng: numbers(rng)[:2], lambda rng: numbers(rng)[:2]),
    "cross_product": (lambda a, b: np.cross(a, b).tolist(), lambda rng: matrix(rng)[0], lambda rng: matrix(rng)[0]),
    "matrix_product": (lambda a, b: (np.array(a) @ np.array(b)).tolist(), matrix, matrix),
    "matrix_sum": (lambda a, b: (np.array(a) + np.array(b)).tolist(), matrix, matrix),
    "transpose": (lambda x: np.array(x).T.tolist(), matrix),
    "determinant": (lambda x: float(np.linalg.det(x)), matrix),
    "hash": (lambda x, n, e: hashlib.new(n, x.encode()).hexdigest(), text, lambda rng: "sha384", lambda rng: "hex"),
    "same_hash": (lambda a, b: not set(a) ^ set(b), lambda rng: "ab"[: whole(rng) % 3], lambda rng: "a"),
    "base64_encode": (lambda x, _: base64.standard_b64encode(x.encode()).decode(), text, lambda rng: False),
    "base64_decode": (lambda x, _: base64.urlsafe_b64decode(x).decode(),
                      lambda rng: base64.urlsafe_b64encode(text(rng).encode()).decode(), lambda rng: True),
    "hex_encode": (lambda x: base64.b16encode(x.encode()).decode().lower(), text),
    "hex_decode": (lambda x: base64.b16decode(x.upper()).decode(), lambda rng: text(rng).encode().hex()),
    "url_encode": (lambda x: urllib.parse.urlencode({"": x}, quote_via=urllib.parse.quote, safe="")[1:], text),
    "url_decode": (lambda x: urllib.parse.parse_qs("q=" + x, keep_blank_values=True)["q"][0],
                   lambda rng: urllib.parse.quote(text(rng), safe="")),
    "html_encode": (lambda x: x.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                    .replace('"', "&quot;").replace("'", "&#x27;"), text),
    "html_decode": (html.unescape, lambda rng: html.escape(text(rng))),
    "json_minify": (lambda x: json.dumps(json.loads(x), separators=(",", ":")),
                    lambda rng: json.dumps({"a": matrix(rng), "b": None}, indent=3)),
    "reverse": (lambda x: "".join(reversed(x)), text),
    "uppercase": (str.upper, text),
    "lowercase": (str.lower, text),
    "trim": (str.strip, text),
    "echo": (lambda x: x, text),
    "concatenate": (lambda a, b: "".join([a, b]), text, text),
    "count_characters": (lambda x: sum(1 for _ in x), text),
    "from_binary": (lambda x: int(np.array([int(d) for d in x.removeprefix("0b")]) @ 2 ** np.arange(len(x.removeprefix("0b")))[::-1]),
                    lambda rng: np.binary_repr(whole(rng))),
    "from_hexadecimal": (lambda x: int.from_bytes(bytes.fromhex(x.removeprefix("0x")), "big"), lambda rng: f"{whole(rng):06X}"),
    "percentage_of_total": (lambda a, b: a / b * 100, positive, positive),
    "percentage_change": (lambda a, b: (b / a - 1) * 100, positive, positive),
    "percent_of": (lambda a, b: a * (b / 100), positive, positive),
    "monthly_payment": (payment, positive, positive, whole),
    "haversine": (great_circle, number, number, number, number),
    "circle_area": (lambda r: scipy.constants.pi * r**2, positive),
    "circumference": (lambda r: scipy.constants.pi * 2 * r, positive),
    "hypotenuse": (lambda a, b: float(np.linalg.norm([a, b])), positive, positive),
    "days_between": (lambda a, b: int((np.datetime64(b) - np.datetime64(a)).astype(int)), a_date, a_date),
    "add_days": (lambda a, n: str(np.datetime64(a) + n), a_date, whole),
    "weekday": (lambda x: datetime.date.fromisoformat(x).strftime("%A"), a_date),
    "iso_week": (lambda x: int(datetime.date.fromisoformat(x).strftime("%V")), a_date),
    "day_of_year": (lambda x: int(datetime.date.fromisoformat(x).strftime("%j")), a_date),
    "days_in_month": (lambda y, m: calendar.monthrange(y, m)[1], lambda rng: 2000 + whole(rng),
                      lambda rng: whole(rng) % 12 + 1),
    "is_leap_year": (lambda y: datetime.date(y, 3, 1) - datetime.date(y, 2, 1) == datetime.timedelta(29),
                     lambda rng: 1990 + whole(rng)),
} | {name: (lambda x, f=getattr(np, f): float(f(x)), lambda rng: float(rng.uniform(-1, 1))) for name, f in (
    ("sine_of_radians", "sin"), ("cosine_of_radians", "cos"), ("tangent_of_radians", "tan"), ("arc_sine", "arcsin"),
    ("arc_cosine", "arccos"), ("arc_tangent", "arctan"), ("hyperbolic_sine", "sinh"), ("hyperbolic_cosine", "cosh"),
    ("hyperbolic_tangent", "tanh"))}  # fmt: skip

#: known answers that an oracle cannot take: other units of an argument, or no independent library
OWN_WORDS = {"expression"}


@pytest.mark.parametrize("name", ORACLES)
def test_an_independent_library_gives_the_same_answers(name):
    oracle, *draws = ORACLES[name]
    rng = generator(3, "oracle", name)
    for _ in range(25):
        values = [draw(rng) for draw in draws]
        got, wanted = answer(name, *values), oracle(*values)
        assert close(got, wanted), (values, got, wanted)


@pytest.mark.parametrize("name", sorted(ORACLES.keys() - OWN_WORDS))
def test_the_known_answers_of_the_catalogue_are_those_of_an_independent_library(name):
    oracle = ORACLES[name][0]
    for values, known in BY_NAME[name].known:
        if name == "hash" and values[2] != "hex":
            continue
        if name in ("base64_encode", "base64_decode") and values[1] is (name == "base64_encode"):
            continue
        wanted = oracle(*values)
        assert close(known, wanted), (values, known, wanted)


def close(got, wanted) -> bool:
    if isinstance(got, list):
        return len(got) == len(wanted) and all(map(close, got, wanted))
    if isinstance(got, dict):
        return all(close(got[key], wanted[key]) for key in got)
    if isinstance(got, (int, float)) and not isinstance(got, bool):
        return math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-9)
    return got == wanted


SCIPY = {
    "length": {"mi": "mile", "in": "inch", "ft": "foot", "yd": "yard", "nmi": "nautical_mile", "um": "micron"},
    "weight": {"lb": "pound", "oz": "oz", "g": "gram", "t": "metric_ton", "st": "stone"},
    "area": {"ha": "hectare", "acre": "acre"},
    "volume": {"us_gallon": "gallon"},
    "speed": {"mph": "mph", "km/h": "kmh", "knot": "knot"},
    "time": {"min": "minute", "h": "hour", "d": "day", "w": "week"},
    "pressure": {"atm": "atm", "bar": "bar", "psi": "psi", "torr": "torr"},
}  # fmt: skip
BASES = {"length": "m", "weight": "kg", "area": "m2", "volume": "m3", "speed": "m/s", "time": "s", "pressure": "pa"}


@pytest.mark.parametrize(("dimension", "unit"), [(d, u) for d, units in SCIPY.items() for u in units])
def test_units_have_the_size_that_scipy_gives_them(dimension, unit):
    size = getattr(scipy.constants, SCIPY[dimension][unit])
    assert convert(1, unit, BASES[dimension], dimension) == pytest.approx(size, rel=1e-9)


def test_temperatures_agree_with_scipy():
    names = {"c": "Celsius", "f": "Fahrenheit", "k": "Kelvin", "rankine": "Rankine"}
    for a, long_a in names.items():
        for b, long_b in names.items():
            wanted = scipy.constants.convert_temperature(81.5, long_a, long_b)
            assert convert(81.5, a, b, "temperature") == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("dimension", KNOWN)
def test_known_conversions_hold_and_reach_every_unit(dimension):
    for value, source, target, known in KNOWN[dimension]:
        assert same(convert(value, source, target, dimension), float(known)), (value, source, target)
    sizes = {UNITS[dimension][unit] for row in KNOWN[dimension] for unit in row[1:3]}
    assert sizes == set(UNITS[dimension].values())


def test_no_unit_of_uncertain_size_is_in_the_tables():
    assert not [unit for unit in UNCERTAIN if dimension_of(unit)]


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


@pytest.mark.parametrize("source", ["9**9**9", "2**-0.5**9999", "(" * 900 + "1" + ")" * 900, "1" * 1999, "4 (2)", ""])
def test_no_expression_runs_for_long_or_breaks_the_evaluator(source):
    try:
        value = evaluate(source)
    except ToolError as error:
        assert error.code == "invalid_arguments"
    else:
        assert value == value


def test_powers_and_roots_at_the_edges():
    assert power(-1, 10**30) == 1
    assert power(-1, 10**30 + 1) == -1
    assert power(0, 0) == 1
    assert root(2**52, 52) == 2
    for arguments in ((10, 10**9), (0, -1), (-2, 0.5), (10.0, 400)):
        with pytest.raises(ToolError, match="invalid_arguments"):
            power(*arguments)


def test_generated_code_reaches_the_helpers_and_nothing_behind_them():
    assert {module.__name__ for module in MODULES} <= OWN_MODULES
    for module in MODULES:
        assert helpers_of(module)
    for source in (
        "import tvlab.environments.computing as computing\ndef f(state): return computing.operator",
        "import tvlab.environments.computing_units as computing_units\ndef f(state): return computing_units._units",
        "import tvlab.environments.computing_texts as c\ndef f(state): return c.json",
        "import tvlab.environments.units",
    ):
        with pytest.raises(Exception, match="may not use"):
            load_functions(source, "hostile")
