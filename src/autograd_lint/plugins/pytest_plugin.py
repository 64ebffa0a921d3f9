"""`pytest --autograd-trace`: the user's own tests as drivers of the tracer; `--autograd-diagnose`:
the lines that explain it below a test that failed with an error of autograd.

Each test runs under a tracer of its own; what it finds is told in the summary, and beside it what
the linter had predicted. Findings travel as `user_properties`, so that it works under xdist too.
Nothing but pytest is imported until the option is given.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from autograd_lint.findings import Finding

_PROPERTY = "autograd-lint"
Told = dict[str, Any]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("autograd-lint")
    group.addoption(
        "--autograd-trace",
        action="store_true",
        help="Run each test under autograd-lint's tracer and tell what it finds.",
    )
    group.addoption(
        "--autograd-diagnose",
        action="store_true",
        help="Tell the lines that explain it below a test that fails with an error of autograd.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Be active only where the option is given."""
    if config.getoption("--autograd-trace"):
        config.pluginmanager.register(_Plugin(), "autograd-lint-tracing")
    if config.getoption("--autograd-diagnose"):
        config.pluginmanager.register(_Diagnosing(), "autograd-lint-diagnosing")


class _Plugin:
    """The hooks that trace; one in every process."""

    def __init__(self) -> None:
        self._told: list[Any] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Trace one test; its own outcome is left as it is."""
        from autograd_lint.live.findings import findings_of
        from autograd_lint.live.own_frames import leave_out
        from autograd_lint.live.tracing import Tracer

        tracer = Tracer(program=str(item.path))
        try:
            with tracer:
                try:
                    return (yield)
                except Exception as error:
                    tracer.note_error(error)
                    leave_out(error)
                    raise
        finally:
            for finding in findings_of(tracer.faults):
                item.user_properties.append((_PROPERTY, _told(finding, item.nodeid)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather what the tests of all processes found."""
        if report.when == "call":
            self._told += [value for name, value in report.user_properties if name == _PROPERTY]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell what was found, and which static findings it confirms."""
        if not self._told:
            terminalreporter.write_line("autograd-lint: tests traced, nothing found")
            return
        terminalreporter.section("autograd-lint: traced")
        for told in self._told:
            terminalreporter.write_line(f"{told['test']}")
            terminalreporter.write_line(f"    {told['line']}")
            for related in told["related"]:
                terminalreporter.write_line(f"        {related}")
        confirmed = _confirmed(self._told)
        if confirmed:
            terminalreporter.section("autograd-lint: static findings confirmed by tests")
            for line in confirmed:
                terminalreporter.write_line(line)


class _Diagnosing:
    """The hook that diagnoses what failed; tests that pass are not looked at."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add a section to the report of a test that failed with an error of autograd."""
        report = yield
        if report.failed and call.excinfo is not None:
            told = _diagnosed(call.excinfo.value)
            if told:
                report.sections.append(("autograd-lint: diagnosis", told))
        return report


def _diagnosed(error: BaseException) -> str:
    """The lines that explain an error, as text; empty where it is not of autograd."""
    from autograd_lint.diagnosis.raised import of_exception
    from autograd_lint.report.diagnosis import plain

    found = of_exception(error)
    return "" if found is None else plain(*found)


def _told(finding: Finding, test: str) -> Told:
    """A finding as values that can be sent to another process."""
    place = finding.place
    related = [f"{one.place.filename}:{one.place.row}: {one.message}" for one in finding.related]
    return {
        "test": test,
        "line": _line(finding),
        "related": related,
        "code": finding.code,
        "filename": place.filename,
        "row": place.row,
    }


def _line(finding: Finding) -> str:
    place = finding.place
    return f"{place.filename}:{place.row}:{place.column}: {finding.code} {finding.message}"


def _confirmed(told: list[Told]) -> list[str]:
    """The static findings at the places of traced ones, each with the first test that shows it."""
    from pathlib import Path

    from autograd_lint.pipeline import Checker
    from autograd_lint.project.modules import Project
    from autograd_lint.settings import Settings

    checker = Checker(Settings(), Project.alone())
    tests: dict[tuple[str, str, int], str] = {}
    for one in told:
        tests.setdefault((one["code"], one["filename"], one["row"]), one["test"])
    lines = []
    for filename in sorted({one["filename"] for one in told}):
        for finding in checker.file(Path(filename)).findings:
            test = tests.get((finding.code, filename, finding.place.row))
            if test is not None:
                lines.append(f"{_line(finding)} ({finding.certainty.value}; {test})")
    return lines
