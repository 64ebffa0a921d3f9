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
        ("zeros(3, requires_grad=True)", "True", False),
    ],
)
def test_a_misspelt_flag_matters_where_the_right_one_would(
    made: str, value: str, told: bool
) -> None:
    assert ("flag-without-effect" in kinds(FLAG.format(made=made, value=value))) is told


FREEZING = "for p in model.parameters():\n    p.requires_grad = False\n"


@pytest.mark.parametrize("more", ["", FREEZING])
@pytest.mark.parametrize("made", ["nn.Linear(2, 2)", "unseen.build_model()"])
def test_a_flag_of_a_module_is_told_unless_its_parameters_are_frozen_as_well(
    made: str, more: str
) -> None:
    source = f"import unseen\nmodel = {made}\nx = model(torch.ones(2, 2))\n"
    source += f"model.requires_grad = False\n{more}"
    if "unseen" in made and not more:
        source += "list(model.parameters())\n"
    assert ("flag-without-effect" in kinds(source)) is not bool(more)


@pytest.mark.parametrize(("part", "told"), [("backbone", True), ("scale", False)])
def test_a_part_of_an_unknown_module_is_one_where_it_is_named_so(part: str, told: bool) -> None:
    source = "import unseen\nmodel = unseen.build_model()\n"
    source += f"model.{part}.requires_grad = False\nparameters = list(model.parameters())\n"
    assert ("flag-without-effect" in kinds(source)) is told


@pytest.mark.parametrize("right", ["", "t.requires_grad = False\n"])
def test_a_misspelt_flag_is_not_told_where_the_right_one_is_set_later(right: str) -> None:
    source = f"t = torch.zeros(3, requires_grad=True)\nt.require_grad = False\n{right}"
    assert ("flag-without-effect" in kinds(source)) is not bool(right)


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
