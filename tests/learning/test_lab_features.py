"""Features of a turn and of observations: the right candidates, compared by words and types."""

import numpy as np
import pytest
from lab_worlds import bookstore

from tvlab.learning.lab_columns import ARGUMENT_COLUMN, OMIT, TOOL_COLUMN, TOOL_COLUMNS
from tvlab.learning.lab_policy import LabPolicy, StaticScorer
from tvlab.learning.lab_prior import prior_weights
from tvlab.learning.lab_tool_features import words_only
from tvlab.learning.lab_view import AgentView

TURN = 'Create an order for customer cus-002 with sku BK-102 and quantity 3 and priority high. Then find "Ana Lopez".'


@pytest.fixture(scope="module")
def view() -> AgentView:
    return AgentView(bookstore().tools)


def leaf_number(view: AgentView, tool: str, *path: str | int) -> int:
    at = view.tools.names.index(tool)
    return next(leaf for leaf in view.tools.leaf_range[at] if view.tools.leaves[leaf].path == path)


def candidates(view: AgentView, words: str, tool: str, *path: str | int) -> dict:
    """Value -> dense features of each candidate of a leaf."""
    turn, leaf = view.turn(words), leaf_number(view, tool, *path)
    rows = slice(turn.leaf_start[leaf], turn.leaf_start[leaf + 1])
    values = view.tools.values.values
    return {values[v]: dense for v, dense in zip(turn.value[rows], turn.dense[rows], strict=True)}


@pytest.mark.parametrize(
    ("tool", "path", "value"),
    [
        ("create_order", ("customer_id",), "cus-002"),
        ("create_order", ("items", 0, "sku"), "BK-102"),
        ("create_order", ("items", 0, "quantity"), 3),
        ("create_order", ("priority",), "high"),
        ("search_customers", ("query",), "Ana Lopez"),
    ],
)
def test_the_prior_prefers_the_value_that_the_words_give(view, tool, path, value):
    weights = prior_weights()["argument_dense"]
    scores = {v: float(dense @ weights) for v, dense in candidates(view, TURN, tool, *path).items()}
    assert max(scores, key=scores.get) == value


def test_candidates_have_the_leafs_type(view):
    numbers = candidates(view, TURN, "create_order", "items", 0, "quantity")
    assert set(numbers) == {3}
    assert all(isinstance(v, str) for v in candidates(view, TURN, "search_customers", "query"))


def test_what_is_required_cannot_be_left_out_and_what_is_not_can(view):
    assert None not in candidates(view, TURN, "create_order", "customer_id")
    assert None in candidates(view, TURN, "create_order", "note")


def test_the_tool_that_the_clause_names_overlaps_most(view):
    turn = view.turn(TURN)
    overlap = turn.tool_dense[:-1, TOOL_COLUMN["name overlap"]].reshape(turn.clauses, -1)
    assert view.tools.names[int(overlap[0].argmax())] == "create_order"
    assert turn.tool_dense[-1].tolist() == [float(name == "stop") for name in TOOL_COLUMNS]


def test_an_observed_identifier_is_a_candidate_for_the_leaf_of_its_name(view):
    session = bookstore().session()
    result = session.call("search_customers", {"query": "Lopez"}).value
    observation = view.reader.read(view.tools.names.index("search_customers"), result)
    rows = view.rows(observation)
    leaf = leaf_number(view, "create_order", "customer_id")
    values = {view.tools.values.values[v] for v in rows.columns[rows.shape.leaf == leaf, 0]}
    assert values == {"cus-001"}
    assert leaf in rows.shape.key_leaves


def test_a_record_is_mentioned_in_the_clause_that_holds_its_name(view):
    result = bookstore().session().call("search_customers", {"query": "a"}).value
    observation = view.reader.read(view.tools.names.index("search_customers"), result)
    mentions = view.mentions(observation, view.turn(TURN))
    named = [c["name"] for c, mask in zip(result["customers"], mentions.masks, strict=True) if mask]
    assert set(named) == {"Ana Lopez", "Ben Okafor"}  # cus-002 is Ben Okafor's id
    assert view.mentions(observation, view.turn("List the crime books.")) is None


def test_equal_observations_are_read_once(view):
    first, second = (bookstore().session().call("list_books", {}).value for _ in range(2))
    assert view.reader.read(9, first) is view.reader.read(9, second)


def test_turns_scored_together_score_as_alone(view):
    turns = [view.turn(TURN), view.turn("Cancel order ord-001."), view.turn("")]
    policy = LabPolicy("small")
    rng = np.random.default_rng(0)
    for weight in policy.weights.values():
        weight += weight.new_tensor(rng.normal(size=weight.shape))
    scorer = StaticScorer(policy.weights, policy.width)
    together = [scores.numpy() for scores in scorer.turns(turns, view)]
    alone = [np.concatenate(parts) for parts in zip(*[[s.numpy() for s in scorer.turns([t], view)] for t in turns],
                                                    strict=True)]  # fmt: skip
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(together, alone, strict=True))


def test_a_pair_score_is_the_sum_over_all_pairs_of_words(view):
    turn, policy = view.turn(TURN), LabPolicy("small")
    policy.weights = {name: weight * 0 for name, weight in policy.weights.items()}
    table = np.random.default_rng(0).normal(size=(policy.width, policy.width)).astype(np.float32)
    policy.weights["tool_pairs"] = policy.weights["tool_pairs"].new_tensor(table)
    scores, _ = StaticScorer(policy.weights, policy.width).turns([turn], view)
    clause, tool = 1, view.tools.names.index("search_customers")
    a = turn.clause_bags.hashes[turn.clause_bags.starts[clause] : turn.clause_bags.starts[clause + 1]]
    names = view.features.tool_bags
    b = names.hashes[names.starts[tool] : names.starts[tool + 1]]
    slow = sum(table[i % policy.width, j % policy.width] for i in a for j in b) / np.sqrt(len(a) * len(b))
    assert float(scores[clause * len(view.tools.names) + tool]) == pytest.approx(slow, rel=1e-4)
    assert float(scores[-1]) == 0.0


def test_words_without_any_value_leave_no_candidate_for_a_required_identifier(view):
    turn = view.turn("Cancel it.")
    assert leaf_number(view, "cancel_order", "order_id") in turn.empty_leaves.tolist()
    assert (turn.kind == OMIT).any()


def test_words_only_keeps_words():
    assert words_only("Ana  LOPEZ: 'ord-7'") == " ana lopez ord 7 "


def test_no_feature_column_is_named_twice():
    assert len(ARGUMENT_COLUMN) == len(prior_weights()["argument_dense"])
    assert len(TOOL_COLUMN) == len(prior_weights()["tool_dense"])
