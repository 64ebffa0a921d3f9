"""Gradients that end where a module computes with NumPy."""

from tests.vm.running import faults, kinds

NET = """
import numpy as np

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 3), nn.Linear(3, 2)

    def forward(self, x):
        h = self.body(x)
        {}
        return self.head(top){}
"""


def test_who_detaches_for_numpy_alone_may_still_want_the_gradient() -> None:
    text = NET.format("top = torch.from_numpy(np.sort(h.detach().cpu().numpy()))", "")
    (fault,) = faults(text)
    assert fault.kind.value == "gradient-cut" and fault.operator == "numpy"


def test_who_detaches_first_and_converts_later_is_told_of_the_first() -> None:
    text = "h = h.detach()\n        top = torch.from_numpy(np.sort(h.numpy()))"
    (fault,) = faults(NET.format(text, ""))
    assert fault.kind.value == "gradient-cut" and fault.operator == "detach"


def test_there_may_be_another_way() -> None:
    text = "top = torch.from_numpy(np.sort(h.detach().numpy()))"
    assert kinds(NET.format(text, " + h.sum()")) == []


def test_rows_of_an_array_have_lost_what_the_array_has_lost() -> None:
    text = "top = torch.from_numpy(np.stack([np.sort(row) for row in h.detach().numpy()]))"
    (fault,) = faults(NET.format(text, ""))
    assert fault.kind.value == "gradient-cut" and fault.operator == "numpy"
    assert kinds(NET.format(text, " + h.sum()")) == []


TERM = """
net = nn.Linear(3, 1)
fit, size = net(torch.randn(4, 3)).square().sum(), net.weight.norm()
{}
loss = fit + 0.1 * size
loss.backward()
"""


def test_who_detaches_for_a_number_alone_may_still_want_the_gradient() -> None:
    text = "size = size.detach().cpu().item()"
    (fault,) = faults(TERM.format(text))
    assert fault.kind.value == "constant-loss-term" and fault.operator == "item"
    assert kinds(TERM.format("size = size.detach()")) == []
    assert kinds(TERM.format("size = size.detach()\nsize = size.item()")) == []
