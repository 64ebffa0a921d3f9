"""Operands that a caller gives, which have no graph as a rule."""

from autograd_lint.checkers.given_data import own_edges, taken_for_data
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor

REQUIRES = Assumption(Kind.REQUIRES_GRAD, "rewards", given=True)
LEAF = Node("leaf", None, 0, leaf=Tensor(name="w"))


def _given() -> Node:
    return Node("rewards", None, 0, frozenset({REQUIRES}), opaque=True, given=True)


def test_what_is_given_and_computed_from_that_alone_is_passed_over() -> None:
    scaled = Node("mul", None, 2, frozenset({REQUIRES}), edges=[_given()])
    product = Node("mul", None, 3, edges=[LEAF, scaled])
    assert own_edges(product) == [LEAF]
    assert taken_for_data([product]) == {REQUIRES.as_of_data()}


def test_what_is_computed_with_a_leaf_as_well_is_not() -> None:
    mixed = Node("mul", None, 2, edges=[_given(), LEAF])
    product = Node("mul", None, 3, edges=[LEAF, mixed])
    assert own_edges(product) == [LEAF, mixed]
    assert not taken_for_data([product])


def test_what_unknown_code_has_made_of_it_is_data_but_not_what_a_module_has() -> None:
    made = Node("f", None, 2, edges=[_given()], opaque=True)
    assert own_edges(Node("mul", None, 3, edges=[made, LEAF])) == [LEAF]
    learned = Node("net", None, 2, edges=[LEAF, _given()], opaque=True)
    assert own_edges(Node("mul", None, 3, edges=[learned, LEAF])) == [learned, LEAF]
