"""Stores to elements of what a function has made itself: which of them write nothing of note."""

import pytest

from autograd_lint.facts.triggers import triggers
from autograd_lint.project.source import Source


def marked(*lines: str) -> bool:
    """Whether a trigger stands in a function with these lines."""
    body = "".join(f"    {line}\n" for line in lines)
    return bool(triggers(Source("a.py", f"def f(x, n: int, given):\n{body}")).rows)


@pytest.mark.parametrize(
    "lines",
    [
        ("found = {}", "for key, value in x.items():", "    found[key] = value"),
        ("found = OrderedDict()", "found[n] = x"),
        ("mask = torch.zeros(n)", "mask[0] = 1", "return mask * x"),
        ("mask = x.new_zeros(n).to(x)", "for i in range(3):", "    mask[i] = i", "return mask"),
    ],
)
def test_own_dictionaries_and_new_tensors_of_numbers_are_filled(lines: tuple[str, ...]) -> None:
    assert not marked(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        ("given[0] = x",),
        ("found = {} if n else given", "found[n] = x"),
        ("mask = torch.zeros(n)", "mask[0] = x"),
        ("mask = torch.zeros(n)", "y = x * mask", "mask[0] = 1", "return y"),
        ("mask = torch.zeros(n)", "for i in range(3):", "    mask[i] = 1", "    x = x * mask"),
        ("mask = torch.zeros(n, requires_grad=True)", "mask[0] = 1"),
        ("mask = torch.exp(x)", "mask[0] = 1"),
        ("for mask in x:", "    mask[0] = 1"),
        ("mask, other = torch.zeros(n)", "mask[0] = 1"),
    ],
)
def test_what_others_may_have_or_a_graph_may_have_saved_is_written(lines: tuple[str, ...]) -> None:
    assert marked(*lines)
