"""Tests for the whole name of a parameter."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TOLD = Pitfall.NAME_NEVER_MATCHES
LOOP = "for name, p in model.named_parameters():\n    if {test}:\n        p.requires_grad = False"


@pytest.mark.parametrize(
    "test",
    ["name in ['bias', 'norm.weight']", "name not in no_decay", "name == 'fc'", "name != 'fc'"],
)
def test_a_name_without_its_modules_is_told(test: str) -> None:
    before = "import torch\nno_decay = ['bias', 'LayerNorm.weight']\n"
    assert TOLD in noted(before + LOOP.format(test=test))


@pytest.mark.parametrize(
    "test",
    [
        "'bias' in name",
        "name.endswith('bias')",
        "name in chosen",
        "name in ['encoder.weight']",
        "name in ['bias']",
        "name == 'scale'",
        "name.split('.')[-1] in ['bias', 'norm.weight']",
    ],
)
def test_a_part_of_a_name_or_a_whole_one_is_quiet(test: str) -> None:
    before = "import torch\nself.scale = torch.nn.Parameter(w)\n"
    assert TOLD not in noted(before + LOOP.format(test=test))


def test_a_name_that_is_compared_for_something_else_is_quiet() -> None:
    loop = LOOP.format(test="name == 'fc'").replace("p.requires_grad = False", "continue")
    assert TOLD not in noted(f"import torch\n{loop}")


def test_a_name_that_was_cut_is_quiet() -> None:
    loop = LOOP.format(test="name == 'fc'").replace(":\n    if", ":\n    name = name[7:]\n    if")
    assert TOLD not in noted(f"import torch\n{loop}")


def test_a_list_of_named_parameters_is_looked_through() -> None:
    program = "import torch\nnamed = list(model.named_parameters())\n"
    test = "n not in ['bias', 'norm.weight']"
    assert TOLD in noted(program + f"decayed = [p for n, p in named if {test}]")
