"""Every table and figure of a profile made again from its saved numbers (``tables/*.csv``); no experiment runs.

The CSV files and their side-files are the evidence and are only read. From them come the Markdown twins, the
paper's tables (``paper_tables``) and the figures.
"""

from tvlab.foundation.places import standard_results
from tvlab.foundation.profiles import PROFILES
from tvlab.reporting.drawings import draw_all
from tvlab.reporting.paper_tables import TABLES, write_paper_tables
from tvlab.reporting.tables import write_markdown


def profiles_with_results() -> list[str]:
    """Return the profiles that have saved tables, in the order of their scale."""
    return [name for name in PROFILES if any((standard_results(name) / "tables").glob("*.csv"))]


def rebuild(profile: str) -> dict[str, str]:
    """Make Markdown tables, the paper's tables and figures of a profile again; return {name: what became of it}."""
    folder = standard_results(profile) / "tables"
    names = sorted(path.stem for path in folder.glob("*.csv"))
    for name in names:
        write_markdown(name, folder)
    outcomes = {name: f"papermill_runs/{profile}/tables/{name}.md" for name in names}
    if any(f"paper_{name}" in names for name in TABLES):
        write_paper_tables(profile)
        outcomes |= {f"paper_{name}": f"papermill_runs/{profile}/tables/paper_{name}.csv, .md, .tex" for name in TABLES}
    return outcomes | draw_all(profile)
