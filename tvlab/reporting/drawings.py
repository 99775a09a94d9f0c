"""Every figure by name: the saved tables that it is drawn from, and how.

``draw`` reads the tables of a profile, draws and saves; ``draw_all`` does so for all
figures whose tables are there. Nothing is computed here but positions on paper.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tvlab.foundation.errors import UserError
from tvlab.foundation.places import tables_folder
from tvlab.reporting.figures import save_figure
from tvlab.reporting.graph_complexity import MEASURES as MEASURES_OF_GRAPHS
from tvlab.reporting.graph_complexity import plot_complexity
from tvlab.reporting.palette import SERIES, use_style
from tvlab.reporting.plots_case import plot_case_arm
from tvlab.reporting.plots_environments import plot_tool_fates
from tvlab.reporting.plots_graph import plot_layers
from tvlab.reporting.plots_gust import plot_shares, plot_sizes
from tvlab.reporting.plots_gust_figure import plot_counts, plot_gust_complexity, plot_pass, plot_turns
from tvlab.reporting.plots_hacking import plot_hacks
from tvlab.reporting.plots_lab import LAB_FIGURES
from tvlab.reporting.plots_overview import plot_pipeline
from tvlab.reporting.plots_paper import plot_measured, plot_published
from tvlab.reporting.plots_samplers import MEASURES, plot_measure
from tvlab.reporting.plots_scale import plot_domains
from tvlab.reporting.plots_scores import plot_failures, plot_scores
from tvlab.reporting.plots_theory import (
    plot_boundary,
    plot_pushed_down,
    plot_quality,
    plot_turn_weights,
    plot_variance_map,
    plot_zscored,
)
from tvlab.reporting.plots_unlocking import plot_queue, plot_stage_counts, plot_stages
from tvlab.reporting.tables import load_table, table_provenance
from tvlab.reporting.verl_runs import plot_verl_course
from tvlab.reporting.verl_stages import plot_loss, plot_trained_stages

Plot = Callable[..., Any]


@dataclass(frozen=True)
class Drawing:
    """How one figure is drawn.

    Attributes:
        tables: names of the saved tables, the one whose n the figure carries first.
        panels: for each axis, a function of (axis, *tables) and the places of its tables in ``tables``.
        size: width and height in inches.
        columns: axes beside each other.
    """

    tables: tuple[str, ...]
    panels: tuple[tuple[Plot, tuple[int, ...]], ...]
    size: tuple[float, float]
    columns: int = 1


DRAWINGS: dict[str, Drawing] = {
    "environment_funnel": Drawing(("tool_fates",), ((plot_tool_fates, (0,)),), (9, 5)),
    "corpus_coverage": Drawing(("corpus_domains",), ((plot_domains, (0,)),), (9, 4.5)),
    "tool_graph": Drawing(("graph_nodes", "graph_edges"), ((plot_layers, (0, 1)),), (13, 7.5)),
    "graph_complexity": Drawing(
        ("graph_complexity",),
        tuple((partial(plot_complexity, measure=measure), (0,)) for measure in MEASURES_OF_GRAPHS),
        (17, 9),
        3,
    ),
    "pipeline": Drawing(("pipeline_counts",), ((plot_pipeline, (0,)),), (15, 5)),
    "case_study": Drawing(
        ("case_advantages",), tuple((partial(plot_case_arm, place=place), (0,)) for place in range(3)), (15, 6.5), 3
    ),
    "turn_credit": Drawing(
        ("theory_conversation",),
        tuple((partial(plot_case_arm, place=place), (0,)) for place in range(3)),
        (15, 4.5),
        3,
    ),
    "gpu_training_launch": Drawing(
        ("verl_course",),
        tuple((partial(plot_verl_course, measure=name), (0,)) for name in ("turn reward", "advantage size", "seconds")),
        (15, 4.5),
        3,
    ),
    "small_model": Drawing(
        ("verl_small_model", "verl_small_model_course"), ((plot_loss, (1,)), (plot_trained_stages, (0,))), (13, 4.5), 2
    ),
    "own_graph": Drawing(("own_graph_nodes", "own_graph_edges"), ((plot_layers, (0, 1)),), (13, 7.5)),
    "unlocking": Drawing(
        ("unlocking_sample", "unlocking_edges"), ((plot_stages, (0, 1)), (plot_queue, (0,))), (15, 11)
    ),
    "unlocking_width": Drawing(("unlocking_stages",), ((plot_stage_counts, (0,)),), (10, 5)),
    "samplers": Drawing(
        ("sampler_intervals",),
        tuple((partial(plot_measure, measure=measure), (0,)) for measure in MEASURES),
        (14, 6),
        3,
    ),
    "gust_distributions": Drawing(
        ("gust_turns", "gust_calls", "gust_sources", "gust_operations"),
        (
            (lambda axis, t: plot_sizes(axis, t, "turns", "user turns an item"), (0,)),
            (lambda axis, t: plot_sizes(axis, t, "calls", "golden calls an item", SERIES[1]), (1,)),
            (lambda axis, t: plot_shares(axis, t, "source", "golden arguments (%)", SERIES[2]), (2,)),
            (lambda axis, t: plot_shares(axis, t, "operation", "golden calls (%)", SERIES[4]), (3,)),
        ),
        (13, 9),
        2,
    ),
    "gust_figure": Drawing(
        ("gust_pass", "gust_complexity", "gust_depths", "gust_lengths"),
        (
            (plot_pass, (0,)),
            (plot_gust_complexity, (1,)),
            (lambda axis, t: plot_counts(axis, t, "depth", "golden calls on the longest path"), (2,)),
            (plot_turns, (3,)),
        ),
        (13, 10),
        2,
    ),
    "variance_map": Drawing(
        ("theory_variance_map",),
        (
            (lambda axis, t: plot_variance_map(axis, t, "same discount"), (0,)),
            (lambda axis, t: plot_variance_map(axis, t, "usual return"), (0,)),
            (lambda axis, t: plot_variance_map(axis, t, "no discount"), (0,)),
            (lambda axis, t: plot_variance_map(axis, t, "future alone"), (0,)),
        ),
        (13, 10),
        2,
    ),
    "variance_boundary": Drawing(
        ("theory_boundary", "theory_zscored"), ((plot_boundary, (0,)), (plot_zscored, (1,))), (14, 5.5), 2
    ),
    "gradient_quality": Drawing(
        ("theory_gradient",),
        (
            (lambda axis, t: plot_quality(axis, t, "bias2"), (0,)),
            (lambda axis, t: plot_quality(axis, t, "variance"), (0,)),
            (lambda axis, t: plot_quality(axis, t, "mse"), (0,)),
        ),
        (17, 5.5),
        3,
    ),
    "gradient_quality_published": Drawing(
        ("theory_gradient",),
        (
            (lambda axis, t: plot_quality(axis, t, "bias2", published=True), (0,)),
            (lambda axis, t: plot_quality(axis, t, "variance", published=True), (0,)),
            (lambda axis, t: plot_quality(axis, t, "mse", published=True), (0,)),
        ),
        (17, 5.5),
        3,
    ),
    "pushed_down": Drawing(("theory_pushed_down",), ((plot_pushed_down, (0,)),), (9, 5.5)),
    "reward_hacking": Drawing(
        ("theory_hacked_advantages",),
        (
            (lambda axis, t: plot_hacks(axis, t, "coverage", 0.0), (0,)),
            (lambda axis, t: plot_hacks(axis, t, "outcome", 0.0), (0,)),
            (lambda axis, t: plot_hacks(axis, t, "both", 0.0), (0,)),
            (lambda axis, t: plot_hacks(axis, t, "coverage", t["cost"].max()), (0,)),
            (lambda axis, t: plot_hacks(axis, t, "outcome", t["cost"].max()), (0,)),
            (lambda axis, t: plot_hacks(axis, t, "both", t["cost"].max()), (0,)),
        ),
        (21, 9.5),
        3,
    ),
    "paper_components": Drawing(
        ("paper_components",), ((plot_published, (0,)), (plot_measured, (0,))), (14, 5), 2
    ),
    "endpoint_scores": Drawing(("endpoint_scores",), ((plot_scores, (0,)),), (11, 7.5)),
    "endpoint_failures": Drawing(("endpoint_failures",), ((plot_failures, (0,)),), (11, 4.6)),
    "turn_weights": Drawing(("theory_turn_weights",), ((plot_turn_weights, (0,)),), (9, 4.5)),
}
DRAWINGS |= {name: Drawing(*parts) for name, parts in LAB_FIGURES.items()}


def draw(name: str, profile: str) -> Path:
    """Draw a figure from the saved tables of a profile, save it, and return the PNG's path.

    Raises:
        UserError: there is no such figure, or a table is missing.
    """
    from matplotlib.figure import Figure

    if name not in DRAWINGS:
        raise UserError(f"figure {name!r} is unknown: choose from {', '.join(DRAWINGS)}")
    drawing = DRAWINGS[name]
    tables = [load_table(table, profile) for table in drawing.tables]
    origin = table_provenance(drawing.tables[0], profile)
    use_style()
    figure = Figure(figsize=drawing.size, layout="constrained")
    rows = -(-len(drawing.panels) // drawing.columns)
    axes = figure.subplots(rows, drawing.columns, squeeze=False).ravel()
    for axis, (plot, places) in zip(axes, drawing.panels, strict=False):
        plot(axis, *(tables[place] for place in places))
    for axis in axes[len(drawing.panels) :]:
        axis.remove()
    sources = list(drawing.tables)
    return save_figure(
        figure, name, profile=profile, n=origin["n"], caption=origin["caption"], sources=sources
    )


def draw_all(profile: str) -> dict[str, str]:
    """Draw every figure whose tables are there; return {name: what became of it}."""
    outcomes = {}
    for name, drawing in DRAWINGS.items():
        missing = [t for t in drawing.tables if not (tables_folder(profile) / f"{t}.csv").is_file()]
        if missing:
            outcomes[name] = f"not drawn: no table {', '.join(missing)} for profile {profile}"
            continue
        draw(name, profile)
        outcomes[name] = f"figures/{profile}/{name}.png and .pdf"
    return outcomes
