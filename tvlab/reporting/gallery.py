"""Executed notebooks as HTML pages that need no network: ``<folder>/<profile>/NAME.html`` and an index.

nbconvert renders the cells (its ``basic`` template); the page around them and the style are ours, since nbconvert's
own pages fetch scripts from elsewhere. Formulas become MathML, which browsers draw themselves. Scripts inside outputs
are kept as they are.
"""

import base64
import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import read_json, write_bytes, write_text
from tvlab.foundation.errors import UserError
from tvlab.foundation.places import standard_results

_STYLE = """
body { margin: 0 auto; max-width: 960px; padding: 20px 20px 80px; color: #1f2328; background: #fff;
  font: 16px/1.55 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
nav { font-size: 15px; margin-bottom: 20px; color: #57606a; }
a { color: #0550ae; } img, svg { max-width: 100%; height: auto; }
a.anchor-link, .jp-InputPrompt, .jp-OutputPrompt, .input_prompt, .output_prompt, .prompt { display: none; }
pre { font: 14px/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; overflow-x: auto; margin: 0; }
.highlight { background: #f6f8fa; border-left: 3px solid #d0d7de; padding: 8px 12px; margin: 10px 0; }
.highlight pre { background: none; }
.jp-OutputArea, .output_wrapper { margin: 8px 0 18px; overflow-x: auto; }
table { border: 0; border-collapse: collapse; font-size: 14px; }
th, td { padding: 4px 10px; border: 0; border-bottom: 1px solid #d8dde3;
  text-align: left; } code { background: #f2f4f6; border-radius: 4px; padding: 1px 4px; }
math[display=block] { margin: 12px 0; } math { font-size: 105%; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 16px; }
.card { border: 1px solid #d8dde3; border-radius: 8px; padding: 12px 14px; color: inherit; text-decoration: none; }
.card:hover { border-color: #0550ae; } .card b { color: #0550ae; } .card span { display: block; font-size: 14px; }
.card img { display: block; width: 100%; height: 130px; object-fit: contain; margin-bottom: 8px; }
"""
# $$...$$ and $...$ of a markdown cell; a dollar behind a backslash is a dollar
_FORMULA = re.compile(r"(?<!\\)\$\$(?P<block>.+?)\$\$|(?<![\\$])\$(?P<inline>[^$\n]+?)\$", re.S)


def write_gallery(folder: Path, profiles: Sequence[str]) -> list[Path]:
    """Write a page for each executed notebook of the profiles and ``index.html``; return the pages.

    Raises:
        UserError: nbconvert or latex2mathml is not installed.
    """
    pages, lists = [], []
    for profile in profiles:
        executed = sorted(
            path for path in standard_results(profile).glob("*.ipynb") if not path.name.endswith(".failed.ipynb")
        )
        made = [_page(path, profile, folder / profile / f"{path.stem}.html") for path in executed]
        cards = "\n".join(_card(path, profile, folder) for path in executed)
        lists.append(f'<h2>Profile {profile}</h2>\n<div class="cards">\n{cards}\n</div>')
        pages += made
    body = (
        '<nav><a href="../index.html">tvlab</a></nav>\n<h1>Executed notebooks</h1>\n'
        "<p>As they ran, code and outputs. A profile is a scale: results of one are never shown as another's.</p>\n"
    )
    write_text(folder / "index.html", _html("tvlab: executed notebooks", body + "\n".join(lists), ""))
    return pages


def _page(path: Path, profile: str, page: Path) -> Path:
    try:
        from latex2mathml.converter import convert
        from nbconvert import HTMLExporter
        from papermill.iorw import load_notebook_node
    except ImportError as error:
        raise UserError(f"{error.name} is not installed: pip install 'tvlab[base]'") from None
    formulas: list[str] = []
    notebook = load_notebook_node(str(path))

    def put_aside(found: re.Match) -> str:
        display = "block" if found["block"] else "inline"
        formulas.append(convert(found["block"] or found["inline"], display=display))
        return f"formula{len(formulas) - 1}aside"

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _FORMULA.sub(put_aside, cell.source)
    body, resources = HTMLExporter(template_name="basic").from_notebook_node(notebook)
    body = re.sub(r"formula(\d+)aside", lambda found: formulas[int(found[1])], body)
    css = "\n".join(text for text in resources.get("inlining", {}).get("css", []) if ".highlight" in text)
    back = f'<nav><a href="../index.html">All notebooks</a> · profile {profile}</nav>\n'
    return write_text(page, _html(f"{path.stem} ({profile})", back + body, css))


def _html(title: str, body: str, css: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title>\n<style>{css}{_STYLE}</style></head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _card(path: Path, profile: str, folder: Path) -> str:
    """Write the notebook's first picture beside its page; return a link with picture, title and question."""
    cells = read_json(path, "executed notebook")["cells"]
    opening = "".join(cells[0]["source"])
    title = opening.splitlines()[0].lstrip("# ").strip() or path.stem
    question = opening.partition("**Question.**")[2].split("\n\n")[0].strip()
    picture = _first_picture(cells)
    shown = ""
    if picture is not None:
        write_bytes(folder / profile / f"{path.stem}.png", picture)
        shown = f'<img src="{profile}/{path.stem}.png" alt="">'
    words = f"<b>{html.escape(title)}</b><span>{html.escape(question)}</span>"
    return f'<a class="card" href="{profile}/{path.stem}.html">{shown}{words}</a>'


def _first_picture(cells: Sequence[dict[str, Any]]) -> bytes | None:
    found = (output.get("data", {}).get("image/png") for cell in cells for output in cell.get("outputs", ()))
    picture = next(filter(None, found), None)
    return base64.b64decode("".join(picture)) if picture else None
