"""An ``eval`` for text that a model wrote: method calls on named objects, and nothing else.

BFCL's checker turns each call of the model into Python text and evaluates it in a module that holds ``importlib``
and all builtins.  This stands in for ``eval`` there.  What a benchmark asks for (calls of its environments'
methods, literals, arithmetic, nested calls) gives the same result; a name that is neither an environment nor one
of a few harmless functions is not defined, as a misspelt function is.
"""

import ast
import builtins
import types

HARMLESS = ("abs", "bool", "dict", "float", "int", "len", "list", "max", "min", "round", "set", "sorted", "str", "sum")
_FORMS = (
    ast.Expression, ast.Call, ast.keyword, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set,
    ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator, ast.BoolOp, ast.boolop, ast.Compare, ast.cmpop,
    ast.Subscript, ast.Slice, ast.Name, ast.Attribute, ast.expr_context,
)  # fmt: skip
_BUILTINS = {name: getattr(builtins, name) for name in HARMLESS}
_LARGEST_EXPONENT = 64


def guard(module, belongs=lambda name: False):
    """Put a guarded ``eval`` into a module that calls ``eval`` on a model's text.

    Args:
        module: its functions find the new ``eval`` before the builtin one.
        belongs: True for the names of the module's globals that the text may use.
    """

    def evaluate(text):
        known = {name: value for name, value in vars(module).items() if belongs(name)}
        return evaluate_guarded(text, known)

    module.eval = evaluate


def evaluate_guarded(text, known):
    """Return the value of an expression.

    Args:
        text: the expression.
        known: {name: object}; public attributes of these objects may be used.

    Raises:
        NameError: it uses a name that is not known.
        SyntaxError: it is not an expression, or has a form that calls do not need.

    >>> evaluate_guarded("round(2 * x.imag)", {"x": 3j})
    6
    """
    tree = ast.parse(text.strip(" \t"), mode="eval")
    for node in ast.walk(tree):
        _check(node, known)
    return eval(compile(tree, "<model>", "eval"), {"__builtins__": _BUILTINS, **known})


def _check(node, known):
    if not isinstance(node, _FORMS):
        raise SyntaxError(f"{type(node).__name__} is not allowed in a call")
    if isinstance(node, ast.Name) and node.id not in known and node.id not in _BUILTINS:
        raise NameError(f"name '{node.id}' is not defined")
    if isinstance(node, ast.Attribute):
        owner = known.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if owner is None or isinstance(owner, types.ModuleType) or node.attr.startswith("_"):
            raise NameError(f"name '{node.attr}' is not defined")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.LShift):
        power = node.right.value if isinstance(node.right, ast.Constant) else None
        if not isinstance(power, int | float) or abs(power) > _LARGEST_EXPONENT:
            raise SyntaxError("only small constant exponents are allowed in a call")
