"""The form of a pure computation: how it is recognised, its code, and answers known beforehand.

A computation answers from its arguments alone.  It is recognised by its name, by what the description says,
and by parameters that all have a part in it; where any of the three leaves a doubt the tool is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Known = tuple[tuple[Any, ...], Any]

NUMBER: dict[str, Any] = {"type": "number"}
INTEGER: dict[str, Any] = {"type": "integer"}
TEXT: dict[str, Any] = {"type": "string"}
FLAG: dict[str, Any] = {"type": "boolean"}
NUMBERS: dict[str, Any] = {"type": "array", "items": {"type": "number"}}
INTEGERS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
MATRIX: dict[str, Any] = {"type": "array", "items": NUMBERS}

_ONE = {
    "number": "x n number num value val input a operand real argument",
    "whole": "n number num value x input integer a",
    "text": "text string input content data value str message s sentence word input_text input_string source",
    "numbers": "numbers values data nums list array items input arr number_list number_array dataset",
    "matrix": "matrix a m data input values",
    "date": "date day input_date date_string date_str target_date when",
}
#: names of the two parts of a computation whose parts stand in an order
PAIRS = tuple(
    tuple(pair.split("/"))
    for pair in (
        "a/b x/y first/second first_number/second_number number1/number2 num1/num2 n1/n2 one/two "
        "first_num/second_num left/right lhs/rhs value1/value2 val1/val2 operand1/operand2 op1/op2 i/j "
        "number_a/number_b num_a/num_b first_value/second_value first_operand/second_operand arg1/arg2 "
        "first_integer/second_integer int1/int2 a1/a2 x1/x2 n/m number_one/number_two v1/v2 left_operand/right_operand"
    ).split()
)


@dataclass(frozen=True)
class Input:
    """One part of a computation.

    Attributes:
        role: its name in the code's template.
        kind: ``number``, ``whole``, ``text``, ``numbers``, ``matrix``, ``flag``, ``date`` or ``choice``.
        names: names of parameters that can only mean it.
        otherwise: code that stands for it where it is not given; "" if it must be given.
        choices: for ``choice``: the values that the code honours, in lower case.
    """

    role: str
    kind: str
    names: frozenset[str]
    otherwise: str = ""
    choices: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Computation:
    """One operation of the catalogue.

    Attributes:
        name: its name in reports.
        names: names of tools, filler words left out.
        says: pattern that the description must have, where there is one in English.
        inputs: the parts.
        code: expression with ``{role}`` for each part.
        value: schema of the answer.
        known: arguments in the order of the parts, and the answer from an independent source.
        needs: pattern that name, description and parameters together must have: what makes it certain.
        unless: pattern that none of them may have.
        refused: arguments that must be refused.
        covers: the description may promise a structured answer.
    """

    name: str
    names: tuple[str, ...]
    says: str
    inputs: tuple[Input, ...]
    code: str
    value: Mapping[str, Any]
    known: tuple[Known, ...]
    needs: str = ""
    unless: str = ""
    refused: tuple[tuple[Any, ...], ...] = ()
    covers: bool = False


def one(kind: str, names: str = "", role: str = "x") -> tuple[Input, ...]:
    """Return the inputs of a computation with one part."""
    return (Input(role, kind, frozenset(f"{_ONE[kind]} {names}".split())),)


def part(role: str, kind: str, names: str, otherwise: str = "") -> Input:
    """Return one part of a computation, with the names that can only mean it."""
    return Input(role, kind, frozenset(names.split()), otherwise)


def choice(role: str, names: str, choices: str, otherwise: str = "") -> Input:
    """Return a part that takes one of a few values, all of which the code honours."""
    return Input(role, "choice", frozenset(names.split()), otherwise, frozenset(choices.split()))


def two(kind: str, first: str = "", second: str = "") -> tuple[Input, ...]:
    """Return the inputs of a computation with a first and a second part."""
    return (
        Input("a", kind, frozenset([p[0] for p in PAIRS] + first.split())),
        Input("b", kind, frozenset([p[1] for p in PAIRS] + second.split())),
    )
