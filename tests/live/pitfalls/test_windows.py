"""Gradients that are cleared in each micro batch, though only some are followed by a step."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "it is seen by the second step": (
        "window-misjudged",
        """
        for _ in range(2):
            for count, one in enumerate(torch.randn(6, 2)):
                (net(one).square().sum() / 4).backward()
                if (count + 1) % 4 == 0:
                    torch.nn.utils.clip_grad_norm_(net.parameters(), 1e-3)
                    opt.step()  # here
                    opt.zero_grad()
        """,
    ),
    "the rest of an epoch is left to the next one": (
        "window-misjudged",
        """
        for _ in range(3):
            for count in range(10):
                (net(x).square().sum() / 4).backward()
                if (count + 1) % 4 == 0:
                    opt.step()  # here
                    opt.zero_grad()
        """,
    ),
    "the step stands after a guard": (
        "zero-grad-before-step",
        """
        def maybe(count):
            if count % 4:
                return
            opt.step()

        for count in range(12):
            opt.zero_grad()  # here
            (net(x).square().sum() / 4).backward()
            maybe(count + 1)
        """,
    ),
    "the step stands behind the loop": (
        "zero-grad-before-step",
        """
        for _ in range(4):
            for one in x.split(1):
                opt.zero_grad()  # here
                net(one).square().mean().backward()
            opt.step()
        """,
    ),
    "the module clears them": (
        "zero-grad-before-step",
        """
        for _ in range(4):
            for one in x.split(1):
                net.zero_grad()  # here
                net(one).square().mean().backward()
            opt.step()
        """,
    ),
}

RIGHT = {
    "windows that grow": """
    done = 0
    for size in (4, 4, 6, 6, 9, 9):
        for count in range(size):
            (net(x).square().sum() / 4).backward()
            done += 1
            if (count + 1) % size == 0:
                opt.step()
                opt.zero_grad()
    """,
    "the rest of an epoch is cleared": """
    for _ in range(3):
        opt.zero_grad()
        for count in range(10):
            (net(x).square().sum() / 4).backward()
            if (count + 1) % 4 == 0:
                opt.step()
                opt.zero_grad()
    """,
    "a search for the worst input before the step": """
    for _ in range(4):
        shift = torch.zeros_like(x, requires_grad=True)
        for _ in range(3):
            opt.zero_grad()
            (net(x + shift) - y).square().mean().backward()
            shift.data += shift.grad.sign() * 0.01
        opt.step()
    """,
    "cleared after the step": """
    def maybe(count):
        if count % 4:
            return
        opt.step()
        opt.zero_grad()

    for count in range(12):
        pass
        (net(x).square().sum() / 4).backward()
        maybe(count + 1)
    """,
    "a step left out now and then": """
    def maybe(count):
        if count == 5:
            return
        opt.step()

    for count in range(12):
        opt.zero_grad()
        (net(x).square().sum() / 4).backward()
        maybe(count + 1)
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_it_is_told_where_they_are_cleared(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_windows_that_are_meant_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
