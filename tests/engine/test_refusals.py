"""Arguments that must not require grad."""

import pytest
import torch
import torch.nn.functional as functional

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.wording import worded
from autograd_lint.project.source import Source

PROGRAM = """
import torch
import torch.nn.functional as F

x = torch.rand(3, requires_grad=True)
target = torch.ones(3)
weight = torch.ones(3, requires_grad={grad})
loss = F.binary_cross_entropy_with_logits(x, target, weight)
loss.backward()
"""


def test_an_argument_without_a_derivative_may_not_require_grad() -> None:
    (fault,) = analyse(Source("a.py", PROGRAM.format(grad=True)))
    assert (fault.kind, fault.place and fault.place.row) == (FaultKind.OTHER, 8)
    assert "not differentiable with respect to" in fault.detail


def test_it_may_be_data() -> None:
    assert analyse(Source("a.py", PROGRAM.format(grad=False))) == []


def test_without_grad_mode_it_may() -> None:
    program = PROGRAM.format(grad=True).replace("loss = ", "with torch.no_grad():\n    loss = ")
    found = analyse(Source("a.py", program.replace("loss.backward()", "")))
    assert found == []


def test_torch_says_so_too() -> None:
    weight = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="not differentiable with respect to argument"):
        functional.binary_cross_entropy_with_logits(torch.rand(3), torch.ones(3), weight)


def test_a_tensor_copied_to_itself_is_not_written() -> None:
    program = "import torch\nx = torch.rand(1).expand(3)\nx.data.copy_(x)\n"
    assert analyse(Source("a.py", program)) == []
    row = torch.rand(1).expand(3)
    row.data.copy_(row)


def test_what_follows_backward_of_an_unknown_shape_rests_on_it() -> None:
    program = (
        "import torch\nfrom other import shape\nw = torch.rand(3, requires_grad=True)\n"
        "loss = (w * w).reshape(shape)\nloss.backward()\nloss.backward()\n"
    )
    (fault,) = analyse(Source("a.py", program))
    assert "`loss` has one element" in {worded(assumption) for assumption in fault.assumptions}


def test_a_write_to_a_gradient_may_be_refused() -> None:
    program = (
        "import torch\nw = torch.ones(3, requires_grad=True)\n"
        "(g,) = torch.autograd.grad((w + 1).sum(), w)\ng.add_(1)\nw.numpy()\n"
    )
    (fault,) = analyse(Source("a.py", program))
    assert {worded(assumption) for assumption in fault.assumptions} == {
        "`g` does not overlap itself"
    }
    w = torch.ones(3, requires_grad=True)
    (gradient,) = torch.autograd.grad((w + 1).sum(), w)
    with pytest.raises(RuntimeError, match="single memory location"):
        gradient.add_(1)


def test_detached_and_given_a_history_again_it_may_be_saved() -> None:
    program = (
        "import torch\nw = torch.ones(3, requires_grad=True)\nh = w * 2\nh.detach_()\n"
        "h.mul_(w)\nh.norm().backward()\n"
    )
    assert analyse(Source("a.py", program)) == []
    exec(program, {})


@pytest.mark.parametrize(
    "program",
    [
        # a float64 tensor is copied by `float()`
        "import torch\na = torch.rand(3, dtype=torch.float64)\nb = a.float()\n"
        "b.requires_grad_()\na.numpy()\n",
        # a view made in inference mode has no edge, so nothing is saved for it
        "import torch\nw = torch.rand(3, 3, requires_grad=True)\nwith torch.inference_mode():\n"
        "    row, other = w[0], torch.rand(3)\nproduct = row * other\n",
        # a temperature may be a tensor
        "import torch\nw = torch.ones(3, requires_grad=True)\n"
        "h = torch.nn.functional.gumbel_softmax(torch.ones(3, 3), w)\nh.sum().backward()\n",
    ],
)
def test_nothing_is_certain_of_what_runs(program: str) -> None:
    assert all(fault.assumptions for fault in analyse(Source("a.py", program)))
    exec(program, {})


GIVEN = """
import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x, y, rows):
        torch.zeros(2).add_(1)
        return F.soft_margin_loss(self.layer(x), {target})
"""


@pytest.mark.parametrize(
    ("target", "likely"),
    [
        ("y", False),
        ("torch.index_select(y, 0, rows)", False),
        ("torch.index_select(y.exp(), 0, rows).neg()", True),
    ],
)
def test_what_is_only_picked_out_of_what_is_given_is_data(target: str, likely: bool) -> None:
    found = analyse(Source("a.py", GIVEN.format(target=target)))
    assert any(fault.weight < 2 for fault in found) is likely
