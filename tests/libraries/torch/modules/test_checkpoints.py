"""What `torch.utils.checkpoint` changes."""

import pytest

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import certain, faults

HEAD = """from torch.utils.checkpoint import checkpoint
def block(t):
    h = t.exp()
    h.mul_(2)
    return h
x = torch.ones(3, requires_grad=True)
a = x * 1
"""


def test_nothing_inside_is_checked() -> None:
    text = HEAD + "checkpoint(block, a, use_reentrant=False).sum().backward()\n"
    assert certain(text) == []


def test_the_arguments_are_checked() -> None:
    text = HEAD + "y = checkpoint(block, a, use_reentrant=False).sum()\na.add_(1)\ny.backward()\n"
    assert certain(text) == ["saved-tensor-modified"]


def test_a_checkpoint_is_freed() -> None:
    text = HEAD + "y = checkpoint(block, a, use_reentrant=False).sum()\n"
    assert certain(text + "y.backward()\ny.backward()\n") == ["graph-freed"]


def test_a_reentrant_checkpoint_needs_an_argument_that_requires_grad() -> None:
    text = HEAD + "layer = nn.Linear(3, 1)\ny = checkpoint(layer, x.detach(), use_reentrant=True)\n"
    assert "no-grad-root" in certain(text + "y.sum().backward()\n")


def test_a_reentrant_checkpoint_runs_again_on_leaves() -> None:
    text = HEAD + "y = checkpoint(lambda t: t.mul_(2).sin(), a, use_reentrant=True)\n"
    assert certain(text + "y.sum().backward()\n") == ["leaf-modified"]


NESTED = """
layer = nn.Linear(3, 1)
def run(t):
    return {result}
found = checkpoint(run, a, use_reentrant={kind})
{taken}.sum().backward()
"""


@pytest.mark.parametrize(
    ("result", "taken", "kind", "expected"),
    [
        ("{'hidden': layer(t)}", "found['hidden']", "True", True),
        ("[layer(t)]", "found[0]", "True", True),
        ("(layer(t), 1)", "found[0]", "True", False),
        ("{'hidden': layer(t)}", "found['hidden']", "False", False),
    ],
)
def test_only_results_in_a_tuple_get_a_graph(
    result: str, taken: str, kind: str, expected: bool
) -> None:
    text = HEAD + NESTED.format(result=result, taken=taken, kind=kind)
    assert ("no-grad-root" in certain(text)) is expected


SERIES = """
from torch.utils.checkpoint import checkpoint_sequential
layers = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.Tanh())
x = torch.ones(3, requires_grad={requires})
y = checkpoint_sequential({layers}, {segments}, x, use_reentrant={reentrant})
"""


@pytest.mark.parametrize("layers", ["layers", "list(layers)", "[*layers]"])
@pytest.mark.parametrize("reentrant", [True, False])
def test_a_series_of_layers_is_freed(layers: str, reentrant: bool) -> None:
    text = SERIES.format(requires=True, layers=layers, segments=2, reentrant=reentrant)
    assert certain(text + "y.sum().backward()\ny.sum().backward()\n") == ["graph-freed"]


def test_the_last_segment_alone_has_a_graph() -> None:
    text = SERIES.format(requires=False, layers="layers", segments=2, reentrant=True)
    assert certain(text + "y.sum().backward()\n") == ["checkpoint-cuts"]


def test_a_series_without_layers_behind_its_checkpoints_has_no_graph() -> None:
    text = SERIES.format(requires=False, layers="layers[:2]", segments=2, reentrant=True)
    assert certain(text + "y.sum().backward()\n") == ["no-grad-root"]


def test_a_series_that_is_not_known_may_have_a_graph() -> None:
    text = SERIES.format(requires=False, layers="layers", segments="unknown()", reentrant=True)
    assert certain("from elsewhere import unknown\n" + text + "y.sum().backward()\n") == []


OF_DATA = """
from torch.utils.checkpoint import checkpoint
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(3, 3), nn.Linear(3, 1)

    def forward(self, x):
        return self.last(checkpoint(self.first, x, use_reentrant={reentrant}))

def train(loader):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in loader:
        optimizer.zero_grad()
        net({given}).sum().backward()
        optimizer.step()
"""


def test_what_is_checkpointed_of_data_alone_gets_no_gradient() -> None:
    (fault,) = faults(OF_DATA.format(reentrant=True, given="x"))
    assert fault.kind is Pitfall.CHECKPOINT_CUTS
    assert {one.kind for one in fault.premises} == {Kind.IS_DATA}


def test_data_that_are_made_to_require_grad_carry_it() -> None:
    assert faults(OF_DATA.format(reentrant=True, given="x.requires_grad_()")) == []
    assert faults(OF_DATA.format(reentrant=False, given="x")) == []


def test_what_a_caller_gives_a_layer_may_require_grad() -> None:
    alone = OF_DATA.format(reentrant=True, given="x").partition("\ndef train")[0]
    assert faults(alone) == []
