"""What notebook cells show: HTML that escapes whatever an environment says, and the same as text."""

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tvlab.environments.environment import Environment
from tvlab.reporting.conversations import draw_episode, draw_item, draw_played
from tvlab.reporting.environment_cards import environment_card
from tvlab.reporting.shown import Shown, table, together
from tvlab.reporting.state_views import draw_changes
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items
from tvlab.tasks.item import Item, Turn
from tvlab.tasks.play import Play, play_lines, scripted_attempt
from tvlab.tasks.teachers import replay

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def bookstore() -> Environment:
    return Environment.load(Path(__file__).parents[1] / "data" / "environments" / "bookstore")


@pytest.fixture(scope="module")
def items(bookstore) -> list[Item]:
    return build_items(bookstore, build_graph(bookstore), 4, seed=3)


class _Balance(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.words = ""
        self.feed(page)

    def handle_starttag(self, name, attributes):
        self.open.append(name)
        self.names.add(name)

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        self.words += data


def checked(shown: Shown) -> Shown:
    """Well-formed, no element that runs or fetches anything, and text beside it."""
    page = _Balance(shown.html)
    assert page.open == []
    assert page.names <= {"div", "b", "i", "span", "table", "tr", "th", "td"}
    assert "<" not in shown.text.split("\n")[0]
    assert shown._repr_html_() == shown.html
    assert repr(shown) == shown.text
    return shown


def test_an_episode_shows_words_calls_reward_and_advantages_in_both_forms(bookstore, items):
    item = items[0]
    last = max(key for key, _ in item.golden())
    episode = replay(bookstore, item, {last: None})
    values = {"grpo": [-0.5] * len(item.turns), "tara": [1.0, *[0.0] * (len(item.turns) - 1)]}
    shown = checked(draw_episode(episode, values, "attempt 3"))
    for form in (shown.text, _Balance(shown.html).words):
        assert "attempt 3" in form
        assert item.turns[0].user in form
        assert "TARA +1.00" in form
        assert "GRPO (mean turn reward) -0.50" in form
        assert episode.calls[0][0].tool in form
    assert f"missed: {item.turns[last[0]].calls[last[1]].tool}(" in shown.html
    assert shown.text.count("reward 0") == 1


def test_an_item_a_game_and_a_card_are_well_formed(bookstore, items):
    assert items[1].turns[0].user in _Balance(checked(draw_item(items[1])).html).words
    game = Play(bookstore, items[1])
    told = list(play_lines(game, scripted_attempt(bookstore, items[1])))
    assert "Outcome not reached." in checked(draw_played(told)).text
    card = checked(environment_card(bookstore, build_graph(bookstore), tools=5))
    assert "11 tools" in card.text
    assert "and 6 more" in card.text
    assert card.html.count("<tr") == 6


def test_what_changed_is_one_row_a_change(bookstore):
    session = bookstore.session()
    assert checked(draw_changes(bookstore, session.state)).text == "nothing changed"
    session.call("cancel_order", {"order_id": "ord-001"})
    session.call("add_comment", {"order_id": "ord-001", "text": HOSTILE})
    shown = checked(draw_changes(bookstore, session.state))
    assert "<i>(changed)</i>" in shown.html
    assert "<i>(created)</i>" in shown.html
    assert "cancelled" in shown.html
    assert HOSTILE not in shown.html
    assert HOSTILE in _Balance(shown.html).words


def test_texts_of_an_environment_never_become_markup(bookstore):
    tools = ({**bookstore.tools[0], "name": HOSTILE, "description": HOSTILE}, *bookstore.tools[1:])
    state = {**bookstore.state, HOSTILE: {}}
    hostile = replace(bookstore, name=HOSTILE, tools=tools, state=state)
    item = Item("shop", bookstore.state_hash, (Turn(HOSTILE, (), answer=HOSTILE),))
    for page in (environment_card(hostile).html, draw_item(item).html, draw_played([("note", HOSTILE)]).html):
        assert "<script" not in page
        assert "&lt;script" in page


def test_several_things_stand_below_each_other():
    parts = together([Shown("<b>a</b>", "a"), Shown("<b>c</b>", "c")])
    assert parts == Shown("<b>a</b><b>c</b>", "a\n\nc")
    assert table(["x"], [["1"], ["2"]], {1: "red"}).count("background:red") == 1
