"""A module whose class has a `__call__` of its own, which hands on to that of `nn.Module`."""

from tests.vm.running import faults

LAYER = """
class Layer(nn.Module):
    def __call__(self, x, scale=1.0):
        return super().__call__(x * scale)
    def forward(self, x):
        out = x.exp()
        out {change}
        return out
"""
TRAINED = "x = torch.ones(3, requires_grad=True)\nLayer()(x).sum().backward()\n"


def test_the_call_of_the_base_runs_forward() -> None:
    (fault,) = faults(LAYER.format(change="+= 1") + TRAINED)
    assert fault.place is not None and fault.place.row == 12 and not fault.assumptions
    assert faults(LAYER.format(change="= out + 1") + TRAINED) == []


def test_hooks_run_once() -> None:
    hook = (
        "layer = Layer()\nseen = []\n"
        "layer.register_forward_hook(lambda module, given, out: seen.append(out))\n"
        "x = torch.ones(3, requires_grad=True)\nlayer(x)\n"
        "if len(seen) == 1:\n    torch.ones(3).sum().backward()\n"
    )
    (fault,) = faults(LAYER.format(change="= out + 1") + hook)
    assert fault.kind.value == "no-grad-root"
