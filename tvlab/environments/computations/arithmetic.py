"""The catalogue's arithmetic: four operations, powers and roots, logarithms, angles, whole numbers."""

from __future__ import annotations

from tvlab.environments.computations.computation_forms import (
    FLAG,
    INTEGER,
    INTEGERS,
    NUMBER,
    Computation,
    choice,
    one,
    part,
    two,
)

_MORE = r"\bplus \d|\bthen\b|\btwice\b|\bdoubl|\bthree\b|\bstrings?\b|concat"
_RADIANS, _DEGREES = r"\bradians?\b", r"\bdegrees?\b"
_ROOTS: dict[str, object] = {"type": "array", "items": {"type": ["number", "object"]}}

_OPERATIONS = (
    Computation(
        "add", ("add", "addition", "sum", "plus", "adder", "add up", "sum up", "add together"),
        r"\badd|\bsum|\bplus\b|\btotal", two("number", "addend1 augend term1", "addend2 addend term2"),
        "finite({a} + {b})", NUMBER, (((2, 3), 5), ((-7, 4), -3), ((1250, 0), 1250)), unless=_MORE,
    ),
    Computation(
        "subtract",
        ("subtract", "sub", "subtraction", "minus", "difference", "subtractor"),
        r"subtract|\bminus\b|differen",
        two("number", "minuend", "subtrahend"),
        "finite({a} - {b})", NUMBER, (((9, 4), 5), ((4, 9), -5), ((-3, -8), 5)),
        unless=_MORE + r"|subtracts? (?:the )?(?:first\b|a\b(?! number)|x\b|num1) |absolute",
    ),
    Computation(
        "multiply",
        ("multiply", "mul", "multiplication", "times", "product", "mult", "multiplier"),
        r"multipl|\btimes\b|product",
        two("number", "multiplicand factor1", "multiplier factor2"),
        "finite({a} * {b})", NUMBER, (((6, 7), 42), ((-3, 5), -15), ((12, 0), 0)),
        unless=_MORE + "|matri|vector",
    ),
    Computation(
        "divide",
        ("divide", "div", "division", "quotient", "divider"),
        r"divid|division|quotient",
        two("number", "dividend numerator", "divisor denominator"),
        "divided({a}, {b})", NUMBER, (((9, 4), 2.25), ((-8, 2), -4), ((1, 8), 0.125)),
        unless=_MORE + r"|integer (?:division|quotient|result)|floor|remainder|whole|round|trunc",
        refused=((5, 0),),
    ),
    Computation(
        "power",
        ("power", "pow", "exponent", "exponentiate", "exponentiation", "raise to power", "power to"),
        r"power|exponent|raise",
        two("number", "base", "exponent exp power"),
        "power({a}, {b})", NUMBER, (((2, 10), 1024), ((9, 0.5), 3), ((5, -1), 0.2), ((-3, 3), -27)),
        unless=r"modul|matri|watt|statistic|\bmod\b", refused=((-4, 0.5), (0, -1)),
    ),
)  # fmt: skip

