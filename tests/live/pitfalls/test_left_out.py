"""Parameters that no optimizer has, beside those that one has."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "the centers of a loss": (
        "module-without-optimizer",
        """
        class Centers(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.centers = torch.nn.Parameter(torch.randn(3, 1))  # here
            def forward(self, features, labels):
                return (features - self.centers[labels]).square().sum(1).mean()
        centers, labels = Centers(), torch.tensor([0, 1, 2, 1])
        for _ in range(5):
            fit((net(x) - y).square().mean() + 0.1 * centers(net(x), labels))
        """,
    ),
    "a parameter of its own": (
        "module-without-optimizer",
        """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
                self.position = torch.nn.Parameter(torch.randn(3))
            def forward(self, x):
                return self.last(self.first(x) + self.position)
        net = Net()
        layers = [*net.first.parameters(), *net.last.parameters()]
        opt = torch.optim.SGD(layers, lr=0.1)  # here
        for _ in range(5):
            fit(net(x).square().sum())
        """,
    ),
    "switched on after the optimizer was made": (
        "module-without-optimizer",
        """
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
        net[0].requires_grad_(False)
        opt = torch.optim.SGD((p for p in net.parameters() if p.requires_grad), lr=0.1)
        for epoch in range(3):
            if epoch == 1:
                net[0].requires_grad_(True)  # here
            for _ in range(3):
                net.zero_grad()
                net(x).square().sum().backward()
                opt.step()
        """,
    ),
    "switched on by its flag": (
        "module-without-optimizer",
        """
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
        for p in net[0].parameters():
            p.requires_grad = False
        opt = torch.optim.SGD(net[2].parameters(), lr=0.1)  # here
        for epoch in range(2):
            if epoch == 1:
                for p in net[0].parameters():
                    p.requires_grad = True
            for _ in range(4):
                net.zero_grad()
                net(x).square().sum().backward()
                opt.step()
        """,
    ),
    "replaced while it is not observed": (
        "optimizer-misses-parameters",
        """
        for step in range(30):
            fit(net(x).square().sum())
            if step == 20:
                with torch.no_grad():
                    net[2].weight = torch.nn.Parameter(net[2].weight.clone())  # here
        """,
    ),
}

RIGHT = {
    "a network of its own before a layer that is trained": """
    class Base(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Parameter(torch.randn(2, 3))
            self.scale = torch.nn.Parameter(torch.randn(3))
        def forward(self, x):
            return (x @ self.first).tanh() * self.scale
    base, last = Base(), torch.nn.Linear(3, 1)
    opt = torch.optim.SGD(last.parameters(), lr=0.1)
    for _ in range(5):
        fit((last(base(x)) - y).square().mean())
    """,
    "it has all of them": """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
            self.position = torch.nn.Parameter(torch.randn(3))
        def forward(self, x):
            return self.last(self.first(x) + self.position)
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(5):
        fit(net(x).square().sum())
    """,
    "a layer as a whole is left out": """
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(2, 3))
        def forward(self, x):
            return x @ self.weight
    net = torch.nn.Sequential(Layer(), torch.nn.Linear(3, 9), torch.nn.Linear(9, 1))
    opt = torch.optim.SGD([*net[1].parameters(), *net[2].parameters()], lr=0.1)
    for _ in range(5):
        fit(net(x).square().sum())
    """,
    "moved by hand": """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
            self.position = torch.nn.Parameter(torch.randn(3))
        def forward(self, x):
            return self.last(self.first(x) + self.position)
    net = Net()
    opt = torch.optim.SGD([*net.first.parameters(), *net.last.parameters()], lr=0.1)
    for _ in range(5):
        net.zero_grad()
        net(x).square().sum().backward()
        opt.step()
        net.position.data -= 0.1 * net.position.grad
    """,
    "a critic that is frozen for a while": """
    critic = torch.nn.Linear(1, 1)
    judge = torch.optim.SGD(critic.parameters(), lr=0.1)
    for _ in range(4):
        critic.requires_grad_(False)
        fit(critic(net(x)).mean())
        critic.requires_grad_(True)
        judge.zero_grad()
        critic(y).square().mean().backward()
        judge.step()
    """,
    "switched on when the training is over": """
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    net[0].requires_grad_(False)
    opt = torch.optim.SGD(net[2].parameters(), lr=0.1)
    for _ in range(4):
        fit(net(x).square().sum())
    net[0].requires_grad_(True)
    point = x.clone().requires_grad_()
    for _ in range(4):
        net(point).square().sum().backward()
        print(point.grad, net[0].weight.grad)
        net.zero_grad()
        point.grad = None
    """,
    "frozen to the end": """
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    net[0].requires_grad_(False)
    opt = torch.optim.SGD(net[2].parameters(), lr=0.1)
    for _ in range(4):
        fit(net(x).square().sum())
    """,
    "given to the optimizer when it is switched on": """
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    net[0].requires_grad_(False)
    opt = torch.optim.SGD(net[2].parameters(), lr=0.1)
    for epoch in range(3):
        if epoch == 1:
            net[0].requires_grad_(True)
            opt.add_param_group({"params": net[0].parameters()})
        for _ in range(3):
            net.zero_grad()
            net(x).square().sum().backward()
            opt.step()
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_never_trained_is_told(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_trained_or_left_out_on_purpose_is_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
