"""The statements of a function that a finding is about, cut out of it.

What lies between the statement that saves and the one that writes and binds or changes what those
read belongs to the slice; of what lies before, as many generations of definitions as are asked for.
Branches that lead to the finding are taken as if their conditions held. Rows stay as they are.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograd_lint.live.confirm.names import Path, binds, changes, reads, touches

RESULT = "_autograd_lint_result"
Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True)
class Slice:
    """`once` runs before the first round, `again` in every round; `conditions` are rows of
    branches that are taken for granted, `rows` those of all statements and `goals` of those that
    the finding speaks of. `looped` says that the program has a loop around them."""

    once: list[ast.stmt]
    again: list[ast.stmt]
    conditions: list[int]
    rows: list[int]
    goals: list[int]
    looped: bool

    @property
    def statements(self) -> list[ast.stmt]:
        """All of them, in order."""
        return [*self.once, *self.again]


@dataclass(frozen=True)
class _Step:
    """A statement, with the grad modes it runs in, the loops around it and branches taken."""

    node: ast.stmt
    modes: tuple[ast.With, ...] = ()
    loops: tuple[Loop, ...] = ()
    branches: tuple[int, ...] = ()
    goal: bool = False


@dataclass
class _Needed:
    """Paths whose values are needed, and how many definitions away from the finding."""

    generations: dict[Path, int] = field(default_factory=dict)

    def add(self, paths: set[Path], generation: int) -> None:
        for path in paths:
            known = self.generations.get(path, generation)
            self.generations[path] = min(known, generation)

    def of(self, paths: set[Path]) -> int | None:
        """The nearest generation that needs one of these."""
        found = [
            generation
            for needed, generation in self.generations.items()
            if any(touches(path, needed) for path in paths)
        ]
        return min(found, default=None)

    def given(self, paths: set[Path]) -> None:
        self.generations = {
            needed: generation
            for needed, generation in self.generations.items()
            if not any(touches(path, needed) for path in paths)
        }


def slice_of(tree: ast.Module, rows: Sequence[int], generations: int) -> Slice | None:
    """The slice around `rows`, the first of which says in which function; None without one."""
    if not rows:
        return None
    body = _function_around(tree, rows[0])
    steps = list(_steps(body, frozenset(rows), _Step(ast.Pass())))
    goals = [index for index, step in enumerate(steps) if step.goal]
    if not goals:
        return None
    chosen = _chosen(steps, goals[0], goals[-1], generations)
    loop = _common_loop([step for step in chosen if step.goal])
    inside = [step for step in chosen if loop is None or loop in step.loops]
    before = [step for step in chosen if not any(step is one for one in inside)]
    return Slice(
        _rebuilt(before),
        _rebuilt(inside),
        sorted({row for step in chosen for row in step.branches}),
        sorted({step.node.lineno for step in chosen}),
        sorted({step.node.lineno for step in chosen if step.goal}),
        loop is not None,
    )


def _function_around(tree: ast.Module, row: int) -> list[ast.stmt]:
    """The body of the innermost function around a row, or of the module."""
    body: list[ast.stmt] = tree.body
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.body[0].lineno <= row <= (node.end_lineno or 0):
            body = node.body  # the walk comes by inner ones later
    return body


def _steps(body: Sequence[ast.stmt], rows: frozenset[int], around: _Step) -> Iterator[_Step]:
    """The statements in order; those around a row of the finding are taken apart."""
    for node in body:
        own = _Step(node, around.modes, around.loops, around.branches)
        if not _covers(node, rows):
            yield own
        elif isinstance(node, ast.If):
            taken = node.body if any(_covers(s, rows) for s in node.body) else node.orelse
            branches = (*around.branches, node.lineno)
            yield from _steps(taken, rows, _Step(node, around.modes, around.loops, branches))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            loops = (*around.loops, node)
            if not isinstance(node, ast.While):
                yield _Step(_first_item(node), around.modes, loops, around.branches)
            yield from _steps(node.body, rows, _Step(node, around.modes, loops, around.branches))
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            modes = around.modes
            if isinstance(node, ast.With) and _is_mode(node):
                modes = (*modes, node)
            yield from _steps(node.body, rows, _Step(node, modes, around.loops, around.branches))
        elif isinstance(node, ast.Try):
            yield from _steps([*node.body, *node.finalbody], rows, around)
        else:
            simple = _as_assignment(node)
            goal = not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef))
            yield _Step(simple, around.modes, around.loops, around.branches, goal)


def _covers(node: ast.stmt, rows: frozenset[int]) -> bool:
    return any(node.lineno <= row <= (node.end_lineno or node.lineno) for row in rows)


def _is_mode(node: ast.With) -> bool:
    """Whether it is torch that is entered: a grad mode, a cast."""
    return all(any(path.startswith("torch.") for path in reads(item)) for item in node.items)


def _first_item(loop: ast.For | ast.AsyncFor) -> ast.stmt:
    """The binding that the first round of a loop makes."""
    (line,) = ast.parse("target = next(iter(items))").body
    assert isinstance(line, ast.Assign) and isinstance(line.value, ast.Call)
    inner = line.value.args[0]
    assert isinstance(inner, ast.Call)
    line.targets, inner.args = [loop.target], [loop.iter]
    return _placed(line, loop)


def _as_assignment(node: ast.stmt) -> ast.stmt:
    """What is returned is given a name instead."""
    if not isinstance(node, ast.Return) or node.value is None:
        return node
    return _placed(ast.Assign([ast.Name(RESULT, ast.Store())], node.value), node)


def _placed(new: ast.stmt, at: ast.stmt) -> ast.stmt:
    """A new statement at the position of the one it is made of."""
    own = set(ast.walk(at))
    for node in ast.walk(new):
        if "lineno" in node._attributes and node not in own:
            ast.copy_location(node, at)
    return new


def _chosen(steps: list[_Step], first: int, last: int, generations: int) -> list[_Step]:
    needed = _Needed()
    chosen: list[_Step] = []
    for index in reversed(range(last + 1)):
        step = steps[index]
        bound, changed = binds(step.node), changes(step.node)
        generation = 0 if step.goal else needed.of(bound | changed)
        if generation is None or not _is_runnable(step.node):
            continue
        if index < first:
            generation += 1
            if generation > generations:
                continue
        chosen.append(step)
        if not isinstance(step.node, (ast.If, ast.For, ast.While, ast.Try, ast.With)):
            needed.given(bound - changed)
        needed.add(reads(step.node), generation)
    return chosen[::-1]


_BOUND_TO_A_FUNCTION = (
    ast.Await,
    ast.Break,
    ast.Continue,
    ast.Global,
    ast.Nonlocal,
    ast.Return,
    ast.Yield,
    ast.YieldFrom,
)


def _is_runnable(node: ast.stmt) -> bool:
    """Whether a statement can stand outside of its function."""
    return not any(isinstance(inner, _BOUND_TO_A_FUNCTION) for inner in ast.walk(node))


def _common_loop(goals: list[_Step]) -> Loop | None:
    """The innermost loop that is around all of them."""
    for loop in reversed(goals[0].loops if goals else ()):
        if all(loop in goal.loops for goal in goals):
            return loop
    return None


def _rebuilt(steps: Sequence[_Step], depth: int = 0) -> list[ast.stmt]:
    """The statements, those that run in a grad mode inside of its `with` again."""
    found: list[ast.stmt] = []
    groups = itertools.groupby(
        steps, key=lambda step: step.modes[depth] if len(step.modes) > depth else None
    )
    for mode, group in groups:
        if mode is None:
            found += [step.node for step in group]
        else:
            block = copy.copy(mode)
            block.body = _rebuilt(list(group), depth + 1)
            found.append(block)
    return found


def free_names(statements: Sequence[ast.stmt]) -> list[str]:
    """The names that are read before they are bound."""
    bound: set[str] = set()
    free: dict[str, None] = {}
    for statement in statements:
        parts = statement.body if isinstance(statement, ast.With) else [statement]
        heads = statement.items if isinstance(statement, ast.With) else []
        for part in (*heads, *parts):
            names = sorted({path.partition(".")[0] for path in reads(part) | changes(part)})
            free.update(dict.fromkeys(name for name in names if name not in bound))
            bound |= {path for path in binds(part) if "." not in path}
    return list(free)
