"""Memory that is written under another name."""

import pytest
import torch

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted, rows
from tests.vm.running import kinds

NOTED = {
    "a target that is set in the prediction itself": (
        Pitfall.ALIAS_FOR_COPY,
        5,
        """
        x, y = loader[0]
        found = model(x)
        target = found.detach()
        target[0] = 1.0
        F.mse_loss(found, target).backward()
        """,
    ),
    "rounded values beside what they were rounded from": (
        Pitfall.ALIAS_FOR_COPY,
        5,
        """
        x, y = loader[0]
        found = model(x)
        plain = found.detach()
        plain.round_()
        F.mse_loss(found - plain, y).backward()
        """,
    ),
    "an argument beside what it was taken for": (
        Pitfall.ALIAS_FOR_COPY,
        4,
        """
        def shares(x):
            low = x.detach()
            low.clamp_(min=0)
            return (x - low).exp()
        """,
    ),
    "parameters before a step": (
        Pitfall.SNAPSHOT_OVERWRITTEN,
        5,
        """
        for x, y in loader:
            before = [p.detach() for p in model.parameters()]
            F.mse_loss(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
            moved = [(p - old).norm() for p, old in zip(model.parameters(), before)]
        """,
    ),
    "a loss for the log, divided afterwards": (
        Pitfall.SNAPSHOT_OVERWRITTEN,
        4,
        """
        loss = F.mse_loss(model(loader[0][0]), loader[0][1])
        shown = loss.detach()
        loss /= 4
        total = torch.zeros(()) + shown
        """,
    ),
    "a gradient of the first of two losses": (
        Pitfall.SNAPSHOT_OVERWRITTEN,
        5,
        """
        w = torch.ones(2, requires_grad=True)
        (w * 1).sum().backward()
        first = w.grad
        (w * 2).sum().backward()
        cosine = F.cosine_similarity(first, w.detach(), dim=0)
        """,
    ),
    "a block that begins with an in-place layer": (
        Pitfall.ARGUMENT_OVERWRITTEN,
        8,
        """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 4))

            def forward(self, x):
                return self.body(x) + x

        out = Block()(model[0](loader[0][0])[:, :4].clone())
        """,
    ),
    "an argument changed by +=": (
        Pitfall.ARGUMENT_OVERWRITTEN,
        3,
        """
        def shifted(x):
            x += 1
            return x * 2

        batch = torch.zeros(2)
        first, second = shifted(batch), shifted(batch)
        """,
    ),
}

MEANT = {
    "an argument that is computed with only before the write": """
        def lowest(x):
            low = x.detach()
            out = x.exp()
            low.clamp_(min=0)
            return out
        """,
    "a copy that is set beside the prediction": """
        x, y = loader[0]
        found = model(x)
        target = found.detach().clone()
        target[0] = 1.0
        F.mse_loss(found, target).backward()
        """,
    "a prediction that is changed on purpose, and used alone": """
        x, y = loader[0]
        found = model(x) + 1
        found.detach().clamp_(0, 1)
        F.mse_loss(found, y).backward()
        """,
    "a clone": """
        x = model(loader[0][0])
        before = x.detach().clone()
        x += 5
        print((x - before).sum())
        """,
    "a live view of the weights": """
        weights = [p.data for p in model.parameters()]
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
            norms = [w.norm() for w in weights]
        """,
    "weights clipped through their data": """
        for x, y in loader:
            data = model[0].weight.data
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
            data.clamp_(-1, 1)
        """,
    "a gradient read anew": """
        w = torch.ones(2, requires_grad=True)
        (w * 1).sum().backward()
        first = w.grad
        (w * 2).sum().backward()
        total = w.grad + 1
        """,
    "what was kept is written through its own data": """
        importance = {n: p.clone().detach().fill_(0) for n, p in model.named_parameters()}
        for x, y in loader:
            model.zero_grad()
            F.mse_loss(model(x), y).backward()
            for n, p in model.named_parameters():
                importance[n].data += p.grad.data**2
        penalty = sum((importance[n] * p).sum() for n, p in model.named_parameters())
        """,
    "a function called for what it writes": """
        def decay(buffer):
            buffer *= 0.9

        state = torch.ones(3)
        for _ in range(3):
            decay(state)
        print(state.sum())
        """,
    "an argument that is given back": """
        def shifted(x):
            x += 1
            return x

        batch = torch.zeros(2)
        batch = shifted(batch)
        print(batch * 2)
        """,
    "a function that does what its caller has done as well": """
        def noisy(x):
            x *= torch.rand(4)
            return x + 1

        def block(x):
            x *= torch.rand(4)
            return noisy(x) + x

        print(block(torch.zeros(4)))
        """,
    "an in-place layer behind another one": """
        block = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True))
        x = torch.zeros(3, 4)
        print((block(x) + x).sum())
        """,
}


