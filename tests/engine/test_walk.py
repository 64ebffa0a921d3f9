"""Which leaves a gradient gets to."""

from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leads_to


def _leaf(name: str) -> tuple[Tensor, Node]:
    tensor = Tensor(name=name)
    return tensor, Node("leaf", None, 0, leaf=tensor)


def test_a_gradient_gets_to_the_leaves_behind_a_node_and_to_no_others() -> None:
    (x, of_x), (y, of_y) = _leaf("x"), _leaf("y")
    product = Node("mul", None, 2, edges=[Node("exp", None, 1, edges=[of_x])])
    assert leads_to([product], {id(x)})
    assert not leads_to([product], {id(y)})
    assert leads_to([product, of_y], {id(y)})


def test_no_leaf_is_behind_a_node_of_unknown_code() -> None:
    x, _ = _leaf("x")
    assert not leads_to([Node("f", None, 1, opaque=True)], {id(x)})
