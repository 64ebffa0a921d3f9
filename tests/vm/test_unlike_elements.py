"""Which objects a loop that goes by classes still comes to when it is cut short."""

import ast

from autograd_lint.vm.unlike_elements import unlike_elements
from autograd_lint.vm.values import External, Instance, Items

ASKS = "for m in modules:\n    if isinstance(m, nn.Linear):\n        m.weight.zero_()\n"


def test_the_first_object_of_each_class_that_has_not_come_yet() -> None:
    conv, linear = External("torch.nn.Conv2d"), External("torch.nn.Linear")
    modules = [Instance(one) for one in (conv, conv, conv, linear, linear)]
    loop = ast.parse(ASKS).body[0]
    assert isinstance(loop, ast.stmt)
    assert unlike_elements(loop, Items("list", list(modules)), 2) == [modules[3]]
    pairs = Items("list", [Items("tuple", [str(i), one]) for i, one in enumerate(modules)])
    assert unlike_elements(loop, pairs, 2) == [pairs.items[3]]
    assert unlike_elements(loop, Items("list", list(modules)), 4) == []


def test_a_loop_that_does_not_ask_for_classes_is_cut_short_like_any_other() -> None:
    modules = Items("list", [Instance(External(f"torch.nn.{name}")) for name in ("ReLU", "GELU")])
    (loop,) = ast.parse("for m in modules:\n    m(x)\n").body
    assert unlike_elements(loop, modules, 1) == []
