"""Optimizers write what they were given."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import certain, faults, kinds

STEP = """
first, second = nn.Linear(3, 3), nn.Linear(3, 3)
opt = torch.optim.SGD({given}, lr=0.1)
out = second(first(torch.ones(1, 3)))
out.sum().backward(retain_graph=True)
{between}
out.mean().backward()
"""


@pytest.mark.parametrize(
    "given",
    [
        "second.parameters()",
        "[{'params': first.parameters()}, {'params': second.parameters(), 'lr': 1}]",
        "[p for p in second.parameters() if p.requires_grad]",
        "list(first.parameters()) + list(second.parameters())",
        "nn.ModuleList([first, second]).parameters()",
    ],
)
def test_a_step_between_two_backwards(given: str) -> None:
    assert certain(STEP.format(given=given, between="opt.step()")) == ["saved-tensor-modified"]


def test_a_step_of_what_the_graph_does_not_keep() -> None:
    # The weight of the first layer is not needed: its input requires no gradient.
    assert certain(STEP.format(given="first.parameters()", between="opt.step()")) == []


def test_a_step_without_gradients_writes_nothing() -> None:
    between = "opt.zero_grad()\nopt.step()"
    found = certain(STEP.format(given="second.parameters()", between=between))
    assert "saved-tensor-modified" not in found


def test_an_old_graph_walked_after_the_step_is_blamed_where_it_was_built() -> None:
    text = (
        "layer = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))\n"
        "opt = torch.optim.SGD(layer.parameters(), lr=0.1)\n"
        "value = layer(torch.ones(1, 3))\n"
        "for _ in range(2):\n"
        "    opt.zero_grad()\n"
        "    loss = (value - 1).pow(2).sum()\n"
        "    loss.backward(retain_graph=True)\n"
        "    opt.step()\n"
    )
    (fault,) = faults(text)
    assert fault.carried
    assert fault.built is not None and fault.built.place is not None
    assert fault.built.place.row == 5


ENTRIES = """
class Net(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.layers = {layers}

net = Net(torch.load("names.pt"))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
"""


PART = """
{imported}

class Convolution({base}):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Convolution()

opt = torch.optim.SGD(Net().parameters(), lr=0.1)
"""


def test_a_part_with_a_base_elsewhere_may_be_a_module() -> None:
    library = "from library import Passing"
    assert certain(PART.format(imported=library, base="Passing")) == []
    assert certain(PART.format(imported="import abc", base="abc.ABC")) == ["other"]


def test_parts_of_unknown_number_have_parameters() -> None:
    layers = "nn.ModuleDict({n: nn.Linear(2, 2) for n in names})"
    assert certain(ENTRIES.format(layers=layers)) == []
    assert certain(ENTRIES.format(layers="nn.ModuleDict({})")) == ["other"]


GATHERED = """
class Part(nn.Module):
    def parameters(self, recurse=True):
        for name, one in self.named_parameters():
            if name.startswith(self.prefix):
                yield one
torch.optim.SGD(Part().parameters(), lr=0.1)
"""
SETTING = """
class Own(nn.Module):
    {method}
    def __init__(self):
        super().__init__()
        self.rate = 0.1
torch.optim.SGD(Own().parameters(), lr=0.1)
"""
OUTSIDE = """
from elsewhere import NetModule
class Own(NetModule):
    def __init__(self):
        super().__init__(nn.Linear(2, 2))
torch.optim.SGD(Own().parameters(), lr=0.1)
"""


def test_what_a_method_of_the_program_gathers_is_not_counted() -> None:
    assert kinds(GATHERED) == []


def test_a_class_that_sets_attributes_its_own_way_may_have_parameters() -> None:
    own = "def __setattr__(self, name, value): object.__setattr__(self, name, value)"
    assert kinds(SETTING.format(method=own)) == []
    assert kinds(SETTING.format(method="pass")) == ["other"]


def test_a_base_from_elsewhere_may_have_parameters() -> None:
    assert kinds(OUTSIDE) == []


YIELDED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
        self.head = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        return self.head(self.body(x))

    def part(self, module):
        for {found} in module.{named}():
            if isinstance({layer}, (nn.Conv2d, nn.BatchNorm2d)):
                for p in {layer}.parameters():
                    yield p

net = Net()
groups = [{{"params": net.part(net.body)}}, {{"params": net.part(net.head), "lr": 0.1}}]
opt = torch.optim.SGD(groups, lr=0.01)
for step in range(9):
    opt.zero_grad()
    net(torch.ones(2, 3, 8, 8)).square().mean().backward()
    {between}
    opt.step()
"""


@pytest.mark.parametrize(
    ("found", "named", "layer"),
    [("m", "named_modules", "m[1]"), ("_, m", "named_modules", "m"), ("m", "modules", "m")],
)
def test_an_optimizer_of_what_generators_yield(found: str, named: str, layer: str) -> None:
    program = YIELDED.format(found=found, named=named, layer=layer, between="pass")
    assert kinds(program) == []
    torn = YIELDED.format(
        found=found,
        named=named,
        layer=layer,
        between="net(torch.ones(1, 3, 8, 8)).sum().backward(create_graph=True)",
    )
    assert "gradient-keeps-graph" in kinds(torn)


JOINED = """
def build(model, other):
    groups = {given}
    return torch.optim.SGD(groups, lr=0.1)
"""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("model.groups(0.1) + other.groups(0.1)", []),
        ("model.groups(0.1) + other.groups(0.1) + model.more()", []),
        ("nn.Linear(2, 2).weight.exp() + nn.Linear(2, 2).weight", ["other"]),
    ],
)
def test_lists_of_groups_may_be_joined(given: str, found: list[str]) -> None:
    assert kinds(JOINED.format(given=given)) == found


OPEN = """
from others import options
net, other = nn.Linear(2, 2), nn.Linear(2, 2)
given = {{"lr": 0.1, "params": {params}}}
opt = torch.optim.SGD(**{{name: given[name] for name in {names}}})
for i in range(3):
    opt.zero_grad()
    net(torch.ones(4, 2)).sum().backward()
    opt.step()
"""


@pytest.mark.parametrize(
    ("params", "names", "told"),
    [
        ("other.parameters()", "options", False),
        ("other.parameters()", "given", True),
        ("net.parameters()", "given", False),
    ],
)
def test_what_an_optimizer_is_given_by_unknown_names_may_be_any_parameters(
    params: str, names: str, told: bool
) -> None:
    assert bool(kinds(OPEN.format(params=params, names=names))) is told


STEPPED = """
def train(net, loader, criterion):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    history = []
    for x, y in loader:
        loss = criterion(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        {step}
        history.append(loss)
"""


@pytest.mark.parametrize(
    ("step", "kind"), [("optimizer.step()", "gradients-stepped-with"), ("pass", "gradients-pass")]
)
def test_who_steps_with_gradients_has_them_pass_through_unknown_code(step: str, kind: str) -> None:
    found = faults(STEPPED.format(step=step))
    (kept,) = [one for one in found if one.kind is Pitfall.GRAPH_KEPT]
    assert kind in {one.name for one in kept.premises}
