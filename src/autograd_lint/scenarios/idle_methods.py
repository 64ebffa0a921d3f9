"""Methods of modules that a harness need not call: no fault may be in them, and they are given no
tensor for others to do something with."""

from __future__ import annotations

import ast

from autograd_lint.facts.body import called_on_self
from autograd_lint.facts.plain_values import takes_plain
from autograd_lint.vm.instances import is_module_class
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function


def is_idle(interp: Interpreter, cls: Class, method: Function) -> bool:
    """Whether a method of a module only tells or sets something, as `get_classifier` does."""
    node = method.node
    if isinstance(node, ast.Lambda) or not (is_module_class(cls) and takes_plain(node)):
        return False
    if interp.world.relevance.leads_to_fault(method.source, node):
        return False
    return not any(_is_foreign(cls, name) for name in method.query(called_on_self))


def _is_foreign(cls: Class, name: str) -> bool:
    """Whether a method stands in another file, of whose code the text of this one tells nothing."""
    found = cls.find(name)
    return isinstance(found, Function) and found.written.source is not cls.source
