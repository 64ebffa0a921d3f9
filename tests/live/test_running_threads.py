"""What is known of a thread, and which thread the engine computes for."""

import _thread
import threading

from autograd_lint.live.calls import Call
from autograd_lint.live.running_threads import RunningThreads, Thread

CALL = Call("backward", None)


def seen_by_one_of_the_engine(running: RunningThreads) -> Thread:
    """What is known in a thread that Python has not started, as those of the engine."""
    found, ended = [], threading.Event()

    def look() -> None:
        found.append(running.here)
        ended.set()

    _thread.start_new_thread(look, ())
    ended.wait()
    return found[0]


def seen_by_one_of_the_program(running: RunningThreads) -> Thread:
    found: list[Thread] = []
    thread = threading.Thread(target=lambda: found.append(running.here))
    thread.start()
    thread.join()
    return found[0]


def test_a_thread_of_the_engine_counts_as_the_one_that_waits_for_it() -> None:
    running = RunningThreads()
    thread = running.begins(CALL)
    assert seen_by_one_of_the_engine(running) is thread is running.here


def test_a_thread_of_the_program_counts_as_itself_though_another_one_waits() -> None:
    running = RunningThreads()
    thread = running.begins(CALL)
    assert seen_by_one_of_the_program(running) is not thread


def test_nobody_waits_after_the_outermost_call() -> None:
    running = RunningThreads()
    thread = running.begins(CALL)
    running.begins(CALL)
    running.ends(thread)
    assert seen_by_one_of_the_engine(running) is thread
    running.ends(thread)
    assert seen_by_one_of_the_engine(running) is not thread
