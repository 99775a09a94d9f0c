"""ACEBench-Agent, one task at a time, inside the environment that holds evalscope.

Environments, prompts, decoder and scorer are those that evalscope carries (ported from ACEBench); the loops are
ours.  A task's first score is the end state, its second (``partial``) the share of milestones met in order,
1 where the end state is right, as upstream has it.

Departures from upstream, none of which touch the scorer: English multi-step tasks get the English prompt; the
temperature is sent; environments live in the task's own process; the simulated user's earlier words carry the
role ``assistant`` (upstream ``system``, which many chat templates refuse); native mode, which upstream lacks,
sends ``tools``, keeps the conversation as messages and leaves the text format out of the instructions.
A ground-truth class whose name is that of no environment (``ReminderAPI``) is never compared upstream: the score
stays upstream's, ``details.unchecked`` names the class, and ``details.strict`` is the verdict with the name mended.
"""

import importlib.metadata
import json
import re

import openai
import task_processes
from acebench_world import (
    APOSTROPHE,
    CATEGORIES,
    LANGUAGES,
    POSSESSIVE,
    World,
    literal_of,
    milestone_calls,
    rows_of,
    task_of,
    tool_of,
    verdict_on,
)
from evalscope.benchmarks.acebench import checker, parser, prompts  # after acebench_world, which stands in for packages

MOST_STEPS = 40  # messages and executions together, as upstream counts
FINISH = "finish conversation"
NUDGE = "Please do not ask me any questions, use the known conditions to solve the problem"
NATIVE_STEP = {
    "en": "You are an assistant that acts by calling the given tools, one call after another; decide each by the "
    "results so far. Give an optional parameter only where the user names it, in the user's own words. When the "
    f'task is completed, answer "{FINISH}".',
    "zh": "你是一个通过调用给定工具来完成任务的助手。请一步步调用，并根据每次的结果决定下一步。可选参数仅在"
    f'用户提及时填写，并使用用户原文。当任务完成时，回答"{FINISH}"。',
}
NATIVE_TURN = {
    "en": "You are an assistant that helps a user by calling the given tools. Ask the user for what is missing; "
    "do not make it up. The rules you need to follow are as follows:\n\n",
    "zh": "你是一个通过调用给定工具来帮助用户的助手。信息不完整时请向用户提问，不要编造。你需要遵循的规则如下：\n\n",
}


class Model:
    """A chat model at one address."""

    def __init__(self, setting, address, name, temperature):
        self.client = openai.OpenAI(
            base_url=address, api_key=setting["key"], timeout=setting["timeout"], max_retries=0
        )
        self.asked = {"model": name, "temperature": temperature, "max_tokens": setting["max_tokens"]}
        self.cut = 0  # messages that ended at the token limit

    def say(self, messages, **more):
        """Return the next message."""
        choice = self.client.chat.completions.create(messages=messages, **self.asked, **more).choices[0]
        self.cut += choice.finish_reason == "length"
        return choice.message


class User:
    """The simulated user of a multi-turn task."""

    def __init__(self, model, task):
        self.model = model
        told = prompts.build_user_simulator_prompt(task["question"], task["involved_classes"], task["language"])
        opening = prompts.agent_prompt_set(task["language"])["user_opening"]
        self.messages = [{"role": "system", "content": told}, {"role": "user", "content": opening}]

    def answer(self, heard=None):
        """Return what the user says to ``heard``, first of all to the opening."""
        if heard is not None:
            self.messages.append({"role": "user", "content": heard.removeprefix("agent:").removeprefix("user:")})
        said = self.model.say(self.messages).content or ""
        self.messages.append({"role": "assistant", "content": said})
        return said


def list_tasks(request):
    """Return {category: names of its tasks, English first}."""
    return {
        category: [
            f"{language}_{row['id']}"
            for language in LANGUAGES
            for row in rows_of(request["data"], language, f"data_agent_{category}.json")
        ]
        for category in CATEGORIES
    }


def play(request):
    """Play one task against the addresses of the request and score it."""
    setting, task = request["setting"], task_of(request["task"], request["data"])
    agent = Model(setting, setting["agent_url"], setting["model"], setting["temperature"])
    user = None
    if task["category"] == "multi_turn":
        user = User(Model(setting, setting["user_url"], setting["user_model"], 0.0), task)
    world = World(task)
    loop = _native if setting["mode"] == "native" else _text_steps if user is None else _text_turns
    finished, last = loop(agent, user, task, world)
    return _outcome(task, world, finished, agent.cut, last)


def check(request):
    """Return how many tasks end right by their milestones run as calls, and with nothing done.

    Milestones are no Python where a text holds an apostrophe: ``possessives`` mends ``'s``, ``milestones`` all.
    """
    counts = {"possessives": 0, "milestones": 0, "untouched": 0, "tasks": 0}
    for name in request["tasks"]:
        task = task_of(name, request["data"])
        counts["tasks"] += 1
        counts["untouched"] += verdict_on(task, World(task).state)["valid"]
        for kind, apostrophe in (("possessives", POSSESSIVE), ("milestones", APOSTROPHE)):
            world = World(task)
            for calls in milestone_calls(task, apostrophe):
                world.run(calls)
            counts[kind] += verdict_on(task, world.state)["valid"]
    return counts


def gold_calls(request):
    """Return the milestones of a task as ``[[{name: arguments}, ...], ...]``."""
    return {"steps": milestone_calls(task_of(request["task"], request["data"]))}


