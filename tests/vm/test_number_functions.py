"""Python's functions on numbers: what they make of tensors, and of what tensors have left."""

import pytest

from tests.vm.running import kinds

TERM = """
w = torch.ones(3, requires_grad=True)
out = w * 2
values = out.tolist()
optimizer = torch.optim.SGD([w], lr=0.1)
optimizer.zero_grad()
((out - 1).square().mean() + {term}).backward()
optimizer.step()
"""


@pytest.mark.parametrize(
    "term",
    [
        "abs(values[0])",
        "round(values[0], 2)",
        "pow(values[0], 2)",
        "max(values)",
        "sum(abs(a - b) for a, b in zip(values, values[1:]))",
    ],
)
def test_what_is_computed_with_numbers_of_a_tensor_has_no_graph(term: str) -> None:
    assert kinds(TERM.format(term=term)) == ["constant-loss-term"]


@pytest.mark.parametrize("term", ["abs(out).mean()", "pow(out, 2).mean()", "max(out.unbind())"])
def test_what_is_computed_with_a_tensor_keeps_its_graph(term: str) -> None:
    assert kinds(TERM.format(term=term)) == []


def test_the_absolute_of_a_tensor_is_saved_for_backward() -> None:
    written = "x = torch.ones(3, requires_grad=True).exp()\ny = abs(x)\nx.zero_()\n"
    assert kinds(written + "y.sum().backward()") == ["saved-tensor-modified"]


@pytest.mark.parametrize(
    "number",
    [
        *("round(2.6)", "abs(-3)", "pow(3, 1)", "round(2.96, 0)", "divmod(7, 2)[0]"),
        *("max([3, 1], key=lambda n: n)", "min(4, 3, key=lambda n: n)"),
    ],
)
def test_known_numbers_are_computed(number: str) -> None:
    text = f"w = torch.ones(1, requires_grad=True)\nif {number} == 3:\n    w += 1\n"
    assert kinds(text) == ["leaf-modified"]


@pytest.mark.parametrize("number", ["float('inf')", "float('nan')"])
def test_what_cannot_be_rounded_is_left_alone(number: str) -> None:
    assert kinds(f"x = round({number})\n") == []


def test_rounding_a_number_to_a_billion_places_is_not_computed() -> None:
    text = "w = torch.ones(1, requires_grad=True)\nif round(5, -(10**9)) == 0:\n    w += 1\n"
    assert kinds(text) == ["leaf-modified"]
