"""Work that takes too long, or too much, is broken off."""

import subprocess
import sys
import threading
import time

import pytest

from autograd_lint.checking import pipeline, watchdog
from autograd_lint.checking.pipeline import Checker
from autograd_lint.checking.watchdog import limited
from autograd_lint.configuration.settings import Settings
from autograd_lint.errors import TooCostly
from autograd_lint.project.modules import Project


def endless() -> None:
    while True:
        sum(range(100))


def test_time_has_an_end() -> None:
    with pytest.raises(TooCostly), limited(0.2):
        endless()


def test_memory_has_an_end() -> None:
    kept = []
    with pytest.raises(TooCostly), limited(60, megabytes=50):
        while True:
            kept.append(bytearray(1 << 20))


def test_where_there_are_no_threads_nothing_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "emscripten")
    before = threading.active_count()
    with limited(5):
        assert threading.active_count() == before


def test_without_a_clock_of_the_thread_that_of_the_process_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(time, "thread_time")
    before = watchdog.computed()
    assert sum(range(100_000)) and watchdog.computed() > before


def test_what_ends_in_time_is_left_alone() -> None:
    for _ in range(50):
        with limited(5):
            assert sum(range(10)) == 45
    time.sleep(0.2)


def test_work_in_another_thread_has_an_end_of_its_own() -> None:
    raised: list[type[BaseException]] = []

    def work() -> None:
        try:
            with limited(0.2):
                endless()
        except TooCostly as error:
            raised.append(type(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert raised == [TooCostly]


def test_waiting_is_no_work() -> None:
    if not hasattr(time, "pthread_getcpuclockid"):
        pytest.skip("this system does not tell what a thread computes")
    with limited(0.1):
        time.sleep(0.4)


def test_a_file_that_costs_too_much_is_told_and_the_next_one_is_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checker = Checker(Settings(), Project.alone())
    monkeypatch.setattr(checker, "untried", lambda *given: endless())
    monkeypatch.setattr(pipeline, "limited", lambda *given: watchdog.limited(0.2))
    checked = checker.data(b"import torch\n", "a.py")
    assert checked.trouble.startswith("a.py: too costly, not checked")
    assert checker.spoilt


def test_findings_stay_where_only_their_fixes_cost_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = b"import torch\nw = torch.ones(3, requires_grad=True)\nw.add_(1)\nprint(w)\n"
    checker = Checker(Settings(), Project.alone())
    assert checker.data(program, "a.py").findings[0].fix is not None
    monkeypatch.setattr(checker, "_with_fixes", lambda *given: endless())
    monkeypatch.setattr(
        pipeline, "limited", lambda *given: watchdog.limited(3 if not given else 0.2)
    )
    found = checker.data(program, "a.py")
    assert [(one.code, one.fix) for one in found.findings] == [("AG101", None)]


@pytest.mark.parametrize(
    ("repeated", "count", "said"),
    [
        (b"# a comment", 175_000, "2.1 million characters, 2 million at most"),
        (b"x", 600_000, "0.6 million names and signs, 0.4 million at most"),
    ],
)
def test_a_source_that_is_too_large_is_told(repeated: bytes, count: int, said: str) -> None:
    program = b"import torch\n" + (repeated + b"\n") * count
    checked = Checker(Settings(), Project.alone()).data(program, "a.py")
    assert checked.trouble == f"a.py: too large, not checked ({said}); exclude it"


TRACED_AFTERWARDS = """
import sys
from autograd_lint.errors import TooCostly
from autograd_lint.checking.watchdog import limited

def step(x):
    return x + 1

with limited():
    pass
try:
    with limited(seconds=0.1):
        while True:
            step(0)
except TooCostly:
    sys.settrace(lambda *_: None)
    step(0)
    print("traced")
"""


def test_a_program_can_be_traced_after_something_was_too_costly() -> None:
    command = [sys.executable, "-c", TRACED_AFTERWARDS]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.stdout == "traced\n"
