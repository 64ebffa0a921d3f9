"""What speaks for an unknown being a tensor, and what against it."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import faults, kinds

MAXIMUM = "def f(x):\n    y = x * 2\n    y /= y.abs().max()\n    return y\n"


def test_numeric_methods_where_there_are_no_arrays() -> None:
    assert kinds(MAXIMUM) == ["saved-tensor-modified"]


def test_numeric_methods_where_there_are_arrays() -> None:
    assert kinds("import numpy as np\n" + MAXIMUM) == []


def test_an_index_along_several_dimensions() -> None:
    text = "def f(x):\n    y = torch.exp(x[:, 0])\n    y += 1\n    return y\n"
    assert kinds(text) == ["saved-tensor-modified"]


BIAS = """
def initialize(model):
    for layer in model.heads:
        b = layer.bias.view(3, -1)
        b[:, 1] += 1
        {stored}
"""


def test_an_attribute_that_is_made_a_parameter() -> None:
    text = BIAS.format(stored="layer.bias = nn.Parameter(b.view(-1))")
    assert kinds(text) == ["leaf-view-modified"]


def test_an_attribute_of_anything() -> None:
    assert kinds(BIAS.format(stored="pass")) == []


def test_a_layer_by_its_class() -> None:
    text = (
        "def initialize(model):\n"
        "    for m in model.modules():\n"
        "        if isinstance(m, nn.Conv2d):\n"
        "            m.weight.mul_(2)\n"
    )
    assert kinds(text) == ["leaf-modified"]


def test_an_unknown_that_equals_one_string_equals_no_other() -> None:
    text = (
        "def f(x, mode):\n"
        "    y = x.exp()\n"
        "    if mode == 'a':\n"
        "        y = y * 2\n"
        "    if mode == 'b':\n"
        "        y = y.detach()\n"
        "    if mode == 'a':\n"
        "        y += 1\n"
        "    return y\n"
    )
    assert kinds(text) == []


def test_sizes_are_no_tensors() -> None:
    text = (
        "def f(x, y):\n"
        "    height, width = y.shape\n"
        "    z = torch.zeros(3) + x.numel()\n"
        "    z[0] = torch.clamp(z[0], max=height - 1)\n"
        "    z[1] = torch.clamp(z[1], max=y.shape[0] * 2)\n"
        "    for size in y.shape[1:]:\n"
        "        z[2] = torch.clamp(z[2], max=size)\n"
        "    return z\n"
    )
    assert kinds(text) == []


def test_data_never_requires_grad() -> None:
    text = "net = torch.load('a.pt')\nx = torch.ones(3)\ny = net(x){data}.unsqueeze(0).numpy()\n"
    assert kinds(text.format(data="")) == ["numpy-on-grad"]
    assert kinds(text.format(data=".data")) == []


def test_what_a_class_that_is_no_module_returns_carries_no_graph() -> None:
    text = (
        "import gym\n"
        "class Recorded(gym.Wrapper):\n"
        "    def step(self, action):\n"
        "        observation, reward = super().step(action)\n"
        "        return observation, reward\n"
        "seen = torch.zeros(3, 2)\n"
        "env = Recorded(gym.make('a'))\n"
        "net = nn.Linear(2, 2)\n"
        "for i in range(3):\n"
        "    seen[i] = env.step(i)[0].sigmoid()\n"
        "    net(seen).sigmoid().sum().backward()\n"
    )
    assert kinds(text) == []


def test_rows_of_a_given_tensor_that_are_written_are_data() -> None:
    assert kinds("def f(x):\n    for row in x.unsqueeze(0):\n        row.zero_()\n") == []


def test_backward_refuses_options_it_does_not_know() -> None:
    text = (
        "w = torch.ones(3, requires_grad=True)\n"
        "y = w.exp().sum()\n"
        "y.backward({option}=True)\n"
        "y.backward()\n"
    )
    assert kinds(text.format(option="retain_variables")) == []
    assert kinds(text.format(option="create_graph")) == []
    assert kinds(text.replace("{option}=True", "")) == ["graph-freed"]


FLAGGED = (
    "def f(x{more}):\n    y = torch.empty(3, requires_grad={flag})\n    y.zero_()\n    return y\n"
)


def test_a_flag_that_is_not_known_is_not_set_where_that_would_be_refused() -> None:
    assert kinds(FLAGGED.format(more="", flag="x.requires_grad")) == []
    assert kinds(FLAGGED.format(more=", flag=True", flag="flag")) == ["leaf-modified"]
    assert kinds(FLAGGED.format(more="", flag="True")) == ["leaf-modified"]
    whole = "def f(flag):\n    return torch.randperm(3).requires_grad_(flag)\n"
    assert kinds(whole) == []
    assert kinds(whole.replace("(flag)\n", "(True)\n")) == ["other"]


def test_what_is_done_only_to_floats_is_not_done_to_integers() -> None:
    text = "x = torch.arange(3)\nx.requires_grad = x.is_floating_point() or x.is_complex()\n"
    assert kinds(text) == []


def test_nothing_can_not_be_joined() -> None:
    text = "losses = []\ntorch.cat(losses).sum().backward()\n"
    assert kinds(text) == []
    assert kinds(text.replace("[]", "[torch.ones(3)]")) == ["no-grad-root"]


NORMALIZED = """
def normalize(x, out=None):
    length = x.norm(keepdim=True)
    if out is None:
        return x / length
    return torch.div(x, length.{clamp}(1e-3), out=out)
