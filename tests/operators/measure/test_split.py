"""Forms learnt from cases."""

from autograd_lint.operators import facts
from autograd_lint.operators.facts import Save
from autograd_lint.operators.measure.split import learn
from autograd_lint.operators.measure.trials import Case, Seen, Trial

RESULT = (Seen(True, "same", "broadcast", None),)


def case(raised: dict[str, dict[str, bool | None]], **kinds: set[str]) -> Case:
    """A case by which keys required grad (`01`: both), and what raised then."""
    trials = tuple(
        Trial(frozenset(grad), RESULT, True, raised=seen, freed=True, reached=frozenset(grad))
        for grad, seen in raised.items()
    )
    return Case({key.removeprefix("k"): frozenset(kind) for key, kind in kinds.items()}, trials)


PLAIN = case({"0": {"0": True}})


def test_agreeing_cases_make_one_form() -> None:
    forms = learn([PLAIN, case({"0": {"0": True}}, k1={"true"})])
    assert len(forms) == 1
    assert forms[0].tests == ()


def test_an_option_that_changes_the_answer_makes_a_form_of_its_own() -> None:
    forms = learn([PLAIN, case({"0": {"0": False}}, k1={"true"})])
    assert forms[0].tests == (facts.Test("1", frozenset({"true"})),)
    assert (forms[0].saves, forms[1].saves) == ((), (Save("0"),))


def test_the_first_case_is_the_last_form() -> None:
    forms = learn([case({"0": {"0": False}}, k1={"true"}), PLAIN])
    assert forms[-1].tests == ()
    assert forms[-1].saves == ()


def test_the_condition_is_the_key_whose_gradient_needs_the_tensor() -> None:
    crosswise = case({"0": {"0": False}, "1": {"0": True}, "01": {"0": True}})
    assert learn([crosswise])[0].saves == (Save("0", frozenset({"1"})),)


def test_what_no_argument_explains_is_not_sure() -> None:
    (form,) = learn([PLAIN, case({"0": {"0": False}})])
    assert form.saves == (Save("0", sure=False),)


def test_a_rare_exception_leaves_the_rule_sure() -> None:
    (form,) = learn([PLAIN, PLAIN, PLAIN, PLAIN, case({"0": {"0": False}})])
    assert form.saves == (Save("0"),)
