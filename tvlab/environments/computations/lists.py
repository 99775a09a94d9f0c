"""The catalogue's statistics and linear algebra: lists of numbers, vectors and matrices given as arrays."""

from __future__ import annotations

from tvlab.environments.computations.computation_forms import MATRIX, NUMBER, NUMBERS, Computation, one, part

_MOVING = r"moving|rolling|weighted|geometric|harmonic|trimmed|group|column|window|running"
_VECTORS = (
    part("a", "numbers", "a vector_a vector1 vec1 v1 x first_vector u vec_a"),
    part("b", "numbers", "b vector_b vector2 vec2 v2 y second_vector v vec_b"),
)
_MATRICES = (
    part("a", "matrix", "a matrix_a matrix1 m1 first_matrix mat1 mat_a"),
    part("b", "matrix", "b matrix_b matrix2 m2 second_matrix mat2 mat_b"),
)

COMPUTATIONS = (
    Computation(
        "sum_of_list", ("sum", "add", "total", "sum all", "add all", "sum array"), r"sum|\badd|total", one("numbers"),
        "total({x})", NUMBER, ((([1, 2, 3.5],), 6.5), (([-4],), -4), (([10, 20, 30],), 60)),
        unless=_MOVING + "|square|subset",
    ),
    Computation(
        "product_of_list", ("product", "multiply", "multiply all", "product array"), r"product|multipl", one("numbers"),
        "finite(math.prod({x}))", NUMBER, ((([2, 3, 4],), 24), (([-5, 0.5],), -2.5), (([7],), 7)),
        unless=r"cross|dot|cartes",
    ),
    Computation(
        "mean", ("mean", "average", "avg", "arithmetic mean"), r"mean|average", one("numbers"),
        "mean({x})", NUMBER, ((([1, 2, 3, 6],), 3), (([2.5],), 2.5), (([-1, 2],), 0.5)),
        refused=(([],),), unless=_MOVING,
    ),
    Computation(
        "median", ("median",), r"median", one("numbers"), "median({x})", NUMBER,
        ((([7, 1, 3],), 3), (([4, 1, 3, 2],), 2.5)), refused=(([],),), unless=_MOVING,
    ),
    Computation(
        "smallest", ("min", "minimum", "smallest"), r"min|smallest|lowest", one("numbers"), "smallest({x})", NUMBER,
        ((([3, -1, 2],), -1), (([5],), 5)), refused=(([],),), unless=_MOVING + "|max|index",
    ),
    Computation(
        "largest", ("max", "maximum", "largest"), r"max|largest|highest", one("numbers"), "largest({x})", NUMBER,
        ((([3, -1, 2],), 3), (([5],), 5)), refused=(([],),), unless=_MOVING + "|min(?!imum)|index",
    ),
    Computation(
        "range_of_list", ("range",), r"difference|max\w* minus|max\w* and min", one("numbers"),
        "finite(largest({x}) - smallest({x}))", NUMBER, ((([3, -1, 2],), 4), (([5],), 0)),
        refused=(([],),), needs="differ|minus", unless=_MOVING,
    ),
    Computation(
        "population_variance", ("variance", "var", "population variance"), r"variance", one("numbers"),
        "variance({x}, 0)", NUMBER, ((([2, 4, 4, 4, 5, 5, 7, 9],), 4), (([1, 3],), 1)), needs="population",
        unless=_MOVING + "|sample", refused=(([],),),
    ),
    Computation(
        "sample_variance", ("variance", "var", "sample variance"), r"variance", one("numbers"),
        "variance({x}, 1)", NUMBER, ((([2, 4, 4, 4, 5, 5, 7, 9],), 32 / 7), (([1, 3],), 2)), needs="sample",
        unless=_MOVING + "|population", refused=(([1],),),
    ),
    Computation(
        "population_deviation",
        ("standard deviation", "std", "stdev", "std dev", "stddev", "population standard deviation", "pstdev"),
        r"deviation", one("numbers"), "root(variance({x}, 0), 2)", NUMBER,
        ((([2, 4, 4, 4, 5, 5, 7, 9],), 2), (([1, 3],), 1)), needs="population", unless=_MOVING + "|sample",
        refused=(([],),),
    ),
    Computation(
        "sample_deviation",
        ("standard deviation", "std", "stdev", "std dev", "stddev", "sample standard deviation"),
        r"deviation", one("numbers"), "root(variance({x}, 1), 2)", NUMBER,
        ((([2, 4, 4, 4, 5, 5, 7, 9],), 2.138089935299395), (([1, 3],), 1.4142135623730951)), needs="sample",
        unless=_MOVING + "|population", refused=(([1],),),
    ),
    Computation(
        "sort", ("sort", "sort ascending", "sorted"), r"sort|order", one("numbers"), "ascending({x})", NUMBERS,
        ((([3, -1, 2],), [-1, 2, 3]), (([5, 5],), [5, 5])), unless=r"descend|algorithm|bubble|quick ?sort|steps|both",
    ),
    Computation(
        "dot_product", ("dot product", "dot", "vector dot product", "vector dot"), r"dot product|scalar product|inner",
        _VECTORS, "dot({a}, {b})", NUMBER, ((([1, 2, 3], [4, 5, 6]), 32), (([1, 0], [0, 1]), 0)),
        refused=(([1, 2], [1]),),
    ),
    Computation(
        "cross_product", ("cross product", "cross", "vector cross product"), r"cross product|vector product", _VECTORS,
        "cross({a}, {b})", NUMBERS, ((([1, 0, 0], [0, 1, 0]), [0, 0, 1]), (([1, 2, 3], [4, 5, 6]), [-3, 6, -3])),
        refused=(([1, 2], [1, 2]),),
    ),
    Computation(
        "matrix_product", ("matrix multiply", "multiply matrices", "matrix multiplication", "matmul", "matrix product"),
        r"multipl|product", _MATRICES, "matrix_product({a}, {b})", MATRIX,
        ((([[1, 2], [3, 4]], [[5, 6], [7, 8]]), [[19, 22], [43, 50]]), (([[1, 2]], [[3], [4]]), [[11]])),
        refused=(([[1, 2]], [[1, 2]]),), unless="element-?wise|hadamard|scalar",
    ),
    Computation(
        "matrix_sum", ("matrix add", "add matrices", "matrix addition", "matrix sum"), r"\badd|sum", _MATRICES,
        "matrix_sum({a}, {b})", MATRIX,
        ((([[1, 2], [3, 4]], [[5, 6], [7, 8]]), [[6, 8], [10, 12]]), (([[1]], [[-1]]), [[0]])),
        refused=(([[1, 2]], [[1], [2]]),),
    ),
    Computation(
        "transpose", ("transpose", "matrix transpose", "transpose matrix"), r"transpose", one("matrix"),
        "transposed({x})", MATRIX, ((([[1, 2, 3], [4, 5, 6]],), [[1, 4], [2, 5], [3, 6]]), (([[7]],), [[7]])),
        refused=(([[1, 2], [3]],),),
    ),
    Computation(
        "determinant", ("determinant", "matrix determinant", "det"), r"determinant", one("matrix"), "determinant({x})",
        NUMBER, ((([[1, 2], [3, 4]],), -2), (([[2, 0, 1], [1, 3, 2], [0, 1, 4]],), 21)), refused=(([[1, 2]],),),
    ),
)  # fmt: skip
