"""Remembered calls give what a session of one's own would give, whatever other rollouts did in between."""

import numpy as np
from lab_worlds import bookstore, bookstore_items

from tvlab.environments.environment import copy_tables
from tvlab.learning.lab_policy import LabPolicy
from tvlab.learning.lab_rollouts import roll_out
from tvlab.learning.lab_transitions import Transitions
from tvlab.learning.lab_view import AgentView
from tvlab.tasks.episode import Episode

CALLS = [
    ("create_order", {"customer_id": "cus-001", "items": [{"sku": "BK-100", "quantity": 1}]}),
    ("search_customers", {"query": "a"}),
    ("create_order", {"customer_id": "cus-404", "items": []}),
    ("no_such_tool", {}),
    ("list_books", {}),
]


def test_any_order_of_calls_gives_what_a_plain_session_gives():
    rng, transitions = np.random.default_rng(0), Transitions(bookstore())
    initial = copy_tables(bookstore().state)
    for _ in range(40):
        plain, remembering = bookstore().session(), transitions.session()
        for at in rng.integers(len(CALLS), size=6):
            tool, arguments = CALLS[at]
            first, second = plain.call(tool, arguments), remembering.call(tool, arguments)
            assert (first.ok, first.value, first.error) == (second.ok, second.value, second.error)
            assert plain.state == remembering.state
            assert plain.fingerprint() == remembering.fingerprint()
    assert bookstore().state == initial
    assert transitions.initial.state == initial


def test_an_equal_call_in_an_equal_state_is_run_once():
    transitions = Transitions(bookstore())
    first, second = transitions.session(), transitions.session()
    assert first.call(*CALLS[0]) is second.call(*CALLS[0])
    assert first.state is second.state
    assert first.call(*CALLS[0]) is not second.call(*CALLS[1])


def test_too_many_states_are_forgotten_and_the_results_stay():
    few, many = Transitions(bookstore(), most=2), Transitions(bookstore())
    for quantity in range(1, 8):
        arguments = {"customer_id": "cus-001", "items": [{"sku": "BK-100", "quantity": quantity}]}
        made = [one.session().call("create_order", arguments).value for one in (few, many)]
        assert made[0] == made[1]
    assert few.states <= 3


def test_a_session_restored_to_a_snapshot_goes_on_from_there():
    session = Transitions(bookstore()).session()
    before = session.snapshot()
    session.call(*CALLS[0])
    session.restore(before)
    assert session.state == bookstore().state
    assert session.call(*CALLS[1]) == bookstore().session().call(*CALLS[1])


def test_episodes_with_remembered_calls_earn_the_same_rewards():
    items, environment = bookstore_items()["bookstore"][:8], bookstore()
    transitions, results = Transitions(environment), []
    for remember in (False, True, True):
        episodes = [Episode(environment, item) for item in items]
        for episode in episodes if remember else ():
            episode.session = transitions.session()
        roll_out(LabPolicy("small"), episodes, [AgentView(environment.tools)] * 8, np.random.default_rng(3))
        results.append([(e.rewards, e.calls, e.outcome_met()) for e in episodes])
    assert results[0] == results[1] == results[2]
