"""Custom Functions whose `backward` does not use the gradient that it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import FunctionBackwardRun
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

# Attributes and methods that tell the form of a tensor, or make another one of the same dtype.
_FORMAL = frozenset(
    {"shape", "size", "dtype", "device", "layout", "dim", "ndim", "numel", "is_cuda",
     "new_ones", "new_full", "new_tensor", "requires_grad"}
)  # fmt: skip
# Operators that hand the gradient of their result on as it is.
_PASSING_ON = frozenset({"add", "add_", "radd", "sum", "to", "cuda", "cpu", "clone", "reshape"})
_LIKENESSES = frozenset({"ones_like", "full_like", "rand_like", "randn_like"})


class IgnoredGradients(Checker):
    """Looks at each `backward` that has run."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, FunctionBackwardRun, cls.ran_backward)

    def ran_backward(self, interp: Interpreter, event: FunctionBackwardRun) -> None:
        """`backward` has run; where the Function gave the loss itself, that gradient is one, and so
        it is where its result is only added to other terms."""
        passes = interp.engine.backward.passes
        if not passes or id(event.node) in _given_ones(passes[-1].starts):
            return
        if next(tensors_in(event.result), None) is None or not event.backward.query(_is_ignored):
            return
        call, source = passes[-1].call, event.backward.source
        note(
            interp,
            Pitfall.OUTPUT_GRADIENT_IGNORED,
            source.place(event.backward.node),
            tensor=event.cls.name,
            needed=Needed(call.place, call.name),
            assumptions=event.node.requires,
        )


def _given_ones(starts: Iterable[Node]) -> set[int]:
    """The nodes that a backward from ones gives nothing but ones, by identity."""
    found: set[int] = set()
    stack = list(starts)
    while stack:
        node = stack.pop()
        if id(node) not in found:
            found.add(id(node))
            stack.extend(node.edges if node.operator in _PASSING_ON else ())
    return found


@query
def _is_ignored(_: Source, backward: ast.AST) -> bool:
    """Whether the code of `backward` reads the values of none of the gradients that it is given.

    Reading a gradient's size, dtype or device leaves the chain rule out just the same. Zeros in its
    likeness are a gradient that is meant to be cut.
    """
    if not isinstance(backward, ast.FunctionDef) or backward.args.vararg is not None:
        return False
    given = {one.arg for one in backward.args.args[1:]}
    formal = {id(part) for node in walk(backward) for part in _only_formal(node)}
    names = (one for one in walk(backward) if isinstance(one, ast.Name) and one.id in given)
    return bool(given) and all(id(one) in formal for one in names)


def _only_formal(node: ast.AST) -> list[ast.expr]:
    """What an expression asks for its form alone: size, dtype or device, or whether it is there."""
    if isinstance(node, ast.Attribute) and node.attr in _FORMAL:
        return [node.value]
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        return [node.left]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in _LIKENESSES or name.endswith("_as"):
            return node.args[:1]
    return []
