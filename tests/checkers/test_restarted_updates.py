"""Inner steps that each begin at the initial weights: told where such a step is gone on from."""

from tests.vm.running import kinds

TEXT = """
net = nn.Linear(2, 1)
weights = list(net.parameters())
fast = weights
for _ in range(3):
    loss = (torch.randn(4, 2) @ fast[0].t() + fast[1]).pow(2).mean()
    slopes = torch.autograd.grad(loss, fast, create_graph=True)
    {step}
(torch.randn(4, 2) @ fast[0].t()).mean().backward()
"""


def test_a_step_from_the_first_weights_along_the_gradient_of_the_last_is_told() -> None:
    step = "fast = [one - 0.1 * slope for one, slope in zip(weights, slopes)]"
    assert kinds(TEXT.format(step=step)) == ["last-iteration-only"]


def test_a_step_from_the_last_weights_is_quiet() -> None:
    step = "fast = [one - 0.1 * slope for one, slope in zip(fast, slopes)]"
    assert kinds(TEXT.format(step=step)) == []


def test_gradients_that_are_added_up_are_quiet() -> None:
    step = (
        "total = slopes if fast is weights else [a + b for a, b in zip(total, slopes)]\n"
        "    fast = [one - 0.1 * slope for one, slope in zip(weights, total)]"
    )
    assert kinds(TEXT.format(step=step)) == []