def _text_steps(agent, user, task, world):
    """Multi-step by upstream's text format: a growing transcript without the agent's own messages."""
    transcript, heard, said = "", f"user:{task['question']}\n", ""
    for step in range(0, MOST_STEPS, 2):
        transcript += heard
        said = _text_answer(agent, task, transcript)
        if step > 1 and FINISH in said:
            return True, said
        world.process.append(said)
        try:
            seen = world.run(parser.decode_execution_calls(said))
        except Exception:
            seen = NUDGE
        heard = f"execution result:{seen}\n"
    return False, said


def _text_turns(agent, user, task, world):
    """Multi-turn by upstream's text format: user, agent and execution in one transcript."""
    said = user.answer()
    transcript, speaker, step, words = f"user:{said}\n", "agent", 1, ""
    while step < MOST_STEPS:
        if speaker == "agent":
            words = said = _text_answer(agent, task, transcript)
            transcript += f"agent:{said}\n"
            speaker = "execution" if _is_call(said) else "user"
        elif speaker == "user":
            said = user.answer(said)
            transcript, speaker = f"{transcript}user:{said}\n", "agent"
        else:
            world.process.append(said)
            said = str(world.run(parser.decode_execution_calls(said)))
            transcript, speaker = f"{transcript}execution:{said}\n", "agent"
        if step > 2 and FINISH in said:
            return True, words
        step += 1
    return False, words


def _native(agent, user, task, world):
    """Either kind with tool calls: the conversation is kept as messages."""
    messages = [{"role": "system", "content": _native_instructions(task)}]
    messages.append({"role": "user", "content": user.answer() if user else task["question"]})
    tools = [tool_of(function) for function in task["function"]]
    words = ""
    for _ in range(MOST_STEPS // 2):
        message = agent.say(messages, tools=tools)
        words = message.content or words
        if message.tool_calls:
            messages.append(message.model_dump(exclude_none=True))
            messages.extend(_native_results(message.tool_calls, world))
            continue
        messages.append({"role": "assistant", "content": words})
        if FINISH in words:
            return True, words
        heard = user.answer(words) if user else NUDGE
        if FINISH in heard:
            return True, words
        messages.append({"role": "user", "content": heard})
    return False, words


def _native_results(calls, world):
    """Run the calls of one message; return their results as messages."""
    decoded, results = [], []
    for call in calls:
        name = call.function.name
        try:
            arguments = json.loads(call.function.arguments or "{}")
            if not isinstance(arguments, dict):
                raise ValueError("not an object")
        except ValueError as error:
            seen = f"Error during execution: the arguments are not a JSON object ({error})"
        else:
            decoded.append(f"{name}({', '.join(f'{key}={literal_of(value)}' for key, value in arguments.items())})")
            (seen,) = world.run([{name: arguments}])
        text = seen if isinstance(seen, str) else json.dumps(seen, ensure_ascii=False)
        results.append({"role": "tool", "tool_call_id": call.id, "content": text})
    if decoded:
        world.process.append(f"[{', '.join(decoded)}]")
    return results


def _native_instructions(task):
    """Upstream's rules without the paragraph about the text format of calls."""
    language = task["language"]
    if task["category"] == "multi_step":
        return NATIVE_STEP[language]
    templates = prompts.agent_prompt_set(language)
    rules = [
        templates[policy]
        for name, policy in (("Travel", "travel_policy"), ("BaseApi", "base_policy"))
        if name in task["involved_classes"]
    ]
    plain = [re.sub(r"(Function Calls:|函数调用：)\n.*?\n\n", "", rule, flags=re.DOTALL) for rule in rules]
    return NATIVE_TURN[language] + "\n\n".join(plain)


def _text_answer(agent, task, transcript):
    system, asked = prompts.build_agent_prompts(
        transcript, task["function"], task["involved_classes"], task["category"], task["language"]
    )
    return agent.say([{"role": "system", "content": system}, {"role": "user", "content": asked}]).content or ""


def _is_call(text):
    if not re.search(r"\[.*\]", text):
        return False
    try:
        parser.decode_execution_calls(text)
    except Exception:
        return False
    return True


def _outcome(task, world, finished, cut, last):
    state = world.state
    verdict = verdict_on(task, state)
    golden = [
        {"tool": name, "arguments": arguments}
        for calls in milestone_calls(task)
        for call in calls
        for name, arguments in call.items()
    ]
    milestones = checker.milestone_accuracy(world.process, task["answer"]["mile_stone"])
    expected = task["answer"]["ground_truth"]
    expected = expected if isinstance(expected, list) else [expected]
    unchecked = sorted({name for one in expected for name in one} - {name for one in state for name in one})
    return {
        "score": float(verdict["valid"]),
        "partial": 1.0 if verdict["valid"] else milestones,
        "termination": "finished" if finished else "step_limit",
        "calls": len(world.calls),
        "details": {
            "reason": str(verdict["error"])[:500],
            "cut": cut,
            "unchecked": unchecked,
            "strict": verdict_on(task, state, mended=True)["valid"],
            "turns": [{"made": world.calls, "golden": golden, "text": last}],
        },
    }


if __name__ == "__main__":
    package = f"evalscope {importlib.metadata.version('evalscope')}"
    requests = {"tasks": list_tasks, "play": play, "check": check, "gold": gold_calls}
    task_processes.serve(requests, package)
