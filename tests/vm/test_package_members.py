"""What a package or a module has under a name that the program computes."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.faults import FaultKind
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.vm.running import certain, kinds

STEP = """
def train(args):
    net = nn.Linear(2, 2)
    optimizer = {made}(net.parameters(), lr=0.1)
    result = net(torch.ones(1, 2)) @ net.weight
    result.sum().backward(retain_graph=True)
    optimizer.step()
    result.sum().backward()

train(options)
"""


@pytest.mark.parametrize(
    "made",
    [
        "getattr(torch.optim, args.name)",
        "torch.optim.__dict__[args.name]",
        "torch.optim.__dict__['Adam']",
    ],
)
def test_any_optimizer_writes_the_parameters(made: str) -> None:
    assert certain(STEP.format(made=made)) == ["saved-tensor-modified"]


def test_what_a_package_of_many_kinds_gives_is_not_known() -> None:
    text = "def f(x, name):\n    y = getattr(torch, name)(x)\n    x.mul_(2)\n    y.backward()\n"
    assert kinds(text) == []


NETS = """
import torch
from torch import nn

def helper(size):
    return size

class Wide(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)

    def forward(self, x):
        return self.linear(x)
"""
AGENT = """
import torch
{imported}

def agree(name, x):
    p = {made}(3)(x).exp()
    kept = p * p
    p.add_(1)
    kept.sum().backward()
"""


def taken_for(imported: str, made: str, folder: Path, nets: str = NETS) -> list[str]:
    """What it is assumed to be, where its result is written after it was saved for backward."""
    (folder / "nets.py").write_text(nets)
    agent = Source(str(folder / "agent.py"), AGENT.format(imported=imported, made=made))
    (fault,) = analyse(agent, Project((folder,)))
    assert fault.kind is FaultKind.SAVED_TENSOR_MODIFIED
    return [why.detail for why in fault.assumptions]


@pytest.mark.parametrize(
    ("imported", "made"),
    [
        ("import nets", "getattr(nets, name)"),
        ("import nets", "getattr(nets, f'{name}ide')"),
        ("import nets", "nets.__dict__[name]"),
        ("import nets", "vars(nets)[name]"),
        ("from nets import Wide", "globals()[name]"),
        ("from nets import *", "globals()[name]"),
    ],
)
def test_a_class_of_layers_stands_for_any_name_of_a_module(
    imported: str, made: str, tmp_path: Path
) -> None:
    assert "Wide" in taken_for(imported, made, tmp_path)


def test_a_class_that_others_derive_from_stands_for_none(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text(NETS.replace("Wide", "Base"))
    nets = NETS.replace("class Wide(nn.Module)", "class Wide(Base)")
    head = "from base import Base\n"
    assert "Wide" in taken_for("import nets", "getattr(nets, name)", tmp_path, head + nets)


def test_a_name_of_which_a_part_is_known_is_none_without_it(tmp_path: Path) -> None:
    assert "Wide" not in taken_for("import nets", "getattr(nets, f'make_{name}')", tmp_path)


def test_what_a_module_only_uses_itself_stands_for_none(tmp_path: Path) -> None:
    """A package takes all of a module that takes all of another: its own `__all__` says what."""
    (tmp_path / "layers.py").write_text(NETS.replace("Wide", "Helper"))
    (tmp_path / "inner.py").write_text(
        "from layers import Helper\n" + NETS + "__all__ = ['Wide']\n"
    )
    (tmp_path / "outer.py").write_text("from inner import *\n")
    assert "Wide" in taken_for(
        "import nets", "getattr(nets, name)", tmp_path, "from outer import *"
    )
