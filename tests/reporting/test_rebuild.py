"""Committed results: tables and figures come again from the committed CSV files, and manifests hold."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from matplotlib import image

from tvlab.foundation.profiles import PROFILES
from tvlab.reporting.drawings import DRAWINGS, draw, draw_all
from tvlab.reporting.gallery import write_gallery
from tvlab.reporting.manifest import check_manifest, read_manifest
from tvlab.reporting.rebuild import profiles_with_results, rebuild

REPOSITORY = Path(__file__).resolve().parents[2]
# smoke is not committed
RESULTS = REPOSITORY / "papermill_runs"
COMMITTED = [name for name in PROFILES if name != "smoke" and (RESULTS / name / "tables").is_dir()]
#: root mean square difference of pixels between 0 and 1: hinting of letters differs between builds of FreeType
TOLERANCE = 0.02
every_profile = pytest.mark.parametrize("profile", COMMITTED)


@pytest.fixture
def copied(project):
    """A project folder with the committed tables' CSV and side-files alone."""
    for profile in COMMITTED:
        source = REPOSITORY / "papermill_runs" / profile / "tables"
        target = project / "papermill_runs" / profile / "tables"
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.md", "*.tex"))
    return project


def difference(first: Path, second: Path) -> float:
    one, other = image.imread(first), image.imread(second)
    assert one.shape == other.shape, first.name
    return float(np.sqrt(np.mean((one - other) ** 2)))


@every_profile
def test_markdown_and_csv_come_again_byte_for_byte(copied, profile, monkeypatch):
    monkeypatch.setattr("tvlab.reporting.rebuild.draw_all", lambda profile: {})
    rebuild(profile)
    for kind in ("csv", "md", "tex", "json"):  # side-files too: nothing came out differently, so they keep their date
        committed = sorted((REPOSITORY / "papermill_runs" / profile / "tables").glob(f"*.{kind}"))
        made = copied / "papermill_runs" / profile / "tables"
        assert [path.name for path in committed] == sorted(path.name for path in made.glob(f"*.{kind}"))
        assert [path.name for path in committed if path.read_bytes() != (made / path.name).read_bytes()] == []


@every_profile
def test_three_figures_come_again_within_a_tolerance(copied, profile):
    few = ("paper_components", "turn_weights", "learning_curves")
    there = [name for name in few if (REPOSITORY / "figures" / profile / f"{name}.png").is_file()]
    assert there
    compare(copied, profile, there)


@pytest.mark.slow
@every_profile
def test_all_figures_come_again_within_a_tolerance(copied, profile):
    committed = {path.stem for path in (REPOSITORY / "figures" / profile).glob("*.png")}
    assert len(committed) >= 10
    outcomes = draw_all(profile)
    drawn = {name for name, outcome in outcomes.items() if not outcome.startswith("not drawn")}
    assert drawn == committed <= set(DRAWINGS)
    compare(copied, profile, sorted(drawn))


def compare(copied: Path, profile: str, names: list[str]) -> None:
    committed = REPOSITORY / "figures" / profile
    for name in names:
        if not (copied / "figures" / profile / f"{name}.png").is_file():
            draw(name, profile)
        apart = difference(committed / f"{name}.png", copied / "figures" / profile / f"{name}.png")
        assert apart < TOLERANCE, f"{name}: {apart:.3f}"
        assert (copied / "figures" / profile / f"{name}.pdf").read_bytes().startswith(b"%PDF")


@every_profile
def test_committed_notebooks_and_tables_have_the_hashes_of_the_manifest(profile, monkeypatch):
    monkeypatch.setenv("TVLAB_HOME", str(REPOSITORY))
    assert read_manifest(profile)
    assert check_manifest(profile) == []


def test_the_tolerance_tells_one_figure_from_another():
    folder = REPOSITORY / "figures" / "lab"
    assert difference(folder / "gradient_quality.png", folder / "gradient_quality_published.png") > TOLERANCE


def test_profiles_with_results_are_found(copied):
    assert profiles_with_results() == COMMITTED


def test_gallery_pages_need_no_network(project, tmp_path):
    for profile in COMMITTED:
        (project / "papermill_runs" / profile).mkdir(parents=True)
        notebook = REPOSITORY / "papermill_runs" / "lab" / "06_component_ablation.ipynb"
        shutil.copy(notebook, project / "papermill_runs" / profile)
    pages = write_gallery(tmp_path / "gallery", COMMITTED)
    assert [page.name for page in pages] == ["06_component_ablation.html"] * len(COMMITTED)
    for page in pages:
        text = page.read_text()
        assert "data:image/png;base64" in text
        assert "06 Component ablation" in text
        assert "<script src=" not in text
        assert "<link" not in text
    assert "lab/06_component_ablation.html" in (tmp_path / "gallery" / "index.html").read_text()


def test_a_gallery_page_draws_formulas_and_its_card_shows_question_and_picture(project, tmp_path):
    (project / "papermill_runs" / "lab").mkdir(parents=True)
    notebook = REPOSITORY / "papermill_runs" / "lab" / "05_tara_variance_theory.ipynb"
    shutil.copy(notebook, project / "papermill_runs" / "lab")
    page = write_gallery(tmp_path / "gallery", ["lab"])[0]
    text = page.read_text()
    assert text.count("<math") > 40
    assert 'display="block"' in text
    assert "$" not in re.sub(r"<(pre|script|style)\b.*?</\1>", "", text, flags=re.S)
    assert "aside" not in text
    index = (tmp_path / "gallery" / "index.html").read_text()
    assert 'href="lab/05_tara_variance_theory.html"' in index
    assert "Are they true?" in index
    assert image.imread(tmp_path / "gallery" / "lab" / "05_tara_variance_theory.png").shape[1] > 400
