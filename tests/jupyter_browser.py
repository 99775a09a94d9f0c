"""JupyterLab in headless Chromium, driven as a person would: used by the slow tests of notebooks on a screen."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FLAGS = (
    "--no-sandbox",  # CI runs as root, where Chromium's own sandbox cannot start
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
)
_TOKEN = "tests"
_START = 240_000  # milliseconds until a notebook is open with its kernel, on a machine that does much else


def chromium() -> str | None:
    """Return the path of a Chromium, None if there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def jupyterlab(project: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Serve a project folder by JupyterLab; yield the address of the lab, with its token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.port={port}",
        f"--IdentityProvider.token={_TOKEN}", f"--ServerApp.root_dir={project}", "--LabApp.expose_app_in_browser=True",
        "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    settings = {**os.environ, **environment, "JUPYTER_CONFIG_DIR": str(project / ".jupyter")}
    log = project / "jupyterlab.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            command, cwd=project, env=settings, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/api?token={_TOKEN}", process, log)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    for _ in range(240):
        assert process.poll() is None, log.read_text()[-2000:]
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2):
            return
        time.sleep(0.25)
    raise TimeoutError(f"JupyterLab did not answer in a minute: {log.read_text()[-2000:]}")


@contextlib.contextmanager
def page_in(executable: str, width: int = 1500, height: int = 1000) -> Iterator[Any]:
    """Yield a page of a headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=executable, headless=True, args=list(FLAGS))
        try:
            yield browser.new_page(viewport={"width": width, "height": height})
        finally:
            browser.close()


def run_all_cells(page: Any, address: str, path: str, seconds: float = 300) -> None:
    """Open a notebook, run all its cells, wait until they are done, and save it."""
    page.goto(f"{address}/lab/tree/{path}?token={_TOKEN}&reset", timeout=_START)
    page.wait_for_function(
        """path => {
            const shown = window.jupyterapp?.shell?.currentWidget;
            return shown?.context?.path === path && shown?.sessionContext?.session?.kernel?.status === "idle";
        }""",
        arg=path,
        timeout=_START,
    )
    page.evaluate(
        """() => {
            const run = name => window.jupyterapp.commands.execute(name);
            window.outcome = "";
            run("notebook:run-all-cells").then(() => run("docmanager:save"))
                .then(() => { window.outcome = "saved"; }, fault => { window.outcome = String(fault); });
        }"""
    )
    page.wait_for_function("() => window.outcome", timeout=seconds * 1000)
    assert page.evaluate("() => window.outcome") == "saved"


def outputs_of(path: Path) -> list[dict[str, Any]]:
    """Return all outputs of a saved notebook, in order."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [output for cell in cells for output in cell.get("outputs", ())]
