"""Terms of a loss that have no gradient."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "forces without a graph beside data that are forces": (
        "penalty-without-graph",
        """
        def forces(energy, points, **options):
            return -torch.autograd.grad(energy.sum(), points, **options)[0]  # here
        for _ in range(3):
            points = torch.randn(4, 2, requires_grad=True)
            wanted = -torch.autograd.grad(points.pow(4).sum(), points)[0]
            energy = net(points)
            found = forces(energy, points, retain_graph=True)
            loss = (energy - y).square().mean() + torch.nn.functional.mse_loss(wanted, found)
            fit(loss)
        """,
    ),
    "a penalty on a gradient of what is trained by hand": (
        "penalty-without-graph",
        """
        del opt
        weight, points = torch.ones(2, requires_grad=True), x.requires_grad_()
        for _ in range(3):
            out = (weight * points).square().sum()
            (slope,) = torch.autograd.grad(out, points, retain_graph=True)  # here
            (out + (slope.norm() - 1).square()).backward()
            with torch.no_grad():
                weight -= 0.1 * weight.grad
                weight.grad, points.grad = None, None
        """,
    ),
    "a number that is scaled": (
        "constant-loss-term",
        """
        judge = torch.nn.Linear(1, 1)
        for _ in range(3):
            error = (net(x) - y).square().mean()
            score = judge(net(x)).exp().mean()
            score = score.detach().item()  # here
            loss = error + 0.1 * score
            fit(loss)
        """,
    ),
    "a distance of what is detached on both sides": (
        "constant-loss-term",
        """
        other = torch.nn.Linear(2, 1)
        opt.add_param_group({"params": other.parameters()})
        for _ in range(3):
            one, two = net(x), other(x)
            near = (one.detach() - two.detach()).square().mean()  # here
            loss = (one - y).square().mean() + (two - y).square().mean() + 0.1 * near
            fit(loss)
        """,
    ),
    "what a fixed layer makes of the output without grad mode": (
        "constant-loss-term",
        """
        fixed = torch.nn.Sequential(torch.nn.Linear(1, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
        @torch.no_grad()
        def features(given):
            return fixed(given.mul(2))  # here
        for _ in range(3):
            out = net(x)
            seen = (features(out) - features(y)).abs().mean()
            loss = (out - y).square().mean() + 0.1 * seen
            fit(loss)
        """,
    ),
}

RIGHT = {
    "what a fixed layer makes of data without grad mode": """
    fixed = torch.nn.Linear(1, 1)
    for _ in range(3):
        with torch.no_grad():
            floor = fixed(y).mean()
        loss = (net(x) - y).square().mean() + floor
        fit(loss)
    """,
    "forces with a graph": """
    def forces(energy, points, **options):
        return -torch.autograd.grad(energy.sum(), points, **options)[0]
    for _ in range(3):
        points = torch.randn(4, 2, requires_grad=True)
        wanted = -torch.autograd.grad(points.pow(4).sum(), points)[0]
        energy = net(points)
        found = forces(energy, points, create_graph=True)
        loss = (energy - y).square().mean() + torch.nn.functional.mse_loss(wanted, found)
        fit(loss)
    """,
    "a number that was computed of data": """
    for _ in range(3):
        points = torch.randn(4, 2, requires_grad=True)
        wanted = torch.autograd.grad(points.pow(4).sum(), points)[0]
        loss = (net(points.detach()) - y).square().mean() + wanted.square().mean()
        fit(loss)
    """,
    "a number that was computed of data, beside leaves that nobody trains": """
    del opt
    points, times = torch.randn(4, 2, requires_grad=True), torch.ones(4, 2)
    for _ in range(3):
        (slope,) = torch.autograd.grad((points * times).square().sum(), points)
        ((points * times).square().sum() + slope.square().mean()).backward()
        points.grad = None
    """,
    "a number that is only counted in": """
    for _ in range(3):
        error = (net(x) - y).square().mean()
        score = net(x).exp().mean()
        loss = error + score.detach().item()
        fit(loss)
    """,
    "a number that weighs a term": """
    for _ in range(3):
        error = (net(x) - y).square().mean()
        weight = error.item()
        loss = error + weight * net(x).abs().mean()
        fit(loss)
    """,
    "a value that is replaced by another one": """
    for _ in range(3):
        one, two = (net(x) - y).square().mean(), net(x).abs().mean()
        loss = one + (two.detach() - one.detach())
        fit(loss)
    """,
    "a distance of which one side is detached": """
    other = torch.nn.Linear(2, 1)
    opt.add_param_group({"params": other.parameters()})
    for _ in range(3):
        one, two = net(x), other(x)
        near = (one - two.detach()).square().mean()
        loss = (one - y).square().mean() + (two - y).square().mean() + 0.1 * near
        fit(loss)
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_the_term_that_trains_nothing_is_told(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_terms_that_train_or_are_data_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []


FEATURES = """
features = torch.nn.Linear(1, 3).requires_grad_(False)
for _ in range(3):
    out = net(x)
    seen = features(out){left}
    fit((out - y).square().mean() + {term})
"""


def test_a_term_that_compares_what_was_detached_is_told(tmp_path: Path) -> None:
    source = FEATURES.format(left=".detach()  # here", term="(seen - features(y)).abs().mean()")
    assert told(source, tmp_path) == here("constant-loss-term", source)


def test_a_term_that_is_detached_itself_is_quiet(tmp_path: Path) -> None:
    source = FEATURES.format(left="", term="(seen - features(y)).abs().mean().detach()")
    assert told(source, tmp_path) == []


def test_a_straight_through_difference_is_no_term(tmp_path: Path) -> None:
    source = """
    for _ in range(3):
        out = net(x)
        fit((out + (out.round() - out).detach()).mean())
    """
    assert told(source, tmp_path) == []


CRITERION = """
class Centers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.centers = torch.randn(3, 1, requires_grad=True){mark}
    def forward(self, features, labels):
        return (features - self.centers[labels]).square().sum(1).mean()
centers, labels = Centers(), torch.tensor([0, 1, 2, 1])
for _ in range(5):
    fit((net(x) - y).square().mean() + 0.1 * centers(net(x), labels))
    {after}
"""


def test_a_plain_tensor_of_a_loss_that_nobody_moves_is_told(tmp_path: Path) -> None:
    source = CRITERION.format(mark="  # here", after="")
    assert told(source, tmp_path) == here("unregistered-parameter", source)


MOVED = """
    with torch.no_grad():
        centers.centers -= 0.1 * centers.centers.grad
        centers.centers.grad = None
"""


def test_a_plain_tensor_that_is_moved_by_hand_is_quiet(tmp_path: Path) -> None:
    assert told(CRITERION.format(mark="", after=MOVED.strip("\n ")), tmp_path) == []
