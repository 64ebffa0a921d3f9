"""`pytest --autograd-trace` traces tests, leaves their outcomes, and tells what it found."""

import pytest

pytest_plugins = ["pytester"]

MODEL = """
import torch

def forward(x):
    h = torch.sigmoid(x)
    h += 1
    return h.sum()
"""
TESTS = """
import pytest, torch
from model import forward

def test_fails():
    forward(torch.ones(3, requires_grad=True)).backward()

def test_passes():
    assert forward(torch.ones(3)).item() > 0
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(model=MODEL, test_model=TESTS)
    return pytester


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    plugin = ("-p", "autograd_lint.plugins.pytest_plugin")
    return project.runpytest_subprocess(*plugin, "-p", "no:cacheprovider", *options)


def test_findings_are_told_per_test(project: pytest.Pytester) -> None:
    result = run(project, "--autograd-trace")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*autograd-lint: traced*",
            "test_model.py::test_fails",
            "*model.py:5:*AG103*",
            "*model.py:4: `sigmoid` saves*",
        ]
    )


def test_static_findings_that_a_test_confirms_are_listed(project: pytest.Pytester) -> None:
    result = run(project, "--autograd-trace")
    result.stdout.fnmatch_lines(
        ["*static findings confirmed by tests*", "*model.py:5:*AG103*test_model.py::test_fails)"]
    )


def test_it_works_under_xdist(project: pytest.Pytester) -> None:
    result = run(project, "--autograd-trace", "-p", "xdist", "-n", "2")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["test_model.py::test_fails", "*model.py:5:*AG103*"])


def test_without_the_option_nothing_is_traced(project: pytest.Pytester) -> None:
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.no_fnmatch_line("*autograd-lint*")


def test_a_failure_is_diagnosed_where_it_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import torch

        def test_that_fails():
            x = torch.randn(3, requires_grad=True)
            h = x.exp()
            h += 1
            h.sum().backward()

        def test_of_something_else():
            assert 1 == 2
        """
    )
    result = pytester.runpytest_subprocess("--autograd-diagnose", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["*autograd-lint: diagnosis*", "*AG103*", "*h += 1*"])
    assert str(result.stdout).count("autograd-lint: diagnosis") == 1