_ROOTS_AND_LOGS = (
    Computation(
        "square_root", ("sqrt", "square root", "squareroot", "root square"), r"square root|sqrt", one("number"),
        "root({x}, 2)", NUMBER, (((9,), 3), ((2,), 1.4142135623730951), ((0.25,), 0.5), ((144,), 12)),
        refused=((-4,),), unless="complex|matri",
    ),
    Computation(
        "cube_root", ("cbrt", "cube root", "cuberoot"), r"cube root|cbrt", one("number"),
        "root({x}, 3)", NUMBER, (((27,), 3), ((-8,), -2), ((2,), 1.2599210498948732)),
    ),
    Computation(
        "nth_root", ("nth root", "root", "n th root"), r"n-?th root|root",
        (part("x", "number", "x number value num radicand a"), part("n", "number", "n degree root index")),
        "root({x}, {n})", NUMBER, (((16, 4), 2), ((27, 3), 3), ((32, 5), 2)), refused=((-16, 4),),
    ),
    Computation(
        "square", ("square", "squared"), r"square(?! root)", one("number"), "finite({x} * {x})", NUMBER,
        (((5,), 25), ((-1.5,), 2.25), ((-3,), 9)), unless="area|perimeter|root|side|payment|order",
    ),
    Computation(
        "cube", ("cube", "cubed"), r"cube(?! root)", one("number"), "finite({x} * {x} * {x})", NUMBER,
        (((3,), 27), ((-2,), -8)), unless="volume|surface|root|side|edge",
    ),
    Computation(
        "exponential", ("exp", "exponential"), r"exponential|e\^|e\*\*|euler|\be\b", one("number"),
        "calculated(math.exp, {x})", NUMBER, (((0,), 1), ((1,), 2.718281828459045), ((-2,), 0.1353352832366127)),
        unless="growth|decay|moving|experience|backoff",
    ),
    Computation(
        "natural_logarithm", ("ln", "natural log", "natural logarithm"), r"natural log|\bln\b", one("number"),
        "calculated(math.log, {x})", NUMBER, (((1,), 0), ((10,), 2.302585092994046)), refused=((0,), (-1,)),
    ),
    Computation(
        "log10", ("log10", "common logarithm", "logarithm base10"), r"log", one("number"),
        "calculated(math.log10, {x})", NUMBER, (((1000,), 3), ((0.01,), -2), ((10,), 1)), refused=((0,), (-1,)),
    ),
    Computation(
        "log2", ("log2", "binary logarithm"), r"log", one("number"), "calculated(math.log2, {x})", NUMBER,
        (((8,), 3), ((0.5,), -1), ((1,), 0)), refused=((0,), (-1,)),
    ),
    Computation(
        "logarithm", ("log", "logarithm"), r"logarithm", (
            part("x", "number", "x number value num n argument a"),
            part("base", "number", "base b", "math.e"),
        ),
        "logarithm({x}, {base})", NUMBER,
        (((8, 2), 3), ((1000, 10), 3), ((81, 3), 4)),
        needs=r"natural|\bln\b|base", refused=((-1, 2), (5, 1)), unless="entry|message",
    ),
)  # fmt: skip


def _angles() -> tuple[Computation, ...]:
    table = (
        ("sine", "sin", ((0.5235987755982988, 0.5), (0, 0)), ((30, 0.5), (0, 0))),
        ("cosine", "cos", ((1.0471975511965976, 0.5), (0, 1)), ((60, 0.5), (0, 1))),
        ("tangent", "tan", ((0.7853981633974483, 1), (0, 0)), ((45, 1), (0, 0))),
    )
    made = []
    for name, short, radians, degrees in table:
        names = (short, name, f"{name} angle", f"{short} angle")
        says = rf"\b{short}\b|{name}|trigonometric"
        inputs = one("number", "angle radians rad theta angle_in_radians angle_radians degrees deg angle_degrees")
        made.append(
            Computation(
                f"{name}_of_radians", names, says, inputs, f"calculated(math.{short}, {{x}})", NUMBER,
                tuple(((x,), y) for x, y in radians), needs=_RADIANS, unless=_DEGREES + "|inverse|hyperbolic|arc",
            )
        )  # fmt: skip
        made.append(
            Computation(
                f"{name}_of_degrees", names, says, inputs, f"calculated(math.{short}, math.radians({{x}}))",
                NUMBER, tuple(((x,), y) for x, y in degrees), needs=_DEGREES,
                unless=_RADIANS + "|inverse|hyperbolic|arc",
            )
        )  # fmt: skip
    inverse = (
        ("sine", "asin", ((1, 1.5707963267948966), (0.5, 0.5235987755982989)), ((2,),)),
        ("cosine", "acos", ((1, 0), (0.5, 1.0471975511965979)), ((2,),)),
        ("tangent", "atan", ((1, 0.7853981633974483), (0, 0)), ()),
    )
    for name, short, known, refused in inverse:
        made.append(
            Computation(
                f"arc_{name}", (short, f"arc{short[1:]}", f"arc{name}", f"arc {name}", f"inverse {name}"),
                rf"\b{short}\b|arc|inverse", one("number"), f"calculated(math.{short}, {{x}})", NUMBER,
                tuple(((x,), y) for x, y in known), needs=_RADIANS, unless=_DEGREES, refused=refused,
            )
        )  # fmt: skip
    for name, short, known in (
        ("sine", "sinh", ((0, 0), (1, 1.1752011936438014))),
        ("cosine", "cosh", ((0, 1), (1, 1.5430806348152437))),
        ("tangent", "tanh", ((0, 0), (1, 0.7615941559557649))),
    ):
        made.append(
            Computation(
                f"hyperbolic_{name}", (short, f"hyperbolic {name}"), rf"\b{short}\b|hyperbolic", one("number"),
                f"calculated(math.{short}, {{x}})", NUMBER, tuple(((x,), y) for x, y in known),
            )
        )  # fmt: skip
    return tuple(made)


