"""Leaves whose names go on to other tensors, and parameters that are frozen one by one."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted
from tests.vm.running import certain, kinds

ATTACK = """
def attack(model, x, n):
    for _ in range(n):
        x = x.clone().detach(){}
        model(x).sum().backward()
        step = x.grad.sign()
        with torch.no_grad():
            x = x + step
            x = x.clamp(0, 1)
    return x
"""
REBOUND = """
w = torch.ones(3, requires_grad=True)
w.sum().backward()
with torch.no_grad():
    w = w - w.grad
"""


def test_a_leaf_that_is_made_anew_in_every_round() -> None:
    assert kinds(ATTACK.format(".requires_grad_(True)")) == []


def test_a_leaf_that_is_lost() -> None:
    assert "parameter-rebound" in kinds(REBOUND)


SEARCH = """
def search(f, n):
    w = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.Adam([w])
    for _ in range(n):
        f(w).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
{}    with torch.no_grad():
{}        w = w.sigmoid()
{}        print(w)
"""


@pytest.mark.parametrize(("within", "found"), [("", False), ("    ", True)])
def test_a_leaf_that_is_lost_after_its_last_step(within: str, found: bool) -> None:
    assert ("parameter-rebound" in kinds(SEARCH.format(*[within] * 3))) is found


TEACHER = """
import copy

