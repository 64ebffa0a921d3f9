"""Which form a call takes."""

from autograd_lint.operators import facts
from autograd_lint.operators.facts import Form, Operator, Save

IN_PLACE = Form(tests=(facts.Test("1", frozenset({"true"})),), modifies=("0",))
ON_NUMBER = Form(
    tests=(facts.Test("1", frozenset({"number"})), facts.Test("2", frozenset({"string"}))),
    frees=True,
)
USUAL = Form(saves=(Save("0"),))
OPERATOR = Operator("sample", (IN_PLACE, ON_NUMBER, USUAL), (("inplace", "1"),))


def kinds(**given: set[str]) -> dict[str, frozenset[str]]:
    return {key.removeprefix("k"): frozenset(value) for key, value in given.items()}


def test_without_arguments_the_usual_form_applies() -> None:
    assert OPERATOR.select({}) == USUAL


def test_the_first_form_whose_tests_hold_applies() -> None:
    assert OPERATOR.select(kinds(k1={"true"})) == IN_PLACE


def test_all_tests_of_a_form_must_hold() -> None:
    assert OPERATOR.select(kinds(k1={"number", "int"})) == USUAL
    assert OPERATOR.select(kinds(k1={"number", "int"}, k2={"string"})) == ON_NUMBER


def test_an_unknown_value_leaves_the_usual_form() -> None:
    assert OPERATOR.select(kinds(k1=set())) == USUAL


def test_an_unknown_value_leaves_every_form_possible_that_it_may_select() -> None:
    assert OPERATOR.candidates(kinds(k1=set())) == (IN_PLACE, USUAL)
    assert OPERATOR.candidates(kinds(k1=set(), k2={"string"})) == (IN_PLACE, ON_NUMBER, USUAL)


def test_what_is_known_leaves_one_form() -> None:
    assert OPERATOR.candidates(kinds(k1={"false"})) == (USUAL,)


def test_an_argument_not_given_is_absent() -> None:
    absent = Form(tests=(facts.Test("1", frozenset({"absent"})),))
    operator = Operator("sample", (absent, USUAL))
    assert operator.select({}) == absent
    assert operator.select(kinds(k1={"tensor"})) == USUAL
