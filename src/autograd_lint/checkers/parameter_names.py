"""What a finding calls a leaf: a parameter by the path that leads to it."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance


def name_of(interp: Interpreter, leaf: Tensor) -> str | None:
    """`net.head.weight` for the `weight` of a layer, where a variable leads to it; `head.weight`
    where only the module that it is a part of is known."""
    if not leaf.parameter:
        return leaf.name
    paths = [
        f"{variable}.{path}".lstrip(".")
        for variable, module in _modules(interp)
        for path, parameter in parameters(module)
        if parameter is leaf
    ]
    return max(paths, key=lambda path: path.count("."), default=leaf.name)


def _modules(interp: Interpreter) -> Iterator[tuple[str, Instance]]:
    """The modules at hand: those of the variables in the innermost functions first, then what the
    run has made, without a name."""
    for frame in reversed(interp.frames):
        if frame.function is not None or len(interp.frames) == 1:
            for name, value in list(frame.scope.names.items()):
                if isinstance(value, Instance) and is_module(value):
                    yield name, value
    yield from (("", one) for one in interp.state(LeafRecord).constructed if is_module(one))
