"""Flags that are misspelt: told where the right name would change something."""

import pytest

from tests.vm.running import kinds

FLAG = "t = torch.{made}\nt.require_grad = {value}\n"


@pytest.mark.parametrize(
    ("made", "value", "told"),
    [
        ("zeros(3)", "False", False),
        ("zeros(3)", "True", True),
        ("zeros(3, requires_grad=True)", "False", True),
    ],
)
def test_a_misspelt_flag_matters_where_the_right_one_would(
    made: str, value: str, told: bool
) -> None:
    assert ("flag-without-effect" in kinds(FLAG.format(made=made, value=value))) is told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("torch.enable_grad()\n", False),
        ("torch.no_grad()\n", True),
        ("torch.inference_mode()\n", True),
        ("with torch.no_grad():\n    torch.enable_grad()\n", True),
    ],
)
def test_a_mode_that_is_not_entered_matters_where_it_would_be_another(
    text: str, told: bool
) -> None:
    assert ("mode-without-effect" in kinds(text)) is told
