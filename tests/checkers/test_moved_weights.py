"""Optimizers of the program that move weights before another backward adds to the gradient."""

from tests.vm.running import kinds

TEXT = """
class Climber(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, dict(lr=0.1))
        self.base = torch.optim.SGD(self.param_groups, lr=0.1)

    @torch.no_grad()
    def climb(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(0.1 * p.grad)

    def descend(self):
        self.base.step()
        self.zero_grad()

model = nn.Linear(2, 1)
climber = Climber(model.parameters())
for _ in range(3):
    model(torch.ones(1, 2)).sum().backward()
    {first}
    model(torch.ones(1, 2)).sum().backward()
    climber.descend()
"""


def test_a_backward_after_the_first_move_adds_to_what_was_used() -> None:
    assert kinds(TEXT.format(first="climber.climb()")) == ["missing-zero-grad"]


def test_a_gradient_that_is_cleared_after_the_move_is_quiet() -> None:
    assert kinds(TEXT.format(first="climber.climb(); climber.zero_grad()")) == []


def test_a_gradient_that_nothing_was_moved_by_is_summed_on_purpose() -> None:
    assert "missing-zero-grad" not in kinds(TEXT.format(first="pass"))
