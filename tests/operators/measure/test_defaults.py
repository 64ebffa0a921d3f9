"""Defaults that a test of a form takes for other values of their kind."""

from autograd_lint.operators import facts
from autograd_lint.operators.encoding import decode_default, encode_default
from autograd_lint.operators.facts import Form, Operator
from autograd_lint.operators.measure.defaults import mistakable

ANY_TEXT = Form(tests=(facts.Test("2", frozenset({"string"})),))
ONE_TEXT = Form(tests=(facts.Test("2", frozenset({"=reflect"})),))
FLAG = Form(tests=(facts.Test("inplace", frozenset({"false"})),))


def test_a_text_is_mistaken_for_any_text() -> None:
    assert mistakable([ANY_TEXT, Form()], {"2": "constant", "3": 0.5}) == (("2", "constant"),)


def test_a_text_is_not_mistaken_for_another_one() -> None:
    assert mistakable([ONE_TEXT, Form()], {"2": "constant"}) == ()


def test_flags_and_nothing_are_told_apart_by_their_kinds() -> None:
    assert mistakable([FLAG, ANY_TEXT], {"inplace": False, "2": None}) == ()


def test_a_default_is_the_same_value_of_the_same_type() -> None:
    operator = Operator("cdist", (Form(),), defaults=(("2", 2.0),))
    assert operator.is_default("2", 2.0)
    assert not operator.is_default("2", 2)
    assert not operator.is_default("1", 2.0)


def test_defaults_are_read_as_they_are_written() -> None:
    for default in (("2", "constant"), ("4", 1e-06), ("2", -1), ("margin", 1.0)):
        read = decode_default(encode_default(default))
        assert read == default
        assert type(read[1]) is type(default[1])
