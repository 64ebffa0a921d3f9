"""Runs small programs that train to their end, under the tracer."""

from pathlib import Path
from textwrap import dedent

from autograd_lint.live.findings import findings_of
from tests.live.programs import Traced

START = """
import math, torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(4, 2), torch.randn(4, 1)
def fit(loss):
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def run(source: str, folder: Path) -> tuple[list[str], list[int]]:
    """The rules of the findings, and their rows."""
    traced = Traced(START + dedent(source), folder, ended=True)
    found = findings_of(traced.tracer.faults)
    rows = [one.place.row for one in found]
    return [one.name for one in found], rows


def told(source: str, folder: Path) -> list[tuple[str, int]]:
    """The rule and the row of each finding."""
    rules, rows = run(source, folder)
    return [*zip(rules, rows, strict=True)]


def here(rule: str, source: str) -> list[tuple[str, int]]:
    """A finding of a rule in each line that says `# here`."""
    lines = (START + dedent(source)).lstrip().splitlines()
    return [(rule, row) for row, line in enumerate(lines, 1) if "# here" in line]
