"""Of the fixes those are shown that hold when they are tried."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from tests.fakes import write_tree

from autograd_lint.analysis import Analysed
from autograd_lint.checking.machinery import standard_machinery
from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Finding
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

STEPPED = """\
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
    loss.backward()
    """
KEPT = STEPPED.replace("    optimizer.step()\n", "")


def checker(root: Path) -> Checker:
    return Checker(Settings(), Project((root,)), standard_machinery)


def found(text: str, name: str = "a.py") -> tuple[Finding, ...]:
    return Checker(Settings(), Project.alone()).data(dedent(text).encode(), name).findings


def told(findings: Iterable[Finding]) -> list[tuple[str, bool]]:
    """The codes, each with whether a fix is offered."""
    return [(finding.code, finding.fix is not None) for finding in findings]


def test_a_fix_after_which_the_program_runs_is_offered() -> None:
    assert told(found(KEPT)) == [("AG201", True)]


def test_a_fix_that_leads_into_another_error_is_not() -> None:
    # With its graph kept the second backward would meet the parameters that the step has written.
    assert told(found(STEPPED)) == [("AG201", False)]


@pytest.mark.parametrize(("text", "offered"), [(KEPT, True), (STEPPED, False)])
def test_so_it_is_in_the_cells_of_a_notebook(text: str, offered: bool) -> None:
    cells = [{"cell_type": "code", "source": dedent(text)}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    assert told(found(json.dumps(notebook), "a.ipynb")) == [("AG201", offered)]


def test_an_error_in_a_later_cell_does_not_speak_against_a_fix_in_an_earlier_one() -> None:
    cells = [{"cell_type": "code", "source": dedent(text)} for text in (KEPT, STEPPED)]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    assert told(found(json.dumps(notebook), "a.ipynb")) == [("AG201", True), ("AG201", False)]


def test_what_was_tried_is_forgotten(tmp_path: Path) -> None:
    program = "import torch\nx = torch.ones(2, requires_grad=True)\nx.mul_(2)\n"
    importing = "import torch\nfrom a import x\nx.mul_(3)\n"
    write_tree(tmp_path, {"a.py": program, "b.py": importing})
    check = checker(tmp_path)
    assert told(check.file(tmp_path / "a.py").findings) == [("AG101", True)]
    source = check.project.file(str(tmp_path / "a.py"))
    assert source is not None
    assert source.text == program


def test_no_copy_is_offered_of_what_is_read_again() -> None:
    closing = found("""\
        import torch
        from torch.utils.checkpoint import checkpoint

        x = torch.ones(3, requires_grad=True)
        c = torch.ones(3)
        loss = checkpoint(lambda a: (a * c).sum(), x, use_reentrant=False)
        c.mul_(5)
        loss.backward()
        """)
    assert told(closing) == [("AG106", False)]


WRITTEN = "import torch\nw = torch.ones(2, requires_grad=True)\nw += 1\n"


def asked_steps(begun: int) -> list[int | None]:
    """As far as a program is run, for itself and for its fix: the run that showed its finding was
    begun after so many steps."""
    asked: list[int | None] = []
    made = standard_machinery()

    def analyse(source: Source, project: Project, most: int | None, coverage: bool) -> Analysed:
        asked.append(most)
        found = made.analyse(source, project, most, coverage)
        return replace(found, faults=[replace(one, steps=begun) for one in found.faults])

    machinery = replace(made, analyse=analyse)
    checker = Checker(Settings(), Project.alone(), lambda: machinery)
    assert told(checker.data(WRITTEN.encode(), "a.py").findings) == [("AG101", True)]
    return asked


@pytest.mark.parametrize(("begun", "enough"), [(0, 1_000), (900, 1_350)])
def test_a_fix_is_tried_as_far_as_the_runs_that_showed_what_it_mends(
    begun: int, enough: int
) -> None:
    assert asked_steps(begun) == [None, enough]
