"""Files of a paper table: CSV with numbers, and Markdown and LaTeX in which a score stands with its interval."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from tvlab.foundation.atomic_files import write_text
from tvlab.reporting.tables import save_table

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def write_paper_table(frame: pd.DataFrame, name: str, caption: str, profile: str, folder: Path) -> pd.DataFrame:
    """Write ``paper_NAME.csv``, ``.md``, ``.tex`` and the side-file; return the table as written.

    Args:
        frame: one row a line of the table; ``measured``, ``low`` and ``high`` where something is measured.
        name: of the table.
        caption: one sentence.
        profile: whose measured figures it holds.
        folder: where the files go.
    """
    n = {"rows": len(frame), "rows measured": int(frame["measured"].notna().sum()) if "measured" in frame else 0}
    saved = save_table(frame, f"paper_{name}", profile=profile, n=n, caption=caption, digits=3, folder=folder)
    shown, same = without_what_is_the_same(shown_table(saved))
    foot = f"{caption} Measured: profile {profile}; published: arXiv 2607.15660.{same}"
    write_text(folder / f"paper_{name}.md", f"{as_markdown(shown)}\n{foot}\n")
    write_text(folder / f"paper_{name}.tex", as_latex(shown, foot, f"tab:{name}"))
    return saved


def shown_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table as text, score and interval in one cell: ``0.335 [0.231, 0.441]``, or "not run"."""
    shown = frame.copy()
    if "measured" in frame:
        shown["measured"] = [
            "not run" if pd.isna(row["measured"]) else _interval(row) for row in frame.to_dict("records")
        ]
        shown = shown.drop(columns=["low", "high"]).rename(columns={"measured": "measured [95% interval]"})
    return shown.map(_text)


def without_what_is_the_same(shown: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the table without what every row repeats, and sentences for below it: the one n, the one note.

    Left out are empty columns, the profile (the foot names it), and ``n`` and ``note`` where all rows agree.
    """
    told = []
    for name, words in (("n", "n: {}."), ("note", "{}.")):
        values = set(shown[name]) if name in shown else set()
        if len(values) == 1 and (value := values.pop()):
            told.append(" " + words.format(value if name == "n" else value[0].upper() + value[1:]))
            shown = shown.drop(columns=name)
    empty = [name for name in shown if (shown[name] == "").all()]
    return shown.drop(columns=[*empty, "profile"], errors="ignore"), "".join(told)


def as_markdown(shown: pd.DataFrame) -> str:
    """Return a table of texts in Markdown."""
    lines = [list(shown.columns), ["---"] * shown.shape[1], *shown.values.tolist()]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def as_latex(shown: pd.DataFrame, caption: str, label: str) -> str:
    """Return a table of texts in LaTeX, for ``\\usepackage{booktabs,graphicx}``; it is as wide as a line at most."""
    rows = [" & ".join(map(_latex, line)) + r" \\" for line in shown.values.tolist()]
    head = " & ".join(map(_heading, shown.columns)) + r" \\"
    lines = [
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{_latex(caption)}}}\label{{{label}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{'l' * shown.shape[1]}}}",
        r"\toprule",
        head,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _interval(row: Mapping[str, Any]) -> str:
    """Return a score with its interval; one in percent, which its note says, with the sign at the number."""
    values = [row[name] for name in ("measured", "low", "high")]
    if str(row.get("note", "")).endswith("in %"):
        return "{:.1f}% [{:.1f}, {:.1f}]".format(*values)
    return "{:.3f} [{:.3f}, {:.3f}]".format(*values)


def _text(value: object) -> str:
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.2f}"
    return str(value)


def _heading(text: str) -> str:
    """Return a column's heading in LaTeX, a long one in two lines: it would make the whole table small."""
    spaces = [found.start() for found in re.finditer(r" (?![^\[]*\])", text)]  # an interval's name stays whole
    if len(text) <= 12 or not spaces:
        return _latex(text)
    middle = min(spaces, key=lambda at: abs(at - len(text) / 2))
    return rf"\shortstack[l]{{{_latex(text[:middle])}\\{_latex(text[middle + 1 :])}}}"


def _latex(text: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda found: _SPECIAL.get(found[0], "\\" + found[0]), str(text))
