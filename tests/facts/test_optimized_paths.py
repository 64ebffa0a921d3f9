"""What the optimizers of a file are given."""

import pytest

from autograd_lint.facts.optimized_paths import are_apart, optimized_paths
from autograd_lint.project.source import Source

PROGRAM = """
import itertools
import torch
one_opt = torch.optim.Adam({one})
other_opt = torch.optim.Adam({other})
"""


def test_the_names_and_attributes_in_what_is_given_are_told() -> None:
    text = PROGRAM.format(
        one="itertools.chain(net.encoder.parameters(), net.head.parameters()), lr=rate",
        other="params=[{'params': weights}]",
    )
    assert optimized_paths(Source("a.py", text)) == {
        "one_opt": {"net.encoder", "net.head"},
        "other_opt": {"weights"},
    }


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("net.encoder.parameters()", "net.head.parameters()", True),
        ("net.parameters()", "net.head.parameters()", False),
        ("filter(lambda p: p.requires_grad, net.parameters())", "net.parameters()", False),
        ("net.parameters()", "network.parameters()", True),
    ],
)
def test_optimizers_are_apart_where_neither_has_a_part_of_the_other(
    one: str, other: str, apart: bool
) -> None:
    source = Source("a.py", PROGRAM.format(one=one, other=other))
    assert are_apart("one_opt", "other_opt", source) is apart