class Net(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.features = features
        self.first, self.last = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        return self.last(self.first(self.features(x)))

def train(features, batches):
    net = Net(features)
    teacher = copy.deepcopy(net)
    for p in teacher.parameters():
        {}
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in batches:
        loss = nn.functional.mse_loss(net(x), teacher(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
"""


@pytest.mark.parametrize(
    ("body", "found"), [("p.requires_grad = False", []), ("print(p)", ["target-learns"])]
)
def test_a_loop_that_freezes_more_than_is_known(body: str, found: list[str]) -> None:
    assert kinds(TEACHER.format(body)) == found


@pytest.mark.parametrize(("made", "found"), [("zeros_like(x", []), ("zeros((3,)", ["no-leaf"])])
def test_what_is_made_like_another_is_where_that_is(made: str, found: list[str]) -> None:
    text = (
        "def attack(model, x):\n"
        "    x = x.cuda()\n"
        f"    delta = torch.{made}, requires_grad=True).cuda()\n"
        "    model(x + delta).sum().backward()\n"
        "    return delta.grad.sign()\n"
    )
    assert bool(kinds(text)) == bool(found)


@pytest.mark.parametrize(("target", "found"), [("out=best", []), ("x, best", ["argument"])])
def test_a_result_that_is_written_over_is_not_used(target: str, found: list[str]) -> None:
    text = (
        "def scaled(scores):\n"
        "    scores /= 3\n"
        "    return scores.sum()\n"
        "def search(x, n):\n"
        "    best = x.new_zeros(3)\n"
        "    for _ in range(n):\n"
        f"        torch.mul(x, {'2, ' if 'out' in target else ''}{target.replace('x, ', '')})\n"
        "        total = scaled(best)\n"
        "    return total\n"
    )
    assert bool(kinds(text)) == bool(found)


def test_a_step_that_prepares_for_itself_knows_when() -> None:
    text = (
        "class Head(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.first, self.wide = nn.Linear(3, 3), None\n"
        "    def _init_wide(self):\n"
        "        self.wide = nn.Linear(3, 3)\n"
        "        self.wide.weight.copy_(self.first.weight)\n"
        "    def forward(self, x, whole: bool = False):\n"
        "        if whole:\n"
        "            self._init_wide()\n"
        "            return self.wide(x)\n"
        "        return self.first(x)\n"
    )
    assert certain(text) == []
    assert kinds(text) == ["leaf-modified"]


@pytest.mark.parametrize(("made", "found"), [("kind([w])", []), ("torch.optim.SGD([w])", [1])])
def test_an_optimizer_whose_class_is_handed_in_may_need_the_graph(
    made: str, found: list[int]
) -> None:
    text = (
        "def run(kind):\n"
        "    w = torch.ones(2).requires_grad_(True)\n"
        f"    optimizer = {made}\n"
        "    for _ in range(9):\n"
        "        optimizer.zero_grad()\n"
        "        w.pow(2).sum().backward(create_graph=True)\n"
        "        optimizer.step()\n"
        "for kind in (torch.optim.SGD, torch.optim.Adam):\n"
        "    run(kind)\n"
    )
    assert ("needless-retain" in kinds(text)) == bool(found)


def test_the_exponent_of_a_number_is_an_integer() -> None:
    text = (
        "def f(x):\n    e = x.frexp().exponent - 1\n    m = e.exp()\n    m += 1\n    return x * m\n"
    )
    assert kinds(text) == []


RESIZED = """
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.position = nn.Parameter(torch.randn(1, 4))
        self.other = self.position

    def resize(self):
        self.position = nn.Parameter(self.position)

    def forward(self, x):
        return x + self.position{}
"""


@pytest.mark.parametrize(("more", "found"), [("", False), (" * self.other", True)])
def test_a_parameter_that_takes_the_place_of_another(more: str, found: bool) -> None:
    text = RESIZED.format(more) + (
        "net = Net(4)\n"
        "net(torch.ones(4)).sum().backward()\n"
        "net.resize()\n"
        "net(torch.ones(4)).sum().backward()\n"
    )
    assert ("tied-parameter-copied" in kinds(text)) is found


ALIASED = """
    class Plane(nn.Module):
        def __init__(self):
            super().__init__()
            self.u = nn.Parameter(torch.ones(4))

        def forward(self, x):
            {name} = self.u
            {name} = self.u * 2
            return x + {name}

    plane = Plane()
    optimizer = torch.optim.SGD(plane.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        plane(x).mean().backward()
        optimizer.step()
        with torch.no_grad():
            plane(x)
    """


def test_a_leaf_with_another_name_is_still_there() -> None:
    assert Pitfall.PARAMETER_REBOUND not in noted(ALIASED.format(name="scaled"))


@pytest.mark.parametrize(
    "anew",
    [
        "x = x.detach().requires_grad_(True)",
        "x = x.clone().detach(); x.requires_grad = True",
        "x = x.data.clone().requires_grad_(True)",
    ],
)
def test_a_leaf_that_is_made_anew_of_what_its_name_went_on_to(anew: str) -> None:
    program = f"""
    def attack(model, x):
        for _ in range(10):
            {anew}
            model(x).sum().backward()
            with torch.no_grad():
                x = x + 0.1 * x.grad.sign()
        return x

    attack(model, torch.ones(3, 4))
    """
    assert Pitfall.PARAMETER_REBOUND not in noted(program)


def test_a_leaf_that_is_begun_anew_is_not_made_of_what_was_lost() -> None:
    program = """
    for _ in range(3):
        x = torch.ones(3, 4, requires_grad=True)
        model(x).sum().backward()
        with torch.no_grad():
            x = x + 0.1 * x.grad.sign()
    """
    assert Pitfall.PARAMETER_REBOUND in noted(program)


TOKEN = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(1, 4)
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        token = self.token.weight
        token = token.unsqueeze(0).repeat(3, 1, 1)
        return self.out(torch.cat([token, x], 1)).mean()

    def shrink(self):
        for p in self.parameters():
            {shrunk}

net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    with torch.no_grad():
        print(net(torch.ones(3, 2, 4)).item())
        net.shrink()
    net(torch.ones(3, 2, 4)).backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_a_module_that_computes_with_a_parameter_does_not_lose_it() -> None:
    assert kinds(TOKEN.format(shrunk="p.mul_(0.9)")) == []
    assert "parameter-rebound" in kinds(TOKEN.format(shrunk="p = p * 0.9"))


ROTATED = """
def rotation(r):
    norm = r.norm()
    with torch.no_grad():
        {rebound}

w = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    w.exp().sum().backward()
    rotation(w)
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("rebound", "told"),
    [("r = r[:2] / norm\n        print(r * 2)", False), ("r = r.clamp(-1, 1)", True)],
)
def test_a_function_that_computes_on_with_what_it_makes_of_its_argument_loses_nothing(
    rebound: str, told: bool
) -> None:
    assert ("parameter-rebound" in kinds(ROTATED.format(rebound=rebound))) is told


NAMED = """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.adapter = nn.Linear(4, 4), nn.Linear(4, 4)
    def forward(self, x):
        return self.adapter(self.layer(x))

model = nn.Sequential(*[Block() for _ in range({depth})])
for name, parameter in model.named_parameters():
    parameter.requires_grad_({wanted})
model(torch.randn(2, 4)).sum().backward()
"""


@pytest.mark.parametrize("depth", [3, 40])
@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ('"adapter" in name', []),
        ('name.startswith("0.adapter")', []),
        ("False", ["no-grad-root"]),
    ],
)
def test_names_choose_which_parameters_are_frozen(
    wanted: str, depth: int, found: list[str]
) -> None:
    assert kinds(NAMED.format(wanted=wanted, depth=depth)) == found
