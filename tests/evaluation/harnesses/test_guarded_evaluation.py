"""Text of a model is evaluated as calls of known objects and as nothing else."""

import importlib.util
import os

import pytest

from tvlab.evaluation.harnesses.managed_environments import INSIDE


def _inside(name):
    spec = importlib.util.spec_from_file_location(name, INSIDE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


guarded = _inside("guarded_evaluation")


class Disk:
    def __init__(self):
        self.files = []

    def touch(self, file_name, size=1):
        self.files.append((file_name, size))
        return len(self.files)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("disk.touch('a')", 1),
        (" disk.touch(file_name='a', size=2 * 3)", 1),
        ("disk.touch('a', size=disk.touch('b'))", 2),
        ("disk.touch(str(round(2.4)), [1, {'a': (None, True)}])", 1),
        ("max([1, 2**10])", 1024),
    ],
)
def test_calls_of_methods_literals_and_arithmetic_are_as_in_eval(text, value):
    assert guarded.evaluate_guarded(text, {"disk": Disk()}) == eval(text.strip(), {"disk": Disk()}) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "os.getcwd()",
        "open('x')",
        "eval('1')",
        "exit()",
        "disk.__class__",
        "disk._hidden()",
        "disk.touch.__globals__",
        "disk.touch('a').real",
        "(lambda: 1)()",
        "[x for x in ()]",
        "f'{disk}'",
        "9**9**9",
        "1 << 10**9",
        "disk.touch('a'",
        "import os",
        "unknown(1)",
    ],
)
def test_everything_else_is_refused(text):
    with pytest.raises((NameError, SyntaxError)):
        guarded.evaluate_guarded(text, {"disk": Disk()})


def test_modules_are_never_known_even_under_an_allowed_name():
    with pytest.raises(NameError):
        guarded.evaluate_guarded("tools.getcwd()", {"tools": os})


def test_a_guarded_module_evaluates_by_the_guard():
    module = _inside("guarded_evaluation")
    module.disk_instance, module.secret = Disk(), 1
    guarded.guard(module, lambda name: name.endswith("_instance"))
    assert module.eval("disk_instance.touch('a')") == 1
    with pytest.raises(NameError, match="secret"):
        module.eval("secret")
