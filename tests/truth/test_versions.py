"""Programs of which versions of torch say different things: what is foreseen for a version is what
that version does.

`AUTOGRAD_LINT_TORCHES` may name interpreters with other versions of torch, separated by `:`; the
programs are run by them as well.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

import autograd_lint
from autograd_lint.operators.table import versions

PYTHONS = [one for one in os.environ.get("AUTOGRAD_LINT_TORCHES", "").split(":") if one]


@dataclass(frozen=True)
class Dated:
    """A program, the row at which it raises, and the first and last version on which it does."""

    name: str
    text: str
    row: int
    first: str
    last: str

    def raises_on(self, version: str) -> bool:
        """Whether the program raises on a version of torch."""
        every = versions()
        return every.index(self.first) <= every.index(version) <= every.index(self.last)


NEWEST = versions()[-1]
PROGRAMS = [
    Dated(
        "channel_shuffle has no derivative",
        """import torch
from torch import nn

x = torch.ones(1, 4, 2, 2, requires_grad=True)
nn.functional.channel_shuffle(x, 2).sum().backward()
""",
        5,
        "2.4",
        "2.4",
    ),
    Dated(
        "asarray leaves the graph",
        """import torch

x = torch.ones(3, requires_grad=True)
torch.asarray(x).sum().backward()
""",
        4,
        "2.4",
        "2.8",
    ),
    Dated(
        "combinations saves its input",
        """import torch

x = torch.rand(4, requires_grad=True)
h = x * 2
out = torch.combinations(h)
h.add_(1)
out.sum().backward()
""",
        7,
        "2.4",
        "2.13",
    ),
    Dated(
        "what was saved is cleared on access",
        """import torch


class Product(torch.autograd.Function):
    clear_saved_tensors_on_access = True

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        y = ctx.saved_tensors[1]
        x = ctx.saved_tensors[0]
        return grad * y, grad * x


Product.apply(torch.ones(3, requires_grad=True), torch.ones(3)).sum().backward()
""",
        15,
        "2.13",
        NEWEST,
    ),
    Dated(
        "grad_dtype belongs to leaves",
        """import torch

x = torch.ones(3, requires_grad=True)
y = x * 2
y.grad_dtype = torch.float16
""",
        5,
        "2.13",
        NEWEST,
    ),
]


def foreseen(program: Dated, folder: Path, version: str) -> list[autograd_lint.Finding]:
    file = folder / "program.py"
    file.write_text(program.text)
    return autograd_lint.check(file, target_torch=version, isolated=True, cache=False)


def row_of(finding: autograd_lint.Finding) -> int | None:
    return finding.predicts.row if finding.predicts else None


@pytest.mark.parametrize("version", versions())
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_an_error_is_foreseen_for_the_versions_that_raise(
    tmp_path: Path, program: Dated, version: str
) -> None:
    rows = [row_of(one) for one in foreseen(program, tmp_path, version)]
    assert rows == ([program.row] if program.raises_on(version) else [])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_finding_names_the_versions_that_lead_to_it(tmp_path: Path, program: Dated) -> None:
    (finding,) = foreseen(program, tmp_path, program.first)
    since = f"since torch {program.first}"
    expected = since if program.last == NEWEST else f"up to torch {program.last}"
    assert f"; {expected}" in finding.reason


@pytest.mark.skipif(not PYTHONS, reason="no other torch is named")
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_version_does_what_is_foreseen(tmp_path: Path, program: Dated, python: str) -> None:
    asked = [python, "-c", "import torch; print(torch.__version__)"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    version = ".".join(said.split(".")[:2])
    file = tmp_path / "program.py"
    file.write_text(program.text)
    ran = subprocess.run([python, str(file)], capture_output=True, text=True, check=False)
    assert (ran.returncode != 0) == program.raises_on(version)
    assert ran.returncode == 0 or f"line {program.row}" in ran.stderr
