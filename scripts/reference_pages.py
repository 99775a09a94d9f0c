"""Write docs/reference/: one page a room with a section for each module, for mkdocstrings to fill from docstrings.

    python scripts/reference_pages.py

The pages are made, not committed.
"""

import ast
import shutil
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
ROOMS = ("foundation", "environments", "tasks", "learning", "evaluation", "reporting")


def main() -> None:
    """Make the pages anew."""
    folder = REPOSITORY / "docs" / "reference"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lines = ["# Reference", "", "Made from the docstrings; a room may use those above it, never those below.", ""]
    for room in ROOMS:
        about = []
        for path in sorted((REPOSITORY / "tvlab" / room).rglob("*.py")):
            if path.name != "__init__.py" and (path.parent / "__init__.py").is_file():
                module = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
                page = f"{module.removeprefix('tvlab.')}.md"
                (folder / page).write_text(f"# {module}\n\n::: {module}\n", encoding="utf-8")
                about.append(f"* [{module}]({page}): {_first_line(path)}")
        lines += [f"## {room}", "", *about, ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")
    print(f"{len(list(folder.iterdir()))} pages in {folder.relative_to(REPOSITORY)}/")


def _first_line(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]


if __name__ == "__main__":
    main()
