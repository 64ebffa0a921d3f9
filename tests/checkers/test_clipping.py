"""Gradients that are changed in vain."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

LATE = """
    for x, y in loader:
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            {change}
        {after}
    """
CLEARED = "optimizer.zero_grad()"


@pytest.mark.parametrize(
    ("change", "after", "found"),
    [
        ("p.grad.div_(4)", CLEARED, [6]),
        ("p.grad.data.clamp_(-1, 1)", CLEARED, [6]),
        ("p.grad.mul_(0)", CLEARED, []),
        ("p.grad.mul_(0.9)", "pass", []),  # the next backward adds to it
        ("print(p.grad * 2)", CLEARED, []),
    ],
)
def test_what_is_changed_after_the_step_is_cleared(
    change: str, after: str, found: list[int]
) -> None:
    assert rows(LATE.format(change=change, after=after), Pitfall.CLIP_IN_VAIN) == found


OTHERS = """
    image = torch.zeros(1, 4, requires_grad=True)
    drawing = torch.optim.SGD([image], lr=0.1)
    for _ in range(4):
        drawing.zero_grad(), model.zero_grad()
        model(image).sum().backward()
        nn.utils.clip_grad_norm_({clipped}, 0.1)
        {more}
        drawing.step()
    """


@pytest.mark.parametrize(
    ("clipped", "more", "found"),
    [
        ("model.parameters()", "pass", [7]),
        ("[image]", "pass", []),
        ("[image, *model.parameters()]", "pass", []),
        ("model.parameters()", "optimizer.step()", []),
    ],
)
def test_what_nothing_moves_is_clipped(clipped: str, more: str, found: list[int]) -> None:
    assert rows(OTHERS.format(clipped=clipped, more=more), Pitfall.CLIP_IN_VAIN) == found


FROZEN = """
    critic = nn.Linear(1, 1)
    judging = torch.optim.SGD(critic.parameters(), lr=0.1)
    for x, y in loader:
        critic.requires_grad_(False)
        optimizer.zero_grad()
        critic(model(x)).mean().backward()
        optimizer.step()
        {again}
        judging.zero_grad()
        (critic(model(x)).mean() - critic(y).mean()).backward()
        judging.step()
    """


@pytest.mark.parametrize(("again", "found"), [("pass", [3]), ("critic.requires_grad_(True)", [])])
def test_a_network_is_stepped_that_was_frozen_for_good(again: str, found: list[int]) -> None:
    assert rows(FROZEN.format(again=again), Pitfall.NO_GRADIENTS) == found


GIVEN = """
    for x, y in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        nn.utils.clip_grad_norm_({given}, 1.0)
        optimizer.step()
    """


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("[p.grad for p in model.parameters()]", [5]),
        ("[p.grad.detach().clone() for p in model.parameters()]", [5]),
        ("[p for p in model.parameters()]", []),
    ],
)
def test_gradients_have_no_gradients_to_clip(given: str, found: list[int]) -> None:
    assert rows(GIVEN.format(given=given), Pitfall.CLIP_IN_VAIN) == found


BOUND = """
    import options
    bound, more = options.bound, options.more
    optimizer = torch.optim.SGD({held}, lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        {clipping}
    """
KNOWN = "model.parameters()"


@pytest.mark.parametrize(
    ("held", "clipping", "found"),
    [
        (KNOWN, "nn.utils.clip_grad_norm_(model.parameters(), bound)", [9]),
        (KNOWN, "norm = nn.utils.clip_grad_norm_(model.parameters(), bound)", []),
        ("[model[0].weight, *more]", "nn.utils.clip_grad_norm_(model.parameters(), 1.0)", [9]),
        ("[*more]", "nn.utils.clip_grad_norm_(model.parameters(), 1.0)", []),
    ],
)
def test_a_step_has_used_what_is_clipped(held: str, clipping: str, found: list[int]) -> None:
    assert rows(BOUND.format(held=held, clipping=clipping), Pitfall.CLIP_IN_VAIN) == found


OF_CALLER = """
    def step(model, optimizer, x):
        loss = model(x).sum()
        {before}
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        loss.backward()
        optimizer.step()
    """


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("optimizer.zero_grad()", [5]),
        ("pass", []),  # a caller may have gone backward
        ("loss.backward(retain_graph=True)", []),
    ],
)
def test_a_module_of_a_caller_has_nothing_to_clip_once_its_gradients_are_cleared(
    before: str, found: list[int]
) -> None:
    source = OF_CALLER.format(before=before)
    assert rows(source, Pitfall.CLIP_IN_VAIN) == found
