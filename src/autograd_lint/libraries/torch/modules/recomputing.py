"""What a checkpoint finds when backward runs its function again: the same saved tensors, or not.

Mirrors `_CheckpointFrame.check_recomputed_tensors_match` of torch/utils/checkpoint.py. Saving more
than before is let pass: the function is left once enough has been saved.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.machine import EngineError
from autograd_lint.engine.shapes import Shape, differ
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.immutable import immutable
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Instance, Method, Value

_CHOOSES = (ast.If, ast.IfExp, ast.For, ast.While, ast.Match)
_FEWER = "a different number of tensors was saved during the original forward and recomputation"
_OTHERS = "recomputed values have different metadata than during the forward pass"


@immutable
class Kept:
    """A tensor as it was saved."""

    dtype: str | None
    precision: str
    shape: Shape
    assumptions: frozenset[Assumption]


def nodes_since(results: Iterable[Tensor], before: int) -> list[Node]:
    """The nodes behind some results that were made after a time, the oldest first."""
    stack = [result.node for result in results if result.node is not None]
    found: dict[int, Node] = {}
    while stack:
        node = stack.pop()
        if id(node) not in found and node.sequence > before:
            found[id(node)] = node
            stack.extend(node.edges)
    return sorted(found.values(), key=lambda node: node.sequence)


def kept_by(nodes: Iterable[Node]) -> list[Kept]:
    """What nodes save, in the order in which they do."""
    return [
        Kept(s.tensor.dtype, s.tensor.precision, s.tensor.shape, s.assumptions)
        for node in nodes
        for s in node.saved
    ]


def may_differ(interp: Interpreter, function: Value) -> bool:
    """Whether a function chooses what it computes, and may choose otherwise when run again."""
    if isinstance(function, Instance) and isinstance(function.cls, Class):
        function = function.cls.find("forward")
    written = function.function if isinstance(function, Method) else function
    if not isinstance(written, Function):
        return False
    return _chooses(written.node)


@query
def _chooses(node: ast.AST) -> bool:
    return any(isinstance(part, _CHOOSES) for part in ast.walk(node))


def compare_on_backward(
    interp: Interpreter, nodes: list[Node], run: Callable[[], Value], at: ast.AST
) -> None:
    """Have the first of `nodes` that backward comes to run the function again, and compare."""
    first = kept_by(nodes)
    place = interp.place(at)
    waiting = [True]

    def again(needed_at: Place | None) -> None:
        if waiting.pop() if waiting else False:
            _compare(interp, first, run, place, needed_at)

    for node in nodes:
        if node.saved:
            node.run = again


def _compare(
    interp: Interpreter,
    first: list[Kept],
    run: Callable[[], Value],
    place: Place | None,
    needed_at: Place | None,
) -> None:
    before = interp.engine.tick()
    try:
        with interp.guarded(), interp.engine.mode(grad=True):
            second = kept_by(nodes_since(tensors_in(run()), before))
    except EngineError:
        return
    if interp.record.gave_up:
        return  # some of it was not followed to its end
    found = _difference(first, second)
    if found is not None:
        detail, assumptions = found
        interp.engine.report(
            Fault(
                FaultKind.OTHER,
                needed_at,
                operator="checkpoint",
                detail=detail,
                built=Created(place, "checkpoint"),
                assumptions=assumptions,
            )
        )


def _difference(first: list[Kept], second: list[Kept]) -> tuple[str, frozenset[Assumption]] | None:
    because = CERTAINLY.union(*(kept.assumptions for kept in [*first, *second]))
    if len(second) < len(first):
        return _FEWER, because
    for old, new in zip(first, second, strict=False):
        known = old.dtype is not None and new.dtype is not None
        if differ(old.shape, new.shape) or (known and old.dtype != new.dtype):
            return _OTHERS, because
        if old.precision != new.precision:
            given = old.precision or new.precision
            return _OTHERS, because | {Assumption(Kind.OTHER_PRECISION, detail=given)}
    return None
