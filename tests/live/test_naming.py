"""A finding of the tracer calls a tensor what the program calls it."""

import pytest

from autograd_lint.live.findings import findings_of
from tests.live.programs import Traced

# What writes to a tensor that `exp` has saved, and what the finding calls it.
WRITES = {
    "h.add_(1)": "h",
    "h[0] = 0": "h",
    "torch.relu_(h)": "h",
    "F.relu(h, inplace=True)": "h",
    "torch.add(x.detach(), 1, out=h)": "h",
    "torch._foreach_add_([h], 1)": "a tensor",
    "held['best'].add_(1)": 'held["best"]',
    "net.act(h)": "h",
    "net.later(h)": "given",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("write", WRITES)
def test_a_written_tensor_is_called_by_its_name(write: str, traced: Traced) -> None:
    run = traced(f"""
        import torch
        from torch.nn import functional as F
        class Layers(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.act = torch.nn.ReLU(inplace=True)
            def later(self, given):
                return self.act(given)
        net = Layers()
        x = torch.randn(3, requires_grad=True)
        h = x.exp()
        held = {{"best": h}}
        with torch.no_grad():
            {write}
        h.sum().backward()
        """)
    (finding,) = findings_of(run.tracer.faults)
    name = WRITES[write]
    assert finding.message.startswith(f"`{name}` is" if name != "a tensor" else name)


@pytest.mark.parametrize("root", ["loss.backward()", "torch.autograd.grad(loss, w)"])
def test_a_root_is_called_by_its_name(root: str, traced: Traced) -> None:
    run = traced(f"""
        import torch
        w = torch.ones(2, requires_grad=True)
        loss = (w * 2).detach().sum()
        {root}
        """)
    (finding,) = findings_of(run.tracer.faults)
    assert finding.message.startswith("`loss` does not require grad")


def test_what_torch_calls_a_tensor_is_not_its_name(traced: Traced) -> None:
    run = traced("""
        import torch
        class Net(torch.nn.Module):
            def forward(self, features):
                return torch.nn.functional.linear(*features)
        with torch.inference_mode():
            given = torch.ones(2, 2), torch.ones(2, 2)
        Net()([given[0], given[1].clone().requires_grad_()])
        """)
    (finding,) = findings_of(run.tracer.faults)
    assert "`input`" not in finding.message
