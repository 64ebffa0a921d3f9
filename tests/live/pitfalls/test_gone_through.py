"""Generators of parameters that the program's own loops go through again."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

WRONG = {
    "an average that keeps the generator": """
    class Average:
        def __init__(self, model):
            self.parameters = model.parameters()
            self.kept = [p.detach().clone() for p in self.parameters]
        def update(self):
            for kept, p in zip(self.kept, self.parameters):  # here
                kept.lerp_(p.detach(), 0.1)
    average = Average(net)
    for _ in range(5):
        fit((net(x) - y).square().mean())
        average.update()
    """,
    "a loop in the loop of the training": """
    trained = (p for p in net.parameters() if p.requires_grad)
    opt = torch.optim.SGD(trained, lr=0.1)
    for _ in range(5):
        opt.zero_grad()
        (net(x) - y).square().mean().backward()
        for p in trained:  # here
            p.grad.clamp_(-1, 1)
        opt.step()
    """,
    "a function that goes through its argument twice": """
    def clip(params, most):
        norm = sum([0.0])
        for p in params:
            norm += p.grad.norm().item()
        if norm > most:
            for p in params:  # here
                p.grad.mul_(most / norm)
    for _ in range(5):
        opt.zero_grad()
        (net(x) - y).square().mean().backward()
        clip(net.parameters(), 1e-3)
        opt.step()
    """,
}

RIGHT = {
    "a list": """
    class Average:
        def __init__(self, model):
            self.parameters = [*model.parameters()]
            self.kept = [p.detach().clone() for p in self.parameters]
        def update(self):
            for kept, p in zip(self.kept, self.parameters):
                kept.lerp_(p.detach(), 0.1)
    average = Average(net)
    for _ in range(5):
        fit((net(x) - y).square().mean())
        average.update()
    """,
    "a new generator for each loop": """
    def clip(model, most):
        norm = sum(p.grad.norm().item() for p in model.parameters())
        for p in model.parameters():
            p.grad.mul_(min(1.0, most / norm))
    for _ in range(5):
        opt.zero_grad()
        (net(x) - y).square().mean().backward()
        clip(net, 1e-3)
        opt.step()
    """,
    "made a list before it is gone through": """
    def clip(params, most):
        params = list(params)
        for p in params:
            p.grad.clamp_(-most, most)
        for p in params:
            p.grad.mul_(0.5)
    for _ in range(5):
        opt.zero_grad()
        (net(x) - y).square().mean().backward()
        clip(net.parameters(), 1e-3)
        opt.step()
    """,
    "made anew in each iteration": """
    for _ in range(5):
        opt.zero_grad()
        (net(x) - y).square().mean().backward()
        trained = (p for p in net.parameters() if p.requires_grad)
        for p in trained:
            p.grad.clamp_(-1, 1)
        opt.step()
    """,
    "kept anew in each call": """
    class Average:
        def __init__(self, model):
            self.parameters, self.model = model.parameters(), model
            self.kept = [p.detach().clone() for p in self.parameters]
        def update(self):
            self.parameters = self.model.parameters()
            for kept, p in zip(self.kept, self.parameters):
                kept.lerp_(p.detach(), 0.1)
    average = Average(net)
    for _ in range(5):
        fit((net(x) - y).square().mean())
        average.update()
    """,
    "a generator of data": """
    more = (one for one in x)
    for _ in range(5):
        for one in more:
            print(one)
        fit((net(x) - y).square().mean())
    """,
    "only once": """
    params = net.parameters()
    for p in params:
        p.data.mul_(0.5)
    for _ in range(5):
        fit((net(x) - y).square().mean())
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_loop_over_a_generator_of_which_nothing_is_left_is_told(
    name: str, tmp_path: Path
) -> None:
    assert told(WRONG[name], tmp_path) == here("used-up-generator", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_loops_over_new_generators_and_lists_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
