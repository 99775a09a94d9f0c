"""Fixtures that all tests may use."""

import importlib.util
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def repository() -> Path:
    """The folder of the repository."""
    return REPOSITORY


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with mcp/mini.jsonl, mcp/corpus.jsonl and mcp/warts.json: TVLAB_CORPUS, else ../shared."""
    folder = Path(os.environ.get("TVLAB_CORPUS", REPOSITORY.parent / "shared"))
    if not (folder / "mcp" / "mini.jsonl").is_file():
        pytest.skip(f"no corpus at {folder}: set TVLAB_CORPUS to the folder that holds mcp/mini.jsonl")
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project folder that is TVLAB_HOME and the working directory."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setenv("TVLAB_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def two_ray_nodes() -> Iterator[str]:
    """Address of a Ray cluster of a head and a second node on this machine, one CPU each."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install 'tvlab[ray]'")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        for _ in range(2):
            cluster.add_node(num_cpus=1, include_dashboard=False)
        yield cluster.address
    except Exception as error:
        if "timed out during startup" not in str(error):
            raise
        pytest.skip("this machine is too busy: a Ray node did not start within Ray's own 30 s")
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture
def killed_twenty_times() -> Callable[..., None]:
    """A function that starts a command until 20 of its runs were ended by kill -9, at moments drawn by seed."""

    def run(
        command: Sequence[str],
        environment: Mapping[str, str],
        whole_run: float,
        out: Path,
        got_through: Callable[[], bool],
    ) -> None:
        """Moments are shares of ``whole_run`` (seconds); ``out`` is begun anew after a run that got through."""
        rng, killed = np.random.default_rng(0), 0
        for _ in range(100):
            if got_through():
                shutil.rmtree(out)  # begin again, so that later kills hit something
            process = subprocess.Popen(command, start_new_session=True, env=environment)
            time.sleep(float(rng.uniform(0.1, 0.95)) * whole_run)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                killed += 1
            process.wait()
            if killed == 20:
                break
        assert killed == 20

    return run
