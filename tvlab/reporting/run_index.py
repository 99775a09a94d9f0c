"""``papermill_runs/index.html``: every run of every profile on one page, with figures and links.

Plain HTML that works from a file, without network or scripts. It is made from what lies in ``papermill_runs/``:
the manifests, and the records of runs that failed or were stopped here.
"""

import html
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tvlab.foundation.atomic_files import write_text
from tvlab.foundation.places import home, standard_results
from tvlab.foundation.profiles import PROFILES
from tvlab.reporting.figures import figure_index
from tvlab.reporting.manifest import read_manifest
from tvlab.reporting.run_display import duration
from tvlab.reporting.run_records import DONE, FAILED, NOT_RUN, RunRecords, failed_notebook

_STYLE = """
:root { color-scheme: light; --line: #d8dde3; --dim: #57606a; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1100px; padding: 24px 20px 80px; color: #1f2328; background: #fff;
  font: 16px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 28px; margin: 0 0 4px; } h2 { font-size: 23px; margin: 44px 0 8px; padding-top: 12px;
  border-top: 3px solid #1f2328; } h3 { font-size: 18px; margin: 0; }
a { color: #0550ae; } p { margin: 4px 0; } nav a { margin-right: 18px; }
.run { border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; margin: 14px 0; }
.head { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: baseline; }
.status { font-size: 14px; font-weight: 600; border-radius: 10px; padding: 1px 10px; color: #fff; }
.done { background: #1a7f37; } .failed { background: #b42318; } .other { background: #6e7781; }
.facts, .dim { color: var(--dim); font-size: 15px; }
code { font: 14px/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; background: #f2f4f6; border-radius: 4px;
  padding: 1px 5px; overflow-wrap: anywhere; }
.parameters { display: flex; flex-wrap: wrap; gap: 4px 6px; margin: 8px 0; }
.figures { display: flex; flex-wrap: wrap; gap: 14px; margin: 12px 0 4px; }
figure { margin: 0; width: 240px; } figure img { width: 240px; height: 150px; object-fit: contain; background: #fff;
  border: 1px solid var(--line); border-radius: 4px; } figcaption { font-size: 14px; color: var(--dim); }
.files { columns: 3 240px; padding-left: 20px; margin: 6px 0; font-size: 15px; }
table { border-collapse: collapse; width: 100%; font-size: 15px; margin: 8px 0 20px; }
th, td { text-align: left; padding: 5px 10px; border-bottom: 1px solid var(--line); vertical-align: top; }
.error { color: #b42318; } summary { cursor: pointer; font-size: 15px; }
"""


@dataclass(frozen=True)
class Run:
    """One row of the page.

    Attributes:
        name: of the notebook, with a grid's label behind a slash.
        status: done, failed, stopped or not run.
        about: parameters, seconds, mib, date, commit, as far as known.
        files: executed notebook, tables and figures, relative to the project folder.
        note: why it failed or was not run.
    """

    name: str
    status: str
    about: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    note: str = ""


