"""What is in an environment, where it lies, when it counts as made, and what making it says."""

import ast
import re
import sys
from dataclasses import replace

import pytest

from tvlab.evaluation import harnesses
from tvlab.evaluation.harnesses import managed_environments as managed
from tvlab.foundation.atomic_files import write_json
from tvlab.foundation.errors import UserError

PINNED = re.compile(r"^[A-Za-z0-9._-]+==[A-Za-z0-9.]+$")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TVLAB_HARNESSES", str(tmp_path / "harnesses"))
    return tmp_path / "harnesses"


@pytest.fixture
def small(folder, monkeypatch):
    """An environment without packages: pip is asked for nothing that is not there."""
    environment = managed.ManagedEnvironment("small", "bfcl", "pip", True, ("pip",), "small.py", 1, 2, 3)
    inside = folder.parent / "inside"
    inside.mkdir()
    (inside / "small.py").write_text("print('{\"version\": \"small 1\"}')")
    monkeypatch.setattr(managed, "INSIDE", inside)
    monkeypatch.setitem(managed.ENVIRONMENTS, "small", environment)
    return environment


def test_every_package_is_pinned():
    versions = [line for line in managed._VERSIONS.read_text().splitlines() if not line.startswith("#")]
    assert all(PINNED.match(line) for line in versions)
    pinned = {line.split("==")[0].lower() for line in versions}
    for environment in managed.ENVIRONMENTS.values():
        assert PINNED.match(environment.package)
        assert set(environment.needs) <= pinned


def test_the_files_for_other_interpreters_import_a_harness_or_the_standard_library_and_never_tvlab():
    allowed = {"bfcl_eval", "tau2", "evalscope", "openai", "loguru", *sys.stdlib_module_names}
    files = sorted(managed.INSIDE.glob("*.py"))
    allowed |= {path.stem for path in files}
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= allowed, path.name
    assert all((managed.INSIDE / environment.script).is_file() for environment in managed.ENVIRONMENTS.values())


def test_nothing_is_made_before_it_is_asked_for(folder):
    for name, make in harnesses.harnesses().items():
        assert "tvlab evaluate --setup --bench" in make().missing(), name
    assert not folder.exists()


def test_an_unknown_name_is_refused_with_the_known_ones(folder):
    with pytest.raises(UserError, match=r"'bfl': choose from bfcl, tau2, acebench, bfcl-v4"):
        harnesses.setup(["bfl"])


def test_an_environment_is_made_once_says_its_size_before_and_goes_on_after_an_interruption(small, capsys):
    assert harnesses.setup(["small"]) == [small.folder]
    assert "about 1 MB to download, 2 MB on disk, 3 s" in capsys.readouterr().err
    assert small.made["version"] == "small 1"
    before = (small.folder / "pyvenv.cfg").stat().st_ctime_ns
    harnesses.setup(["small"])
    assert capsys.readouterr().err == ""
    (small.folder / "made.json").unlink()  # as after a kill
    harnesses.setup(["small"], show=False)
    assert small.made is not None
    assert (small.folder / "pyvenv.cfg").stat().st_ctime_ns == before


def _borrow_python(environment):
    environment.python.parent.mkdir(parents=True)
    environment.python.symlink_to(sys.executable)


def test_an_environment_of_other_versions_does_not_count_as_made(small):
    _borrow_python(small)
    write_json(small.folder / "made.json", {"key": small.key, "version": "small 1"})
    assert small.made is not None
    assert replace(small, package="pip==1.0").made is None
    (small.folder / "made.json").unlink()
    assert small.made is None


def test_a_failed_installation_names_its_log_and_is_no_environment(small, monkeypatch):
    broken = replace(small, package="no-such-package===")
    _borrow_python(broken)
    monkeypatch.setitem(managed.ENVIRONMENTS, "small", broken)
    with pytest.raises(UserError, match=r"cannot be installed .* see .*small\.log"):
        harnesses.setup(["small"], show=False)
    assert broken.made is None


def test_too_small_a_disk_is_told_before_anything_is_made(small, monkeypatch):
    monkeypatch.setitem(managed.ENVIRONMENTS, "small", replace(small, disk=10**9))
    with pytest.raises(UserError, match=r"MB free and small needs 1000000000: set TVLAB_HARNESSES"):
        harnesses.setup(["small"], show=False)
    assert not small.folder.exists()


def test_a_harness_gets_no_keys_and_no_proxies(small, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    variables = managed.harness_variables(small)
    assert "secret" not in variables.values()
    assert not any("PROXY" in name.upper() for name in variables)
    assert variables["HOME"].startswith(str(small.folder))
