import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from scripted_chat import serving
from scripted_endpoint import GoldenModel

from tvlab.evaluation.gust_scores import GustHarness, current_turn
from tvlab.evaluation.score_progress import ScoreProgress
from tvlab.evaluation.score_rows import Job, Outcome, drawn_tasks, task_limits
from tvlab.evaluation.score_run import ScorePlan, jobs_of, run_scores
from tvlab.evaluation.score_store import ScoreStore, load_scores
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.foundation.errors import UserError

pytest.importorskip("openai")


class Quiz:
    """A benchmark of numbers: right if the model says the task's name; asks two messages a job."""

    name = "tau2"

    def __init__(self, tasks=4):
        self.count = tasks
        self.closed = 0

    def missing(self):
        return ""

    def version(self):
        return "quiz 1"

    def tasks(self, category):
        return [f"{category}{n}" for n in range(self.count)]

    def play(self, job, setting, folder):
        endpoint = Endpoint(EndpointConfig(setting.agent_url, setting.model, retries=0))
        said = [endpoint.message([{"role": "user", "content": f"{n}:{job.task}"}])["content"] for n in (1, 2)]
        if job.task == "crash":
            raise RuntimeError("the harness fell over")
        return Outcome(float(said[1] == job.task))

    def close(self):
        self.closed += 1


def plan(url, **changes):
    settings = {"runs": 1, "concurrency": 3, **changes}
    return ScorePlan(EndpointConfig(url, "m", retries=0, wait=0.0), **settings)


def echo(body):
    return {"content": body["messages"][0]["content"].partition(":")[2]}


def test_every_job_is_scored_once_and_a_second_start_asks_nothing(tmp_path):
    quiz = Quiz()
    with serving(echo) as server:
        rows = run_scores([quiz], plan(server.url, runs=2), tmp_path, show=False)
        asked = len(server.requests)
        again = run_scores([quiz], plan(server.url, runs=2), tmp_path, show=False)
        wider = run_scores([quiz], plan(server.url, runs=3), tmp_path, show=False)
    assert asked == len(rows) * 2 == 4 * 3 * 2 * 2
    assert again == rows
    assert len(server.requests) == asked * 3 // 2
    assert len(wider) == 36
    assert all(row["score"] == 1.0 and row["requests"] == 2 and row["input_tokens"] == 200 for row in wider)
    assert quiz.closed == 2  # nothing was opened where nothing was left to do
    assert load_scores(tmp_path)[1] == wider


def test_an_error_is_no_wrong_answer_and_is_tried_again(tmp_path):
    broken = {"retail1"}

    def answer(body):
        refused = any(name in body["messages"][0]["content"] for name in broken)
        return (400, "no such thing") if refused else echo(body)

    quiz = Quiz()
    quiz.tasks = lambda category: [f"{category}1", "crash"] if category == "airline" else [f"{category}1"]
    with serving(answer) as server:
        rows = run_scores([quiz], plan(server.url), tmp_path, show=False)
        by_task = {row["task"]: row for row in rows}
        broken.clear()
        asked = len(server.requests)
        after = {row["task"]: row for row in run_scores([quiz], plan(server.url), tmp_path, show=False)}
    wrong = by_task["retail1"]
    assert (wrong["score"], wrong["termination"], wrong["side"]) == (None, "error", "endpoint")
    assert "no such thing" in wrong["error"]
    crashed = by_task["crash"]
    assert (crashed["score"], crashed["side"], crashed["error"]) == (
        None,
        "harness",
        "RuntimeError: the harness fell over",
    )
    assert by_task["telecom1"]["score"] == 1.0
    assert after["retail1"]["score"] == 1.0
    assert len(server.requests) - asked == 2  # the answers that the crashed job had got are known


def test_a_dead_endpoint_ends_the_run_and_what_was_made_stays(tmp_path):
    served = []

    def answer(body):
        served.append(1)
        return echo(body) if len(served) <= 8 else (503, "down")

    with serving(answer) as server:
        with pytest.raises(UserError, match="jobs are left: start again"):
            run_scores([Quiz(40)], plan(server.url, concurrency=1), tmp_path, show=False)
        served[:] = [0] * -9  # it answers again
        served.clear()
    _, rows = load_scores(tmp_path)
    assert Counter(row["termination"] for row in rows) == {"finished": 4, "error": 3}
    with pytest.raises(UserError, match="start the server or check --base-url"):
        run_scores([Quiz(40)], plan("http://127.0.0.1:9/v1"), tmp_path, show=False)


