"""A loss that is made anew from its own number, right before the backward."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.training_statements import Does, trained_blocks
from autograd_lint.project.code import spelt
from autograd_lint.project.nodes import binds, walk
from autograd_lint.project.source import Source

_MAKES = re.compile(r"(?:torch\.(?:autograd\.)?)?(?:tensor|as_tensor|Tensor|FloatTensor|Variable)$")
_CUTS = {"item", "detach", "numpy", "tolist"}


def judge(source: Source) -> Iterator[Fault]:
    """A name is bound to a new leaf that is computed from numbers of tensors, and backward begins
    at it further down in the block."""
    for block, found in trained_blocks(source):
        for position, one in found:
            if one.does is not Does.WALKS:
                continue
            made = _last_binding(block[:position], one.about)
            cut = _cut_in_leaf(made) if made is not None else None
            if cut is not None:
                because = Assumption(Kind.MEANT_TO_LEARN, one.about, weight=0)
                place = source.place(cut)
                yield Fault(
                    Pitfall.LOSS_REBUILT,
                    place,
                    tensor=one.about,
                    operator="tensor",
                    built=Created(place, "tensor"),
                    needed=Needed(source.place(one.call), "backward"),
                    assumptions=frozenset({because}),
                )


def _last_binding(before: Sequence[ast.stmt], name: str) -> ast.expr | None:
    """What the last plain assignment to a name binds it to; None where other code may bind it."""
    for statement in reversed(before):
        if isinstance(statement, ast.Assign) and [spelt(one) for one in statement.targets] == [
            name
        ]:
            return statement.value
        if any(binds(node, name) for node in walk(statement)):
            return None
    return None


def _cut_in_leaf(made: ast.expr) -> ast.expr | None:
    """What takes a tensor out of its graph where a new leaf that requires grad is made of it."""
    if not isinstance(made, ast.Call) or not _MAKES.match(spelt(made.func)) or not made.args:
        return None
    flags = [one.value for one in made.keywords if one.arg == "requires_grad"]
    if not any(isinstance(flag, ast.Constant) and flag.value is True for flag in flags):
        return None
    return next(filter(_cuts, walk(made.args[0])), None)


def _cuts(node: ast.AST) -> TypeGuard[ast.expr]:
    """Whether a node is the number, the detached twin or the data of a tensor."""
    named = node.func if isinstance(node, ast.Call) else node
    if not isinstance(named, ast.Attribute):
        return False
    return named.attr in _CUTS if isinstance(node, ast.Call) else named.attr == "data"
