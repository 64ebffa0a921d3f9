"""Sides of conditions that are sought because a statement was not reached."""

from pathlib import Path as FilePath

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.analysis.search import Turn
from autograd_lint.evidence.wording import worded
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.vm.budget import ELSEWHERE
from autograd_lint.vm.paths import Path
from tests.vm.running import HEAD, faults, kinds

PASSED_ON = """
class Scale(nn.Module):
    def __init__(self, short=False):
        super().__init__()
        self.short = short

    def change(self, y):
        y *= 2
        return y

    def forward(self, x):
        y = x.exp()
        if self.short:
            y = self.change(y)
        return y

class Net(nn.Module):
    def __init__(self, quick=False, still=False):
        super().__init__()
        options = {{}}
        if quick:
            options = {{"short": {side}}}
        self.lift = nn.Linear(2, 2)
        self.scale = Scale(**options)
        self.still = still

    def forward(self, x):
        x = self.lift(x)
        if self.still:
            x = x.detach()
        return self.scale(x)
"""


def test_an_option_that_only_hands_another_one_on_is_turned() -> None:
    (fault,) = faults(PASSED_ON.format(side=True))
    assert fault.kind.value == "saved-tensor-modified"
    assert any("short" in worded(one) or "quick" in worded(one) for one in fault.assumptions)


ENDS = """
class Planner(nn.Module):
    def __init__(self, most):
        super().__init__()
        self.most = most
        self.move = nn.Linear(2, 2)

    def _is_full(self, book):
        if book == self.most:
            return True
        else:
            return False

    def forward(self, state, book):
        for _ in range(3):
            if self._is_full(book):
                break
            state = self.move(state).exp()
            {write}
        return state
"""


@pytest.mark.parametrize(
    ("write", "found"),
    [("state *= 2", ["saved-tensor-modified"]), ("state = state * 2", [])],
)
def test_a_helper_that_ends_a_loop_is_a_decision(write: str, found: list[str]) -> None:
    assert kinds(ENDS.format(write=write)) == found


MIXED = """
def finite(value):
    return 0 if torch.isnan(value) else value

def cost(out, known, soft):
    if soft and (~known).sum() > 0:
        hard = finite(out[known].mean())
        return 0.5 * hard
    return out.mean()

net = nn.Linear(3, 3)
loss = cost(net(torch.ones(2, 3)), torch.zeros(2, dtype=torch.bool), {soft})
loss.backward()
"""


@pytest.mark.parametrize(("soft", "found"), [("True", [2]), ("False", [])])
def test_a_number_in_the_place_of_a_loss_is_sought(soft: str, found: list[int]) -> None:
    text = HEAD + MIXED.format(soft=soft)
    assert [fault.weight for fault in analyse(Source("a.py", text))] == found


UNRELATED = """
class Net(nn.Module):
    def __init__(self, bias=False, quick=False):
        super().__init__()
        self.lift = nn.Linear(2, 2)
        if bias:
            self.shift = nn.Linear(2, 2)
        self.mode = "slow"
        if quick:
            self.mode = "quick"

    def forward(self, x):
        y = self.lift(x).exp()
        if self.mode == "quick":
            y[0] = x[0]
        return y
"""


def test_an_option_that_decides_no_condition_before_a_statement_is_not_turned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turned: list[str] = []

    def path(turn: Turn) -> Path:
        turned.append(turn.decision.condition)
        return original(turn)

    original = Turn.path
    monkeypatch.setattr(Turn, "path", path)
    faults(UNRELATED)
    assert turned == ["quick"]


SHIFT = """
def shifted(rows, dims, kept):
    if len(dims) == len(kept):
        return rows[0]
    found = []
    for row in rows:
        low = row.detach(){copy}
        for i, dim in enumerate(dims):
            if dim not in kept:
                low = low.max(i, keepdim=True)[0]
        low.clamp_(min=0)
        found.append((row - low).exp())
    return found
"""


def test_each_side_of_what_decides_what_is_written_is_to_lead_there() -> None:
    (fault,) = faults(SHIFT.format(copy=""))
    assert fault.kind.value == "alias-taken-for-copy"
    assert [worded(one) for one in fault.assumptions if one.condition] == [
        "`dim not in kept` does not hold in line 11"
    ]


def test_what_is_copied_first_may_be_written_on_either_side() -> None:
    assert kinds(SHIFT.format(copy=".clone()")) == []


WRITING = """
def cost(out, first, second):
    if first:
        out = out + 1
    elif second:
        out = out.exp()
        out.mul_(2)
    return out.sum()
"""
RETURNING = MIXED[: MIXED.index("net =")]
TRAINING = """
import sys
import torch
from torch import nn
from costs import cost

net = nn.Linear(3, 3)
loss = cost(net(torch.ones(2, 3)), {arguments})
loss.backward()
"""


@pytest.mark.parametrize(
    ("cost", "arguments", "found"),
    [
        (WRITING, "len(sys.argv) > 1, len(sys.argv) > 2", [["saved-tensor-modified"], []]),
        (RETURNING, "torch.zeros(2, dtype=torch.bool), True", [["no-grad-root"], ["no-grad-root"]]),
    ],
)
def test_in_another_file_is_sought_what_is_told_there_and_what_goes_wrong_here(
    cost: str, arguments: str, found: list[list[str]], tmp_path: FilePath
) -> None:
    (tmp_path / "costs.py").write_text(HEAD + cost)
    train = tmp_path / "train.py"
    for before, expected in zip(("", "n = 1\n" * ELSEWHERE), found, strict=True):
        train.write_text(before + TRAINING.format(arguments=arguments))
        faults = analyse(Source(str(train), train.read_text()), Project([tmp_path]))
        assert [fault.kind.value for fault in faults] == expected
