"""A running sum that takes in the loss itself, in the loop that trains by it.

total = 0
for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    total += loss                 # keeps the graph of each iteration; `loss.item()` does not
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.checkers.surroundings import enclosing, has_few_rounds
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import Bound, body
from autograd_lint.facts.callers import covers, innermost_function
from autograd_lint.facts.training_statements import Does, all_training
from autograd_lint.project.code import code_of, spelt
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

Loop = ast.For | ast.While
# What takes the graph away from a loss: it is a number then, or a constant.
_NUMBER = re.compile(r"\.item\(|\.data\b|\.detach|\bfloat\(|\.numpy\(|\.tolist\(|no_grad|reduce")


def judge(source: Source) -> Iterator[Fault]:
    """What is added to in a loop that trains by the very value that is added."""
    loops: list[Loop] = [*source.each(ast.For), *source.each(ast.While)]
    told: set[ast.AST] = set()
    for loop in loops:
        training = list(all_training(loop.body))
        walked = [one for one in training if one.does is Does.WALKS and one.about.isidentifier()]
        steps = any(one.does is Does.STEPS for one in training)
        losses = {one.about: one.call for one in walked if steps}
        for added in _sums(loop) if losses else ():
            loss = spelt(added.value)
            if loss in losses and added not in told and _is_kept(source, loop, added, loss):
                told.add(added)
                yield _fault(source, added, losses[loss])


def _sums(loop: Loop) -> Iterator[ast.AugAssign]:
    """The statements of a loop that add to a name or an attribute."""
    for node in walk(loop):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            yield from [node] if isinstance(node.target, (ast.Name, ast.Attribute)) else []


def _is_kept(source: Source, loop: Loop, added: ast.AugAssign, loss: str) -> bool:
    """Whether a sum begins with a number before the loop, goes on through it, and is looked at
    alone, while the loss that it takes in has its graph."""
    if has_few_rounds(enclosing(source, added.lineno), added.lineno):
        return False
    around = innermost_function(source, added.lineno) or source.tree
    target = spelt(added.target)
    own = [one for one in body(around).assigned() if one.path == target and one.is_whole]
    before = [one for one in own if _begins(one, loop)]
    again = [one for one in own if covers(loop, _row(one))]
    named = [one for one in body(loop).bindings if one.path == loss]
    constant = any(_NUMBER.search(code_of(one.value)) for one in named)
    uses = any(target in _paths(one.value) for one in named)
    walks = {one.about for one in all_training(getattr(around, "body", []))}
    cut = _NUMBER.search(_text_around(source, loop, added, loss))
    return bool(before) and not (again or constant or uses or cut or target in walks)


def _begins(bound: Bound, loop: Loop) -> bool:
    """Whether a binding before a loop is that of a number."""
    return isinstance(bound.value, ast.Constant) and _row(bound) < loop.lineno


def _row(bound: Bound) -> int:
    return bound.target.lineno


def _paths(code: ast.expr) -> set[str]:
    return {spelt(one) for one in walk(code) if isinstance(one, (ast.Name, ast.Attribute))}


def _text_around(source: Source, loop: Loop, added: ast.AugAssign, loss: str) -> str:
    """The headers of the blocks around a sum in a loop, and what is called of the loss there."""
    blocks = [one for one in walk(loop) if isinstance(one, ast.With) and covers(one, added.lineno)]
    heads = [code_of(item.context_expr) for one in blocks for item in one.items]
    called = [f"{one.owner}.{one.method}" for one in body(loop).calls if one.owner == loss]
    return "\n".join([*heads, *(one for one in called if one.endswith("detach_"))])


def _fault(source: Source, added: ast.AugAssign, backward: ast.Call) -> Fault:
    loss = spelt(added.value)
    because = Assumption(Kind.LOSS_SAVES_TENSORS, loss, weight=0)
    return Fault(
        Pitfall.GRAPH_KEPT,
        source.place(added.target),
        tensor=spelt(added.target),
        operator="running sum",
        built=Created(source.place(backward), loss),
        assumptions=frozenset({because}),
    )