"""


def test_what_is_written_to_out_is_no_part_of_a_loss() -> None:
    assert kinds(NORMALIZED.format(clamp="clamp_min_")) == []
    changed = NORMALIZED.format(clamp="clamp_min").replace("x / length", "length.clamp_min_(1) * x")
    assert kinds(changed) == ["saved-tensor-modified"]


def test_what_is_put_for_a_graph_of_unknown_code_is_data_where_that_was() -> None:
    text = (
        "import other\n"
        "def f(x):\n"
        "    y = other.grid(torch.relu(x))\n"
        "    return torch.cat([y, torch.ones(3)]).numpy()\n"
    )
    assert kinds(text) == []


CACHED = """
factorials = {}
def factorial(x):
    if x.requires_grad:
        return (x + 1).lgamma().sum()
    if x not in factorials:
        factorials[x] = (x + 1).lgamma().sum()
    return factorials[x] + torch.zeros(1)

def f(x, y):
    for part in y:
        (factorial(x) * part).backward()
"""


def test_what_was_asked_and_does_not_require_grad_has_no_graph() -> None:
    assert kinds(CACHED) == []


def test_the_version_of_torch_is_known() -> None:
    text = (
        "w = torch.ones(3, requires_grad=True)\n"
        "if int(torch.__version__.split('.')[0]) {sign} 1:\n"
        "    w.add_(1)\n"
    )
    assert kinds(text.format(sign="<")) == []
    assert kinds(text.format(sign=">=")) == ["leaf-modified"]


def test_bits_and_indices_have_no_gradient() -> None:
    text = (
        "def f(x, y):\n    z = torch.zeros(3) + {given}.unsqueeze(0)\n    return z.exp().add_(1)\n"
    )
    assert kinds(text.format(given="(x & y)")) == []
    assert kinds(text.format(given="x.long()")) == []
    assert kinds(text.format(given="(x + y)")) == ["saved-tensor-modified"]
    assert kinds(text.format(given="torch.sparse.sum(torch.sparse_coo_tensor(x, 1.0 & y))")) == []
    text = "def f(x, y):\n    x.unsqueeze(0)\n    z = x {sign} y\n    return x.exp().add_(1)\n"
    assert kinds(text.format(sign="|")) == []
    assert kinds(text.format(sign="*")) == ["saved-tensor-modified"]


def test_the_values_of_a_sparse_tensor_have_its_graph() -> None:
    text = "def f(x, y):\n    z = torch.zeros(3) + {given}.to_dense()\n    return z.exp().add_(1)\n"
    sparse = "torch.sparse_coo_tensor({})"
    assert kinds(text.format(given=sparse.format("torch.relu(x), torch.ones(3)"))) == []
    found = kinds(text.format(given=sparse.format("x, torch.relu(y)")))
    assert found == ["saved-tensor-modified"]


def test_what_prepares_data_gives_data() -> None:
    text = (
        "from torchvision import transforms\n"
        "prepare = transforms.Compose([transforms.{kind}()])\n"
        "net = nn.Linear(3, 3)\n"
        "net.requires_grad_(False)\n"
        "style = net(prepare('a.jpg').unsqueeze(0).repeat(2, 1, 1)).sigmoid()\n"
        "w = torch.ones(3, requires_grad=True)\n"
        "for _ in range(3):\n"
        "    (style * w).sum().backward()\n"
    )
    assert kinds(text.format(kind="ToTensor")) == []
    assert kinds(text.format(kind="ToTensor").replace("(False)", "(True)")) == ["graph-freed"]


CONVERTED = """
def stretch(image):
    {ask}
    x = image if floating else image.to(torch.float32)
    low = x.amin(keepdim=True)
    return x.sub(low) if floating else x.sub_(low)
