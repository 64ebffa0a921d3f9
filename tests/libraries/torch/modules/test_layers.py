"""Layers of `torch.nn` and their states."""

import copy

import pytest
import torch

from autograd_lint.evidence.wording import worded
from tests.vm.running import certain, faults, kinds

LOOP = """
layer = nn.{layer}
h = {state}
for _ in range(3):
    out, h = layer(torch.ones(1, 2, 3), {kept})
    out.sum().backward()
"""


@pytest.mark.parametrize("layer", ["GRU(3, 3)", "GRU(3, 3, batch_first=True)", "RNN(3, 3)"])
def test_a_state_carries_its_graph(layer: str) -> None:
    text = LOOP.format(layer=layer, state="torch.zeros(1, 2, 3)", kept="h")
    assert certain(text) == ["graph-freed"]


def test_a_state_of_two_tensors_carries_its_graph() -> None:
    text = LOOP.format(layer="LSTM(3, 3, batch_first=True)", state="None", kept="h")
    assert certain(text) == ["graph-freed"]


def test_a_state_that_is_detached() -> None:
    text = LOOP.format(layer="GRU(3, 3)", state="torch.zeros(1, 2, 3)", kept="h.detach()")
    assert certain(text) == []


EMBEDDING = """
emb = nn.Embedding(4, 3{option})
keys = emb.weight.exp() * emb.weight
found = emb(torch.tensor([1, 2]))
(keys.sum() + found.sum()).backward()
"""


def test_max_norm_writes_the_weight() -> None:
    assert certain(EMBEDDING.format(option=", max_norm=1.0")) == ["saved-tensor-modified"]


def test_an_embedding_writes_nothing_by_itself() -> None:
    assert certain(EMBEDDING.format(option="")) == []


def test_a_layer_refuses_options_that_it_does_not_have() -> None:
    text = "layer = nn.Linear(3, 3, {option}=torch.half)\nlayer.weight.copy_(torch.ones(3, 3))\n"
    assert kinds(text.format(option="params_dtype")) == []
    assert kinds(text.format(option="dtype")) == ["leaf-modified"]


NOISY = """
class Noisy(nn.Linear):
    def __init__(self):
        super(nn.Linear, self).__init__()
        self.mean = nn.Parameter(torch.zeros(3, 3))
        self.bias = None

    @property
    def weight(self):
        return self.mean{cut} * 2

Noisy()(torch.randn(3, 3)).sum().backward()
"""


def test_a_parameter_that_a_property_computes() -> None:
    assert kinds(NOISY.format(cut="")) == []
    assert kinds(NOISY.format(cut=".detach()")) == ["no-grad-root"]


def test_a_dropout_of_unknown_probability_may_write_nothing() -> None:
    text = (
        "import sys\n"
        "model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Dropout({p}, inplace=True))\n"
        "model(torch.randn(3, 3)).sum().backward()\n"
    )
    assert certain(text.format(p="float(sys.argv[1])")) == []
    assert kinds(text.format(p="float(sys.argv[1])")) == ["saved-tensor-modified"]
    assert certain(text.format(p="0.5")) == ["saved-tensor-modified"]
    assert kinds(text.format(p="0.0")) == []


ODD_BASE = """
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import ActivationWrapper

class Wrapped(ActivationWrapper):
    def forward(self, x):
        return self._checkpoint_wrapped_module(x)

model = nn.Sequential(Wrapped(nn.Linear(2, 2)){more})
model(torch.ones(3, 2)).sum().backward()
"""


def test_a_chain_runs_what_is_not_known_to_be_a_module_as_well() -> None:
    assert kinds(ODD_BASE.format(more="")) == []
    assert kinds(ODD_BASE.format(more=", nn.ReLU(inplace=True)")) == []


DROPPING = """
class Attention(nn.Module):
    def __init__(self, size, rate, last):
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.drop = nn.Dropout(rate, inplace=True)
        self.last = nn.Dropout(last, inplace=True)

    def forward(self, x):
        return self.last(self.linear(self.drop(self.linear(x).softmax(dim=-1))))
"""


def test_a_write_that_hangs_on_a_rate_says_that_the_rate_is_more_than_zero() -> None:
    (found,) = faults(DROPPING)
    told = [worded(why) for why in found.assumptions]
    assert "`rate == 0` does not hold in line 12" in told


