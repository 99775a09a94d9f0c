"""Why a turn was paid: the report names the covering call, or what kept each golden call from being covered."""

from dataclasses import replace

from tvlab.tasks.episode import Episode
from tvlab.tasks.teachers import replay
from tvlab.tasks.turn_report import turn_reports

ORDER = {"customer_id": "cus-001", "items": [{"sku": "BK-100", "quantity": 2}]}
NOTE = {"order_id": {"$ref": [0, 0, "order_id"]}, "note": "quick"}




def test_the_report_agrees_with_what_the_episode_paid_on_golden_traces(bookstore, items):
    for item in items[:20]:
        episode = replay(bookstore, item)
        reports = turn_reports(episode)
        assert [report.reward for report in reports] == episode.rewards
        for report, calls in zip(reports, episode.calls, strict=True):
            assert sorted(golden.covered_by for golden in report.golden) == list(range(len(calls)))
            assert report.why.startswith(("all ", "the golden call is covered"))


def test_each_miss_is_named(bookstore, make_item):
    item = make_item([("create_order", ORDER), ("get_book", {"sku": "BK-101"}), ("get_book", {"sku": "BK-102"}),
                      ("cancel_order", {"order_id": "ord-001"}),
                      ("add_comment", {"order_id": "ord-001", "text": "a"})])  # fmt: skip
    episode = Episode(bookstore, item)
    episode.call("create_order", {**ORDER, "customer_id": "cus-002"})
    episode.call("get_book", {"sku": "BK-102"})
    episode.call("cancel_order", {"order_id": "ord-999"})
    episode.end_turn()
    report = turn_reports(episode)[0]
    assert [(golden.covered_by, golden.reason) for golden in report.golden] == [
        (None, "call 1 differs in customer_id"),
        (None, "call 2 differs in sku"),
        (1, ""),
        (None, "call 3 failed"),
        (None, "add_comment was not called"),
    ]
    assert (report.reward, report.why) == (0.0, "1 of 5 golden calls are covered")


def test_two_equal_sends_need_two_calls(bookstore, make_item):
    episode = Episode(bookstore, make_item([("create_order", ORDER), ("create_order", ORDER)]))
    episode.call("create_order", ORDER)
    episode.end_turn()
    assert turn_reports(episode)[0].golden[1].reason == "call 1 already covers another golden call"


def test_a_reference_that_the_agents_own_call_did_not_mint_is_named(bookstore, make_item):
    episode = Episode(bookstore, make_item([("create_order", ORDER)], [("update_order", NOTE)]))
    episode.call("create_order", ORDER)
    episode.end_turn()
    episode.call("update_order", {"order_id": "ord-001", "note": "Quick "})
    episode.end_turn()
    assert turn_reports(episode)[1].golden[0].reason == "call 1 differs in order_id"


def test_step_cap_surplus_changes_guesses_and_outcomes_are_told_apart(bookstore, make_item):
    capped = Episode(bookstore, make_item([("create_order", ORDER)]), step_cap=1)
    capped.call("create_order", ORDER)
    assert turn_reports(capped)[0].why == "the turn ended at the step cap of 1 calls"

    nothing = make_item([])
    idle, changing = Episode(bookstore, nothing), Episode(bookstore, nothing)
    changing.call("create_order", ORDER)
    for episode in (idle, changing):
        episode.end_turn("no such tool")
    assert turn_reports(idle)[0].why == "nothing was changed"
    assert turn_reports(changing)[0].why == "a call changed the state, and nothing was to be changed in this turn"

    item = make_item([("create_order", ORDER)])
    asking = replace(item, turns=(replace(item.turns[0], answer="For cus-001."),))
    guessed = Episode(bookstore, asking)
    guessed.call("create_order", ORDER)
    assert guessed.end_turn("Which customer?") is None
    assert turn_reports(guessed) == []
    guessed.end_turn()
    assert turn_reports(guessed)[0].why == "the state was changed before the user was asked for what is missing"

    missed = Episode(bookstore, item, reward="both")  # make_item's outcome: nothing changes
    missed.call("create_order", ORDER)
    missed.end_turn()
    assert turn_reports(missed)[0].why.startswith("the golden calls are covered, but the final state")