def test_scores_made_another_way_are_not_mixed(tmp_path):
    ScoreStore(tmp_path, plan("http://x/v1").config)
    with pytest.raises(UserError, match="mode 'native', not 'prompt': give another --out"):
        ScoreStore(tmp_path, plan("http://x/v1", mode="prompt").config)


def test_two_runs_do_not_write_into_one_folder(tmp_path):
    store = ScoreStore(tmp_path, plan("http://x/v1").config)
    with serving(echo) as server, store.alone(), pytest.raises(UserError, match="another run writes into"):
        run_scores([Quiz()], plan(server.url), tmp_path, show=False)


def test_a_torn_line_is_dropped(tmp_path):
    store = ScoreStore(tmp_path, {})
    row = {"bench": "tau2", "category": "retail", "task": "1", "run": 0, "score": 1.0, "termination": "finished"}
    store.add(row)
    with store.path.open("a") as file:
        file.write('{"bench": "tau2", "cat')
    again = ScoreStore(tmp_path, {})
    assert again.rows == [row]
    again.add({**row, "run": 1})
    assert len(ScoreStore(tmp_path, {}).rows) == 2


def test_reading_scores_leaves_a_line_that_another_run_is_writing(tmp_path):
    row = {"bench": "tau2", "category": "retail", "task": "1", "run": 0, "score": 1.0, "termination": "finished"}
    line = json.dumps(row) + "\n"
    path = tmp_path / "rows.jsonl"
    ScoreStore(tmp_path, {})
    path.write_text(line + line[:20])
    assert ScoreStore(tmp_path, {}).rows == [row]
    with path.open("a") as file:  # the other run's line gets whole
        file.write(line.replace('"run": 0', '"run": 1')[20:])
    store = ScoreStore(tmp_path, {})
    assert [one["run"] for one in store.rows] == [0, 1]
    with path.open("a") as file:
        file.write(line.replace('"run": 0', '"run": 2'))
    with store.alone():
        assert [one["run"] for one in store.rows] == [0, 1, 2]


def test_a_key_that_is_refused_counts_the_errors_that_the_next_start_mends(tmp_path):
    with serving(lambda _: (401, "wrong key")) as server, pytest.raises(UserError, match="refuses the key") as caught:
        run_scores([Quiz(4)], plan(server.url, concurrency=1), tmp_path, show=False)
    _, rows = load_scores(tmp_path)
    assert f"{len(rows)} jobs ended in an error" in str(caught.value)
    with serving(echo) as server:
        rows = run_scores([Quiz(4)], plan(server.url, concurrency=1), tmp_path, show=False)
    assert {row["termination"] for row in rows} == {"finished"}


def test_jobs_come_run_by_run_and_a_larger_limit_keeps_a_smaller_ones_tasks():
    jobs = jobs_of([Quiz()], 2, 7)
    assert [job.run for job in jobs] == [0] * 7 + [1] * 7
    assert [job.category for job in jobs[:7]] == ["airline"] * 3 + ["retail"] * 2 + ["telecom"] * 2
    assert jobs[:3] == sorted(jobs[:3], key=lambda job: job.task)
    assert {job.key for job in jobs} < {job.key for job in jobs_of([Quiz()], 2, 9)}
    assert jobs_of([Quiz()], 2, task_limits("gust=1, tau2=7")) == jobs
    assert jobs_of([Quiz()], 1, task_limits("gust=1")) == jobs_of([Quiz()], 1, task_limits(""))
    assert drawn_tasks("abcdef", 3) == drawn_tasks("fedcba", 6)[:3]
    assert Job("b", "c", "a b/ç", 0).key.count("/") == 3


@pytest.mark.parametrize("text", ["0", "-1", "many", "gsm8k=3", "gust=", "gust=1,4", "gust=1,gust=2", "3,4"])
def test_limits_that_say_nothing_sound_are_refused_in_one_line(text):
    with pytest.raises(UserError, match=r"^--limit .*: give a number of tasks, or such as gust=40,tau2=8[^\n]*$"):
        task_limits(text)


def test_the_time_and_cost_left_are_those_of_each_benchmark():
    progress = ScoreProgress({"gust": 3, "tau2": 2, "bfcl": 1}, 2, 10.0, 100.0, show=False)
    for bench, seconds, tokens in (("gust", 10.0, 1000), ("gust", 10.0, 1000), ("tau2", 340.0, 40_000)):
        row = {"bench": bench, "seconds": seconds, "termination": "finished", "input_tokens": tokens}
        progress.add({**row, "output_tokens": -1})  # the server did not count them
    # left: 10 s of GUST, 340 s of tau2, and BFCL as the others on average (120 s), two at once
    assert "3/6 (gust 2, tau2 1), 0 errors, 42k tokens in, 0k out, about 4 min left" in progress.line(180.0)
    assert "cost 0.42, about 0.55 more" in progress.line(180.0)


