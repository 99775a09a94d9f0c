"""The closure holds what is imported at any depth, and nothing else."""

import sys

import pytest

from tvlab.foundation.import_closure import closure_hash, import_closure


@pytest.fixture
def package(tmp_path, monkeypatch):
    files = {
        "house/__init__.py": "",
        "house/roof.py": "import os\nfrom house import wall\ndef look():\n    from house.attic import BOX\n",
        "house/wall.py": "import house.stone\n",
        "house/stone.py": "",
        "house/attic.py": "BOX = 1\n",
        "house/garden.py": "from house.roof import look\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "house"
    for name in [name for name in sys.modules if name.split(".")[0] == "house"]:
        del sys.modules[name]


def test_imports_at_any_depth_and_inside_functions_belong_to_it(package):
    assert sorted(import_closure("house.roof")) == ["house", "house.attic", "house.roof", "house.stone", "house.wall"]


def test_the_hash_changes_with_what_is_imported_only(package):
    before = closure_hash("house.roof")
    (package / "garden.py").write_text("GREEN = 1\n")
    assert closure_hash("house.roof") == before
    (package / "stone.py").write_text("GREY = 1\n")
    assert closure_hash("house.roof") != before
