"""Where things happen that other files' code does for the file that is analysed."""

from pathlib import Path

from autograd_lint.analysis.files import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

# The call of `Spike.apply` stands on a row that the short main file does not have.
SPIKES = (
    "import torch\n"
    + "#\n" * 20
    + """
class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 2 * grad * x
def spike(x):
    return Spike.apply(x)
"""
)
MAIN = """import torch
from spikes import spike
x = torch.ones(3, requires_grad=True)
loss = spike(x)
loss.sum().backward()
loss.sum().backward()
"""


def test_what_a_backward_runs_in_another_file_is_called_by_no_code_of_this_one(
    tmp_path: Path,
) -> None:
    write_tree(tmp_path, {"spikes.py": SPIKES})
    found = analyse(Source(str(tmp_path / "main.py"), MAIN), Project([tmp_path]))
    assert [(fault.kind.value, fault.caller) for fault in found] == [("graph-freed", None)]


LEFT_OPEN = """import torch
from torch import nn
class Base(nn.Module):
    def forward(self, x):
        raise NotImplementedError
"""
TRAINS = (
    "import torch\nfrom base import Base\n"
    + "#\n" * 20
    + """
class Model(Base):
    def __init__(self):
        super().__init__()
        self.kept = []
    def training_step(self, x):
        loss = self.forward(x)
        loss.backward()
        self.kept.append(loss)
"""
)


def test_what_a_method_computes_that_is_left_to_others_stands_where_it_is_called(
    tmp_path: Path,
) -> None:
    write_tree(tmp_path, {"base.py": LEFT_OPEN})
    path = str(tmp_path / "main.py")
    (fault,) = analyse(Source(path, TRAINS), Project([tmp_path]))
    assert fault.built is not None
    assert (fault.built.place.filename, fault.built.place.row) == (path, 29)
