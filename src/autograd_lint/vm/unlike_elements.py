"""Objects of other classes than those that a loop has come to when it is cut short.

for module in self.modules():
    if isinstance(module, nn.Conv2d):
        ...
    elif isinstance(module, nn.Linear):     # the last layer
        module.weight.normal_(0, 0.01)
"""

from __future__ import annotations

import ast

from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.vm.values import External, Instance, Items, Value

MOST = 6  # classes
_ASKING = frozenset({"isinstance", "issubclass", "type", "hasattr"})


def unlike_elements(loop: ast.stmt, sequence: Value, count: int) -> list[Value]:
    """The first element of each class that is not among those of the first `count` elements, where
    the loop goes by the classes of what it goes over."""
    if not isinstance(sequence, Items) or not _asks_for_classes(loop):
        return []
    known = {_class_of(one) for one in sequence.items[:count]}
    found: dict[object, Value] = {}
    for one in sequence.items[count:]:
        found.setdefault(_class_of(one), one)
    return [one for key, one in found.items() if key is not None and key not in known][:MOST]


def _class_of(element: Value) -> object:
    """The class of an object, or of the last of several: `name, module`."""
    if isinstance(element, Items) and element.items:
        return _class_of(element.items[-1])
    if not isinstance(element, Instance):
        return None
    return element.cls.path if isinstance(element.cls, External) else id(element.cls)


@query
def _asks_for_classes(loop: ast.AST) -> bool:
    """Whether a loop asks what an object is."""
    names = (part.id for part in walk(loop) if isinstance(part, ast.Name))
    marks = (part.attr for part in walk(loop) if isinstance(part, ast.Attribute))
    return not _ASKING.isdisjoint(names) or "__class__" in marks
