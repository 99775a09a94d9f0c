"""What GUST items look like: lengths, calls, where arguments come from, as tables and pictures."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import pandas as pd

from tvlab.environments.environment import Environment
from tvlab.reporting.palette import SERIES
from tvlab.tasks.equivalent_plans import PLAN_COUNTS
from tvlab.tasks.item import Item
from tvlab.tasks.paths import is_reference, leaves, path_of
from tvlab.tasks.teachers import replay
from tvlab.tasks.turn_kinds import GRANTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDEST = 20
"""Characters of a line beside a bar."""


def item_table(items: Mapping[str, Sequence[Item]]) -> pd.DataFrame:
    """Return one row an item: environment, item, turns, calls, writes, chains, words (of the user), facts."""
    return pd.DataFrame(
        [
            {
                "environment": name,
                "item": number,
                "turns": len(item.turns),
                "calls": sum(len(turn.calls) for turn in item.turns),
                "writes": sum(call.writes for _, call in item.golden()),
                "chains": sum(turn.kind == "chain" for turn in item.turns),
                "words": sum(len(turn.user.split()) for turn in item.turns),
                "facts": sum(len(turn.facts) for turn in item.turns),
            }
            for name in sorted(items)
            for number, item in enumerate(items[name])
        ]
    )


def size_counts(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return how many items have each value of a column of ``item_table``: the column, items, share."""
    counts = table[column].value_counts().sort_index()
    return pd.DataFrame(
        {column: counts.index, "items": counts.to_numpy(), "share": counts.to_numpy() / len(table)}
    )


def argument_sources(items: Mapping[str, Sequence[Item]]) -> pd.DataFrame:
    """Return how many golden arguments come from where: source, arguments, share.

    Sources: the user's words of that turn, a reference to an id minted in the episode, or an observation
    (a literal that stands in none of the turn's words: found in an earlier turn or in a tool's output).
    """
    counts = Counter(source for chosen in items.values() for item in chosen for source in _sources(item))
    order = ("the user's words", "an id minted in the episode", "an observation or an earlier turn")
    total = sum(counts.values())
    return pd.DataFrame(
        [{"source": name, "arguments": counts[name], "share": counts[name] / total} for name in order]
    )


def _sources(item: Item) -> Iterable[str]:
    for turn in item.turns:
        stated = {(call, path) for call, path in turn.stated}
        for number, call in enumerate(turn.calls):
            for at, value in leaves(call.arguments):
                if is_reference(value):
                    yield "an id minted in the episode"
                elif not isinstance(value, dict | list):
                    said = (number, path_of(at)) in stated
                    yield "the user's words" if said else "an observation or an earlier turn"


def operation_counts(
    items: Mapping[str, Sequence[Item]], environments: Mapping[str, Environment]
) -> pd.DataFrame:
    """Return how many golden calls have which operation: operation, calls, share."""
    counts = Counter(
        environments[name].meaning(call.tool)["operation"]
        for name, chosen in items.items()
        for item in chosen
        for _, call in item.golden()
    )
    total = sum(counts.values())
    return pd.DataFrame(
        [
            {"operation": name, "calls": count, "share": count / total}
            for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        ]
    )


def kind_table(card: Mapping[str, Any]) -> pd.DataFrame:
    """Return how many turns of a dataset are of which kind: kind, turns, share, wanted (share that was asked for).

    Plain and chain turns are what is left, and a granted turn follows every missing function: no share is asked for.
    """
    counts, shares = card["statistics"]["turn_kinds"], card["settings"]["shares"]
    wanted = {"plain": "the rest", "chain": "the rest", GRANTED: "one after each missing_function", **shares}
    whole = sum(counts.values())
    rows = [
        {"kind": kind, "turns": count, "share": count / whole, "wanted": wanted.get(kind, 0.0)}
        for kind, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    return pd.DataFrame(rows)


def plan_table(card: Mapping[str, Any], record: Mapping[str, Any] | None) -> pd.DataFrame:
    """Return what the two checks say of sampled equivalent plans, a row a way to vary a trace.

    Columns: source (corpus, sample), way, and the counts of ``plan_counts``; "not run" where no plan was sampled.
    """
    rows: list[dict[str, Any]] = []
    for source, found in (("corpus", (record or {}).get("equivalent_plans")), ("sample", card["equivalent_plans"])):
        for row in found or [{"way": "all", **dict.fromkeys(PLAN_COUNTS, "not run")}]:
            rows.append({"source": source, "way": row["way"], **{name: row[name] for name in PLAN_COUNTS}})
    return pd.DataFrame(rows)


def plot_sizes(
    axis: "Axes", counts: pd.DataFrame, column: str, label: str, colour: str = SERIES[0]
) -> "Axes":
    """Bars: the share of items with each value of a column."""
    axis.bar(counts[column], 100 * counts["share"], color=colour)
    mean = (counts[column] * counts["items"]).sum() / counts["items"].sum()
    axis.axvline(mean, color="black", linestyle="--", linewidth=1.2, label=f"mean {mean:.2f}")
    axis.set_xlabel(label)
    axis.set_ylabel("items (%)")
    axis.legend()
    return axis


def plot_shares(axis: "Axes", table: pd.DataFrame, name: str, label: str, colour: str = SERIES[0]) -> "Axes":
    """Horizontal bars: the share of each row, the largest first as the table gives them."""
    axis.barh([fill(text, _WIDEST) for text in table[name].astype(str)], 100 * table["share"], color=colour)
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.set_xlabel(label)
    return axis


def replay_table(
    items: Mapping[str, Sequence[Item]], environments: Mapping[str, Environment]
) -> pd.DataFrame:
    """Replay every golden trace; return one row an environment: environment, items, all_turns, outcome."""
    rows = []
    for name in sorted(items):
        episodes = [replay(environments[name], item) for item in items[name]]
        whole = sum(all(reward == 1 for reward in episode.rewards) for episode in episodes)
        reached = sum(bool(episode.outcome_met()) for episode in episodes)
        rows.append({"environment": name, "items": len(episodes), "all_turns": whole, "outcome": reached})
    return pd.DataFrame(rows)
