"""What the code is given, and what that it does with it says of whether it has a graph."""

import pytest

from autograd_lint.evidence.wording import worded
from tests.vm.running import faults, kinds


def test_what_is_told_apart_is_data() -> None:
    text = "def f(x, n):\n    n = torch.cat([x, n])\n    n += 1\n    return torch.unique(n)\n"
    assert kinds(text) == []


def test_what_is_computed_and_told_apart() -> None:
    text = (
        "w = torch.ones(3, requires_grad=True)\n"
        "y = w * 2\n"
        "y += 1\n"
        "torch.unique(y).sum().backward()\n"
    )
    assert kinds(text) == ["other"]


@pytest.mark.parametrize("made", ["type(x)(3, 4)", "x.new(3, 4)", "x.data[0]", "len(x)"])
def test_what_is_made_anew_has_no_graph(made: str) -> None:
    text = (
        "import numpy as np\ndef f(x, loader):\n    new = {made}\n    y = new.exp()\n    y += 1\n"
    )
    assert kinds(text.format(made=made) + "    return y\n") == []


def test_a_compiled_module_that_is_loaded_is_frozen() -> None:
    text = "net = torch.{load}('m.pt')\nx = net(torch.ones(3))\nprint(x.cpu().numpy())\n"
    assert kinds(text.format(load="jit.load")) == []
    assert kinds(text.format(load="load")) == ["numpy-on-grad"]


def test_what_a_trained_module_generates_has_no_graph() -> None:
    text = "net = torch.load('m.pt')\nx = net.{method}(torch.ones(3))\nprint(x.cpu().numpy())\n"
    assert kinds(text.format(method="generate")) == []
    assert kinds(text.format(method="encode")) == ["numpy-on-grad"]


def test_nothing_is_learnt_by_predicting() -> None:
    text = "def {name}(x):\n    y = x.exp()\n    y += 1\n    return y\n"
    assert kinds(text.format(name="predict")) == []
    assert kinds(text.format(name="transform")) == ["saved-tensor-modified"]


def test_what_may_be_a_number_is_not_surely_a_tensor_that_is_saved() -> None:
    text = "def f(x, p):\n    y = torch.pow(x, {exponent})\n    y += 1\n    return y\n"
    assert kinds(text.format(exponent="1 / p")) == []
    (fault,) = faults(text.format(exponent="torch.relu(x)"))
    assert "the operator keeps" not in " ".join(worded(why) for why in fault.assumptions)


def test_a_tensor_has_what_tensors_have() -> None:
    text = (
        "def number(x):\n"
        "    if hasattr(x, 'item'):\n"
        "        return x.item()\n"
        "    return x[0]\n"
        "def f(x):\n"
        "    norm = number(torch.norm(x))\n"
        "    x.mul_(1 / norm)\n"
        "    return norm\n"
    )
    assert kinds(text) == []


def test_what_is_quantized_has_no_graph() -> None:
    text = "def f(x):\n    y = x.exp()\n    if y.is_quantized:\n        y.mul_(2)\n    return y\n"
    assert kinds(text) == []


def test_what_there_is_no_derivative_of_may_have_been_computed() -> None:
    text = "def f(at, x):\n    return torch.sparse_coo_tensor(at, x)._coalesced_(True)\n"
    assert kinds(text) == ["other"]
    assert kinds("def f(x, y):\n    return (x + y) // 2\n") == []


FITTING = """
def fit(points, ignored, model, optimizer):
    weights = points[:, -1]
    weights[ignored] = 0
    for _ in range(3):
        loss = (weights * model(torch.ones(3))).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_a_part_of_what_is_given_that_is_written_is_data() -> None:
    assert kinds(FITTING) == []
    computed = "(torch.ones(3, 3, requires_grad=True) * 2)"
    own = FITTING.replace("weights = points[:, -1]", f"weights = {computed}[:, -1]")
    assert kinds(own) == ["no-optimizer", "graph-freed"]


COUNTING = """
class Normalizer(Transform):
    def add(self, points, mask, count):
        {written} = 0
        self.mean = self.count * self.mean + points.sum(0) * points.max()
        self.count += torch.ones(3)

    def undo(self, x):
        return x * self.mean

    def __init__(self):
        self.count, self.mean = torch.zeros(3), torch.ones(3)
"""


@pytest.mark.parametrize("written", ["points[:, mask == 1]", "points[:, 0]"])
def test_what_is_given_is_data_whichever_part_of_it_is_written(written: str) -> None:
    assert kinds(COUNTING.format(written=written)) == []
    assert kinds(COUNTING.format(written="other")) == ["saved-tensor-modified"]


CHECKPOINT = """
class Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, found):
        if library.one():
            found += {one}
        else:
            found += library.parts(x)
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient, gradient
"""


def test_what_a_list_is_added_to_is_a_list() -> None:
    assert kinds(CHECKPOINT.format(one="[x]")) == []
    assert kinds(CHECKPOINT.format(one="x")) == ["not-marked-dirty"]


PINNED = """
from machine import accelerator
flat = torch.zeros(3)
if accelerator().is_there():
    flat = accelerator().pin_memory({given})
optimizer = torch.optim.SGD([flat], lr=0.1)
"""


def test_a_tensor_is_given_to_somebody_who_pins_it() -> None:
    assert kinds(PINNED.format(given="flat")) == []


STATISTICS = """
class Deferred(nn.modules.batchnorm._BatchNorm):
    def forward(self, x):
        scale = self.{name}.exp()
        scale.mul_(2)
        return x * scale
"""


def test_the_statistics_of_a_normalization_are_data() -> None:
    assert kinds(STATISTICS.format(name="running_mean")) == []
    assert kinds(STATISTICS.format(name="moving_mean")) == ["saved-tensor-modified"]


def test_gradients_beyond_the_roots_are_let_pass() -> None:
    text = "y = torch.rand(3, requires_grad=True) * 2\ng = torch.ones(3)\n"
    text += "y.backward((g, g))\n"
    exec("import torch\n" + text, {})  # torch itself does not mind
    assert kinds(text) == []


SCALED = """
class Scaled(nn.Module):
    def __init__(self, layer, batch):
        super().__init__()
        if layer.training:
            var = batch.data.transpose(0, 1).var(1)
        else:
            var = layer.running_var
        self.scale = 1.0 / torch.sqrt(var + layer.eps)

    def forward(self, x):
        return x * self.scale
"""


def test_what_a_module_computes_of_what_it_is_made_with_outlives_no_step() -> None:
    assert kinds(SCALED) == []


TWICE = """
from elsewhere import network

def step(log_alpha, optimizer, x):
    shared = {shared}
    (shared.exp() * 2).sum().backward()
    optimizer.step()
    (-shared * 3).exp().sum().backward()
"""


def test_who_runs_backward_twice_from_an_argument_is_given_a_leaf() -> None:
    assert kinds(TWICE.format(shared="log_alpha")) == []
    assert kinds(TWICE.format(shared="network(x)")) == ["graph-freed"]
