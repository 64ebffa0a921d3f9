"""Where gradients are cleared in a file, and for whom.

def step(self, batch):
    self.optimizer.zero_grad()      # for this step: others that forget it are not cleared here
    self.loss(batch).backward()
    self.optimizer.step()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from autograd_lint.facts.relevance import words
from autograd_lint.facts.training_statements import (
    Block,
    Does,
    Training,
    all_training,
    is_optimizer,
)
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_CLEARS = re.compile(
    r"zero_grad|zero_gradients|\bgrad\s*=\s*None|\bgrad(?:\.data)?\.(?:zero_|fill_)|set_to_none"
    r"|clear_?grad|reset_?grad"
)
_IN_BYTES = re.compile(_CLEARS.pattern.encode())


@dataclass(frozen=True, slots=True)
class OwnTraining:
    """The rows of what trains and clears the gradients for that itself: a function, or a class,
    with its name; or a loop, which has none."""

    rows: range
    name: str = ""
    is_class: bool = False


@dataclass(frozen=True, slots=True)
class Asking:
    """What may have its gradients cleared elsewhere: the words of a function or loop that trains,
    and of the outermost definition around it."""

    own: frozenset[str]
    around: frozenset[str]

    def uses(self, training: OwnTraining) -> bool:
        """Whether it speaks of what trains by itself, which then may clear for it as well."""
        return training.name in (self.around if training.is_class else self.own)


def may_clear(data: bytes) -> bool:
    """Whether a file has anything by which gradients may be cleared."""
    return _IN_BYTES.search(data) is not None


def is_cleared_within(source: Source, node: ast.stmt, besides: Collection[int] = ()) -> bool:
    """Whether any gradients are cleared in the rows of a statement, but for some of them."""
    return any(at in rows_of(node) and at not in besides for at in _clearings(source))


def asking(source: Source, node: ast.stmt) -> Asking:
    """What stands in a statement of a file that trains, and around it."""
    outer = next((one for one in source.tree.body if node.lineno in rows_of(one)), node)
    return Asking(*(frozenset(words(source.segment(one))) for one in (node, outer)))


def clears_for(asking: Asking, source: Source, besides: Collection[int] = ()) -> bool:
    """Whether something in a file may clear gradients for what asks: what does not train itself, or
    what is spoken of there; some rows are left out."""
    apart = [besides, *(one.rows for one in _own_trainings(source) if not asking.uses(one))]
    return any(not any(at in rows for rows in apart) for at in _clearings(source))


@query
def _clearings(source: Source) -> tuple[int, ...]:
    """The rows of a file on which gradients may be cleared."""
    rows = enumerate(source.text.splitlines(), 1) if _CLEARS.search(source.text) else ()
    return tuple(row for row, line in rows if _CLEARS.search(line))


@query
def _own_trainings(source: Source) -> list[OwnTraining]:
    """What trains in a file and clears the gradients itself."""
    loops: list[ast.For | ast.While] = [*source.each(ast.For), *source.each(ast.While)]
    functions, classes = source.each(ast.FunctionDef), source.each(ast.ClassDef)
    own = [OwnTraining(rows_of(one)) for one in loops if _is_own(one.body)]
    own += [OwnTraining(rows_of(one), one.name) for one in functions if _is_own(one.body)]
    own += [OwnTraining(rows_of(one), one.name, is_class=True) for one in classes if _trains(one)]
    return own


def rows_of(node: ast.stmt) -> range:
    """The rows of a statement."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _trains(cls: ast.ClassDef) -> bool:
    """Whether the methods of a class train together, and clear for that."""
    methods = [one for one in cls.body if isinstance(one, ast.FunctionDef)]
    return _is_own([statement for one in methods for statement in one.body])


def _is_own(block: Block) -> bool:
    """Whether a block runs backward, and clears no more than it steps."""
    training = list(all_training(block))
    cleared = set(_of(Does.CLEARS, training))
    stepped = set(_of(Does.STEPS, training))
    own = all(about in stepped or not is_optimizer(about) for about in cleared)
    walks = any(_of(Does.WALKS, training))
    return walks and bool(cleared) and own and len(cleared) <= len(stepped)


def _of(does: Does, training: list[Training]) -> Iterator[str]:
    """What statements of training do that to."""
    return (one.about for one in training if one.does is does)
