"""Where leaves were frozen, for a root that has no graph."""

import pytest

from tests.vm.running import faults

FREEZING = 4  # the row, below the imports
HEAD = "net = nn.Linear(2, 1)\n"
BACKWARD = "net(torch.ones(1, 2)).sum().backward()\n"


def frozen_in(text: str) -> list[int]:
    """The rows that are named beside the roots without a graph."""
    return [one.place.row for fault in faults(text) for one in fault.noted if one.place]


@pytest.mark.parametrize(
    "freezing",
    [
        "net.requires_grad_(False)\n",
        "for one in net.parameters(): one.requires_grad = False\n",
        "for one in net.parameters(): one.requires_grad_(False)\n",
    ],
)
def test_a_root_without_a_graph_names_where_its_parameters_were_frozen(freezing: str) -> None:
    assert frozen_in(HEAD + freezing + BACKWARD) == [FREEZING]


def test_what_requires_grad_again_is_not_named() -> None:
    other = "other = nn.Linear(1, 1).requires_grad_(False)\nother.requires_grad_(True)\n"
    frozen = "net.requires_grad_(False)\n"
    assert frozen_in(HEAD + frozen + other + BACKWARD) == [FREEZING]


def test_a_cut_is_named_instead() -> None:
    cut = BACKWARD.replace(".sum()", ".sum().detach()")
    assert frozen_in(HEAD + "net.weight.requires_grad_(False)\n" + cut) == []
