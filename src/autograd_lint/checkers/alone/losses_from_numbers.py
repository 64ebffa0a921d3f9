"""A loss that is made anew from its own number, right before the backward."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.training_statements import Does, blocks, training_in
from autograd_lint.project.code import spelt
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_MAKES = re.compile(r"(?:torch\.(?:autograd\.)?)?(?:tensor|as_tensor|Tensor|FloatTensor|Variable)$")
_CUTS = {"item", "detach", "numpy", "data", "tolist"}


def judge(source: Source) -> Iterator[Fault]:
    """A name is bound to a new leaf that is computed from numbers of tensors, and backward begins
    at it further down in the block."""
    for block in blocks(source):
        walks = [(at, one) for at, one in training_in(block) if one.does is Does.WALKS]
        for position, one in walks:
            made = _last_binding(block[:position], one.about)
            if made is not None and _is_leaf_of_numbers(made):
                because = Assumption(Kind.MEANT_TO_LEARN, one.about, weight=0)
                place = source.place(made)
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
        if any(_stores(node, name) for node in walk(statement)):
            return None
    return None


def _stores(node: ast.AST, name: str) -> bool:
    stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    return stored and isinstance(node, ast.Name) and node.id == name


def _is_leaf_of_numbers(made: ast.expr) -> bool:
    if not isinstance(made, ast.Call) or not _MAKES.match(spelt(made.func)) or not made.args:
        return False
    flags = [one.value for one in made.keywords if one.arg == "requires_grad"]
    asked = any(isinstance(flag, ast.Constant) and flag.value is True for flag in flags)
    attributes = (node.attr for node in walk(made.args[0]) if isinstance(node, ast.Attribute))
    return asked and not _CUTS.isdisjoint(attributes)
