"""Names of leaves that go on to other tensors, as in `w = w - lr * w.grad`."""

from __future__ import annotations

import ast
from dataclasses import replace

from autograd_lint.checkers.noting import note
from autograd_lint.checkers.state import Rebound, Stepping
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown, Value


def rebound(interp: Interpreter, old: Value, new: Value, target: ast.AST) -> None:
    """A name that meant `old` now means `new`."""
    old = old.tensor if isinstance(old, Unknown) else old
    if not isinstance(old, Tensor) or not isinstance(new, Tensor) or old is new:
        return
    # The name goes on to what is made of the new tensor, which may be a leaf again.
    interp.watch.rebound = [
        replace(one, last=new) if one.last is old and old.requires is None else one
        for one in interp.watch.rebound
    ]
    if new.requires is not None or old.node is not None or old.requires_grad is None:
        return
    if any(assumption.weight for assumption in old.requires_grad):
        return
    own = old.accumulator
    if own is None or not new.severed:
        return
    if old.grad is None and not _optimizers(interp, old):
        return
    cut = next((s for s in new.severed if s.source is own and s.switch is not None), None)
    if cut is not None and _is_lost(interp, old, new, target) and not interp.engine.recording:
        waits = old.grad is not None
        steps = None if waits else _steps(interp, old)
        interp.watch.rebound.append(Rebound(old, new, interp.place(target), steps, cut.switch))


def _is_lost(interp: Interpreter, leaf: Tensor, new: Tensor, target: ast.AST) -> bool:
    """Whether a name goes on to a step along the gradient of a leaf, or is the only one it has."""
    slope = interp.watch.slopes.get(new.storage.memory)
    if slope is not None and slope[1] is leaf:
        return True
    given = _is_argument(interp, target) and leaf.grad is None
    return not given and not _has_other_name(interp, leaf, target)


def _has_other_name(interp: Interpreter, leaf: Tensor, target: ast.AST) -> bool:
    """Whether another name of the code at work means a leaf, or an attribute of its object."""
    if not isinstance(target, ast.Name):
        return False
    names = {name: value for name, value in interp.frame.scope.names.items() if name != target.id}
    owner = interp.frame.receiver
    own = owner.attributes if isinstance(owner, Instance) else {}
    return any(value is leaf for value in (*names.values(), *own.values()))


def _steps(interp: Interpreter, leaf: Tensor) -> int:
    """How often the optimizers of a leaf have stepped."""
    return sum(one.steps for one in _optimizers(interp, leaf))


def _optimizers(interp: Interpreter, leaf: Tensor) -> list[Stepping]:
    from autograd_lint.libraries.torch.optimizers import optimized

    return [
        one
        for one in interp.watch.optimizers.values()
        if any(tensor is leaf for tensor in optimized(one.optimizer))
    ]


def finished(interp: Interpreter) -> None:
    """The run is over: whose name means another tensor, though it was still trained."""
    again = {one.place for one in interp.watch.rebound if one.last.requires is not None}
    for one in interp.watch.rebound:
        leaf, over = one.leaf, one.steps is not None and one.steps == _steps(interp, one.leaf)
        if one.last.requires is None and one.place not in again and not over:
            because = leaf.requires or frozenset()
            note(
                interp,
                Pitfall.PARAMETER_REBOUND,
                one.place,
                tensor=leaf.name,
                built=one.switch,
                assumptions=because,
            )


def _is_argument(interp: Interpreter, target: ast.AST) -> bool:
    """Whether a name is one by which the function at work was given something."""
    function = interp.frame.function
    arguments = function.node.args if function is not None else None
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs] if arguments else []
    return isinstance(target, ast.Name) and any(target.id == one.arg for one in given)
