"""Gradients that are reversed for all terms of a loss, where one of them is an adversary.

features.register_hook(lambda grad: -grad)
loss = classify(features, y) + domain(features, d)    # the encoder now makes both losses larger
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import sums_in
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import leaves_of, reached
from autograd_lint.libraries.torch.events import FunctionBackwardRun, HookRegistered, PassBegun
from autograd_lint.project.nodes import walk as parts_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function

NEGATING = frozenset({"neg", "neg_", "negative"})
MULTIPLYING = frozenset({"mul", "mul_", "multiply"})


@dataclass(slots=True, eq=False, repr=False)
class ReversedGradients(Checker):
    """The nodes whose gradient a hook reverses, by identity, with what the hook was put on."""

    hooked: dict[int, tuple[Node, Tensor, Created]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, HookRegistered, cls.hook_registered)
        to.add(cls, PassBegun, cls.passed, waits=True)
        to.add(cls, FunctionBackwardRun, cls.ran_backward)

    def hook_registered(self, interp: Interpreter, event: HookRegistered) -> None:
        """A hook is put on a tensor: does it turn the gradient round?"""
        owner, hook = event.owner, event.hook
        if not isinstance(owner, Tensor) or owner.node is None or not isinstance(hook, Function):
            return
        if hook.query(_reverses):
            made = Created(event.place, event.operator)
            self.hooked[id(owner.node)] = (owner.node, owner, made)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: through such a hook, for several terms of the loss?"""
        for node in event.walk.order if self.hooked else ():
            known = self.hooked.get(id(node))
            if known is not None and known[0] is node:
                _judge(interp, event.walk, node, known[2], known[1].name)

    def ran_backward(self, interp: Interpreter, event: FunctionBackwardRun) -> None:
        """`backward` of a custom Function has run: is the Function a reversal?"""
        passes = interp.engine.backward.passes
        reverses = event.backward.query(_reverses)
        if passes and reverses:
            _judge(interp, passes[-1], event.node, event.node.created, event.node.name)


def _judge(interp: Interpreter, walk: Pass, node: Node, made: Created, name: str | None) -> None:
    """Whether what trains behind a reversal gets nothing but reversed gradients, of several terms:
    an adversary has the others against it."""
    behind = list(leaves_of([node]))
    if not behind or not any(_is_in_several(one, node) for one in sums_in(walk.starts)):
        return
    beside = {id(leaf) for leaf in _leaves_beside(walk, node)}
    if all(id(leaf) not in beside for leaf in behind):
        note(
            interp,
            Pitfall.REVERSED_FOR_ALL,
            made.place,
            tensor=name,
            operator=made.operator,
            needed=Needed(walk.call.place, walk.call.name),
            assumptions=node.requires,
        )


def _is_in_several(total: Node, node: Node) -> bool:
    """Whether several of the terms of a sum were computed from the result of a node."""
    return sum(id(node) in reached([term]) for term in total.edges) > 1


def _leaves_beside(walk: Pass, node: Node) -> Iterator[Tensor]:
    """The leaves that a backward gets to without going through a node."""
    others = [one for one in walk.starts if one is not node]
    closed = {(id(one), id(node)) for one in reached(others).values()}
    return leaves_of(others, closed)


@query
def _reverses(_: Source, function: ast.AST) -> bool:
    """Whether what a function returns is a product with a minus."""
    returned = [one.value for one in parts_of(function) if isinstance(one, ast.Return)]
    if isinstance(function, ast.Lambda):
        returned = [function.body]
    return len(returned) == 1 and returned[0] is not None and _minuses(returned[0]) == 1


def _minuses(node: ast.expr) -> int:
    """How often the factors of a product are turned round; of several values, those of the first
    (`return -grad, None`)."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) + _minuses(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        return _minuses(node.left) + _minuses(node.right)
    if isinstance(node, ast.Tuple) and node.elts:
        return _minuses(node.elts[0])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        factors = node.args if node.func.attr in MULTIPLYING else []
        own = node.func.attr in NEGATING
        return own + _minuses(node.func.value) + sum(map(_minuses, factors))
    return 0
