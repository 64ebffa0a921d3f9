"""`pytest --autograd-trace` traces tests, leaves their outcomes, and tells what it found."""

import json

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
            "    model.py:5:*AG103*",
            "        model.py:4: `sigmoid` saves*",
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


def test_fixtures_are_traced_and_outcomes_stay(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_fixture="""
        import pytest, torch
        from model import forward

        @pytest.fixture
        def trained():
            with pytest.raises(RuntimeError):
                forward(torch.ones(3, requires_grad=True)).backward()

        def test_passes(trained):
            pass
        """
    )
    result = run(project, "--autograd-trace", "test_fixture.py")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["test_fixture.py::test_passes", "*model.py:5:*AG103*"])


def test_only_tests_of_a_mark_or_a_path_are_traced(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nmarkers = engine")
    result = run(project, "--autograd-trace", "--autograd-trace-mark", "engine")
    result.stdout.fnmatch_lines(["*tests traced, nothing found*"])
    result = run(project, "--autograd-trace", "--autograd-trace-path", "other_*.py")
    result.stdout.fnmatch_lines(["*tests traced, nothing found*"])
    result = run(project, "--autograd-trace", "--autograd-trace-path", "test_mod*.py")
    result.stdout.fnmatch_lines(["*model.py:5:*AG103*"])


def test_codes_that_are_named_fail_a_test(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_silent="""
        import torch

        def test_adds_up():
            w = torch.ones(1, requires_grad=True)
            opt = torch.optim.SGD([w], lr=0.1)
            for _ in range(2):
                (w * 2).sum().backward()
                opt.zero_grad()
                opt.step()
        """
    )
    result = run(project, "--autograd-trace", "test_silent.py")
    result.assert_outcomes(passed=1)
    result = run(project, "--autograd-trace", "--autograd-trace-fail=AG1,AG4", "test_silent.py")
    result.assert_outcomes(failed=1)
    result = run(project, "--autograd-trace", "--autograd-trace-fail=AG1", "test_silent.py")
    result.assert_outcomes(passed=1)


def test_findings_are_written_for_other_programs(project: pytest.Pytester) -> None:
    run(project, "--autograd-trace", "--autograd-trace-sarif=a.sarif", "--junitxml=a.xml")
    results = json.loads((project.path / "a.sarif").read_text())["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == ["AG103"]
    assert 'value="' in (project.path / "a.xml").read_text()
    assert "AG103" in (project.path / "a.xml").read_text()


def test_a_budget_of_backward_calls_leaves_the_rest_to_failures(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_late="""
        import torch

        def test_late():
            for _ in range(3):
                x = torch.ones(3, requires_grad=True)
                h = x.exp()
                if _ == 2:
                    h.data.mul_(2)
                h.sum().backward()
        """
    )
    for calls, told in (("-1", "*test_late.py:8:*AG106*"), ("1", "*nothing found*")):
        result = run(project, "--autograd-trace", "--autograd-trace-calls", calls, "test_late.py")
        result.stdout.fnmatch_lines([told])


@pytest.mark.parametrize("options", [(), ("-p", "xdist", "-n", "2")])
def test_what_functions_were_given_is_recorded(
    project: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(project, "--autograd-trace", "--autograd-record", "facts.json", *options)
    result.assert_outcomes(passed=1, failed=1)
    rows = json.loads((project.path / "facts.json").read_text())["functions"]
    calls = {row["name"]: row["calls"] for row in rows}
    given = [call["arguments"]["entries"]["x"] for call in calls["forward"]]
    assert sorted(one.get("requires_grad", False) for one in given) == [False, True]


def test_only_traced_tests_are_recorded(project: pytest.Pytester) -> None:
    result = run(project, "--autograd-record", "facts.json")
    result.stderr.fnmatch_lines(["*--autograd-record: only traced tests are recorded*"])
