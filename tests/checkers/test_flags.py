"""`requires_grad` switched off and on, and gradients that go nowhere."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted, rows
from tests.vm.running import kinds

NOTED = {
    "layers frozen in the middle of training": (
        Pitfall.FROZEN_MOVES,
        7,
        """
        for i, (x, y) in enumerate(loader):
            F.mse_loss(model(x), y).backward()
            optimizer.step()
            if i == 1:
                for p in model[0].parameters():
                    p.requires_grad = False
        """,
    ),
    "layers frozen whose gradients are set to zero": (
        Pitfall.FROZEN_MOVES,
        7,
        """
        optimizer = torch.optim.SGD(model.parameters(), 0.1, weight_decay=0.01)
        for i, (x, y) in enumerate(loader):
            optimizer.zero_grad(set_to_none=False)
            if i == 1:
                for p in model[0].parameters():
                    p.requires_grad = False
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        """,
    ),
    "frozen by name, then all switched on": (
        Pitfall.FREEZE_UNDONE,
        6,
        """
        for name, p in model.named_parameters():
            if name.startswith("0"):
                p.requires_grad = False
        for name, p in model.named_parameters():
            p.requires_grad = True
        """,
    ),
    "a batch that asks for gradients in every epoch": (
        Pitfall.GRADIENTS_PILE_UP,
        4,
        """
        for _ in range(3):
            for x, _ in loader:
                x.requires_grad_()
                model(x).sum().backward()
                print(x.grad.norm())
        """,
    ),
    "inputs that backward never gets to": (
        Pitfall.INPUT_UNUSED,
        2,
        """
        model(loader[0][0]).sum().backward(inputs=[torch.ones(2, requires_grad=True)])
        """,
    ),
    "weights tied by a new parameter": (
        Pitfall.TIED_APART,
        3,
        """
        again = nn.Linear(4, 8)
        again.weight = nn.Parameter(model[0].weight)
        (again(loader[0][0]).sum() + model(loader[0][0]).sum()).backward()
        """,
    ),
    "a slice taken under no_grad": (
        Pitfall.GRADIENT_CUT,
        4,
        """
        w = torch.ones(4, requires_grad=True)
        with torch.no_grad():
            part = w[:2]
        (part * 3).sum().backward()
        """,
    ),
    "a backward that has nothing for one input": (
        Pitfall.GRADIENT_CUT,
        11,
        """
        class Mul(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, w):
                ctx.save_for_backward(w)
                return x * w

            @staticmethod
            def backward(ctx, grad):
                (w,) = ctx.saved_tensors
                return grad * w, None

        w = torch.ones(1, requires_grad=True)
        Mul.apply(model(loader[0][0]), w).sum().backward()
        """,
    ),
}

MEANT = {
    "all frozen, then some switched on": """
        for p in model.parameters():
            p.requires_grad = False
        for p in model[2].parameters():
            p.requires_grad = True
        """,
    "frozen for one forward": """
        for p in model.parameters():
            p.requires_grad_(False)
        model(loader[0][0])
        x = torch.ones(3, 4, requires_grad=True)
        model(x).sum().backward()
        for p in (*model.parameters(), x):
            p.requires_grad_(True)
        """,
    "a step without momentum or decay leaves what has a gradient of zeros": """
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for i, (x, y) in enumerate(loader):
            optimizer.zero_grad(set_to_none=False)
            if i == 1:
                for p in model[0].parameters():
                    p.requires_grad = False
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        """,
    "frozen after the gradients are cleared": """
        for i, (x, y) in enumerate(loader):
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
            if i == 1:
                for p in model[0].parameters():
                    p.requires_grad = False
        """,
    "the gradient of a batch that nobody looks at": """
        for _ in range(3):
            for x, _ in loader:
                x.requires_grad_()
                optimizer.zero_grad()
                model(x).sum().backward()
                optimizer.step()
        """,
    "the gradient of a batch cleared before it is asked for again": """
        for p in model.parameters():
            p.requires_grad_(False)
        for _ in range(3):
            for x, _ in loader:
                x.requires_grad_()
                x.grad = None
                model(x).sum().backward()
        """,
    "the gradient of a batch zeroed after it is asked for again": """
        for _ in range(3):
            for x, _ in loader:
                x.requires_grad = True
                if x.grad is not None:
                    x.grad.zero_()
                model(x).sum().backward()
        """,
    "a backward without a gradient for a constant": """
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                ctx.factor = factor
                return x * factor

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.factor, None

        Scale.apply(model(loader[0][0]), 2.0).sum().backward()
        """,
    "weights tied by assignment": """
        again = nn.Linear(4, 8)
        again.weight = model[0].weight
        (again(loader[0][0]).sum() + model(loader[0][0]).sum()).backward()
        """,
}


@pytest.mark.parametrize(("kind", "row", "program"), NOTED.values(), ids=NOTED.keys())
def test_it_is_noted_at_its_row(kind: Pitfall, row: int, program: str) -> None:
    assert rows(program, kind) == [row]


@pytest.mark.parametrize("program", MEANT.values(), ids=MEANT.keys())
def test_what_is_meant_is_not_noted(program: str) -> None:
    assert noted(program) == set()


SEARCH = """
def search(model, beam, count):
    found = []
    for _ in range(count):
        scores = beam.unsqueeze(-1) + model(beam)
        scores.requires_grad_(True)
        found.append(scores)
        beam = {best}.max(-1)[0]
    return torch.autograd.grad(beam.sum(), found)
