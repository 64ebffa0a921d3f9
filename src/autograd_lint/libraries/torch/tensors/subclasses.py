"""Tensors that are objects of a class which derives from `Tensor`: data that somebody has wrapped.

Such a class says in `__torch_function__` what operators give for its objects. By default these
stay what they are and may be the results of operators; a class with a method of its own makes its
objects itself (boxes, masks, images), and whoever does so is at the beginning of a graph, if any.
"""

from __future__ import annotations

from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    ASKED_CLASSES,
    WRITTEN_AS,
    Class,
    Items,
    Lazy,
    Unknown,
    Value,
)

_TENSOR = "torch.Tensor"
_MAY_BE_TENSORS = {_TENSOR, "typing.Protocol", "typing_extensions.Protocol"}


def wraps(cls: Value) -> bool:
    """Whether a class of the program is one of tensors, and makes its objects itself."""
    if not isinstance(cls, Class) or _TENSOR not in cls.external_bases():
        return False
    return cls.find("__torch_function__") is not None


def is_object(interp: Interpreter, unknown: Unknown) -> bool:
    """Whether an argument is annotated with a class of the program that no tensor is of."""
    written = unknown.attributes.get(WRITTEN_AS)
    cls = written.compute(interp) if isinstance(written, Lazy) else None
    return isinstance(cls, Class) and _MAY_BE_TENSORS.isdisjoint(cls.external_bases())


def is_wrapped(interp: Interpreter, unknown: Unknown) -> bool:
    """Whether an argument is such an object, by its annotation or by what the path has found."""
    written = unknown.attributes.get(WRITTEN_AS)
    if isinstance(written, Lazy) and wraps(written.compute(interp)):
        return True
    answers = [one for one in unknown.attributes.values() if isinstance(one, Unknown)]
    return any(_asks_for_wrappers(one) and interp.choices.found_true(one) for one in answers)


def _asks_for_wrappers(answer: Unknown) -> bool:
    """Whether it is what `isinstance` says, asked for such classes alone."""
    classes = answer.attributes.get(ASKED_CLASSES)
    return isinstance(classes, Items) and all(map(wraps, classes.items))
