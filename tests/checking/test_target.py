"""Which torch a project is checked for."""

from pathlib import Path
from typing import Any

import pytest

from autograd_lint import analysis
from autograd_lint.checking.configured import governing
from autograd_lint.checking.desk import Plan
from autograd_lint.checking.machinery import standard_machinery
from autograd_lint.checking.pipeline import Checker
from autograd_lint.checking.request import Request
from autograd_lint.checking.target import target_of
from autograd_lint.checking.workers import check_files
from autograd_lint.configuration.settings import Settings
from autograd_lint.operators.table import versions
from autograd_lint.project.modules import Project
from autograd_lint.project.roots import Homes
from autograd_lint.project.source import Source

PROGRAM = """import torch
from torch import nn

x = torch.ones(1, 4, 2, 2, requires_grad=True)
nn.functional.channel_shuffle(x, 2).sum().backward()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    return file


def target(file: Path, **options: str) -> tuple[str, str]:
    settings = governing(Request(paths=(str(file),), **options))
    found = target_of(settings, Homes().of(file.parent))
    return found.version, Path(found.reason).name


def test_nothing_said_is_the_newest(file: Path) -> None:
    assert target(file)[0] == versions()[-1]


def test_what_a_project_pins(file: Path) -> None:
    (file.parent / "requirements.txt").write_text("torch==2.4.1\n")
    assert target(file) == ("2.4", "requirements.txt")


def test_what_is_older_than_all_that_was_measured_is_the_oldest(file: Path) -> None:
    (file.parent / "requirements.txt").write_text("torch==1.13.1\n")
    assert target(file)[0] == "2.4"


def test_the_configuration_comes_before_what_is_pinned(file: Path) -> None:
    (file.parent / "requirements.txt").write_text("torch==2.4.1\n")
    (file.parent / "autograd-lint.toml").write_text('target-torch = "2.8"\n')
    assert target(file) == ("2.8", "autograd-lint.toml")


def test_the_command_line_comes_first(file: Path) -> None:
    (file.parent / "autograd-lint.toml").write_text('target-torch = "2.8"\n')
    assert target(file, target_torch="2.13")[0] == "2.13"


def test_a_package_within_a_repository_may_pin_another(file: Path) -> None:
    (file.parent / ".git").mkdir()
    (file.parent / "requirements.txt").write_text("torch==2.8\n")
    package = file.parent / "old" / "train.py"
    package.parent.mkdir()
    package.write_text(PROGRAM)
    (package.parent / "pyproject.toml").write_text('[project]\ndependencies = ["torch==2.4.*"]\n')
    assert (target(file)[0], target(package)[0]) == ("2.8", "2.4")


def test_a_pin_decides_what_is_found(file: Path) -> None:
    assert codes(file) == []
    (file.parent / "requirements.txt").write_text("torch==2.4.1\n")
    assert codes(file) == ["AG309"]


def codes(file: Path) -> list[str]:
    plan = Plan(governing(Request(paths=(str(file),))))
    return [one.code for one in plan.desk().check(file).findings]


def cached(file: Path) -> list[str]:
    plan = Plan(governing(Request(paths=(str(file),))))
    results = check_files([file], plan, 1, file.parent / "cache")
    return [one.code for checked in results for one in checked.findings]


def test_what_is_cached_for_one_torch_is_nothing_for_another(file: Path) -> None:
    assert cached(file) == []
    (file.parent / "requirements.txt").write_text("torch==2.4.1\n")
    assert cached(file) == ["AG309"]
    assert cached(file) == ["AG309"]
    (file.parent / "requirements.txt").write_text("torch==2.8\n")
    assert cached(file) == []


OWN_NAME = """import torch
from {module} import combinations

x = torch.ones(3, requires_grad=True)
combinations(x)
x += 1
"""


@pytest.mark.parametrize(("module", "more"), [("torch", 1), ("itertools", 0)])
def test_versions_are_asked_where_runs_have_come_to_what_differs_and_no_fix_is_tried(
    file: Path, module: str, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The operator `torch.combinations` differs from version to version.
    file.write_text(OWN_NAME.format(module=module))
    assert [asked_for(file, monkeypatch, again=again) for again in (False, True)] == [1 + more, 1]


def asked_for(file: Path, monkeypatch: pytest.MonkeyPatch, *, again: bool) -> int:
    """How many versions of torch a file with one finding is analysed for, as it is or as a try of
    what a fix leads to."""
    targets: list[str | None] = []
    analysed = analysis.analysed

    def noted(source: Source, project: Project, *others: Any) -> analysis.Analysed:
        targets.append(project.target)
        return analysed(source, project, *others)

    with monkeypatch.context() as patch:
        patch.setattr(analysis, "analysed", noted)
        project = Project([file.parent], target=lambda: "2.13")
        checker = Checker(Settings(), project, standard_machinery)
        check = checker.again if again else lambda name, data: checker.untried(data, name).findings
        found = check(str(file), file.read_bytes())
    assert [one.code for one in found or ()] == ["AG101"]
    assert targets[0] == "2.13"
    return len(targets)
