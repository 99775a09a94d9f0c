"""ACEBench's tasks, environments and verdicts, as evalscope carries them.

The modules below ``evalscope`` that are needed import the standard library only, but their packages import far
more; so the packages are stood in for.
"""

import importlib.util
import json
import re
import sys
import types


def _stand_in(name, folder):
    """Let modules below a package be imported without running the package, which imports far more."""
    package = types.ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package


ROOT = importlib.util.find_spec("evalscope").submodule_search_locations[0]
for _name in ("", ".benchmarks", ".benchmarks.acebench", ".third_party"):
    _stand_in("evalscope" + _name, ROOT + _name.replace(".", "/"))

from evalscope.benchmarks.acebench import checker, parser, scenarios  # noqa: E402

CATEGORIES = ("multi_step", "multi_turn")
LANGUAGES = ("en", "zh")
APOSTROPHE = r"(?<=\w)'(?=\w)"
POSSESSIVE = r"(?<=\w)'(?=s\b)"
TYPES = {"dict": "object", "float": "number", "list": "array", "tuple": "array", "int": "integer", "bool": "boolean"}


class World:
    """The environments of a task, and the calls made in them so far.

    Attributes:
        process: each message to the environments in upstream's notation.
        calls: each call as ``{tool, arguments, ok}``.
    """

    def __init__(self, task):
        self.instances = scenarios.load_scenario_instances(
            task["initial_config"], task["involved_classes"], task["language"]
        )
        self.process, self.calls = [], []

    def run(self, calls):
        """Run ``[{name: arguments}]``; return one observation a call.

        A call runs on every environment that has the method, since each has its own ``wifi``, and the last
        result counts, as upstream has it.
        """
        seen = []
        for call in calls:
            ((name, arguments),) = call.items()
            seen.append(self._outcome(name, arguments))
            failed = (isinstance(seen[-1], dict) and seen[-1].get("status") is False) or _is_error(seen[-1])
            self.calls.append({"tool": name, "arguments": arguments, "ok": not failed})
        return seen

    def _outcome(self, name, arguments):
        methods = [getattr(instance, name, None) for instance in self.instances.values() if not name.startswith("_")]
        methods = [method for method in methods if callable(method)]
        if not methods:
            return f"Error during execution: name '{name}' is not defined"
        try:
            outcome = [method(**arguments) for method in methods][-1]
        except Exception as error:
            return f"Error during execution: {error}"
        try:
            return json.loads(outcome if isinstance(outcome, str) else json.dumps(outcome))
        except (TypeError, ValueError):
            return str(outcome)

    @property
    def state(self):
        """What the scorer compares."""
        return scenarios.snapshot_states(self.instances)


def _is_error(seen):
    return isinstance(seen, str) and seen.startswith("Error during execution")


def task_of(name, folder):
    """Return the task of a name such as ``en_agent_multi_step_0``, with its answer, from the user's clone."""
    language, own = name.split("_", 1)
    category = own.removeprefix("agent_").rsplit("_", 1)[0]
    task = next(row for row in rows_of(folder, language, f"data_agent_{category}.json") if row["id"] == own)
    answers = rows_of(folder, language, f"possible_answer/data_agent_{category}.json")
    return {**task, "language": language, "category": category, "answer": next(r for r in answers if r["id"] == own)}


def milestone_calls(task, apostrophe=APOSTROPHE):
    """Return the calls of each milestone that can be read; of alternatives the first."""
    stones = task["answer"]["mile_stone"]
    stones = stones[0] if stones and isinstance(stones[0], list) else stones
    return [calls for calls in (_stone_calls(stone, apostrophe) for stone in stones) if calls]


def _stone_calls(stone, apostrophe):
    mended = re.sub(apostrophe, r"\\'", stone.strip())
    try:
        return parser.decode_execution_calls(mended)
    except (SyntaxError, ValueError):
        return []


def verdict_on(task, state, mended=False):
    """Return the scorer's verdict on an end state.

    Args:
        task: as ``task_of`` gives it.
        state: of a world.
        mended: match classes whose names differ in case only, which upstream never compares.
    """
    expected = task["answer"]["ground_truth"]
    if mended:
        own = {name.lower(): name for one in state for name in one}
        expected = [
            {own.get(name.lower(), name): value for name, value in one.items()}
            for one in (expected if isinstance(expected, list) else [expected])
        ]
    return checker.check_agent_end_state(state, expected)


def tool_of(function):
    """Return a function of the benchmark as a tool of the protocol."""
    return {"type": "function", "function": {**function, "parameters": _schema(function.get("parameters") or {})}}


def _schema(value):
    """A JSON Schema of the benchmark's own dialect, whose types are Python's."""
    if not isinstance(value, dict):
        return {"type": "object", "properties": {}}
    schema = {**value, "type": TYPES.get(value.get("type"), value.get("type") or "object")}
    if isinstance(schema.get("properties"), dict):
        schema["properties"] = {name: _schema(inner) for name, inner in schema["properties"].items()}
    elif schema["type"] == "object":
        schema["properties"] = {}
    if isinstance(schema.get("items"), dict):
        schema["items"] = _schema(schema["items"])
    return schema


def literal_of(value):
    """Return a value as the milestones write it: single quotes, nothing escaped."""
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, list):
        return f"[{', '.join(map(literal_of, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal_of(key)}: {literal_of(inner)}' for key, inner in value.items())}}}"
    return repr(value)


def rows_of(folder, language, name):
    """Return the lines of a file of the clone."""
    with open(f"{folder}/data_{language}/{name}", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]