@pytest.mark.parametrize("mode", ["native", "prompt"])
def test_a_model_that_makes_the_golden_calls_solves_every_item(bookstore, items, tmp_path, mode):
    golden = GoldenModel(items)

    def answer(body):
        if mode == "native":
            return golden(body)
        message = golden({"messages": _as_protocol(body["messages"])})
        calls = message.pop("tool_calls", [])
        texts = [{"name": c["function"]["name"], "arguments": json.loads(c["function"]["arguments"])} for c in calls]
        message["content"] += "".join(f"<tool_call>{json.dumps(text)}</tool_call>" for text in texts)
        return message

    harness = GustHarness(items, {"bookstore": bookstore})
    with serving(answer) as server:
        rows = run_scores([harness], plan(server.url, mode=mode), tmp_path, show=False)
    assert len(rows) == len(items)
    assert [row["error"] for row in rows if row["error"]] == []
    for row in rows:
        assert row["score"] == row["partial"] == row["details"]["trace"] == row["details"]["validation"] == 1.0
        assert all(turn["matched"] == turn["golden"] for turn in row["details"]["turns"])
        assert not any(turn["failures"] for turn in row["details"]["turns"])
    assert {turn["kind"] for row in rows for turn in row["details"]["turns"]} >= {"missing_parameter", "irrelevant"}
    talk = json.loads((tmp_path / "logs" / Job("gust", "all", items[0].id, 0).key / "messages.json").read_text())
    assert talk["messages"][-1]["content"] == "All done."  # thinking is gone


def _as_protocol(messages):
    """Turn the text of results back into messages of the role tool."""
    told = []
    for message in messages:
        parts = message["content"].split("<tool_response>\n")
        if message["role"] == "user" and len(parts) > 1:
            told += [{"role": "tool", "content": part.partition("\n</tool_response>")[0]} for part in parts[1:]]
        else:
            told.append(message)
    return told


def test_a_model_that_does_nothing_scores_the_floor_and_gives_up(bookstore, items, tmp_path):
    harness = GustHarness(items, {"bookstore": bookstore})
    with serving(lambda body: {"content": "I cannot."}) as server:
        rows = run_scores([harness], plan(server.url), tmp_path, show=False)
    assert sum(row["score"] for row in rows) / len(rows) == harness.floor()
    for row in rows:
        for turn in row["details"]["turns"]:
            assert {failure["kind"] for failure in turn["failures"]} == ({"gave_up"} if turn["golden"] else set())
            assert turn["reward"] == (0.0 if turn["golden"] else 1.0)


def test_the_answer_to_a_question_opens_no_turn(items):
    asking = next((item, t) for item in items for t, turn in enumerate(item.turns) if turn.answer)
    item, t = asking
    words = [w for turn in item.turns for w in ([turn.user, turn.answer] if turn.answer else [turn.user])]
    said = [{"role": "user", "content": text} for text in words]
    turns = [current_turn(item, said[: n + 1]) for n in range(len(said))]
    assert turns == sorted([*range(len(item.turns)), *(i for i, turn in enumerate(item.turns) if turn.answer)])
    assert turns.count(t) == 2


RUN = """
import sys
from test_score_run import Quiz, plan
from tvlab.evaluation.score_run import run_scores
run_scores([Quiz(10)], plan(sys.argv[1]), sys.argv[2], show=False)
"""


def test_kill_9_loses_no_answer(tmp_path):
    def slow(body):
        time.sleep(0.05)
        return echo(body)

    folder = os.path.dirname(__file__)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, *sys.path])}
    with serving(slow) as server:
        command = [sys.executable, "-c", RUN, server.url, str(tmp_path / "out")]
        process = subprocess.Popen(command, env=environment)
        while len(server.requests) < 25 and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed_at = len(server.requests)
        rows = run_scores([Quiz(10)], plan(server.url), tmp_path / "out", show=False)
    assert killed_at < 60
    assert len(rows) == 30
    assert all(row["score"] == 1.0 for row in rows)
    asked = Counter(json.dumps(body["messages"]) for body in server.requests)
    assert len(asked) == 60
    assert sum(asked.values()) - 60 <= 3  # only what was under way in three threads is asked again
