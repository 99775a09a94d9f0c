"""Numbers: what the code of a pure computation may use beside Python's ``math``: exact, checked, the same everywhere.

Every function answers from its arguments alone and refuses what has no answer with ``invalid_arguments``: a
division by zero, a number too large to write down, text that is not what it should be.  Sizes are bounded, so
that no argument makes a call run for long.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tvlab.environments.runtime import fail

_MOST_BITS = 4096
_LONGEST = 2000


def finite(value: Any) -> Any:
    """Return a number if it can be written down, else refuse the call.

    >>> finite(2.5)
    2.5
    """
    if isinstance(value, complex):
        fail("invalid_arguments", "the result is no real number")
    if isinstance(value, int) and not isinstance(value, bool):
        if value.bit_length() > _MOST_BITS:
            fail("invalid_arguments", "the result is too large")
    elif not math.isfinite(value):
        fail("invalid_arguments", "the result is no finite number")
    return value


def calculated(function: Callable[..., Any], *numbers: Any) -> Any:
    """Return ``function(*numbers)``, or refuse numbers for which it is not defined.

    >>> calculated(math.sqrt, 9)
    3.0
    """
    try:
        return finite(function(*numbers))
    except (ValueError, OverflowError, ZeroDivisionError):
        fail("invalid_arguments", "the result is not defined")


def whole(value: Any, least: int | None = None, most: int | None = None) -> int:
    """Return a whole number within bounds, or refuse it.

    >>> whole(5.0, 0)
    5
    """
    if value != value or value in (math.inf, -math.inf) or value != int(value):
        fail("invalid_arguments", f"{value} is no whole number")
    number = int(value)
    if least is not None and number < least:
        fail("invalid_arguments", f"{number} is below {least}")
    if most is not None and number > most:
        fail("invalid_arguments", f"{number} is above {most}")
    return number


def above(value: Any, bound: float = 0) -> Any:
    """Return a number that is greater than the bound, or refuse it."""
    if not value > bound:
        fail("invalid_arguments", f"{value} is not above {bound}")
    return value


def not_below(value: Any, bound: float = 0) -> Any:
    """Return a number that is no smaller than the bound, or refuse it."""
    if value < bound:
        fail("invalid_arguments", f"{value} is below {bound}")
    return value


def some(numbers: list[Any], least: int = 1) -> list[Any]:
    """Return a list that is long enough, or refuse it."""
    if len(numbers) < least:
        fail("invalid_arguments", f"{len(numbers)} numbers are given, {least} are needed")
    return numbers


def divided(dividend: Any, divisor: Any) -> Any:
    """Return the quotient, or refuse to divide by zero."""
    if divisor == 0:
        fail("invalid_arguments", "division by zero")
    return calculated(operator.truediv, dividend, divisor)


def power(base: Any, exponent: Any) -> Any:
    """Return ``base ** exponent``, exactly for whole numbers, or refuse what is not real or too large.

    >>> power(2, 10), power(4, 0.5), power(2, -1)
    (1024, 2.0, 0.5)
    """
    exact = isinstance(base, int) and isinstance(exponent, int) and exponent >= 0
    if exact and base.bit_length() * exponent > _MOST_BITS and abs(base) > 1:
        fail("invalid_arguments", "the result is too large")
    if exact and exponent > _MOST_BITS:
        exponent = 2 + exponent % 2  # the base is -1, 0 or 1: only the parity matters
    return calculated(operator.pow, base if exact else float(base), exponent)


def root(value: Any, degree: Any) -> float:
    """Return the real root of a degree.

    >>> root(27, 3), root(-27, 3)
    (3.0, -3.0)
    """
    degree = whole(degree, 1, 1000)
    if value < 0 and degree % 2 == 0:
        fail("invalid_arguments", "an even root of a negative number is not real")
    if degree == 2:
        return float(calculated(math.sqrt, value))
    raw = math.cbrt(value) if degree == 3 else math.copysign(abs(value) ** (1 / degree), value)
    found = float(finite(raw))
    near = round(found)  # some platforms' cbrt(27) is not 3
    return float(near) if abs(near) < 2**53 and near**degree == value else found


def is_prime(number: int) -> bool:
    """Tell whether a whole number is prime.

    >>> [n for n in range(-3, 20) if is_prime(n)]
    [2, 3, 5, 7, 11, 13, 17, 19]
    """
    return number > 1 and prime_factors(number) == [number]


def prime_factors(number: int) -> list[int]:
    """Return the prime factors in ascending order, each as often as it divides.

    >>> prime_factors(360)
    [2, 2, 2, 3, 3, 5]
    """
    factors, divisor, rest = [], 2, whole(number, None, 10**12)
    while divisor * divisor <= rest:
        while rest % divisor == 0:
            factors.append(divisor)
            rest //= divisor
        divisor += 1 if divisor == 2 else 2
    return [*factors, rest] if rest > 1 else factors


def divisors(number: int) -> list[int]:
    """Return the positive divisors in ascending order.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    found = [1]
    for prime in prime_factors(number):
        found += [d * prime for d in found if d * prime not in found]
    return sorted(set(found))


