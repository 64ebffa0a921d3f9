"""`pytest --autograd-trace`: the user's own tests as drivers of the tracer (`pytest_tracing.py`);
`--autograd-diagnose`: the lines that explain it below a test that failed with an error of autograd.

Nothing but pytest is imported until an option is given.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

from autograd_lint.plugins.pytest_tracing import Tracing, add_options, require_torch


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("autograd-lint")
    add_options(group)
    group.addoption(
        "--autograd-diagnose",
        action="store_true",
        help="Tell the lines that explain it below a test that fails with an error of autograd.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Be active only where the option is given."""
    if config.getoption("--autograd-trace"):
        require_torch()
        config.pluginmanager.register(Tracing(config), "autograd-lint-tracing")
    elif config.getoption("--autograd-record"):
        raise pytest.UsageError(
            "--autograd-record: only traced tests are recorded; add --autograd-trace"
        )
    if config.getoption("--autograd-diagnose"):
        config.pluginmanager.register(_Diagnosing(), "autograd-lint-diagnosing")


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
    from autograd_lint.diagnosis.printing import plain
    from autograd_lint.diagnosis.raised import of_exception

    found = of_exception(error)
    return "" if found is None else plain(*found)