"""


def test_what_follows_a_leaf_is_made_none_itself() -> None:
    assert kinds(SEARCH.format(best="scores")) == []
    assert kinds(SEARCH.format(best="scores.detach()")) != []


def test_a_parameter_of_a_class_of_its_own_is_no_module() -> None:
    text = """
    class Quantized({base}):
        def __new__(cls, data):
            return torch.Tensor._make_subclass(cls, data)
    weight = Quantized(torch.ones(3))
    weight.requires_grad = False
    """
    assert Pitfall.FLAG_WITHOUT_EFFECT not in noted(text.format(base="nn.Parameter"))
    assert Pitfall.FLAG_WITHOUT_EFFECT in noted(text.format(base="nn.Linear"))


@pytest.mark.parametrize("walk", ["m in model.modules()", "_, m in model.named_children()"])
def test_a_flag_on_a_part_of_an_unknown_module(walk: str) -> None:
    text = "def freeze(model):\n    for {}:\n        m.requires_grad = False\n"
    assert kinds(text.format(walk)) == ["flag-without-effect"]
    assert kinds(text.format("m in model.parameters()")) == []


@pytest.mark.parametrize(
    "made",
    [
        "itertools.chain(model.parameters())",
        "map(lambda p: p, model.parameters())",
        "filter(lambda p: p.requires_grad, model.parameters())",
    ],
)
@pytest.mark.parametrize("use", ["len(list(given))", "[p.numel() for p in given]"])
def test_an_iterator_of_parameters_is_used_up(made: str, use: str) -> None:
    text = f"model = nn.Linear(2, 2)\ngiven = {made}\n{use}\ntorch.optim.SGD(given, 0.1)\n"
    begin = "import itertools\n"
    assert kinds(begin + text) == ["used-up-generator"]
    assert kinds(begin + text.replace(use, "first = next(iter(given))")) == []


@pytest.mark.parametrize(("before", "found"), [("", ["gradient-cut"]), ("loss.backward()", [])])
def test_what_has_its_gradient_may_be_frozen(before: str, found: list[str]) -> None:
    program = f"""
w, v = torch.rand(3, requires_grad=True), torch.rand(3, requires_grad=True)
loss = w.sum()
{before}
w.requires_grad = False
(w.sum() + v.sum() + loss).backward()
"""
    assert kinds(program) == found


ATTACKED = """
for x, y in loader:
    delta = torch.{start}
    for _ in range(5):
        {cleared}
        delta.requires_grad = True
        F.mse_loss(model(x + delta), y).backward()
        delta.data = delta + 0.1 * delta.grad.sign()
"""
STEPPED = """
for x, y in loader:
    delta.sum().backward()
    delta.data = delta - 0.1 * delta.grad
"""


def test_gradients_that_pile_up_are_told_of_once() -> None:
    found = noted(ATTACKED.format(start="zeros(3, 4)", cleared="pass"))
    assert found == {Pitfall.MISSING_ZERO_GRAD}
    assert noted(ATTACKED.format(start="zeros(3, 4)", cleared="delta.grad = None")) == set()


@pytest.mark.parametrize(("size", "found"), [(3, {Pitfall.MISSING_ZERO_GRAD}), (0, set())])
def test_what_has_no_elements_has_no_gradient_to_clear(size: int, found: set[Pitfall]) -> None:
    made = f"delta = nn.Parameter(torch.zeros({size}))\n"
    assert noted(made + STEPPED) == found


ALTERNATIVES = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 1)

    def freeze_body(self):
        for p in self.body.parameters():
            p.requires_grad = False

    def train_all(self):
        for p in self.parameters():
            p.requires_grad = True

    def forward(self, x):
        return self.head(self.body(x))
"""


@pytest.mark.parametrize(
    ("calls", "found"), [("", []), ("net = Net(); net.freeze_body(); net.train_all()", [13])]
)
def test_only_a_caller_knows_the_order_of_methods(calls: str, found: list[int]) -> None:
    assert rows(ALTERNATIVES + calls, Pitfall.FREEZE_UNDONE) == found


PARTS = ", ".join(["nn.Linear(3, 3)"] * 36)
THAWED = f"""
unknown = nn.ModuleList([nn.Linear(3, 3) for _ in range(library.depth())])
parts = nn.ModuleDict(dict(first=unknown, second=nn.Sequential({PARTS})))
for p in parts.parameters():
    p.requires_grad = False
for name in ("first", "second"):
    for p in parts[name].parameters():
        p.requires_grad = True
"""


def test_a_loop_over_more_parameters_than_are_gone_through_has_frozen_them_all() -> None:
    assert kinds(THAWED) == []
