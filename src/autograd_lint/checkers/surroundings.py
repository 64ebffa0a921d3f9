"""What stands around a place: branches that are taken once, loops inside of one training step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.facts.body import body
from autograd_lint.facts.callers import covers, owner_at
from autograd_lint.facts.effects import effects_in, is_step
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function

NAMED = (ast.Name, ast.Attribute)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Loop = ast.For | ast.While
Block = ast.If | Loop


def enclosing(source: Source, row: int) -> list[Block]:
    """The branches and loops of a file in whose bodies a row stands, the outermost first."""
    statement = next((one for one in source.tree.body if _stands(one, row)), None)
    if statement is None:
        return []
    inside = _blocks_in(statement)
    return [one for one in (statement, *inside) if isinstance(one, Block) and encloses(one, row)]


def encloses(block: Block, row: int) -> bool:
    """Whether a row stands in the body of a branch or loop."""
    return any(part.lineno <= row <= (part.end_lineno or 0) for part in block.body)


@query
def _blocks_in(statement: ast.AST) -> list[Block]:
    """The branches and loops inside of a statement; it is none of them itself."""
    return [
        node for node in ast.walk(statement) if isinstance(node, Block) and node is not statement
    ]


def grows(interp: Interpreter, place: Place | None) -> bool:
    """Whether what is kept at a place is kept anew in every training step."""
    source = source_of(interp, place)
    if source is None or place is None:
        return True
    around = enclosing(source, place.row)
    few = _is_taken_once(around) or has_few_rounds(around, place.row)
    return not (few or _is_part_of_step(source, around, place.row))


def begins_anew(interp: Interpreter, place: Place | None, name: str | None) -> bool:
    """Whether what a loop adds to begins anew every few rounds: the graphs of no more than these
    are kept.

    for batch in loader:
        total += loss
        if next(count) % rounds == 0:
            print(total / rounds)
            total = 0.0
    """
    source = source_of(interp, place)
    if source is None or place is None:
        return False
    loops = [one for one in enclosing(source, place.row) if isinstance(one, Loop)]
    branches = _blocks_in(loops[-1]) if loops else []
    return any(isinstance(one, ast.If) and name in _set_anew(one) for one in branches)


def is_in_loop(interp: Interpreter, place: Place) -> bool:
    """Whether a place stands in the body of a loop, or in a comprehension."""
    source = source_of(interp, place)
    return source is not None and bool(_loops_around(source, place.row))


def _loops_around(source: Source, row: int) -> list[ast.AST]:
    """The loops and comprehensions of a file that run a row again and again."""
    loops: list[ast.AST] = [one for one in enclosing(source, row) if isinstance(one, Loop)]
    statement = next((one for one in source.tree.body if _stands(one, row)), None)
    parts = ast.walk(statement) if statement is not None else ()
    return loops + [
        one
        for one in parts
        if isinstance(one, COMPREHENSIONS) and one.lineno <= row <= (one.end_lineno or 0)
    ]


def source_of(interp: Interpreter, place: Place | None) -> Source | None:
    """The file in which a place stands; the one that is analysed where there is no place."""
    own = interp.world.source
    if place is None or place.filename == own.filename:
        return own
    return interp.world.project.file(place.filename)


def _stands(node: ast.stmt, row: int) -> bool:
    return node.lineno <= row <= (node.end_lineno or 0)


def _is_taken_once(around: list[Block]) -> bool:
    """Whether a branch sets what its condition finds not to be set yet."""
    branches = [node for node in around if isinstance(node, ast.If)]
    return any(
        any(missing in _set_anew(branch) for missing in _missing(branch.test))
        for branch in branches
    )


def _missing(test: ast.expr) -> Iterator[str]:
    """What a condition finds not to be set: `x is None`, `not x`, `x < 0`."""
    for part in test.values if isinstance(test, ast.BoolOp) else [test]:
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
            yield code_of(part.operand)
        elif isinstance(part, ast.Compare) and _asks_for_nothing(part):
            yield code_of(part.left)


def _asks_for_nothing(test: ast.Compare) -> bool:
    below = isinstance(test.ops[0], (ast.Is, ast.Eq, ast.Lt))
    return below and isinstance(test.comparators[0], ast.Constant)


def _set_anew(branch: ast.If) -> set[str]:
    """What a branch sets, not counting what it computes from its own earlier value."""
    found: set[str] = set()
    for node in ast.walk(ast.Module(branch.body, [])):
        if isinstance(node, ast.Assign):
            names = {code_of(target) for target in node.targets}
            read = {code_of(part) for part in ast.walk(node.value) if isinstance(part, NAMED)}
            found |= names - read
    return found


@query
def refitted(_: Source, function: ast.AST) -> frozenset[str]:
    """The attributes that a function sets anew where they do not fit something else it has."""
    branches = [node for node in ast.walk(function) if isinstance(node, ast.If)]
    return frozenset(name for branch in branches for name in _compared(branch) & _set_in(branch))


def _compared(branch: ast.If) -> set[str]:
    """The attributes that a condition compares with names."""
    compared: set[str] = set()
    for test in ast.walk(branch.test):
        if isinstance(test, ast.Compare):
            parts = list(ast.walk(test))
            owned = {id(part.value) for part in parts if isinstance(part, ast.Attribute)}
            if any(isinstance(part, ast.Name) and id(part) not in owned for part in parts):
                compared |= {part.attr for part in parts if isinstance(part, ast.Attribute)}
    return compared


def _set_in(branch: ast.If) -> set[str]:
    nodes = ast.walk(ast.Module(branch.body, []))
    stored = (node for node in nodes if isinstance(node, ast.Attribute))
    return {node.attr for node in stored if isinstance(node.ctx, ast.Store)}


def has_few_rounds(around: list[Block], row: int) -> bool:
    """Whether the innermost loop around a row is short: its rounds belong to one batch, or are as
    many as there are optimizers."""
    loops = [node for node in around if isinstance(node, Loop)]
    if not loops or not isinstance(loops[-1], ast.For):
        return False
    return _goes_through_optimizers(loops[-1]) or _begins_with_each_batch(loops, row)


def _goes_through_optimizers(loop: ast.For) -> bool:
    """Whether each round of a loop steps an optimizer of its own.

    for i in range(len(critics)):
        losses[i].backward()
        optimizers[i].step()
    """
    bound = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    steps = (call.node.func for call in body(loop).calls if call.method == "step")
    owners = (step.value for step in steps if isinstance(step, ast.Attribute))
    picked = (one.slice if isinstance(one, ast.Subscript) else one for one in owners)
    return any(isinstance(one, ast.Name) and one.id in bound for one in picked)


def _begins_with_each_batch(loops: list[Loop], row: int) -> bool:
    """Whether a loop counts a few rounds for each batch, and what it adds to begins with the batch.

    for batch in loader:
        total = 0.0
        for _ in range(rounds):
            total += loss
    """
    if len(loops) < 2 or not _counts(loops[-1]) or _counts(loops[-2]):
        return False
    inner, outer = loops[-1], loops[-2]
    added = {one.path for one in body(inner).bindings if one.target.lineno == row}
    begun = (one for one in body(outer).bindings if one.target.lineno < inner.lineno)
    return any(one.path in added and one.is_whole for one in begun)


def _counts(loop: Loop) -> bool:
    """Whether a loop goes through numbers, and not through data."""
    if isinstance(loop, ast.While):
        return False
    names = (node.id for node in ast.walk(loop.iter) if isinstance(node, ast.Name))
    return any(name in ("range", "trange") for name in names)


def _is_part_of_step(source: Source, around: list[Block], row: int) -> bool:
    """Whether the innermost loop that trains runs backward, but the optimizer steps only in one
    around it, or behind the loop."""
    loops = [effects_in(source, node) for node in reversed(around) if isinstance(node, Loop)]
    loops = [loop for loop in loops if loop.trains or loop.stepped]
    if not loops or loops[0].stepped:
        return False
    return any(loop.stepped for loop in loops) or _is_followed_by_step(source, row)


def _is_followed_by_step(source: Source, row: int) -> bool:
    """Whether an optimizer steps behind a statement of a function, and in no loop there."""
    owner = owner_at(source, row)
    if owner is None or owner.function is None:
        return False
    function = owner.function
    behind = [one for one in function.body if one.lineno > row and not isinstance(one, Loop)]
    steps = [call.node.lineno for call in body(function).calls if is_step(call, function)]
    return any(covers(one, step) for one in behind for step in steps)


def is_inside(place: Place | None, function: Function) -> bool:
    """Whether a place is one of the rows of a function."""
    if place is None or place.filename != function.source.filename:
        return False
    node = function.node
    return node.lineno <= place.row <= (node.end_lineno or node.lineno)
