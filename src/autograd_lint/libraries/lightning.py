"""How Lightning calls the methods of a module."""

from __future__ import annotations

import re

from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.instances import external_class
from autograd_lint.vm.values import Class, Definition, Function, Instance

_EVALUATION = re.compile(r"(?:on_)?(?:validation|test|predict)_")
_HOOK = re.compile(r"on_(?:validation|test|predict)_")


def evaluates(instance: Instance, name: str) -> bool:
    """Whether Lightning calls a method without grad mode, and no hook of the module asks for it.

    Source: `_no_grad_context` in lightning/pytorch/loops/utilities.py.
    """
    if _EVALUATION.match(name) is None or not _is_lightning(instance):
        return False
    values = instance.cls.attributes.values() if isinstance(instance.cls, Class) else ()
    hooks = [one for one in values if isinstance(one, Function) and _HOOK.match(one.name)]
    return not any(hook.query(_switches_on) for hook in hooks)


@query
def _switches_on(source: Source, node: Definition) -> bool:
    return "set_grad_enabled(True)" in source.segment(node)


def _is_lightning(instance: Instance) -> bool:
    return any(path.endswith(".LightningModule") for path in external_class(instance))
