"""`pytest --autograd-trace`: the user's own tests, with their fixtures, under the tracer.

Each test has a tracer of its own, which tells the summary what it found; beside that stands what
the linter predicts for the same places. Outcomes stay as they are, unless codes are named that are
to fail a test. Findings travel on the reports, so that it works under xdist too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from autograd_lint.engine.faults import Fault
    from autograd_lint.findings import Finding
    from autograd_lint.live.observing.recording import Recording
    from autograd_lint.live.tracing import Tracer

_CALLS = 30
_PROPERTY = "autograd-lint"  # in the report of a test: read by JUnit's
_ATTRIBUTE = "autograd_lint"


def add_options(group: pytest.OptionGroup) -> None:
    """Add the options."""
    group.addoption(
        "--autograd-trace",
        action="store_true",
        help="Run each test under autograd-lint's tracer and tell what it finds.",
    )
    group.addoption(
        "--autograd-trace-calls",
        type=int,
        default=_CALLS,
        metavar="N",
        help=f"Calls of backward to observe in full in each test (default {_CALLS}; -1: all).",
    )
    group.addoption(
        "--autograd-trace-mark", metavar="MARK", help="Trace only tests with this mark."
    )
    group.addoption(
        "--autograd-trace-path",
        action="append",
        default=[],
        metavar="GLOB",
        help="Trace only tests in files that match (may be repeated).",
    )
    group.addoption(
        "--autograd-trace-fail",
        default="",
        metavar="CODES",
        help="Fail tests in which these are found: codes, prefixes, names or ALL, by commas.",
    )
    group.addoption(
        "--autograd-record",
        metavar="FILE",
        help="Write to FILE what functions were given (no values), for `check --facts`.",
    )
    group.addoption("--autograd-trace-sarif", metavar="FILE", help="Write what was found as SARIF.")


def require_torch() -> None:
    """Refuse in one line what cannot be: raises pytest.UsageError."""
    from autograd_lint.errors import Trouble
    from autograd_lint.live import oldest

    try:
        oldest.require("--autograd-trace")
        from autograd_lint.live.block import require

        require()
    except Trouble as trouble:
        raise pytest.UsageError(str(trouble)) from None


class Tracing:
    """The hooks that trace; one in every process."""

    def __init__(self, config: pytest.Config) -> None:
        self._calls: int = config.getoption("--autograd-trace-calls")
        self._mark: str | None = config.getoption("--autograd-trace-mark")
        self._paths: list[str] = config.getoption("--autograd-trace-path")
        self._fail = [one for one in config.getoption("--autograd-trace-fail").split(",") if one]
        self._sarif: str | None = config.getoption("--autograd-trace-sarif")
        self._record: str | None = config.getoption("--autograd-record")
        self._recording = _recording(config.rootpath) if self._record else None
        self._facts: list[str] = []
        self._tracer: Tracer | None = None
        self._found: list[tuple[str, Finding]] = []
        self._judged: dict[Fault, list[Finding]] = {}
        self._unseen: Counter[str] = Counter()
        self._rested = 0  # tests of which not every operator was observed

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Trace one test and its fixtures."""
        if not self._wants(item):
            return (yield)
        from autograd_lint.live.tracing import Tracer

        calls, program = self._calls, str(item.path)
        with Tracer(calls, program, recording=self._recording) as self._tracer:
            try:
                return (yield)
            finally:
                self._tracer = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Note what a fixture raises."""
        return (yield from self._noted())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Note what the test raises; fail it for the findings that are to fail it."""
        result = yield from self._noted()
        failing = [one for one in self._findings() if self._fails(one)] if self._fail else []
        if failing:
            pytest.fail("autograd-lint: " + "\n".join(map(_line, failing)), pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Note what the end of a fixture raises; all that was found becomes known."""
        try:
            return (yield from self._noted())
        finally:
            for finding in self._findings():
                item.user_properties.append((_PROPERTY, _line(finding)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Hand what was found to the process that writes the summary."""
        report = yield
        if self._tracer is not None and call.when == "teardown":
            found = [_recorded(one) for one in self._findings()]
            told = {"found": found, "unseen": _unseen(self._tracer)}
            setattr(report, _ATTRIBUTE, told | {"rested": self._tracer.has_rested})
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather what the tests of all processes found."""
        told = getattr(report, _ATTRIBUTE, None)
        if told is not None:
            self._found += [(report.nodeid, _restored(text)) for text in told["found"]]
            self._unseen.update(told["unseen"])
            self._rested += told["rested"]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Gather what a process of xdist has recorded."""
        told: dict[str, str] = getattr(node, "workeroutput", {})
        if _ATTRIBUTE in told:
            self._facts.append(told[_ATTRIBUTE])

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what was recorded, or hand it to the process that does."""
        if self._recording is None or self._record is None:
            return
        from autograd_lint.observed.calls import merged
        from autograd_lint.observed.documents import observed_in, text_of

        own = self._recording.observed
        output: dict[str, str] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_ATTRIBUTE] = text_of(own)
            return
        everything = merged([own, *map(observed_in, self._facts)])
        Path(self._record).write_text(text_of(everything), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell what was found, once each, and which static findings it confirms."""
        write = terminalreporter.write_line
        if self._sarif is not None:
            _write_sarif(self._sarif, [finding for _, finding in self._found])
        if self._found:
            terminalreporter.section("autograd-lint: traced")
        else:
            write("autograd-lint: tests traced, nothing found")
        for line in _summary(self._found):
            write(line)
        for what, times in self._unseen.items():
            write(f"autograd-lint: not seen: {what}, {times} times")
        if self._rested:
            write(f"autograd-lint: {_rested(self._rested)}")
        confirmed = _confirmed(self._found)
        if confirmed:
            terminalreporter.section("autograd-lint: static findings confirmed by tests")
        for line in confirmed:
            write(line)

    def _wants(self, item: pytest.Item) -> bool:
        if self._mark is not None and item.get_closest_marker(self._mark) is None:
            return False
        named = (str(item.path), item.nodeid.partition("::")[0], item.path.name)
        return not self._paths or any(fnmatch(name, p) for name in named for p in self._paths)

    def _noted(self) -> Generator[None, Any, Any]:
        try:
            return (yield)
        except Exception as error:
            if self._tracer is not None:
                from autograd_lint.live.own_frames import leave_out

                self._tracer.note_error(error)
                leave_out(error)
            raise

    def _findings(self) -> list[Finding]:
        if self._tracer is None:
            return []
        from autograd_lint.live.findings import findings_of

        faults = self._tracer.faults
        new = [one for one in faults if one not in self._judged]  # tests show the same ones
        self._judged.update((fault, findings_of([fault])) for fault in new)
        return list(dict.fromkeys(one for fault in faults for one in self._judged[fault]))

    def _fails(self, finding: Finding) -> bool:
        return any(
            one == "ALL" or one == finding.name or finding.code.startswith(one)
            for one in self._fail
        )


def _recording(folder: Path) -> Recording:
    from autograd_lint.live.observing.recording import Recording
    from autograd_lint.live.sites import Sites

    return Recording(folder, Sites())


def _rested(tests: int) -> str:
    return (
        f"in {tests} test{'s' * (tests > 1)} operators were observed until none was new, and then"
        " now and then; `--autograd-trace-calls -1` observes all"
    )


def _unseen(tracer: Tracer) -> dict[str, int]:
    started = {"a process that a test has started": tracer.children}
    return tracer.unseen | (started if tracer.children else {})


def _recorded(finding: Finding) -> str:
    from autograd_lint.checking.checked import Checked
    from autograd_lint.checking.records import recorded

    return recorded(Checked(finding.place.filename, (finding,)))


def _restored(text: str) -> Finding:
    from autograd_lint.checking.records import restored

    return restored("", text).findings[0]


def _line(finding: Finding) -> str:
    from autograd_lint.report.text import shown

    return f"{shown(finding.place)}: {finding.code} {finding.message}"


def _summary(found: list[tuple[str, Finding]]) -> Iterator[str]:
    """Each finding with the first test that showed it, and how many others did."""
    from autograd_lint.report.text import relative

    tests: dict[Finding, list[str]] = {}
    for test, finding in found:
        tests.setdefault(finding, []).append(test)
    for finding, shown in tests.items():
        further = f" and {len(shown) - 1} more" if len(shown) > 1 else ""
        yield f"{shown[0]}{further}"
        yield f"    {_line(finding)}"
        for one in finding.related:
            yield f"        {relative(one.place.filename)}:{one.place.row}: {one.message}"


def _write_sarif(name: str, found: list[Finding]) -> None:
    from autograd_lint.live.source import lines_of
    from autograd_lint.report import sarif
    from autograd_lint.rules.pages import described

    text = sarif.findings(list(dict.fromkeys(found)), described(), lines_of)
    Path(name).write_text(text + "\n", encoding="utf-8")


def _confirmed(found: list[tuple[str, Finding]]) -> list[str]:
    """The static findings at the places of traced ones, each with the first test that shows it.

    They are taken at every certainty: what a test has shown was right, however it was judged.
    """
    from autograd_lint.checking.pipeline import Checker
    from autograd_lint.configuration.settings import Settings
    from autograd_lint.levels import Certainty
    from autograd_lint.project.modules import Project

    checker = Checker(Settings(certainty=Certainty.POSSIBLE), Project.alone())
    tests: dict[tuple[str, str, int], str] = {}
    for test, one in found:
        tests.setdefault((one.code, one.place.filename, one.place.row), test)
    lines = []
    for filename in sorted({one.place.filename for _, one in found}):
        for finding in checker.file(Path(filename)).findings:
            shown = tests.get((finding.code, filename, finding.place.row))
            if shown is not None:
                lines.append(f"{_line(finding)} ({finding.certainty.value}; {shown})")
    return lines
