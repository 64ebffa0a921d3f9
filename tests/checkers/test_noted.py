"""Pitfalls in other shapes than those on the rules' pages, and where they are noted."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted, rows

NOTED = {
    "cut in a helper": (
        Pitfall.GRADIENT_CUT,
        3,
        """
        def hidden(x):
            return nn.functional.relu(model[0](x).cpu().detach())

        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model[2](hidden(x)), y).backward()
            optimizer.step()
        """,
    ),
    "a term rebuilt by float": (
        Pitfall.CONSTANT_TERM,
        3,
        """
        for x, y in loader:
            penalty = float(model[0].weight.abs().sum())
            loss = F.mse_loss(model(x), y) + 0.1 * penalty
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    ),
    "a penalty computed by a function": (
        Pitfall.PENALTY_WITHOUT_GRAPH,
        3,
        """
        def penalty(out, x):
            (slope,) = torch.autograd.grad(
                out.sum(), x, retain_graph=True)
            return ((slope.norm(2, dim=1) - 1) ** 2).mean()

        for x, y in loader:
            x = x.requires_grad_()
            out = model(x)
            optimizer.zero_grad()
            (F.mse_loss(out, y) + penalty(out, x)).backward()
            optimizer.step()
        """,
    ),
    "losses joined by torch.tensor": (
        Pitfall.LOSS_REBUILT,
        3,
        """
        losses = [F.mse_loss(model(x), y) for x, y in loader]
        loss = torch.tensor(losses, requires_grad=True).mean()
        loss.backward()
        """,
    ),
    "a loss that is told to require grad": (
        Pitfall.LOSS_REBUILT,
        4,
        """
        def step(model, x, y):
            loss = ((model(x).detach() - y) ** 2).mean()
            loss.requires_grad = True
            loss.backward()
        """,
    ),
    "a score that unknown code computes of arrays, made a loss": (
        Pitfall.LOSS_REBUILT,
        4,
        """
        from somewhere import score
        for x, y in loader:
            loss = torch.tensor(score(model(x).detach().numpy(), y.numpy()), requires_grad=True)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    ),
    "a list that is added to": (
        Pitfall.GRAPH_KEPT,
        8,
        """
        curve = []
        for x, y in loader * 2:
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            curve += [loss]
        """,
    ),
    "layers of a dictionary": (
        Pitfall.UNREGISTERED,
        5,
        """
        class Heads(nn.Module):
            def __init__(self, tasks):
                super().__init__()
                self.heads = {task: nn.Linear(1, 1) for task in tasks}

            def forward(self, x, task):
                return self.heads[task](x)
        """,
    ),
    "a leaf that is told to require grad": (
        Pitfall.UNREGISTERED,
        5,
        """
        class Scaled(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = torch.tensor(0.5).requires_grad_()

            def forward(self, x):
                return self.scale * x
        """,
    ),
    "a filter that an optimizer has used": (
        Pitfall.USED_UP,
        6,
        """
        trained = filter(lambda p: p.requires_grad, model.parameters())
        optimizer = torch.optim.SGD([{"params": trained}], lr=0.1)
        for x, y in loader:
            F.mse_loss(model(x), y).backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            optimizer.zero_grad()
        """,
    ),
    "a function in a pool of threads": (
        Pitfall.MODE_NOT_INHERITED,
        6,
        """
        from concurrent.futures import ThreadPoolExecutor
        def score(x):
            return model(x)
        with torch.no_grad(), ThreadPoolExecutor(2) as pool:
            print(list(pool.map(score, [x for x, y in loader])))
        """,
    ),
    "a gradient that an addition hands on": (
        Pitfall.HOOK_MODIFIES,
        8,
        """
        class Limit(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.clone()
            @staticmethod
            def backward(ctx, grad):
                return grad.clamp_(-1, 1)
        h = model(loader[0][0])
        (Limit.apply(h) + h).pow(2).sum().backward()
        """,
    ),
    "the gradient of a leaf that was converted": (
        Pitfall.NON_LEAF_GRAD,
        4,
        """
        w = torch.randn(1, 1, requires_grad=True).to(torch.float64)
        (w * 2).sum().backward()
        print(w.grad)
        """,
    ),
    "a cut between two layers of a module": (
        Pitfall.GRADIENT_CUT,
        10,
        """
        class Net(nn.Module):
            def __init__(self, inner: nn.Module):
                super().__init__()
                self.inner = inner
                self.head = nn.Linear(1, 1)

            def forward(self, x):
                hidden = self.inner(x)
                return self.head(hidden.data)
        """,
    ),
    "losses in a dictionary by their number": (
        Pitfall.GRAPH_KEPT,
        8,
        """
        losses = {}
        for number, (x, y) in enumerate(loader):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses[number] = loss
        """,
    ),
    "a sum over the batches of an evaluation": (
        Pitfall.GRAPH_KEPT,
        5,
        """
        def evaluate():
            total = 0.0
            for x, y in loader:
                total += F.mse_loss(model(x), y)
            return total / len(loader)
        F.mse_loss(model(loader[0][0]), loader[0][1]).backward()
        optimizer.step()
        print(evaluate())
        """,
    ),
    "the actor under no_grad": (
        Pitfall.GRADIENT_CUT,
        5,
        """
        critic = nn.Linear(5, 1)
        for x, y in loader:
            optimizer.zero_grad()
            with torch.no_grad():
                action = model(x)
            (-critic(torch.cat([x, action], 1)).mean()).backward()
            optimizer.step()
        """,
    ),
    "only the values of a parameter": (
        Pitfall.GRADIENT_CUT,
        5,
        """
        w = nn.Parameter(torch.randn(4, 1))
        own = torch.optim.SGD([w], lr=0.1)
        for x, y in loader:
            loss = F.mse_loss(x.requires_grad_() @ w.data, y)
            own.zero_grad()
            loss.backward()
            own.step()
        """,
    ),
    "a generator that is the iterator of an object": (
        Pitfall.MODE_LEAKS,
        6,
        """
        class Batches:
            def __iter__(self):
                with torch.no_grad():
                    for x, y in loader:
                        yield x, y
        for x, y in Batches():
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        """,
    ),
    "a network that runs after itself": (
        Pitfall.TARGET_LEARNS,
        3,
        """
        for x, y in loader:
            wanted = y + 0.9 * model(x.flip(0))
            optimizer.zero_grad()
            F.mse_loss(model(x), wanted).backward()
            optimizer.step()
        """,
    ),
    "no zero_grad in a function": (
        Pitfall.MISSING_ZERO_GRAD,
        5,
        """
        def fit(net, opt):
            for x, y in loader:
                loss = F.mse_loss(net(x), y)
                loss.backward()
                opt.step()

        fit(model, optimizer)
        """,
    ),
    "a plain step with a scaler": (
        Pitfall.SCALED_GRADIENTS,
        6,
        """
        scaler = torch.amp.GradScaler("cpu")
        for x, y in loader:
            optimizer.zero_grad()
            scaler.scale(F.mse_loss(model(x), y)).backward()
            optimizer.step()
        """,
    ),
    "outputs kept in a dictionary of lists": (
        Pitfall.GRAPH_KEPT,
        8,
        """
        kept = {"loss": []}
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            kept["loss"].append(loss)
        """,
    ),
    "a sum on an object": (
        Pitfall.GRAPH_KEPT,
        13,
        """
        class Meter:
            total = 0.0

        meter = Meter()
        meter.total = 0.0

        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            meter.total = meter.total + loss
        """,
    ),
    "an array written behind the back of autograd": (
        Pitfall.HOOK_MODIFIES,
        3,
        """
        def double(grad):
            grad *= 2

        x = torch.ones(3, requires_grad=True)
        x.register_hook(double)
        """,
    ),
    "candidates clamped after each step": (
        Pitfall.PARAMETER_REBOUND,
        9,
        """
        def improve(score, start):
            candidates = start.clone().requires_grad_(True)
            adam = torch.optim.Adam([candidates], lr=0.1)
            for _ in range(3):
                score(candidates).sum().backward()
                adam.step()
                with torch.no_grad():
                    candidates = candidates.clamp(0, 1)
            return candidates
        """,
    ),
    "a parameter renewed after the optimizer was built": (
        Pitfall.NOT_OPTIMIZED,
        2,
        """
        model[2].weight = nn.Parameter(torch.zeros(1, 8))
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        """,
    ),
}


@pytest.mark.parametrize(("kind", "row", "program"), NOTED.values(), ids=NOTED.keys())
def test_it_is_noted_at_its_row(kind: Pitfall, row: int, program: str) -> None:
    assert rows(program, kind) == [row]


SOFT = """
        x = torch.ones(3, requires_grad=True)
        whole = x.floor()
        loss = (whole + torch.tanh(x - {rest})).sum()
        loss.backward()
        """


def test_the_rest_of_a_soft_rounding_makes_up_for_the_constant() -> None:
    assert rows(SOFT.format(rest="whole"), Pitfall.CONSTANT_TERM) == []
    assert rows(SOFT.format(rest="1"), Pitfall.CONSTANT_TERM) == [3]


RESHAPED = """
    class Limit(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()
        @staticmethod
        def backward(ctx, grad):
            return {result}
    h = model(loader[0][0])
    (Limit.apply(h) + h).pow(2).sum().backward()
    """


@pytest.mark.parametrize(
    ("result", "found"),
    [("grad.unsqueeze(-1).unsqueeze_(-1)[..., 0, 0]", False), ("grad.mul_(2)", True)],
)
def test_a_view_in_another_shape_leaves_a_gradient_alone(result: str, found: bool) -> None:
    told = noted(RESHAPED.format(result=result))
    assert (Pitfall.HOOK_MODIFIES in told) is found


@pytest.mark.parametrize(("made", "found"), [("w", True), ("loader[0][0]", False)])
def test_there_must_be_a_graph_for_detach_to_cut(made: str, found: bool) -> None:
    told = noted(f"w = torch.ones(4, requires_grad=True)\nx = {made}\nx.detach()\nprint(x * 2)")
    assert (Pitfall.RESULT_DROPPED in told) is found


HOOK = """
    class Turn:
        seen = []
        def __call__(self, grad):
            {}
    w = torch.ones(4, requires_grad=True)
    w.register_hook(Turn())
    """


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("turned = -0.5 * grad", True),
        ("grad = 0.5 * grad", True),
        ("turned = -0.5 * grad; return turned", False),
        ("turned = -0.5 * grad; self.seen.append(turned)", False),
        ("size = grad.norm()", False),
        ("self.turned = -0.5 * grad", False),
        ("turned = self.seen = -0.5 * grad", False),
    ],
)
def test_a_hook_that_computes_a_new_gradient_has_to_return_it(body: str, found: bool) -> None:
    assert (Pitfall.RESULT_DROPPED in noted(HOOK.format(body))) is found