_WHOLE_NUMBERS = (
    Computation(
        "factorial", ("factorial",), r"factorial|n!", one("whole"),
        "math.factorial(whole({x}, 0, 500))", INTEGER, (((0,), 1), ((5,), 120), ((20,), 2432902008176640000)),
        refused=((-1,),),
    ),
    Computation(
        "gcd", ("gcd", "greatest common divisor", "hcf", "highest common factor"), r"gcd|common (?:divisor|factor)",
        two("whole"), "math.gcd(whole({a}), whole({b}))", INTEGER, (((12, 18), 6), ((17, 5), 1), ((0, 4), 4)),
    ),
    Computation(
        "lcm", ("lcm", "least common multiple", "lowest common multiple"), r"lcm|common multiple",
        two("whole"), "math.lcm(whole({a}), whole({b}))", INTEGER, (((4, 6), 12), ((7, 5), 35), ((3, 3), 3)),
    ),
    Computation(
        "is_prime", ("is prime", "prime check", "check prime", "check if prime", "check is prime"), r"prime",
        one("whole"), "is_prime(whole({x}, None, 10**12))", FLAG,
        (((97,), True), ((91,), False), ((1,), False), ((2,), True)), unless="factor|next|nth",
    ),
    Computation(
        "is_even", ("is even", "check even", "even check"), r"\beven\b", one("whole"), "whole({x}) % 2 == 0", FLAG,
        (((4,), True), ((-3,), False)), unless=r"\bodd\b",
    ),
    Computation(
        "is_odd", ("is odd", "check odd", "odd check"), r"\bodd\b", one("whole"), "whole({x}) % 2 == 1", FLAG,
        (((4,), False), ((-3,), True)), unless=r"\beven\b",
    ),
    Computation(
        "prime_factors", ("prime factors", "prime factorization", "prime factorisation"), r"prime factor",
        one("whole"), "prime_factors(whole({x}, 2))", INTEGERS, (((360,), [2, 2, 2, 3, 3, 5]), ((97,), [97])),
        unless="unique|distinct|exponent|power",
    ),
    Computation(
        "divisors", ("divisors", "factors", "all divisors", "all factors"), r"divisors|factors", one("whole"),
        "divisors(whole({x}, 1))", INTEGERS, (((12,), [1, 2, 3, 4, 6, 12]), ((7,), [1, 7])),
        unless="prime|proper|negative",
    ),
    Computation(
        "fibonacci", ("fibonacci", "nth fibonacci", "fib", "n th fibonacci"), r"n-?th|\bn\b.{0,20}fibonacci number",
        one("whole", "position index term"), "fibonacci(whole({x}, 1, 2000))", INTEGER,
        (((1,), 1), ((10,), 55), ((30,), 832040)), needs=r"n-?th|position",
        unless="first n|sequence up|series|list|up to|zero-?based|0-?indexed",
    ),
    Computation(
        "combinations", ("combinations", "combination", "binomial coefficient", "n choose k", "ncr", "choose", "comb"),
        r"combination|binomial|choose", (part("n", "whole", "n total"), part("k", "whole", "k r choose")),
        "math.comb(whole({n}, 0, 500), whole({k}, 0, 500))", INTEGER,
        (((5, 2), 10), ((10, 0), 1), ((49, 6), 13983816)), unless="list of|all combinations|with rep",
    ),
    Computation(
        "permutations", ("permutations", "permutation", "npr", "perm"), r"permutation|ways to",
        (part("n", "whole", "n total"), part("k", "whole", "k r choose", "{n}")),
        "math.perm(whole({n}, 0, 500), whole({k}, 0, 500))", INTEGER,
        (((5, 2), 20), ((6, 6), 720), ((10, 3), 720)), needs=r"number of|how many|default|count|permutations of",
        unless="list of|all permutations|with rep(?!etition and)",
    ),
    Computation(
        "absolute", ("abs", "absolute", "absolute value"), r"absolute", one("number"), "absolute({x})", NUMBER,
        (((-7,), 7), ((2.5,), 2.5), ((3,), 3)),
    ),
    Computation(
        "floor", ("floor", "round down"), r"floor|down|largest integer", one("number"),
        "math.floor({x})", INTEGER, (((2.7,), 2), ((-2.1,), -3), ((5,), 5)), unless="plan|building|price",
    ),
    Computation(
        "ceiling", ("ceil", "ceiling", "round up"), r"ceil|up\b|smallest integer", one("number"),
        "math.ceil({x})", INTEGER, (((2.1,), 3), ((-2.7,), -2), ((5,), 5)),
    ),
    Computation(
        "truncate", ("trunc", "truncate"), r"truncat|integer part|toward", one("number"), "math.trunc({x})", INTEGER,
        (((2.7,), 2), ((-2.7,), -2)), unless="text|string|table|decimal",
    ),
    Computation(
        "negate", ("negate", "negation", "negative"), r"negat|opposite|sign", one("number"), "-{x}", NUMBER,
        (((4,), -4), ((-2.5,), 2.5), ((-7,), 7)), unless="sentiment|image",
    ),
    Computation(
        "reciprocal", ("reciprocal", "multiplicative inverse"), r"reciprocal|inverse|1/", one("number"),
        "divided(1, {x})", NUMBER, (((4,), 0.25), ((-2,), -0.5)), refused=((0,),),
    ),
    Computation(
        "quadratic_roots",
        ("quadratic roots", "solve quadratic", "quadratic", "quadratic equation", "solve quadratic equation",
         "quadratic solver"), r"quadratic|ax",
        (part("a", "number", "a"), part("b", "number", "b"), part("c", "number", "c")),
        "quadratic_roots({a}, {b}, {c})", _ROOTS,
        (((1, -3, 2), [2, 1]), ((1, 2, 1), [-1, -1]),
         ((1, 2, 5), [{"real": -1, "imaginary": 2}, {"real": -1, "imaginary": -2}])),
        refused=((0, 2, 1),), unless="vertex|only real|real roots only|steps",
    ),
)  # fmt: skip

