"""Graphs that stay alive by flags of backward (`retain_graph`, `create_graph`) nobody needs."""

from __future__ import annotations

import ast
from collections import defaultdict

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance


class Retaining(Checker):
    """Looks at all backward passes when the run is over."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        """Nothing: the engine keeps the passes."""

    def end(self, interp: Interpreter) -> None:
        """The run is over: which flags were of no use?"""
        _judge_cycles(interp)
        by_place: dict[Place | None, list[tuple[int, Pass]]] = defaultdict(list)
        for position, walk in enumerate(interp.engine.backward.passes):
            by_place[walk.call.place].append((position, walk))
        # Where there is another backward, the graph may be meant for it.
        if len(by_place) == 1:
            ((place, walks),) = by_place.items()
            if place is not None and len(walks) > 1:
                _judge_retained(interp, place, walks)


def _judge_cycles(interp: Interpreter) -> None:
    """`backward(create_graph=True)`: the gradient of a leaf leads back to the leaf itself."""
    for walk in interp.engine.backward.passes:
        call = walk.call
        if not (call.create_graph and call.accumulate) or call.place is None:
            continue
        held = [leaf for leaf in walk.leaves() if leaf.parameter and leaf.grad is not None]
        if _moved_by_others(interp, held):
            continue  # such an optimizer may differentiate the gradients
        if any(leaf.grad is not None and leaf.grad.node is not None for leaf in held):
            note(
                interp,
                Pitfall.GRADIENT_KEEPS_GRAPH,
                call.place,
                leaf=held[0],
                operator="create_graph",
                assumptions=held[0].requires or frozenset(),
            )


def _judge_retained(interp: Interpreter, place: Place, walks: list[tuple[int, Pass]]) -> None:
    """`retain_graph=True` in a loop whose graphs nothing walks again."""
    calls = [walk.call for _, walk in walks]
    if not all(call.accumulate and (call.retain_graph or call.create_graph) for call in calls):
        return
    for position, walk in walks:
        if any(node.opaque for node in walk.order) or _walked_again(interp, position, walk):
            return
    flag = "create_graph" if calls[0].create_graph else "retain_graph"
    if flag == "create_graph" and not _moved_by_torch(interp, walks[0][1]):
        return  # an optimizer of the program may differentiate the gradients
    if calls[0].create_graph and not _stepped_plainly(interp, [walk for _, walk in walks]):
        return
    note(interp, Pitfall.NEEDLESS_RETAIN, place, operator=flag)


def _stepped_plainly(interp: Interpreter, walks: list[Pass]) -> bool:
    """Whether all gradients go to optimizers that are known to read no more than their values."""
    if not interp.query(interp.world.source, _steps):
        return True
    optimizers = [
        stepping.optimizer for stepping in interp.state(TrainingRecord).optimizers.values()
    ]
    plain = [optimizer for optimizer in optimizers if _is_written(interp, optimizer)]
    held = {id(tensor) for optimizer in plain for tensor in optimized(optimizer)}
    return all(id(leaf) in held for walk in walks for leaf in walk.leaves())


def _is_written(interp: Interpreter, optimizer: Instance) -> bool:
    """Whether the code that makes an optimizer names its class, which is one of torch's: where it
    is given the class, it may be given another one the next time."""
    if not isinstance(optimizer.cls, External):
        return False
    name = optimizer.cls.path.rpartition(".")[2]
    made = optimizer.made_at
    return made is None or not isinstance(made, ast.Call) or name in interp.text(made.func)


def _moved_by_torch(interp: Interpreter, walk: Pass) -> bool:
    """Whether what a backward gets to is moved by an optimizer of torch, or is no parameter."""
    made = [stepping.optimizer for stepping in interp.state(TrainingRecord).optimizers.values()]
    own = {id(t) for one in made if isinstance(one.cls, External) for t in optimized(one)}
    parameters = [leaf for leaf in walk.leaves() if leaf.parameter]
    return not parameters or any(id(leaf) in own for leaf in parameters)


def _moved_by_others(interp: Interpreter, leaves: list[Tensor]) -> bool:
    """Whether an optimizer that is none of torch's has one of some parameters."""
    made = [stepping.optimizer for stepping in interp.state(TrainingRecord).optimizers.values()]
    others = {id(t) for one in made if not isinstance(one.cls, External) for t in optimized(one)}
    return any(id(leaf) in others for leaf in leaves)


def _walked_again(interp: Interpreter, position: int, walk: Pass) -> bool:
    own = {id(node) for node in walk.order if node.leaf is None}
    for later in interp.engine.backward.passes[position + 1 :]:
        for node in later.order:
            made_by = node.operator == walk.call.name and node.place == walk.call.place
            if id(node) in own or (walk.call.create_graph and made_by):
                return True
    return False


@query
def _steps(source: Source) -> bool:
    return ".step(" in source.text
