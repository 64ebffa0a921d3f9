"""Classes that show by their own code that they are used without grad mode."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.faults import FaultKind
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree
from tests.vm.running import HEAD

SAMPLER = """
class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    {mode}
    def fit(self, x):
        loss = self.net(x).square().mean()
        loss.{does}
        self.optimizer.step()

    def forward(self, x):
        for _ in range(3):
            x -= 0.1 * self.net(x)
        return x
"""
DECODER = """
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)
        {made}

    def forward(self, x):
        return self.net(x).cpu().numpy()
"""


@pytest.mark.parametrize(
    ("mode", "does", "told"),
    [
        ("@torch.enable_grad()", "backward()", False),
        ("", "backward()", True),
        ("@torch.enable_grad()", "item()", True),
    ],
)
def test_who_switches_grad_mode_on_to_train_is_called_without_it(
    mode: str, does: str, told: bool, tmp_path: Path
) -> None:
    assert _is_told(tmp_path, SAMPLER.format(mode=mode, does=does)) is told


@pytest.mark.parametrize(("made", "told"), [("self.net.eval()", False), ("self.net.train()", True)])
def test_what_is_made_for_evaluation_gives_numpy_what_nobody_trains(
    made: str, told: bool, tmp_path: Path
) -> None:
    assert _is_told(tmp_path, DECODER.format(made=made)) is told


def _is_told(root: Path, program: str) -> bool:
    write_tree(root, {"own.py": HEAD + program})
    faults = analyse(Source(str(root / "own.py"), HEAD + program), Project([root]))
    return any(fault.weight <= 1 and isinstance(fault.kind, FaultKind) for fault in faults)
