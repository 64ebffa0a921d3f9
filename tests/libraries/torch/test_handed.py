"""Who is to blame where a function raises with what it was handed."""

from pathlib import Path

from autograd_lint.analysis.files import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree
from tests.vm.running import faults

FREEZE = """
def freeze(x):
    x.requires_grad_(False)
def both(x):
    freeze(x)
w = torch.ones(3, requires_grad=True)
{call}
"""


def test_the_outermost_call_that_handed_it_over() -> None:
    (fault,) = faults(FREEZE.format(call="both(w * 2)"))
    assert fault.place is not None and fault.place.row == 5
    assert fault.handed is not None and fault.handed.row == 9


def test_what_the_function_computed_itself_was_not_handed_over() -> None:
    body = "    y = w * 2\n    y.requires_grad_(False)\n"
    text = f"def f(w):\n{body}f(torch.ones(3, requires_grad=True))\n"
    (fault,) = faults(text)
    assert fault.handed is None


PENALTY = """
def penalty(out, x):
    (g,) = torch.autograd.grad(out, x, {ones})
    return g
layer = nn.Linear(3, 1)
x = torch.ones(2, 3)
seen = x.clone().requires_grad_()
penalty({out}, seen)
"""


def test_roots_and_inputs_must_both_have_been_handed_over() -> None:
    text = PENALTY.format(ones="torch.ones(2, 1)", out="layer(x)")
    (fault,) = faults(text)
    assert fault.kind.value == "unused-input"
    assert fault.handed is not None and fault.handed.row == 10
    text = PENALTY.replace("grad(out, x", "grad(layer(out), x")
    (fault,) = faults(text.format(ones="torch.ones(2, 1)", out="x"))
    assert fault.handed is None


def test_a_module_that_is_handed_in_need_not_be_trained() -> None:
    text = (
        "class Resize:\n    def __init__(self, stage: nn.Module):\n        self.stage = stage\n"
        "    def __call__(self, x):\n        return self.stage(x.float()).numpy()\n"
    )
    assert faults(text) == []


UPDATE = """
def update(optimizer, loss):
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
"""
UPDATED_TWICE = """\
import torch
from helper import update

net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
out = net(torch.ones(2, 3))
update(opt, out.sum())
update(opt, out.mean())
"""


def test_what_a_helper_in_another_file_does_is_done_by_the_calls_of_it(tmp_path: Path) -> None:
    write_tree(tmp_path, {"helper.py": UPDATE, "main.py": UPDATED_TWICE})
    source = Source(str(tmp_path / "main.py"), UPDATED_TWICE)
    (fault,) = analyse(source, Project([tmp_path]))
    assert fault.kind.value == "saved-tensor-modified"
    assert fault.modified is not None and fault.modified.place is not None
    assert fault.needed is not None and fault.needed.place is not None
    assert (fault.modified.place.row, fault.needed.place.row) == (7, 8)


def test_what_a_helper_in_the_same_file_does_is_done_there() -> None:
    text = UPDATED_TWICE.replace("from helper import update", "").replace("import torch", UPDATE)
    (fault,) = faults(text)
    assert fault.modified is not None and fault.modified.place is not None
    assert fault.modified.place.row == 7