"""


def test_what_is_not_of_floats_does_not_require_grad() -> None:
    for ask in ("image.is_floating_point()", "torch.is_floating_point(image)"):
        assert kinds(CONVERTED.format(ask=f"floating = {ask}")) == []
    assert kinds(CONVERTED.format(ask="floating = image.anything")) == ["saved-tensor-modified"]


FILLED = """
class Pad(nn.Module):
    def forward(self, x):
        least = x{cut}.min() - 1
        return self.fill(x, least)
    def fill(self, x, value):
        return x.new_full((3,), value)
"""


def test_what_was_computed_is_no_plain_data() -> None:
    (fault,) = faults(FILLED.format(cut=""))
    assert fault.kind.value == "other"
    assert fault.handed is not None
    assert faults(FILLED.format(cut=".detach()")) == []


GIVEN = """
def step(net, x, lr):
    loss = net(x).pow(2).mean()
    {gradients}
    for p in net.parameters():
        p -= lr * {gradient}
"""


def test_gradients_that_backward_left_show_that_parameters_require_grad() -> None:
    text = GIVEN.format(gradients="loss.backward()", gradient="p.grad")
    assert kinds(text) == ["leaf-modified"]


def test_gradients_that_are_asked_for_show_that_parameters_require_grad() -> None:
    gradients = "g = torch.autograd.grad(loss, net.parameters())[0]"
    assert kinds(GIVEN.format(gradients=gradients, gradient="g")) == ["leaf-modified"]


def test_parameters_that_nothing_is_shown_of_may_be_written() -> None:
    assert kinds(GIVEN.format(gradients="print(loss)", gradient="0.1")) == []


PADDED = """
def padded(x):
    kind = x.dtype
    if x.shown:
        print(x)
    if kind in [{types}]:
        kind = torch.long
    return torch.full((3,), 0.0, dtype=kind)

def learn(x):
    padded(x).requires_grad_()
"""


def test_a_dtype_is_rarely_one_of_integers() -> None:
    assert kinds(PADDED.format(types="torch.int8, torch.int32")) == []
    assert kinds(PADDED.format(types="torch.int8, torch.float16")) == ["other"]


STATISTICS = """
import numpy as np

class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, inputs):
        mean = inputs.mean(0)
        self.mean.mul_(0.9).add_(mean{taken} * 0.1)
        return self.weight * (inputs - mean)
"""


def test_what_a_module_is_given_is_a_tensor_though_there_are_arrays() -> None:
    assert kinds(STATISTICS.format(taken="")) == [Pitfall.GRAPH_KEPT.value]
    assert kinds(STATISTICS.format(taken=".detach()")) == []


def test_what_else_can_be_set_is_no_tensor() -> None:
    """A TensorDict has such a method, too."""
    text = "def stepped(td):\n    td.set_('noise', td.get('noise') * 2)\n    return td\n"
    assert kinds(text) == []


SAMPLED = """
def train(buffer, learner, device):
    sample = buffer.sample(8)
    length = sample.{method}()
    part = sample[:, :length]
    part.to("cuda")
    learner(part).backward()
"""


@pytest.mark.parametrize(("method", "tensor"), [("longest", False), ("item", True)])
def test_what_has_other_methods_than_tensors_is_none_and_neither_are_its_slices(
    method: str, tensor: bool
) -> None:
    found = kinds(SAMPLED.format(method=method))
    assert (Pitfall.RESULT_DROPPED.value in found) is tensor
