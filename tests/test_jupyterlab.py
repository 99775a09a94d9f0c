"""Notebooks on a screen: JupyterLab in headless Chromium runs all cells, shows no error, and draws the pictures."""

import os
import shutil
import sys
from pathlib import Path

import jupyter_browser as browser
import pytest

REPOSITORY = Path(__file__).resolve().parents[1]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(browser.chromium() is None, reason="no Chromium on this machine: install the package chromium"),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """(address of a JupyterLab on a project of its own, that project)."""
    project = tmp_path_factory.mktemp("screen")
    shutil.copytree(REPOSITORY / "notebooks", project / "notebooks")
    shutil.copy(REPOSITORY / "pyproject.toml", project)
    for path in (project / "notebooks").glob("*.ipynb"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('profile: str = \\"lab\\"', 'profile: str = \\"smoke\\"'), encoding="utf-8")
    place = {"TVLAB_HOME": str(project), "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])}
    with browser.jupyterlab(project, place) as address:
        yield address, project


@pytest.mark.parametrize("name", ["02_tdg_visualization", "16_my_own_servers"])
def test_all_cells_run_in_jupyterlab_without_an_error_on_the_screen(lab, name):
    address, project = lab
    with browser.page_in(browser.chromium(), height=8000) as page:
        browser.run_all_cells(page, address, f"notebooks/{name}.ipynb")
        outputs = browser.outputs_of(project / "notebooks" / f"{name}.ipynb")
        assert [output["evalue"] for output in outputs if output["output_type"] == "error"] == []
        assert len(outputs) >= 5
        assert page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
        picture = page.locator(".jp-OutputArea img").first
        picture.wait_for(state="attached")
        width = "async image => { image.scrollIntoView(); await image.decode(); return image.naturalWidth; }"
        assert picture.evaluate(width) > 400


def test_conversations_and_cards_are_drawn_and_not_shown_as_text(lab):
    address, _ = lab
    with browser.page_in(browser.chromium(), height=8000) as page:
        browser.run_all_cells(page, address, "notebooks/16_my_own_servers.ipynb")
        drawn = page.locator("[data-mime-type='text/html'] div", has_text="reward 0").first
        drawn.wait_for(state="attached")
        assert "border-left" in drawn.evaluate("element => element.outerHTML")
        background = page.locator("[data-mime-type='text/html'] span", has_text="reward 1").first
        assert background.evaluate("e => getComputedStyle(e).backgroundColor") != "rgba(0, 0, 0, 0)"


def test_the_interactive_graph_is_drawn_without_a_network(lab):
    address, _ = lab
    with browser.page_in(browser.chromium(), height=4000) as page:
        page.context.route(lambda url: not url.startswith((address, "data:", "blob:")), lambda route: route.abort())
        browser.run_all_cells(page, address, "notebooks/02_tdg_visualization.ipynb")
        drawn = page.locator(".js-plotly-plot .main-svg").first
        drawn.wait_for(state="attached")
        drawn.scroll_into_view_if_needed()
        assert drawn.bounding_box()["width"] > 400
        assert page.locator(".js-plotly-plot .scatterlayer .trace").count() >= 2