# Whether the statistics that the evaluation has saved are overwritten before its backward.
NORM = """
norm = nn.BatchNorm1d(3)
x = torch.rand(4, 3, requires_grad=True)
norm.{first}()
y = norm(x)
norm.{second}()
z = norm(x)
({summed}).sum().backward()
"""


@pytest.mark.parametrize(
    ("first", "second", "summed", "wrong"),
    [
        ("eval", "train", "y + z", True),
        ("eval", "train", "y", True),
        ("eval", "train", "z", False),
        ("train", "eval", "y + z", False),
        ("train", "train", "y + z", False),
        ("eval", "eval", "y + z", False),
    ],
)
def test_batch_norm_overwrites_what_its_evaluation_has_saved(
    first: str, second: str, summed: str, wrong: bool
) -> None:
    text = NORM.format(first=first, second=second, summed=summed)
    unseen = [one for one in faults(text) if one.modified is not None and not one.modified.bumped]
    assert [one.assumptions for one in unseen] == [frozenset()] * wrong
    assert _is_wrong(text) is wrong


def _is_wrong(text: str) -> bool:
    """Whether torch computes another gradient than where the module keeps statistics for each."""
    apart = text.replace(
        "norm.train()\nz = norm(x)", "norm = copy.deepcopy(norm).train()\nz = norm(x)"
    )
    gradients = []
    for one in (text, apart):
        torch.manual_seed(0)
        names: dict[str, object] = {"torch": torch, "nn": torch.nn, "copy": copy}
        exec(one, names)
        x = names["x"]
        assert isinstance(x, torch.Tensor)
        gradients.append(x.grad)
    first, second = gradients
    assert first is not None and second is not None
    return not torch.allclose(first, second)


ASKED = """
layer = nn.{layer}
w = torch.ones(3, requires_grad=True)
if layer.{name} is None:
    w += 1
"""


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        ("Linear(3, 3, bias=False)", "bias"),
        ("Conv2d(3, 3, 3, bias=False)", "bias"),
        ("BatchNorm1d(3, affine=False)", "weight"),
        ("LayerNorm(3, elementwise_affine=False)", "bias"),
        ("MultiheadAttention(4, 2)", "bias_k"),
    ],
)
def test_a_parameter_that_is_left_out_is_none(layer: str, name: str) -> None:
    text = ASKED.format(layer=layer, name=name)
    scope = {"torch": torch, "nn": torch.nn}
    with pytest.raises(RuntimeError, match="a leaf Variable"):
        exec(text, scope)
    assert certain(text) == ["leaf-modified"]


def test_the_bias_of_a_recurrent_layer_is_an_option() -> None:
    assert kinds(ASKED.format(layer="LSTM(3, 3, bias=False)", name="bias")) == []


STACKED = """
cell = nn.RNN(3, 4, {layers})
p = dict(cell.named_parameters())
out, h = cell(torch.ones(2, 1, 3))
with torch.no_grad():
    p["weight_hh_l{written}"].add_(1)
out.sum().backward()
"""


@pytest.mark.parametrize(("layers", "written"), [(1, 0), (2, 0), (2, 1), (3, 2)])
def test_recurrent_layers_have_the_parameters_of_all_layers_inside(
    layers: int, written: int
) -> None:
    (fault,) = faults(STACKED.format(layers=layers, written=written))
    assert (fault.kind.value, fault.tensor) == ("saved-tensor-modified", f"weight_hh_l{written}")
    assert not fault.assumptions


COMPUTED = """
conv = {layer}
{set_besides}
out = torch.sigmoid(conv(torch.ones(1, 3, 8, 8)))
out *= 2
out.sum().backward()
"""


@pytest.mark.filterwarnings("ignore:.*weight_norm:FutureWarning")
@pytest.mark.parametrize(
    ("layer", "set_besides"),
    [
        ("nn.Conv2d(3, 3, 3)", "conv.scale = torch.ones(3, requires_grad=True)"),
        ("nn.utils.weight_norm(nn.Conv2d(3, 3, 3))", ""),
        ("nn.utils.spectral_norm(nn.Conv2d(3, 3, 3))", ""),
    ],
)
def test_a_layer_computes_with_its_own_parameters_alone(layer: str, set_besides: str) -> None:
    text = COMPUTED.format(layer=layer, set_besides=set_besides)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(text, {"torch": torch, "nn": torch.nn})
    assert certain(text) == ["saved-tensor-modified"]