def write_index(path: Path | None = None) -> Path:
    """Write the page and return its path, by default ``papermill_runs/index.html``."""
    path = path or home() / "papermill_runs" / "index.html"
    shown = {name: runs for name in PROFILES if (runs := runs_of(name))}
    links = "".join(f'<a href="#{name}">{name} ({len(runs)})</a>' for name, runs in shown.items())
    parts = [_profile(name, runs, path.parent) for name, runs in shown.items()]
    if not parts:
        parts = ["<p>Nothing was run yet: <code>tvlab reproduce</code> fills this page.</p>"]
    page = (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>tvlab: runs</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head>\n<body>\n<h1>tvlab: runs</h1>\n"
        '<p class="dim">Every notebook run, by profile. A profile is a scale: results of one are never '
        f"shown as another's.</p>\n<nav>{links}</nav>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )
    return write_text(path, page)


def runs_of(profile: str) -> list[Run]:
    """Return the runs of a profile by name: those of the manifest, those that ended otherwise here, those planned."""
    runs = {
        name: Run(name, DONE, entry, (*entry["files"], *entry["figures"]))
        for name, entry in read_manifest(profile).items()
    }
    for record in RunRecords(profile).all():
        about = {"parameters": record.parameters, "seconds": record.seconds, "mib": record.mib}
        about |= {"date": record.date, "commit": record.commit}
        if record.status == FAILED:
            runs[record.name] = Run(record.name, FAILED, about, (), f"`{record.cell}`: {record.error}")
        elif record.status == NOT_RUN:
            runs[record.name] = Run(record.name, NOT_RUN, about, (), record.reason)
        elif record.status != DONE and record.name not in runs:
            why = "was stopped before its end; the next run goes on"
            runs[record.name] = Run(record.name, "stopped", about, (), why)
    for path in sorted(standard_results(profile).glob("[!.]*.ipynb")):
        if not path.name.endswith(".failed.ipynb") and path.stem not in runs:
            file = path.relative_to(home()).as_posix()
            runs[path.stem] = Run(path.stem, "executed", {}, (file,), "the manifest has no entry for it")
    if runs and PROFILES[profile].local:
        for path in (home() / "notebooks").glob("*.ipynb"):
            runs.setdefault(path.stem, Run(path.stem, NOT_RUN, note="not run in this profile"))
    return [runs[name] for name in sorted(runs)]


def _profile(profile: str, runs: list[Run], at: Path) -> str:
    scale = PROFILES[profile]
    cells = [run for run in runs if "/" in run.name]
    done = sum(run.status == DONE for run in runs)
    sections = [
        f'<h2 id="{profile}">Profile {profile}</h2>',
        f'<p class="dim">{_text(scale.machine)}; {_text(scale.trains)}. {done} of {len(runs)} done.</p>',
        *(_card(run, profile, at) for run in runs if "/" not in run.name),
    ]
    if cells:
        sections.append(_grid_table(cells, profile, at))
    return "\n".join(sections)


def _card(run: Run, profile: str, at: Path) -> str:
    parameters = run.about.get("parameters", {})
    chips = "".join(f"<code>{_text(f'{name} = {value!r}')}</code>" for name, value in parameters.items())
    lines = [
        f'<div class="head"><h3>{_text(run.name)}</h3>{_badge(run)}<span class="facts">{_facts(run)}</span></div>',
        f'<p class="error">{_text(run.note)}</p>' if run.status == FAILED else f'<p class="dim">{_text(run.note)}</p>',
        f"<p>{_links(run, profile, at)}</p>",
        f'<div class="parameters">{chips}</div>' if chips else "",
        _figures(run.files, profile, at),
        _tables(run.files, at),
    ]
    return f'<section class="run" id="{profile}-{_text(run.name)}">\n' + "\n".join(filter(None, lines)) + "\n</section>"


def _grid_table(cells: list[Run], profile: str, at: Path) -> str:
    rows = "".join(
        f"<tr><td>{_text(run.name)}</td><td>{_badge(run)}</td><td>{_facts(run)}</td>"
        f"<td>{_links(run, profile, at)} {_file_links(run.files, at)} {_text(run.note)}</td></tr>\n"
        for run in cells
    )
    head = "<tr><th>notebook / cell</th><th>status</th><th>run</th><th>files</th></tr>"
    return f'<section class="run"><h3>Grids of profile {profile}</h3>\n<table>{head}\n{rows}</table></section>'


def _badge(run: Run) -> str:
    kind = run.status if run.status in (DONE, FAILED) else "other"
    return f'<span class="status {kind}">{_text(run.status)}</span>'


def _facts(run: Run) -> str:
    about = run.about
    known = (
        duration(about["seconds"]) if about.get("seconds") else "",
        f"{about['mib']:.0f} MiB" if about.get("mib") else "",
        about.get("date", ""),
        f"commit {about['commit']}" if about.get("commit") else "",
    )
    return _text(", ".join(filter(None, known)))


def _links(run: Run, profile: str, at: Path) -> str:
    notebook = run.name.split("/")[0]
    executed = [file for file in run.files if file.endswith(".ipynb")]
    if run.status == FAILED:
        failed = failed_notebook(profile, run.name)
        executed = [failed.relative_to(home()).as_posix()] if failed.is_file() else []
    links = [_link(home() / file, at, "executed notebook") for file in executed]
    page = home() / "docs" / "gallery" / profile / f"{notebook}.html"
    if run.status == DONE and "/" not in run.name and page.is_file():
        links.append(_link(page, at, "as a page"))
    return " · ".join(links)


def _figures(files: Iterable[str], profile: str, at: Path) -> str:
    pictures = [home() / file for file in files if file.endswith(".png") and (home() / file).is_file()]
    captions = figure_index(profile)
    shown = []
    for picture in pictures:
        caption = captions.get(picture.stem, {}).get("caption", "")
        address, pdf = _address(picture, at), _address(picture.with_suffix(".pdf"), at)
        shown.append(
            f'<figure><a href="{address}"><img src="{address}" alt="{_text(caption or picture.stem)}"></a>'
            f'<figcaption>{_text(picture.stem)} (<a href="{pdf}">pdf</a>)</figcaption></figure>'
        )
    return f'<div class="figures">{"".join(shown)}</div>' if shown else ""


def _tables(files: Iterable[str], at: Path) -> str:
    tables = [home() / file for file in files if file.endswith(".csv")]
    items = "".join(
        f"<li>{_text(table.stem)} ({_link(table, at, 'csv')}, {_link(table.with_suffix('.md'), at, 'md')})</li>"
        for table in tables
    )
    return f'<details><summary>{len(tables)} tables</summary><ul class="files">{items}</ul></details>' if items else ""


def _file_links(files: Iterable[str], at: Path) -> str:
    chosen = [home() / file for file in files if file.endswith((".csv", ".png"))]
    return " ".join(_link(file, at, file.name) for file in chosen)


def _link(file: Path, at: Path, words: str) -> str:
    return f'<a href="{_address(file, at)}">{_text(words)}</a>'


def _address(file: Path, at: Path) -> str:
    return quote(Path(os.path.relpath(file, at)).as_posix())


def _text(text: object) -> str:
    return html.escape(str(text))
