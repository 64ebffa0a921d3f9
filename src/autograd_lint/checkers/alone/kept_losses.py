"""A running sum or a list that takes in the loss itself, in the loop that trains by it.

total, penalties = 0, []
for x, y in loader:
    penalty = model.penalty()
    loss = criterion(model(x), y) + penalty
    loss.backward()
    total += loss / len(loader)   # keeps the graph of each iteration; `loss.item()` does not
    penalties.append(penalty)     # and so does what a loss is the sum of
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

from autograd_lint.checkers.bounded_lists import taken_out
from autograd_lint.checkers.surroundings import enclosing, has_few_rounds
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import Bound, body, path_of
from autograd_lint.facts.callers import covers, innermost_function
from autograd_lint.facts.training_statements import Does, all_training
from autograd_lint.project.code import code_of, spelt
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

Loop = ast.For | ast.While
# What takes the graph away from a loss: it is a number then, or a constant.
_NUMBER = re.compile(r"\.item\(|\.data\b|\.detach|\bfloat\(|\.numpy\(|\.tolist\(|no_grad|reduce")
_LOSS = re.compile(
    r"loss|nll|kl|mse|penalty|entropy|cost|err|objective|(?:^|_)(?:ce|reg)(?:_|$)", re.I
)
_SCALES = (ast.Mult, ast.Div)
_TERMS = (ast.Add, ast.Sub)


@dataclass(frozen=True)
class Kept:
    """A statement that adds to a sum, an entry of a dictionary or a list: what it adds to, and
    what."""

    node: ast.stmt | ast.Call
    target: ast.expr
    value: ast.expr

    @property
    def holder(self) -> ast.expr:
        """What it adds to, or the dictionary that this is an entry of."""
        return self.target.value if isinstance(self.target, ast.Subscript) else self.target

    @property
    def is_list(self) -> bool:
        return isinstance(self.node, ast.Call)


def judge(source: Source) -> Iterator[Fault]:
    """What is added to in a loop that trains by the very value that is added, or by a sum of it."""
    loops: list[Loop] = [*source.each(ast.For), *source.each(ast.While)]
    told: set[ast.AST] = set()
    for loop in loops:
        losses = _losses(loop)
        for kept in _kept(loop) if losses else ():
            loss = _multiple_of(kept.value, losses)
            if loss and kept.node not in told and _is_kept(source, loop, kept, loss):
                told.add(kept.node)
                yield _fault(source, loop, kept, loss)


def _losses(loop: Loop) -> set[str]:
    """What a loop that steps runs backward from, and the losses that this is a sum of."""
    training = list(all_training(loop.body))
    walked = [one for one in training if one.does is Does.WALKS and one.about.isidentifier()]
    steps = any(one.does is Does.STEPS for one in training)
    losses = {one.about for one in walked if steps}
    sums = [one for one in body(loop).bindings if one.path in losses]
    computed = {one.path for one in body(loop).bindings if isinstance(one.value, ast.Call)}
    terms = {term for bound in sums for term in _terms(bound.value)}
    return losses | {term for term in terms & computed if _LOSS.search(term)}


def _terms(value: ast.expr) -> Iterator[str]:
    """The names that an expression adds up, each with a factor or without."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, _TERMS + _SCALES):
        yield from _terms(value.left)
        yield from _terms(value.right)
    elif isinstance(value, ast.Name):
        yield value.id


def _kept(loop: Loop) -> Iterator[Kept]:
    """The statements of a loop that add to a name, an attribute, an entry or a list."""
    for node in walk(loop):
        match node:
            case ast.AugAssign(target=ast.Name() | ast.Attribute() as target, op=ast.Add()):
                yield Kept(node, target, node.value)
            case ast.AugAssign(
                target=ast.Subscript(value=ast.Name(), slice=ast.Constant()) as target, op=ast.Add()
            ):
                yield Kept(node, target, node.value)
            case ast.Assign(targets=[ast.Name() as target], value=ast.BinOp(op=ast.Add()) as sum_):
                for own, other in ((sum_.left, sum_.right), (sum_.right, sum_.left)):
                    if path_of(own) == target.id:
                        yield Kept(node, target, other)
            case ast.Call(
                func=ast.Attribute(value=ast.Name() as target, attr="append"), args=[one]
            ):
                yield Kept(node, target, one)