def fibonacci(n: int) -> int:
    """Return the n-th Fibonacci number, where the first and the second are 1.

    >>> [fibonacci(n) for n in range(1, 8)]
    [1, 1, 2, 3, 5, 8, 13]
    """
    now, after = 0, 1
    for _ in range(n):
        now, after = after, now + after
    return now


def quadratic_roots(a: Any, b: Any, c: Any) -> list[Any]:
    """Return both roots of ax^2 + bx + c = 0; complex ones as their real and imaginary part.

    >>> quadratic_roots(1, -3, 2)
    [2.0, 1.0]
    """
    if a == 0:
        fail("invalid_arguments", "a is zero: the equation is not quadratic")
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        real, imaginary = -b / (2 * a), math.sqrt(-discriminant) / (2 * abs(a))
        return [{"real": real, "imaginary": imaginary}, {"real": real, "imaginary": -imaginary}]
    distance = math.sqrt(discriminant)
    return [finite((-b + distance) / (2 * a)), finite((-b - distance) / (2 * a))]


_OPERATORS: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", divided),
    ast.Pow: ("**", power),
}


def evaluate(expression: str) -> Any:
    """Return the value of an arithmetic expression: numbers, ``+ - * / **`` and parentheses.

    >>> evaluate("2 + 2 * 10"), evaluate("(1 - 4) / -2")
    (22, 1.5)
    """
    if len(expression) > _LONGEST or not re.fullmatch(r"[0-9eE.+\-*/() \t]+", expression):
        fail("invalid_arguments", "not an arithmetic expression of numbers, + - * / ** and parentheses")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        return _value(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        fail("invalid_arguments", "the expression is not well formed")


def _value(node: ast.AST) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return finite(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return calculated(_OPERATORS[type(node.op)][1], _value(node.left), _value(node.right))
    return fail("invalid_arguments", "the expression holds what is no arithmetic")


def exact(value: Any) -> Fraction:
    """Return a decimal number as it is written, without the rounding of binary fractions."""
    return Fraction(str(finite(value)))


def plain(value: Fraction) -> Any:
    """Return a whole fraction as an integer and any other as the nearest float."""
    return int(value) if value.denominator == 1 else finite(float(value))


def logarithm(value: Any, base: Any) -> float:
    """Return the logarithm of a value to a base, exactly where both are whole.

    >>> logarithm(1000, 10), logarithm(8, 2)
    (3.0, 3.0)
    """
    if base == 1 or base <= 0:
        fail("invalid_arguments", f"{base} is no base of a logarithm")
    found = float(calculated(math.log, value, base))
    near = round(found) if abs(found) < 1000 else 0
    return float(near) if near and isinstance(base, int) and power(base, near) == value else found


_WORDS = {
    "add": "add addition sum plus +", "subtract": "subtract subtraction minus difference sub -",
    "multiply": "multiply multiplication times product mul *", "divide": "divide division quotient div /",
    "power": "power pow exponent exponentiation **",
}  # fmt: skip
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": divided, "power": power,
}  # fmt: skip


def arithmetic(operation: str, a: Any, b: Any) -> Any:
    """Return the result of an operation that is given by its name or sign.

    >>> arithmetic("+", 2, 3), arithmetic("divide", 1, 4)
    (5, 0.25)
    """
    word = operation.strip().lower()
    name = next((name for name, spelled in _WORDS.items() if word in spelled.split()), None)
    if name is None:
        fail("invalid_arguments", f"unknown operation {operation!r}")
    return calculated(_BINARY[name], a, b)


def absolute(value: Any) -> Any:
    """Return the distance from zero."""
    return abs(value)
