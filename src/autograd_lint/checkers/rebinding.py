"""Names of leaves that go on to other tensors, as in `w = w - lr * w.grad`."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.gradient_values import GradientValues
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import Stepping, TrainingRecord
from autograd_lint.engine.events import Created
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.places import Place
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import TensorRebound
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance


@immutable
class Rebound:
    """A leaf whose name went on to another tensor, and where.

    `last` is what the name means by now. `steps` is how often the optimizers of the leaf had
    stepped by then, where no gradient was waiting for them; None where one was.
    """

    leaf: Tensor
    last: Tensor
    place: Place
    steps: int | None
    switch: Created | None = None

    def goes_on_to(self, old: Tensor, new: Tensor, *, read: bool) -> bool:
        """Whether what the name means goes on to what was made of it; `read`: it is made by a
        statement that reads the name."""
        made = any(one is cut for one in new.graph_breaks for cut in old.graph_breaks)
        return self.last is old and old.requires is None and (read or made)


@dataclass(slots=True, eq=False, repr=False)
class Rebinding(Checker):
    """The leaves whose names went on to other tensors."""

    rebound: list[Rebound] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, TensorRebound, cls.tensor_rebound)

    def tensor_rebound(self, interp: Interpreter, event: TensorRebound) -> None:
        """A name that meant `old` now means `new`."""
        old, new, target = event.before, event.value, event.target
        # The name goes on to what is made of the new tensor, which may be a leaf again.
        if self.rebound:
            read = target in _made_of_themselves(interp.frame.source)
            self.rebound = [
                replace(one, last=new) if one.goes_on_to(old, new, read=read) else one
                for one in self.rebound
            ]
        if new.requires is not None or old.node is not None or old.requires_grad is None:
            return
        if any(assumption.weight for assumption in old.requires_grad):
            return
        own = old.accumulator
        if own is None or not new.graph_breaks:
            return
        if old.grad is None and not _optimizers(interp, old):
            return
        cut = next((s for s in new.graph_breaks if s.source is own and s.switch is not None), None)
        if cut is not None and _is_lost(interp, old, new, target) and not interp.engine.recording:
            waits = old.grad is not None
            steps = None if waits else _steps(interp, old)
            self.rebound.append(Rebound(old, new, interp.place(target), steps, cut.switch))

    def end(self, interp: Interpreter) -> None:
        """The run is over: whose name means another tensor, though it was still trained."""
        again = {one.place for one in self.rebound if one.last.requires is not None}
        for one in self.rebound:
            leaf, over = one.leaf, one.steps is not None and one.steps == _steps(interp, one.leaf)
            if one.last.requires is None and one.place not in again and not over:
                because = leaf.requires or frozenset()
                note(
                    interp,
                    Pitfall.PARAMETER_REBOUND,
                    one.place,
                    leaf=leaf,
                    built=one.switch,
                    assumptions=because,
                )


@query
def _made_of_themselves(source: Source) -> set[ast.AST]:
    """The names that statements of a file bind anew to what they make of what these meant."""
    return {
        target
        for statement in source.each(ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and target.id in _names_in(statement.value)
    }


def _names_in(code: ast.expr) -> set[str]:
    return {part.id for part in walk(code) if isinstance(part, ast.Name)}


def _is_lost(interp: Interpreter, leaf: Tensor, new: Tensor, target: ast.AST) -> bool:
    """Whether a name goes on to a step along the gradient of a leaf, or is the only one it has."""
    if interp.state(GradientValues).leaf_behind(new) is leaf:
        return True
    given = _is_argument(interp, target) and (leaf.grad is None or _is_read_on(interp, target))
    return not given and not _has_other_name(interp, leaf, target)


def _has_other_name(interp: Interpreter, leaf: Tensor, target: ast.AST) -> bool:
    """Whether another name of the code at work means a leaf, or an attribute of its object.

    A module that takes one of its parameters by name computes with it: `w = self.layer.weight`.
    """
    if not isinstance(target, ast.Name):
        return False
    names = {name: value for name, value in interp.frame.scope.names.items() if name != target.id}
    owner = interp.frame.receiver
    if not isinstance(owner, Instance):
        return any(value is leaf for value in names.values())
    taken = target.id not in _of_loops(interp.frame.source)
    held = (value for _, value in parameters(owner)) if taken else ()
    return any(value is leaf for value in (*names.values(), *owner.attributes.values(), *held))


@query
def _of_loops(source: Source) -> set[str]:
    """The names that the loops of a file go through values with."""
    return {name for loop in source.each(ast.For) for name in _names_in(loop.target)}


def _steps(interp: Interpreter, leaf: Tensor) -> int:
    """How often the optimizers of a leaf have stepped."""
    return sum(one.steps for one in _optimizers(interp, leaf))


def _optimizers(interp: Interpreter, leaf: Tensor) -> list[Stepping]:
    return [
        one
        for one in interp.state(TrainingRecord).optimizers.values()
        if any(tensor is leaf for tensor in optimized(one.optimizer))
    ]


def _is_read_on(interp: Interpreter, target: ast.AST) -> bool:
    """Whether the function at work computes on with what it binds a name to."""
    function, name = interp.frame.function, getattr(target, "id", "")
    row = getattr(target, "lineno", 0)
    nodes = walk(function.node) if function is not None else ()
    names = (one for one in nodes if isinstance(one, ast.Name) and one.lineno > row)
    return any(one.id == name and isinstance(one.ctx, ast.Load) for one in names)


def _is_argument(interp: Interpreter, target: ast.AST) -> bool:
    """Whether a name is one by which the function at work was given something."""
    function = interp.frame.function
    arguments = function.node.args if function is not None else None
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs] if arguments else []
    return isinstance(target, ast.Name) and any(target.id == one.arg for one in given)
