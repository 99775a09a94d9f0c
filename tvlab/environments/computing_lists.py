"""Lists of numbers: what the code of a pure computation may use for statistics, vectors and matrices."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from tvlab.environments.computing import divided, exact, finite, plain, some
from tvlab.environments.runtime import fail

_LARGEST = 40


def total(numbers: list[Any]) -> Any:
    """Return the sum."""
    return finite(sum(numbers))


def mean(numbers: list[Any]) -> Any:
    """Return the arithmetic mean."""
    return divided(sum(some(numbers)), len(numbers))


def smallest(numbers: list[Any]) -> Any:
    """Return the smallest number."""
    return min(some(numbers))


def largest(numbers: list[Any]) -> Any:
    """Return the largest number."""
    return max(some(numbers))


def ascending(numbers: list[Any]) -> list[Any]:
    """Return the numbers in ascending order."""
    return sorted(numbers)


def median(numbers: list[Any]) -> Any:
    """Return the middle of the sorted numbers, the mean of both if there are two.

    >>> median([7, 1, 3]), median([4, 1, 3, 2])
    (3, 2.5)
    """
    ordered = sorted(some(numbers))
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else finite((ordered[middle - 1] + ordered[middle]) / 2)


def variance(numbers: list[Any], lost: int) -> float:
    """Return the sum of squared deviations from the mean, divided by n less the degrees of freedom lost."""
    values = [exact(value) for value in some(numbers, 1 + lost)]
    mean = sum(values) / len(values)
    return float(sum((value - mean) ** 2 for value in values) / (len(values) - lost))


def dot(a: list[Any], b: list[Any]) -> Any:
    """Return the scalar product of two vectors of one length."""
    if len(a) != len(b):
        fail("invalid_arguments", f"vectors of {len(a)} and {len(b)} numbers have no scalar product")
    return finite(sum(math.prod(pair) for pair in zip(a, b, strict=True)))


def cross(a: list[Any], b: list[Any]) -> list[Any]:
    """Return the vector product of two vectors of three numbers."""
    if len(a) != 3 or len(b) != 3:
        fail("invalid_arguments", "a vector product needs vectors of three numbers")
    return [
        finite(a[1] * b[2] - a[2] * b[1]),
        finite(a[2] * b[0] - a[0] * b[2]),
        finite(a[0] * b[1] - a[1] * b[0]),
    ]


def _shape(matrix: list[list[Any]]) -> tuple[int, int]:
    width = len(matrix[0]) if matrix else 0
    if not width or any(len(row) != width for row in matrix) or max(len(matrix), width) > _LARGEST:
        fail("invalid_arguments", "a matrix needs rows of one length, at most 40 of at most 40 numbers")
    return len(matrix), width


def matrix_product(a: list[list[Any]], b: list[list[Any]]) -> list[list[Any]]:
    """Return the product of two matrices, or refuse those whose shapes do not fit."""
    if _shape(a)[1] != _shape(b)[0]:
        fail("invalid_arguments", "the rows of the first matrix are not as long as the second's columns")
    columns = [list(column) for column in zip(*b, strict=True)]
    return [[dot(row, column) for column in columns] for row in a]


def matrix_sum(a: list[list[Any]], b: list[list[Any]]) -> list[list[Any]]:
    """Return the sum of two matrices of one shape."""
    if _shape(a) != _shape(b):
        fail("invalid_arguments", "the matrices have two shapes")
    return [[finite(x + y) for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def transposed(matrix: list[list[Any]]) -> list[list[Any]]:
    """Return the matrix with rows and columns exchanged."""
    _shape(matrix)
    return [list(column) for column in zip(*matrix, strict=True)]


def determinant(matrix: list[list[Any]]) -> Any:
    """Return the determinant of a square matrix, by exact elimination.

    >>> determinant([[1, 2], [3, 4]])
    -2
    """
    height, width = _shape(matrix)
    if height != width:
        fail("invalid_arguments", "only a square matrix has a determinant")
    rows, result = [[exact(x) for x in row] for row in matrix], Fraction(1)
    for at in range(height):
        pivot = next((r for r in range(at, height) if rows[r][at]), None)
        if pivot is None:
            return 0
        if pivot != at:
            rows[at], rows[pivot], result = rows[pivot], rows[at], -result
        result *= rows[at][at]
        for below in range(at + 1, height):
            share = rows[below][at] / rows[at][at]
            rows[below] = [x - share * y for x, y in zip(rows[below], rows[at], strict=True)]
    return plain(result)
