"""pyproject.toml says what the code uses; the conda files and the Makefile follow it."""

import ast
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
# started as programs or needed by what we import, and therefore imported by no module of ours
NOT_IMPORTED = {"ipykernel", "jupyterlab", "nbclient"}
# files for interpreters of other environments, which hold what these import; tests/evaluation/harnesses looks at them
OTHER_INTERPRETERS = REPOSITORY / "tvlab" / "evaluation" / "harnesses" / "inside"
# imported by the adapter of the extra `verl`, where it is installed; vllm by that of vLLM's CPU build
OF_EXTRAS = {
    "hydra", "omegaconf", "ray", "safetensors", "tokenizers", "transfer_queue", "transformers", "verl", "vllm",
}  # fmt: skip


def distribution(requirement: str) -> str:
    return re.match(r"[A-Za-z0-9._-]+", requirement)[0].lower().replace("_", "-")


def imported_distributions(folder: str) -> set[str]:
    by_module = packages_distributions()
    ours = {"tvlab", *OF_EXTRAS, *(path.stem for path in (REPOSITORY / folder).rglob("*.py"))}
    found = set()
    for path in (REPOSITORY / folder).rglob("*.py"):
        if path.is_relative_to(OTHER_INTERPRETERS):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for root in {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - ours:
                assert root in by_module, f"{path.name} imports {root}, which is not installed"
                names_of = [name.lower().replace("_", "-") for name in by_module[root]]
                found.add(root if root in names_of else names_of[0])
    return found


def test_the_dependencies_and_the_extra_base_are_what_the_code_imports():
    always = {distribution(requirement) for requirement in PROJECT["dependencies"]}
    with_base = always | {distribution(requirement) for requirement in EXTRAS["base"]}
    assert with_base - NOT_IMPORTED == imported_distributions("tvlab")


def test_the_tests_import_nothing_but_the_dependencies_and_the_extra_dev():
    taken = [*EXTRAS["dev"], *EXTRAS["base"], *EXTRAS["docs"], *EXTRAS["ray"]]  # dev takes the other three
    declared = {distribution(requirement) for requirement in [*PROJECT["dependencies"], *taken]}
    assert imported_distributions("tests") <= declared


def test_every_dependency_is_bounded_below_and_above():
    for requirement in PROJECT["dependencies"]:
        assert re.search(r">=[\d.]+,<[\d.]+$", requirement), requirement


def test_the_extras_are_those_promised_and_torch_is_pinned_where_it_is_tested():
    assert {"base", "docs", "ray", "verl", "gpu", "dev"} == set(EXTRAS)
    assert "torch==2.13.0" in EXTRAS["base"]
    assert "torch==2.13.0" in EXTRAS["verl"]
    assert "verl==0.9.1" in EXTRAS["verl"]
    assert {"verl", "ray"} <= OF_EXTRAS
    assert "verl[vllm]==0.9.1" in EXTRAS["gpu"]
    assert "tvlab[base,docs,ray]" in EXTRAS["dev"]


@pytest.mark.parametrize(("file", "extra"), [("environment.yml", "dev"), ("environment-gpu.yml", "gpu")])
def test_the_conda_files_take_everything_from_pyproject(file, extra):
    wanted = yaml.safe_load((REPOSITORY / file).read_text())["dependencies"]
    python = next(word for word in wanted if str(word).startswith("python="))
    assert python.removeprefix("python=") in ("3.11", "3.12")
    assert PROJECT["requires-python"] == ">=3.11,<3.13"
    assert next(word for word in wanted if isinstance(word, dict)) == {"pip": [f"-e .[{extra}]"]}
    assert set(map(str, wanted[:-1])) == {python, "pip"}


def test_the_makefile_pins_the_same_torch():
    assert '"torch==2.13.0"' in (REPOSITORY / "Makefile").read_text()


def test_make_alone_prints_every_target():
    menu = subprocess.run(["make", "-C", str(REPOSITORY)], capture_output=True, text=True, check=True).stdout
    for target in ("reproduce", "test", "test-all", "lab", "figures", "lint", "clean"):
        assert f"make {target} " in menu


def test_find_python_refuses_a_python_that_does_not_run(tmp_path):
    shim = tmp_path / "python3.12"
    shim.write_text("#!/bin/sh\necho 'command not found' >&2\nexit 127\n")
    shim.chmod(0o755)
    script = ["bash", str(REPOSITORY / "scripts" / "find_python.sh")]
    named = subprocess.run([*script, str(shim)], capture_output=True, text=True, check=False)
    assert named.returncode == 2
    assert "not a Python 3.11 or 3.12" in named.stderr
    path = {"PATH": f"{tmp_path}:{Path(sys.executable).parent}:/usr/bin:/bin"}
    found = subprocess.run(script, env=path, capture_output=True, text=True, check=True).stdout.strip()
    assert found != str(shim)


def test_the_download_is_announced_with_its_size():
    script = ["bash", str(REPOSITORY / "scripts" / "download_size.sh")]
    assert re.search(r"\d+ MB", subprocess.run(script, capture_output=True, text=True, check=True).stdout)


@pytest.mark.slow
def test_a_wheel_holds_the_data_files(tmp_path):
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", str(tmp_path), str(REPOSITORY)]
    subprocess.run(command, check=True, capture_output=True)
    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    files = [*(REPOSITORY / "tvlab" / "data").rglob("*.json"), *OTHER_INTERPRETERS.glob("*.*")]
    data = {path.relative_to(REPOSITORY).as_posix() for path in files}
    assert data
    assert data <= set(names)


def test_nothing_committed_names_a_place_of_one_machine():
    listed = subprocess.run(
        ["git", "-C", str(REPOSITORY), "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    endings = (".py", ".md", ".toml", ".yml", ".ipynb", ".sh", ".json", ".csv", "")
    here = {str(REPOSITORY), sys.prefix, sys.base_prefix, f"{Path.home()}/"} - {"/usr", "//"}
    for name in listed.stdout.splitlines():
        path = REPOSITORY / name
        if path.suffix in endings and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            for bad in here:
                assert bad not in text, f"{name} names {bad}"


def test_the_image_opens_jupyterlab_as_make_lab_does_and_installs_by_make():
    text = (REPOSITORY / "Dockerfile").read_text().replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert "make install" in next(line for line in lines if line.startswith("RUN PIP"))
    command = json.loads(next(line for line in lines if line.startswith("CMD ")).removeprefix("CMD "))
    lab = next(line for line in (REPOSITORY / "Makefile").read_text().splitlines() if "-m jupyterlab" in line)
    assert set(command) - {"python", "--ip=0.0.0.0", "--no-browser"} == set(lab.split()) - {"$(BIN)/python"}
    # whoever runs make owns the folder in which it makes .venv
    user = lines.index("USER researcher")
    assert "install --directory --owner=researcher --group=researcher /home/researcher/tvlab" in lines[user - 1]
    assert lines[user + 1] == "WORKDIR /home/researcher/tvlab"
    assert "COPY --chown=researcher:researcher . ." in lines[user:]


def test_the_image_leaves_out_what_is_made_again():
    left_out = (REPOSITORY / ".dockerignore").read_text().split()
    assert {".git", ".venv", ".venv-verl", "workspace", "site"} <= set(left_out)
