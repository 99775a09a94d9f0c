"""Executed notebooks as HTML pages that need no network: ``<folder>/<profile>/NAME.html`` and an index.

nbconvert renders the cells (its ``basic`` template); the page around them and the style are ours, since nbconvert's
own pages fetch scripts from elsewhere. Formulas stay as they were typed. Scripts inside outputs are kept as they
are.
"""

import html
from collections.abc import Sequence
from pathlib import Path

from tvlab.foundation.atomic_files import read_json, write_text
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
table { border-collapse: collapse; font-size: 14px; } th, td { padding: 4px 10px; border-bottom: 1px solid #d8dde3;
  text-align: left; } code { background: #f2f4f6; border-radius: 4px; padding: 1px 4px; }
"""


def write_gallery(folder: Path, profiles: Sequence[str]) -> list[Path]:
    """Write a page for each executed notebook of the profiles and ``index.html``; return the pages.

    Raises:
        UserError: nbconvert is not installed.
    """
    pages, lists = [], []
    for profile in profiles:
        executed = sorted(
            path for path in standard_results(profile).glob("*.ipynb") if not path.name.endswith(".failed.ipynb")
        )
        made = [_page(path, profile, folder / profile / f"{path.stem}.html") for path in executed]
        items = "".join(f'<li><a href="{profile}/{path.stem}.html">{_title(path)}</a></li>' for path in executed)
        lists.append(f"<h2>Profile {profile}</h2>\n<ul>{items}</ul>")
        pages += made
    body = "<h1>Executed notebooks</h1>\n<p>As they ran, code and outputs.</p>\n" + "\n".join(lists)
    write_text(folder / "index.html", _html("tvlab: executed notebooks", body, ""))
    return pages


def _page(path: Path, profile: str, page: Path) -> Path:
    try:
        from nbconvert import HTMLExporter
    except ImportError:
        raise UserError("nbconvert is not installed: pip install 'tvlab[base]'") from None
    body, resources = HTMLExporter(template_name="basic").from_filename(str(path))
    css = "\n".join(text for text in resources.get("inlining", {}).get("css", []) if ".highlight" in text)
    back = f'<nav><a href="../index.html">All notebooks</a> · profile {profile}</nav>\n'
    return write_text(page, _html(f"{path.stem} ({profile})", back + body, css))


def _html(title: str, body: str, css: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title>\n<style>{css}{_STYLE}</style></head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _title(path: Path) -> str:
    first = "".join(read_json(path, "executed notebook")["cells"][0]["source"]).splitlines()[0]
    return html.escape(first.lstrip("# ").strip() or path.stem)