def _multiple_of(value: ast.expr, losses: Set[str]) -> str:
    """The loss that a value is, or a multiple of; empty where it is neither."""
    while isinstance(value, ast.BinOp) and isinstance(value.op, _SCALES):
        scaled = isinstance(value.op, ast.Mult) and path_of(value.right) in losses
        value = value.right if scaled else value.left
    return path_of(value) if path_of(value) in losses else ""


def _is_kept(source: Source, loop: Loop, kept: Kept, loss: str) -> bool:
    """Whether a sum begins with a number before the loop, or a list empty, goes on through it, and
    is looked at alone, while the loss that it takes in has its graph."""
    row = kept.target.lineno
    if has_few_rounds(enclosing(source, row), row):
        return False
    around = innermost_function(source, row) or source.tree
    target = path_of(kept.holder)
    own = [one for one in body(around).bindings if one.path == target and one.is_whole]
    before = [one for one in own if _begins(one, loop, kept)]
    again = [one for one in own if covers(loop, _row(one)) and one.statement is not kept.node]
    named = [one for one in body(loop).bindings if one.path == loss]
    constant = any(_NUMBER.search(code_of(one.value)) for one in named)
    cut = _NUMBER.search(_text_around(source, loop, kept, loss))
    used = _is_differentiated(around, target) or _is_shortened(around, target)
    return bool(before) and not (again or constant or cut or used)


def _begins(bound: Bound, loop: Loop, kept: Kept) -> bool:
    """Whether a binding before a loop is that of a number, of an empty list, or of a dictionary
    with a number."""
    if isinstance(bound.statement, ast.AugAssign) or _row(bound) >= loop.lineno:
        return False
    first: ast.expr | None = bound.value
    if isinstance(kept.target, ast.Subscript) and isinstance(first, ast.Dict):
        key = code_of(kept.target.slice)
        named = zip(first.keys, first.values, strict=True)
        first = next((one for name, one in named if name and code_of(name) == key), None)
    elif isinstance(kept.target, ast.Subscript):
        return False
    empty = isinstance(first, ast.List) and not first.elts
    return empty if kept.is_list else isinstance(first, ast.Constant)


def _row(bound: Bound) -> int:
    return bound.target.lineno


def _is_differentiated(around: ast.AST, target: str) -> bool:
    """Whether backward begins at a sum or list in a function, or at what is computed of it."""
    backwards = (one.node for one in body(around).calls if one.method == "backward")
    walked = {path for one in backwards for path in _paths(one)}
    computed = (one for one in body(around).bindings if one.path in walked)
    return target in walked or any(target in _paths(one.value) for one in computed)


def _is_shortened(around: ast.AST, target: str) -> bool:
    """Whether a function takes something out of a list again, or empties or deletes it."""
    deleted = (one for node in walk(around) if isinstance(node, ast.Delete) for one in node.targets)
    cleared = (one.owner for one in body(around).calls if one.method == "clear")
    return target in {*taken_out(around), *cleared, *map(path_of, deleted)}


def _paths(code: ast.expr) -> set[str]:
    return {spelt(one) for one in walk(code) if isinstance(one, (ast.Name, ast.Attribute))}


def _text_around(source: Source, loop: Loop, kept: Kept, loss: str) -> str:
    """The headers of the blocks around a statement in a loop, and the calls on the loss there."""
    row = kept.target.lineno
    blocks = [one for one in walk(loop) if isinstance(one, ast.With) and covers(one, row)]
    heads = [code_of(item.context_expr) for one in blocks for item in one.items]
    called = [f"{one.owner}.{one.method}" for one in body(loop).calls if one.owner == loss]
    return "\n".join([*heads, *(one for one in called if one.endswith("detach_"))])


def _fault(source: Source, loop: Loop, kept: Kept, loss: str) -> Fault:
    because = Assumption(Kind.LOSS_SAVES_TENSORS, loss, weight=0)
    computed = [one for one in body(loop).bindings if one.path == loss]
    return Fault(
        Pitfall.GRAPH_KEPT,
        source.place(kept.node if kept.is_list else kept.target),
        tensor=loss if kept.is_list else code_of(kept.target),
        operator="container" if kept.is_list else "running sum",
        built=Created(source.place(computed[-1].value), loss) if computed else None,
        assumptions=frozenset({because}),
    )
