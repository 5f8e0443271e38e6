"""Children and threads: whatever they do, the window learns how they ended, and nothing waits."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any

import psutil
from pytestqt.qtbot import QtBot

from planner.processes import Ending, Outcome
from ui.jobs.process import JsonLinesProcess, Limits
from ui.jobs.thread import Tasks

SAY = "import sys, json, time\ndef say(**m): print(json.dumps(m), flush=True)\n"


def run_child(
    qtbot: QtBot, code: str, limits: Limits | None = None, act: Any = None
) -> tuple[list[dict[str, Any]], Outcome]:
    """Run Python ``code`` to its end; ``act(child, message)`` is called for each message."""
    child = JsonLinesProcess([sys.executable, "-c", SAY + code], limits=limits or Limits())
    messages: list[dict[str, Any]] = []

    def take(message: dict[str, Any]) -> None:
        messages.append(message)
        if act is not None:
            act(child, message)

    child.message.connect(take)
    with qtbot.waitSignal(child.finished, timeout=20_000) as ended:
        child.start()
    assert not child.is_running
    return messages, ended.args[0]


def test_that_messages_arrive_in_order_and_the_outcome_says_exited(qtbot: QtBot) -> None:
    messages, outcome = run_child(qtbot, "[say(n=n) for n in range(100)]; sys.exit(3)")
    assert [message["n"] for message in messages] == list(range(100))
    assert (outcome.ending, outcome.exit_status, outcome.status) == (Ending.EXITED, 3, "exited with 3")


def test_that_a_line_cut_in_two_arrives_as_one_message(qtbot: QtBot) -> None:
    code = "sys.stdout.write('{\"a\"'); sys.stdout.flush(); time.sleep(0.2); sys.stdout.write(': 1}\\n')"
    messages, outcome = run_child(qtbot, code)
    assert messages == [{"a": 1}]
    assert outcome.succeeded


def test_that_garbage_is_counted_and_does_not_hide_the_messages(qtbot: QtBot) -> None:
    messages, outcome = run_child(qtbot, "print('no json', flush=True); say(a=1); print('[1]'); print('{\"cut')")
    assert messages == [{"a": 1}]
    assert [problem.code for problem in outcome.problems] == ["not_json", "not_an_object", "not_json"]


def test_that_kill_9_in_the_middle_keeps_what_was_said(qtbot: QtBot) -> None:
    def kill(_child: JsonLinesProcess, message: dict[str, Any]) -> None:
        os.kill(message["pid"], signal.SIGKILL)

    messages, outcome = run_child(qtbot, "import os; say(pid=os.getpid()); time.sleep(60)", act=kill)
    assert len(messages) == 1
    assert (outcome.ending, outcome.status) == (Ending.KILLED, "killed by SIGKILL")


def test_that_the_last_twenty_lines_of_standard_error_are_kept(qtbot: QtBot) -> None:
    _, outcome = run_child(qtbot, "[print('line', n, file=sys.stderr) for n in range(50)]; sys.exit(1)")
    assert outcome.stderr_tail == tuple(f"line {n}" for n in range(30, 50))


def test_that_a_child_which_listens_ends_by_itself_when_cancelled(qtbot: QtBot) -> None:
    code = "say(a=1); line = sys.stdin.readline(); say(heard=line.strip())"
    messages, outcome = run_child(qtbot, code, act=lambda child, _message: child.cancel())
    assert messages == [{"a": 1}, {"heard": "cancel"}]
    assert outcome.ending is Ending.CANCELLED
    assert outcome.exit_status == 0


def test_that_a_child_which_does_not_listen_is_killed_after_the_grace(qtbot: QtBot) -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); say(a=1); time.sleep(60)"
    _, outcome = run_child(qtbot, code, Limits(grace_s=0.2), lambda child, _message: child.cancel())
    assert outcome.ending is Ending.CANCELLED
    assert outcome.exit_status == -signal.SIGKILL


def test_that_a_child_which_falls_silent_is_killed_and_called_silent(qtbot: QtBot) -> None:
    messages, outcome = run_child(qtbot, "say(a=1); time.sleep(60)", Limits(first_message_s=15, idle_s=0.3))
    assert messages == [{"a": 1}]
    assert (outcome.ending, outcome.status) == (Ending.SILENT, "silent for 0.3 s")


def test_that_the_children_of_a_child_die_with_it(qtbot: QtBot) -> None:
    code = "import subprocess; p = subprocess.Popen(['sleep', '60']); say(pid=p.pid)"
    messages, _ = run_child(qtbot, code)
    qtbot.waitUntil(lambda: not psutil.pid_exists(messages[0]["pid"]), timeout=5000)


def test_that_a_program_which_is_not_there_gives_an_outcome_too(qtbot: QtBot) -> None:
    child = JsonLinesProcess(["/no/such/program"])
    with qtbot.waitSignal(child.finished, timeout=5000) as ended:
        child.start()
    assert ended.args[0].ending is Ending.NOT_STARTED
    assert ended.args[0].detail


def test_that_work_runs_on_a_thread_and_its_result_arrives_on_ours(qtbot: QtBot) -> None:
    tasks = Tasks()
    results: list[Any] = []
    tasks.run(
        lambda _cancelled: threading.get_ident(),
        lambda result, error: results.append((result, error, threading.get_ident())),
    )
    qtbot.waitUntil(lambda: bool(results), timeout=5000)
    worker, error, receiver = results[0]
    assert error is None
    assert receiver == threading.get_ident() != worker
    assert tasks.close()


def test_that_an_exception_arrives_as_the_error(qtbot: QtBot) -> None:
    tasks = Tasks()
    errors: list[Exception | None] = []
    tasks.run(lambda _cancelled: 1 / 0, lambda _result, error: errors.append(error))
    qtbot.waitUntil(lambda: bool(errors), timeout=5000)
    assert isinstance(errors[0], ZeroDivisionError)
    assert tasks.close()


def test_that_the_result_of_a_cancelled_task_never_arrives(qtbot: QtBot) -> None:
    tasks = Tasks()
    arrived: list[Any] = []
    may_end = threading.Event()
    cancelled_seen: list[bool] = []

    def work(cancelled: Any) -> int:
        may_end.wait(10)
        cancelled_seen.append(cancelled())
        return 1

    tasks.run(work, lambda *result: arrived.append(result)).cancel()
    may_end.set()
    tasks.run(lambda _cancelled: 2, lambda *result: arrived.append(result))
    qtbot.waitUntil(lambda: bool(arrived), timeout=5000)
    assert tasks.close()
    qtbot.wait(20)
    assert arrived == [(2, None)]
    assert cancelled_seen == [True]
