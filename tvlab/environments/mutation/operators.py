"""Ways of writing a tool wrongly, as changes of its syntax tree.

An operator looks at one place of a function and offers replacements; ``mutants.py`` puts them in.  Each belongs
to the property of RULES.md 9 that it breaks.  Not mutated, because nobody sees them as behaviour: docstrings,
nouns and messages of refusals, the content and prefix from which an id is minted.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from tvlab.environments.mutation.places import (
    Replacement,
    Surroundings,
    called,
    cell_of,
    changed,
    expression,
    literal_of,
    state_table,
    statements,
    store_of,
)


# statements
def drop_store(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A record is not stored."""
    if store_of(node):
        yield ast.Pass()


def drop_delete(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A record is not removed."""
    removal = isinstance(node, ast.Expr) and called(node.value).startswith("_remove")
    if isinstance(node, ast.Delete) or removal:
        yield ast.Pass()


def drop_check(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A reference is not checked."""
    if isinstance(node, ast.Expr) and called(node.value) == "find":
        yield ast.Pass()


def drop_refusal(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A call that must be refused is let through."""
    if isinstance(node, ast.If) and all(isinstance(s, ast.Expr) and called(s.value) == "fail" for s in node.body):
        yield node.orelse or ast.Pass()
    if isinstance(node, ast.Raise):
        yield ast.Pass()


def drop_loop(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """What a loop does is not done: children stay, references dangle."""
    if isinstance(node, ast.For) and about.helper:
        yield ast.Pass()


def drop_optional(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """What an optional argument asks for is not done."""
    given = isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.IsNot)
    if isinstance(node, ast.If) and given and not node.orelse:
        yield ast.Pass()


def cut_batch(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """The first item of a batch is left out, or all but the first."""
    if isinstance(node, ast.For) and not about.helper and "state" not in ast.dump(node.iter):
        yield ast.For(node.target, expression("X[1:]", X=node.iter), node.body, [])
        yield ast.For(node.target, node.iter, [*node.body, ast.Break()], [])


def lose_answer(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A record is done and missing in the answer."""
    if isinstance(node, ast.Expr) and called(node.value) == "append":
        yield ast.Pass()


def wrong_key(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A record is stored or removed under another key."""
    cell = store_of(node)
    if cell is not None and isinstance(node, ast.Assign):
        first = expression("next(iter(TABLE), KEY)", TABLE=state_table(cell[0]), KEY=cell[1])
        for key in (ast.Constant("another-key"), first):
            target = ast.Subscript(state_table(cell[0]), key, ast.Store())
            yield ast.Assign([target], node.value)
    if isinstance(node, ast.Delete) and (gone := cell_of(node.targets[0])):
        first = expression("next(iter(TABLE))", TABLE=state_table(gone[0]))
        yield ast.Delete([ast.Subscript(state_table(gone[0]), first, ast.Del())])


def second_field(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """A field that nobody gave changes as well."""
    cell, extra = store_of(node), about.untouched()
    if cell is not None and extra is not None and isinstance(node, ast.Assign):
        name, value = extra
        more = statements(
            "TABLE[KEY] = {**TABLE[KEY], NAME: VALUE}",
            TABLE=state_table(cell[0]), KEY=cell[1], NAME=ast.Constant(name), VALUE=literal_of(value),
        )  # fmt: skip
        yield [node, *more]


def second_record(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """Another record is changed, removed, or made as well."""
    cell = store_of(node) or (cell_of(node.targets[0]) if isinstance(node, ast.Delete) else None)
    if cell is None or not isinstance(node, ast.stmt):
        return
    table, key = state_table(cell[0]), cell[1]
    name = next((n for n in reversed(about.tables.get(about.own, {}))), "note")
    for text in (
        f"for other_ in [k for k in TABLE if k != KEY][-1:]:\n    TABLE[other_] = {{**TABLE[other_], {name!r}: 'x'}}",
        "for other_ in [k for k in TABLE if k != KEY][-1:]:\n    del TABLE[other_]",
        "for other_ in list(TABLE)[-1:]:\n    TABLE['extra'] = {**TABLE[other_]}",
    ):
        yield [node, *statements(text, TABLE=table, KEY=key)]


def other_table_as_well(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """A record of another table is lost as well."""
    cell = store_of(node)
    if cell is not None and isinstance(node, ast.Assign) and isinstance(cell[0], ast.Constant):
        other = about.other_table(str(cell[0].value))
        if other is not None:
            text = f"for other_ in list(state[{other!r}])[-1:]:\n    del state[{other!r}][other_]"
            yield [node, *statements(text)]


def edit_in_place(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A record is edited instead of replaced."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Dict):
        return
    first = node.value.values[0] if node.value.keys and node.value.keys[0] is None else None
    if isinstance(first, ast.Name):
        rest = ast.Dict(node.value.keys[1:], node.value.values[1:])
        yield [*statements("OLD.update(NEW)", OLD=first, NEW=rest), ast.Assign(node.targets, first)]


# expressions

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}


def flip_comparison(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A comparison asks for the opposite, or takes in its bound."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in _COMPARISONS[type(node.ops[0])]:
            yield ast.Compare(node.left, [other()], node.comparators)


def drop_condition(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A filter lets everything pass, a part of a condition is lost."""
    if isinstance(node, ast.comprehension) and node.ifs:
        yield ast.comprehension(node.target, node.iter, [], node.is_async)
    if isinstance(node, ast.BoolOp):
        for at in range(len(node.values)):
            rest = [*node.values[:at], *node.values[at + 1 :]]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def negate(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A test that is a call or a name is turned round."""
    if isinstance(node, ast.comprehension) and len(node.ifs) == 1 and not isinstance(node.ifs[0], ast.Compare):
        yield ast.comprehension(node.target, node.iter, [ast.UnaryOp(ast.Not(), node.ifs[0])], node.is_async)
    if isinstance(node, ast.If) and not isinstance(node.test, ast.Compare):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    if isinstance(node, ast.Call) and called(node) in ("any", "all"):
        other = "all" if called(node) == "any" else "any"
        yield ast.Call(ast.Name(other, ast.Load()), node.args, node.keywords)


def wrong_value(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """A constant that is stored or compared is another one."""
    if not isinstance(node, ast.Constant) or node.value is None:
        return
    if isinstance(node.value, str) and (node.value in about.tables or about.is_field(node.value)):
        return
    if isinstance(node.value, (str, bool, int, float)):
        yield ast.Constant(changed(node.value) if not isinstance(node.value, int) else _near(node.value))


def _near(number: int) -> int:
    return not number if isinstance(number, bool) else number + 1


def wrong_table(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """Another table is used."""
    if isinstance(node, ast.Constant) and node.value in about.tables and isinstance(node.value, str):
        other = about.other_table(node.value)
        if other is not None:
            yield ast.Constant(other)


def wrong_field(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """Another field is written or compared."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and about.is_field(node.value):
        other = about.other_field(node.value)
        if other is not None and node.value not in about.tables:
            yield ast.Constant(other)


def lose_field(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A field is not stored."""
    if isinstance(node, ast.Dict) and len(node.keys) > 1:
        for at in range(len(node.keys)):
            yield ast.Dict([*node.keys[:at], *node.keys[at + 1 :]], [*node.values[:at], *node.values[at + 1 :]])


def other_argument(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """Another argument is used."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in about.parameters:
        at = about.parameters.index(node.id)
        other = about.parameters[(at + 1) % len(about.parameters)]
        if other != node.id:
            yield ast.Name(other, ast.Load())


def keep_missing(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """What was not given is written as null."""
    if called(node) == "without_missing" and isinstance(node, ast.Call) and isinstance(node.args[0], ast.Dict):
        yield node.args[0]


def skip_clock(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A time is not the environment's."""
    if called(node) == "now":
        yield ast.Constant("1970-01-01T00:00:00Z")


def mint_once(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """Every new record gets the same id."""
    if called(node) == "mint" and isinstance(node, ast.Call):
        integer = any(k.arg == "integer" for k in node.keywords)
        yield ast.Constant(41 if integer else "same-id")


def break_order(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A list is not sorted, or the other way round."""
    if called(node) == "sorted" and isinstance(node, ast.Call):
        yield node.args[0]
        yield expression("list(reversed(X))", X=node)


def break_pages(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A limit or an offset is one too many, or has no effect."""
    if isinstance(node, ast.Call) and called(node) in ("one_page", "page") and len(node.args) > 1:
        yield node.args[0]
        for at in range(1, len(node.args)):
            more = expression("(X or 0) + 1", X=node.args[at])
            yield ast.Call(node.func, [*node.args[:at], more, *node.args[at + 1 :]], node.keywords)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Sub, ast.Mult, ast.Add)):
        yield ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)


def break_search(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A search looks into fewer fields, or into none."""
    if called(node) == "contains" and isinstance(node, ast.Call) and isinstance(node.args[1], ast.Tuple):
        fields = node.args[1].elts
        for kept in (fields[1:], fields[:-1]) if len(fields) > 1 else (fields[1:],):
            yield ast.Call(node.func, [node.args[0], ast.Tuple(kept, ast.Load()), node.args[2]], [])


def wrong_count(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A number is one too high."""
    if called(node) == "len":
        yield expression("X + 1", X=node)


def lose_members(node: ast.AST, _: Surroundings) -> Iterator[Replacement]:
    """A list keeps only what is new, or nothing new."""
    if isinstance(node, ast.List) and len(node.elts) > 1:
        for at in range(len(node.elts)):
            yield ast.List([*node.elts[:at], *node.elts[at + 1 :]], ast.Load())


def wrong_answer(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """The answer is another record, lacks a part, or shows what is not stored."""
    if not isinstance(node, ast.Return) or node.value is None or about.helper:
        return
    value = node.value
    if called(value) == "find" or isinstance(value, ast.Name):
        if about.own:
            yield ast.Return(expression("next(iter(TABLE.values()))", TABLE=state_table(ast.Constant(about.own))))
        yield ast.Return(expression("dict(list(X.items())[:1])", X=value))
        yield ast.Return(expression("{k: 'x' if isinstance(v, str) else v for k, v in X.items()}", X=value))
    if isinstance(value, ast.Dict) and len(value.keys) == 1 and about.own in {getattr(value.keys[0], "value", None)}:
        for text in ("X[1:]", "X[:-1]", "X[::-1]", "[*X, *X[:1]]", "[dict(list(r.items())[:-1]) for r in X]"):
            yield ast.Return(ast.Dict(value.keys, [expression(text, X=value.values[0])]))


def write_in_read(node: ast.AST, about: Surroundings) -> Iterator[Replacement]:
    """A tool that only reads leaves a trace: at a record, in a table, in place."""
    if not isinstance(node, ast.Return) or not about.own or about.helper or "<writes>" in about.used:
        return
    table, key = f"state[{about.own!r}]", next(iter(about.tables[about.own]), "id")
    for text in (
        f"for other_ in list({table})[-1:]:\n    {table}[other_] = {{**{table}[other_], 'seen': True}}",
        f"for other_ in list({table})[-1:]:\n    {table}[other_]['seen'] = True",
        f"{table}['trace'] = {{{key!r}: 'trace'}}",
        f"for other_ in list({table})[-1:]:\n    del {table}[other_]",
    ):
        result = ast.Assign([ast.Name("result_", ast.Store())], node.value or ast.Constant(None))
        yield [result, *statements(text), ast.Return(ast.Name("result_", ast.Load()))]


Operator = Callable[[ast.AST, Surroundings], Iterator[Replacement]]

#: operator -> the property that it breaks
OPERATORS: dict[Operator, str] = {
    drop_store: "a write is stored",
    lose_field: "what is given is stored",
    other_argument: "each argument has its own effect",
    wrong_value: "constants are right",
    wrong_field: "the right field",
    wrong_table: "the right table",
    wrong_key: "the right record",
    mint_once: "the right record",
    second_field: "nothing else changes",
    second_record: "nothing else changes",
    other_table_as_well: "nothing else changes",
    keep_missing: "nothing else changes",
    edit_in_place: "records are replaced",
    write_in_read: "reads change nothing",
    drop_check: "references are checked",
    drop_refusal: "what must be refused is refused",
    drop_delete: "a delete is whole",
    drop_loop: "a delete is whole",
    cut_batch: "a batch is all of its items",
    lose_answer: "a batch is all of its items",
    lose_members: "links keep the others",
    flip_comparison: "conditions and filters",
    drop_condition: "conditions and filters",
    negate: "conditions and filters",
    drop_optional: "conditions and filters",
    break_search: "a search finds",
    break_order: "order",
    break_pages: "limits and pages",
    wrong_count: "counts",
    skip_clock: "the clock",
    wrong_answer: "the answer is what is stored",
}