_EXPRESSION = (
    Computation(
        "expression",
        ("", "expression", "evaluate", "eval", "evaluate expression", "eval expression", "evaluate equation",
         "expression evaluator", "evaluate expr", "solve expression", "evaluate formula"),
        r"expression|arithmetic|calculat|equation|mathematical",
        (part("x", "text", "expression expr formula equation math_expression mathematical_expression"),),
        "evaluate({x})", NUMBER,
        ((("2 + 2 * 10",), 22), (("(1 - 4) / -2",), 1.5), (("2 ** 3 - 0.5",), 7.5)),
        needs=r"math|arithmetic|calculat|\b2 ?[+*] ?[23]\b", refused=(("1 / 0",), ("2 +",), ("hello",)),
        unless=r"sympy|symbolic|derivative|integra|solve|simplif|python|javascript|(?<!unsafe )code\b|variable|matri"
               r"|unit|physics|wolfram|statement|jinja|template|cel\b|natural language|complex|trigonom|functions?\b|"
               r"date|sqrt|sin\b|\bpi\b|sequence|precision|bitwise|modul|%",
    ),
)  # fmt: skip

_SPELLED = (
    ("add", "addition", "sum", "plus", "+"), ("subtract", "subtraction", "minus", "sub", "-"),
    ("multiply", "multiplication", "times", "mul", "*"), ("divide", "division", "div", "/"),
    ("power", "pow", "exponent", "**"),
)  # fmt: skip
_BY_SIGN = (
    Computation(
        "arithmetic", ("", "operation", "arithmetic operation", "operate", "execute", "run"),
        r"arithmetic|calculat|math|operation|add",
        (choice("operation", "operation operator op action type operation_type", " ".join(map(" ".join, _SPELLED))),
         *two("number")),
        "arithmetic({operation}, {a}, {b})", NUMBER,
        tuple(
            ((sign, *values), answer)
            for signs, values, answer in zip(
                _SPELLED, ((7, 4), (7, 4), (7, 4), (7, 4), (7, 4)), (11, 3, 28, 1.75, 2401), strict=True
            )
            for sign in signs
        ) + tuple(((sign, 5, 2), 3) for sign in _SPELLED[1]) + tuple(((sign, 5, 2), 7) for sign in _SPELLED[0]),
        refused=(("divide", 1, 0), ("/", 1, 0)), unless=r"round|stack|matri|vector|string",
    ),
)  # fmt: skip

COMPUTATIONS = (*_BY_SIGN, *_OPERATIONS, *_ROOTS_AND_LOGS, *_angles(), *_WHOLE_NUMBERS, *_EXPRESSION)
