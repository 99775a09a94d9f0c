"""README and docs: every fenced command is executed here, from top to bottom of its page, or says why not.

A block in bash or python runs unless the line above its fence is ``<!-- not run: reason -->``.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tvlab.cli import app
from tvlab.reporting.gallery import write_gallery

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
_FENCE = re.compile(r"(?:<!-- not run: (?P<reason>.*?) -->\n)?```(?P<language>\w*)\n(?P<body>.*?)```", re.S)
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its lines, and the reason why it is not run ("" if it is)."""

    language: str
    body: str
    reason: str


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(found["language"], found["body"], found["reason"] or "") for found in _FENCE.finditer(text)]


@every_page
def test_every_block_says_its_language_and_no_command_hides_in_an_indented_block(page):
    for block in blocks_of(page):
        assert block.language in ("bash", "python", "json", "text"), block.body
    outside = _FENCE.sub("", page.read_text(encoding="utf-8"))
    hidden = re.findall(r"^ {4,}(?:make|tvlab|python|pip|docker|\.venv/bin/\w+) .*$", outside, re.M)
    assert hidden == []


@every_page
def test_every_command_and_option_that_is_shown_exists(page):
    """Those of blocks that are not run and of inline code too."""
    from typer.main import get_command

    commands = get_command(app).commands
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    shown = [line for block in blocks_of(page) if block.language == "bash" for line in block.body.splitlines()]
    shown += re.findall(r"`(tvlab [^`]+)`", text)
    for line in shown:
        for words in re.findall(r"(?:^|[\s|/])tvlab ((?:[^|<>;&]|<\w+>)*)", line):
            name, *rest = words.split() or [""]
            if name.startswith("-") or not name:
                continue
            assert name in commands, line
            command = commands[name]
            if rest and rest[0] in getattr(command, "commands", {}):
                command = command.commands[rest[0]]
            known = {option for parameter in command.params for option in getattr(parameter, "opts", ())}
            for option in re.findall(r"(?<!\S)--[\w-]+", " ".join(rest)):
                assert option in known | {"--help"}, f"{option} in: {line}"


@every_page
def test_every_link_to_a_file_leads_somewhere(page):
    made = {"reference", "gallery"}  # by make docs
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http") and target.split("/")[0] not in made:
            assert (page.parent / target).exists(), target


@every_page
def test_every_block_that_is_not_marked_runs(page, tmp_path):
    blocks = [block for block in blocks_of(page) if block.language in ("bash", "python") and not block.reason]
    if not blocks:
        pytest.skip("no block of this page is to be run")
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").touch()
    programs = tmp_path / "bin"  # `tvlab` and `python` are those of this interpreter, in a page's block and below
    programs.mkdir()
    for name, words in (("tvlab", "-m tvlab"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (programs / name).chmod(0o755)
    place = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "TVLAB_HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path]),
    }
    python = "".join(block.body for block in blocks if block.language == "python")
    for number, block in enumerate(blocks):
        if block.language == "bash":
            _run(["bash", "-euo", "pipefail", "-c", block.body], tmp_path, place, f"block {number + 1}")
    if python:
        _run([sys.executable, "-W", "error", "-c", python], tmp_path, place, "the python blocks")
    shutil.rmtree(tmp_path / "workspace", ignore_errors=True)


def _run(command, folder, place, what):
    done = subprocess.run(command, cwd=folder, env=place, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, f"{what}: {done.stdout[-1500:]}\n{done.stderr[-1500:]}"


@pytest.mark.slow
def test_make_docs_gives_pages_with_pictures_examples_and_a_gallery(tmp_path, monkeypatch):
    """The commands of `make docs` on a copy; the gallery has one notebook."""
    for name in ("docs", "scripts", "tvlab", "figures"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("gallery", "reference"))
    shutil.copy(REPOSITORY / "mkdocs.yml", tmp_path)
    results = tmp_path / "papermill_runs" / "lab"
    results.mkdir(parents=True)
    shutil.copy(REPOSITORY / "papermill_runs" / "lab" / "02_tdg_visualization.ipynb", results)
    monkeypatch.setenv("TVLAB_HOME", str(tmp_path))
    write_gallery(tmp_path / "docs" / "gallery", ["lab"])
    place = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    _run([sys.executable, "scripts/reference_pages.py"], tmp_path, place, "reference_pages.py")
    _run([sys.executable, "-m", "mkdocs", "build", "--quiet"], tmp_path, place, "mkdocs")
    site = tmp_path / "site"
    start = (site / "index.html").read_text()
    pictures = re.findall(r'<img [^>]*src="([^"]+)"', start)
    assert pictures
    assert all((site / picture).is_file() for picture in pictures)
    assert 'href="gallery/index.html"' in start
    assert (site / "gallery" / "lab" / "02_tdg_visualization.html").is_file()
    words = (site / "reference" / "foundation.words.html").read_text()
    assert "split_name" in words
    assert "<blockquote>" not in words  # examples are code
    for page in (site / "index.html", site / "reference" / "index.html"):  # pages are opened from disk
        linked = [link for link in re.findall(r'href="([^"#:]+)"', page.read_text()) if not link.startswith("/")]
        assert len(linked) > 10
        assert [link for link in linked if not (page.parent / link).is_file()] == []