@pytest.mark.parametrize(("kind", "row", "program"), NOTED.values(), ids=NOTED.keys())
def test_it_is_noted_at_its_row(kind: Pitfall, row: int, program: str) -> None:
    assert rows(program, kind) == [row]


@pytest.mark.parametrize("program", MEANT.values(), ids=MEANT.keys())
def test_what_is_meant_is_not_noted(program: str) -> None:
    assert noted(program) == set()


@pytest.mark.parametrize(
    ("written", "found"),
    [("torch.exp(x, out=x)", False), ("x += 1", True), ("F.relu(x, True)", True)],
)
def test_out_says_what_is_written(written: str, found: bool) -> None:
    program = f"""
        def total(x):
            {written}
            return x.sum()

        given = torch.randn(3)
        print(total(given) + given.mean())
        """
    assert (Pitfall.ARGUMENT_OVERWRITTEN in noted(program)) is found


SKIPPED = """
class Block(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = nn.Sequential(nn.{activation}(inplace=True), inner)

    def forward(self, x):
        return torch.cat([x, self.inner(x)], 1)

first, block = nn.Conv2d(3, 4, 3), Block(nn.Conv2d(4, 4, 1))
last = nn.Sequential({before}nn.Conv2d(8, 1, 1))
last(block(first(torch.ones(1, 3, 8, 8)))).mean().backward()
"""


@pytest.mark.parametrize(
    ("activation", "before", "found"),
    [
        ("LeakyReLU", "nn.ReLU(True), ", []),
        ("LeakyReLU", "nn.ReLU(), ", []),
        ("LeakyReLU", "", ["argument-overwritten"]),
        ("ReLU", "nn.ELU(), ", ["argument-overwritten"]),
        ("SiLU", "nn.ReLU(), ", ["argument-overwritten"]),
    ],
)
def test_what_is_only_joined_is_not_used_yet(
    activation: str, before: str, found: list[str]
) -> None:
    assert kinds(SKIPPED.format(activation=activation, before=before)) == found


@pytest.mark.parametrize("activation", ["LeakyReLU", "ReLU", "ELU", "SiLU"])
def test_relu_makes_the_same_of_what_was_rectified_in_place(activation: str) -> None:
    x = torch.linspace(-3, 3, 50)
    layer = getattr(torch.nn, activation)(inplace=True)
    same = torch.equal(layer(x.clone()).relu(), x.relu())
    assert same is (activation != "SiLU")


STATE_KEPT = """
    before = {kept}
    for x, y in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        {used}
    """


@pytest.mark.parametrize(
    ("kept", "used", "found"),
    [
        ("model.state_dict()", "before['0.bias'].sub(model[0].bias)", True),
        ("model.state_dict()", "before['0.bias'].mul_(0.9).add_(model[0].bias)", True),
        ("copy.deepcopy(model.state_dict())", "before['0.bias'].sub(model[0].bias)", False),
        ("model.state_dict()", "before['0.bias'].norm()", False),
        ("model.state_dict()", "before['0.bias'].sub(model[2].weight)", False),
    ],
)
def test_a_state_that_meets_the_parameter_it_was_taken_from(
    kept: str, used: str, found: bool
) -> None:
    program = STATE_KEPT.format(kept=kept, used=used)
    assert (Pitfall.SNAPSHOT_OVERWRITTEN in noted(program)) is found
