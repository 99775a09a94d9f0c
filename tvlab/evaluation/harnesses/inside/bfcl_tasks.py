"""BFCL Multi-Turn, one task at a time, inside the environment that holds bfcl-eval.

Conversation and verdict are the package's own: its OpenAI chat-completions handler (native tool calls or its
text format) and its checker, which replays model and ground truth in fresh objects and compares states and
results after each turn.  Departures: the address and the model's name come from the request instead of the
package's table of models (its ``gpt-4o`` entries use another API, others name a host), a task runs in a process
of its own (the package keeps environments in module globals), and calls are evaluated by a guarded ``eval``.

Works with the last version that has the v3 files and with those that have v4's.
"""

import ast
import importlib
import importlib.metadata
import inspect
import itertools
import json
import os
import sys
import tempfile
import types

import guarded_evaluation
import task_processes

# The package makes result folders where this points, and its tables of models import every vendor's client.
os.environ.setdefault("BFCL_PROJECT_ROOT", tempfile.mkdtemp(prefix="bfcl-"))
os.environ.setdefault("OPENAI_API_KEY", "none")
_models = types.ModuleType("bfcl_eval.constants.model_config")
vars(_models)["MODEL_CONFIG_MAPPING"] = {}
sys.modules["bfcl_eval.constants.model_config"] = _models

import openai  # noqa: E402
from bfcl_eval.constants import category_mapping, default_prompts, eval_config  # noqa: E402
from bfcl_eval.eval_checker.multi_turn_eval import multi_turn_checker, multi_turn_utils  # noqa: E402
from bfcl_eval.model_handler import utils as handler_tools  # noqa: E402
from bfcl_eval.model_handler.api_inference.openai_completion import OpenAICompletionsHandler  # noqa: E402

try:
    _backends = importlib.import_module("bfcl_eval.constants.executable_backend_config")
except ModuleNotFoundError:  # versions up to v3
    _backends = category_mapping
CATEGORIES = ("base", "miss_func", "miss_param", "long_context")
NAME = "scored"  # of the environments' objects; must not hold "FC", which the handler takes for a mode


class Handler(OpenAICompletionsHandler):
    """The package's handler with address, model and mode of a request."""

    def __init__(self, setting):
        known = {"model_name": NAME, "temperature": setting["temperature"], "registry_name": NAME, "is_fc_model": False}
        taken = inspect.signature(OpenAICompletionsHandler.__init__).parameters
        super().__init__(**{name: value for name, value in known.items() if name in taken})
        self.is_fc_model = setting["mode"] == "native"
        self.setting = setting
        self.cut = []  # of each message: did it end at the token limit?
        self.client = openai.OpenAI(
            base_url=setting["agent_url"], api_key=setting["key"], timeout=setting["timeout"], max_retries=0
        )

    def generate_with_backoff(self, **kwargs):
        """Ask the model; errors go up, since repeating is the business of whoever owns the address."""
        asked = {name: kwargs[name] for name in ("messages", "tools", "temperature") if name in kwargs}
        answer = self.client.chat.completions.create(
            model=self.setting["model"], max_tokens=self.setting["max_tokens"], **asked
        )
        self.cut.append(answer.choices[0].finish_reason == "length")
        return answer, 0.0


def entry_of(task):
    """Return (entry, ground truth) of a task; the entry holds the functions that it may use."""
    category = "multi_turn_" + task.removeprefix("multi_turn_").rsplit("_", 1)[0]
    name = f"{category_mapping.VERSION_PREFIX}_{category}.json"
    entry = next(row for row in _rows(eval_config.PROMPT_PATH / name) if row["id"] == task)
    truth = next(row for row in _rows(eval_config.POSSIBLE_ANSWER_PATH / name) if row["id"] == task)
    files = _backends.MULTI_TURN_FUNC_DOC_FILE_MAPPING
    documents = [_rows(eval_config.MULTI_TURN_FUNC_DOC_PATH / files[name]) for name in entry["involved_classes"]]
    functions = [function for document in documents for function in document]
    held_out = entry.get("missed_function", {})
    by_name = {function["name"]: function for function in functions}
    entry["missed_function"] = {turn: [by_name[name] for name in names] for turn, names in held_out.items()}
    missing = {name for names in held_out.values() for name in names}
    entry["function"] = [function for function in functions if function["name"] not in missing]
    return entry, truth["ground_truth"]


def list_tasks(request):
    """Return {category: names of its tasks}."""
    folder, prefix = eval_config.PROMPT_PATH, category_mapping.VERSION_PREFIX
    return {
        category: [row["id"] for row in _rows(folder / f"{prefix}_multi_turn_{category}.json")]
        for category in CATEGORIES
    }


