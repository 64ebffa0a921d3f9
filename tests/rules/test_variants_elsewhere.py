"""What is told of a program is told as well where its statements stand in a function that nothing
calls, or in a class that makes things and then runs: of rules that ask who trains what."""

import pytest
from _pytest.mark import ParameterSet
from benchmarks.variants import Variant, findings, variants

from autograd_lint.findings import Certainty
from tests.rules.elsewhere import in_class, in_function

WHO_TRAINS_WHAT = {
    *("AG311", "AG321", "AG329", "AG402", "AG404", "AG410", "AG417", "AG419", "AG438"),
}
VARIANTS = [one for one in variants() if one.rule.code in WHO_TRAINS_WHAT]
ONLY_IN_A_WHOLE_PROGRAM = {
    # Nothing is trained at all.
    "validated-in-training-mode: loaded, and never put into evaluation mode",
}
NOT_IN_A_CLASS = ONLY_IN_A_WHOLE_PROGRAM | {
    # Its groups, and what an object of another class holds, may be used by other methods.
    "module-without-optimizer: what has no weight decay is in no group",
    "module-without-optimizer: a leaf of the object that has the optimizer",
    "module-without-optimizer: a group that is filled and never put into the list of groups",
    "module-without-optimizer: groups by the numbers of parameters, and one part is in none",
}


# A method is called again, though its object has kept what it has used up.
CALLED_AGAIN = {"AG201", "AG202", "AG310", "AG325", "AG401", "AG501"}
SHAPES = {"function": in_function, "class": in_class}


def programs(side: str) -> list[ParameterSet]:
    """The programs of one side of all variants in the shapes that they can have."""
    return [
        pytest.param(variant, shape, program, id=f"{variant} in a {shape}")
        for variant in VARIANTS
        for shape, shaped in SHAPES.items()
        if (program := shaped(getattr(variant, side))) is not None
    ]


@pytest.mark.parametrize(("variant", "shape", "program"), programs("bad"))
def test_the_wrong_program_is_told_in_another_shape(
    variant: Variant, shape: str, program: str
) -> None:
    found = findings(program, Certainty.POSSIBLE)
    exceptions = NOT_IN_A_CLASS if shape == "class" else ONLY_IN_A_WHOLE_PROGRAM
    told = any(one.code == variant.rule.code for one in found)
    assert told is (str(variant) not in exceptions)


@pytest.mark.parametrize(("variant", "shape", "program"), programs("good"))
def test_the_correct_program_is_quiet_in_another_shape(
    variant: Variant, shape: str, program: str
) -> None:
    told = {one.code for one in findings(program)}
    assert told <= (CALLED_AGAIN if shape == "class" else set())