def play(request):
    """Play one task against the addresses of the request and judge it."""
    entry, truth = entry_of(request["task"])
    handler = Handler(request["setting"])
    _guard()
    messages, _ = handler.inference(entry, False, True)
    decoded, unreadable = [], []
    for turn in messages:
        steps = []
        unreadable.append(0)
        for message in turn:
            try:
                calls = handler.decode_execute(*_decode_arguments(handler, message))
            except Exception:
                unreadable[-1] += _looks_like_calls(message)
                continue
            if not multi_turn_utils.is_empty_execute_response(calls):
                steps.append(calls)
        decoded.append(steps)
    whole = len(messages) == len(truth)
    verdict = judge(entry, truth, decoded) if whole else {"valid": False, "error_type": "step_limit"}
    at_limit = max(map(len, messages)) > default_prompts.MAXIMUM_STEP_LIMIT
    parameters, finishes = _parameters(entry), iter(handler.cut)
    cut = [list(itertools.islice(finishes, len(turn))) for turn in messages]
    turns = [
        {
            "made": _named([call for step in steps for call in step], parameters),
            "golden": _named(truth[at], parameters),
            "unreadable": unreadable[at],
            "cut": any(cut[at]),
            "text": next((m for m in reversed(messages[at]) if isinstance(m, str)), ""),
        }
        for at, steps in enumerate(decoded)
    ]
    return {
        "score": float(verdict["valid"]),
        "termination": "step_limit" if at_limit else "finished",
        "calls": sum(len(turn["made"]) for turn in turns),
        "details": {
            "verdict": verdict.get("error_type", ""),
            "reason": str(verdict.get("error_message", ""))[:500],
            "cut": sum(handler.cut),
            "turns": turns,
        },
    }


def judge(entry, truth, decoded):
    """Return the checker's verdict on decoded calls, ``decoded[turn][step][call]``."""
    category = entry["id"].rsplit("_", 1)[0]
    return multi_turn_checker.multi_turn_checker(decoded, truth, entry, category, NAME + "_judged")


def check(request):
    """Return the verdicts on ground truth, on nothing, and on the first turn only, of many tasks.

    Each verdict has names of its own for its objects: the checker keeps them under names in module globals.
    """
    counts = {"gold": 0, "empty": 0, "first": 0, "tasks": 0}
    for task in request["tasks"]:
        entry, truth = entry_of(task)
        attempts = {
            "gold": [[turn] if turn else [] for turn in truth],
            "empty": [[] for _ in truth],
            "first": [[turn] if turn and not at else [] for at, turn in enumerate(truth)],
        }
        counts["tasks"] += 1
        for name, decoded in attempts.items():
            verdict = multi_turn_checker.multi_turn_checker(decoded, truth, entry, "", f"{name}_check")
            counts[name] += verdict["valid"]
    return counts


def gold_calls(request):
    """Return a task's opening and its golden calls by turn as ``{tool, arguments}``, for a scripted model."""
    entry, truth = entry_of(request["task"])
    opening = next(message["content"] for message in entry["question"][0] if message["role"] == "user")
    return {"opening": opening, "turns": [_named(turn, _parameters(entry)) for turn in truth]}


def _looks_like_calls(message):
    """True for what was meant as calls: any message of native calls, text with brackets and parentheses."""
    return not isinstance(message, str) or ("[" in message and "(" in message)


def _decode_arguments(handler, message):
    wanted = len(inspect.signature(handler.decode_execute).parameters)
    return (message, False)[:wanted]


def _guard():
    guarded_evaluation.guard(multi_turn_utils, lambda name: name.endswith("_instance"))
    guarded_evaluation.guard(handler_tools)


def _parameters(entry):
    functions = entry["function"] + [function for extra in entry["missed_function"].values() for function in extra]
    return {function["name"]: list(function["parameters"]["properties"]) for function in functions}


def _named(calls, parameters):
    """Return calls in Python's notation as ``{tool, arguments}``; positional arguments get their names."""
    return [_call(text, parameters) for text in calls]


def _call(text, parameters):
    try:
        node = ast.parse(text.strip(), mode="eval").body
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        arguments = dict(zip(parameters.get(name, []), map(_value, node.args), strict=False))
        arguments.update({keyword.arg: _value(keyword.value) for keyword in node.keywords})
    except (SyntaxError, ValueError, AttributeError):
        return {"tool": text.split("(")[0], "arguments": {}}
    return {"tool": name, "arguments": arguments}


def _value(node):
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def _rows(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


if __name__ == "__main__":
    package = f"bfcl-eval {importlib.metadata.version('bfcl-eval')}"
    data = category_mapping.VERSION_PREFIX.removeprefix("BFCL_")
    requests = {"tasks": list_tasks, "play": play, "check": check, "gold": gold_calls}
    task_processes.serve(requests, f"{package} ({data})")
