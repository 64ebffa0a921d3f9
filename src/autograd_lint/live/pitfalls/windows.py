"""Gradients that are cleared in each iteration, where a step is only taken every few of them; and
those of an incomplete window, which are left to the first step of the next epoch."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from weakref import ref

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import LEFT_OVER, Pitfall
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.told import Told, parameters_of, stepped
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site
from autograd_lint.live.source import tree_of

_WINDOWS = 2  # that are alike
_STEPS = 4  # of which one uses more than the others, and not the latest one
_LOOPS = (ast.For, ast.While)
Lost = tuple[Site | None, Site | None]  # what cleared a gradient, what had filled it


@dataclass(slots=True)
class _Window:
    """What was lost since the latest step of an optimizer, and before each step, and of how many
    backwards the gradients were that the latest steps used."""

    optimizer: ref[Optimizer]
    lost: list[Lost] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    used: deque[int] = field(default_factory=lambda: deque(maxlen=_STEPS))
    steps: int = 0


class Windows(Family):
    """Counts for each optimizer how often it cleared what no step had used."""

    __slots__ = ("_gradients", "_of_data", "_told", "_windows")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._of_data: set[Site | None] = set()  # calls that also give gradients of data
        self._windows: dict[int, _Window] = {}

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: are gradients of data what it is there for?"""
        if any(not self._gradients.leaf(one).is_parameter for one in walk.asked):
            self._of_data.add(walk.site)

    def clearing(
        self, owner: Optimizer | torch.nn.Module, held: list[torch.Tensor], site: Site | None
    ) -> None:
        """Gradients of optimizers are about to be cleared, by one or by a module."""
        leaf = self._filled(held)
        if leaf is None or leaf.used is not None:
            return
        windows = [self._of(owner)] if isinstance(owner, Optimizer) else self._windows_of(leaf)
        for window in windows:
            window.lost.append((site, leaf.filled))

    def before_step(self, step: Step) -> None:
        """An optimizer is about to use the gradients of the latest backward."""
        window, leaf, site = self._of(step.optimizer), self._filled(step.held), step.site
        self._look_at_tail(window, step)
        lost, window.lost = window.lost, []
        is_same = leaf is not None and {backward for _, backward in lost} == {leaf.filled}
        if leaf is None or not is_same or leaf.filled in self._of_data:
            window.before.clear()
            return
        window.before.append(len(lost))
        latest = window.before[-_WINDOWS:]
        if latest != [len(lost)] * _WINDOWS or site is None:
            return
        first = lost[0][0]
        if _is_of_every_few(site) or (first is not None and _is_behind(site, first)):
            needed = Needed(place_of(leaf.filled), "backward")
            self._told.tell(
                Pitfall.ZERO_GRAD_BEFORE_STEP, first, modified=stepped(site), needed=needed
            )

    def _look_at_tail(self, window: _Window, step: Step) -> None:
        """Did one of several steps use the rest of an epoch beside its own window?"""
        leaves = (self._gradients.leaf(one) for one in step.held)
        leaf = next((leaf for leaf in leaves if leaf.filled is not None), None)
        window.used.append(0 if leaf is None or leaf.used is not None else leaf.times)
        window.steps += 1
        first, *others = window.used
        if leaf is None or step.site is None or first < 2 or max(others, default=0) >= 2 * first:
            return
        is_once = len(others) == _STEPS - 1 and others[0] == others[2] == first < others[1]
        is_next = window.steps == 2 and first < others[0] and _begins_again(step.site)
        if (is_once or is_next) and _is_of_every_few(step.site):
            needed = Needed(place_of(leaf.filled), "backward")
            self._told.tell(Pitfall.WINDOW_MISJUDGED, step.site, detail=LEFT_OVER, needed=needed)

    def _windows_of(self, leaf: Leaf) -> list[_Window]:
        """Those of the optimizers that have stepped, and have a leaf."""
        tensor, known = leaf.tensor(), [(one, one.optimizer()) for one in self._windows.values()]
        held = ((one, parameters_of(each)) for one, each in known if each is not None)
        return [one for one, own in held if any(each is tensor for each in own)]

    def _filled(self, held: list[torch.Tensor]) -> Leaf | None:
        """A leaf among these that holds what the latest backward has left."""
        leaves = (self._gradients.leaf(one) for one in held)
        return next((leaf for leaf in leaves if leaf.filled is not None and leaf.is_as_left), None)

    def _of(self, optimizer: Optimizer) -> _Window:
        known = self._windows.get(id(optimizer))
        if known is None or known.optimizer() is not optimizer:
            known = self._windows[id(optimizer)] = _Window(ref(optimizer))
        return known


def _is_of_every_few(site: Site) -> bool:
    """Whether a place is below a condition that asks for a remainder (`if (i + 1) % 4 == 0`), or
    after one below which the program leaves (`if i % 4: return`)."""
    tree, row = tree_of(site.filename), site.place.row
    nodes = [*ast.walk(tree)] if tree is not None else []
    conditions = (node.test for node in nodes if isinstance(node, ast.If) and _governs(node, row))
    guards = (test for node in nodes for test in _guards(node, row))
    tests = (*conditions, *guards)
    return any(isinstance(part, ast.Mod) for test in tests for part in ast.walk(test))


def _begins_again(site: Site) -> bool:
    """Whether a place is in a loop over what `enumerate` counts, inside of another loop."""
    tree, row = tree_of(site.filename), site.place.row
    nodes = [*ast.walk(tree)] if tree is not None else []
    loops = [node for node in nodes if isinstance(node, _LOOPS) and _governs(node, row)]
    inner = max(loops, key=lambda node: node.lineno, default=None)
    if len(loops) < 2 or not isinstance(inner, ast.For) or not isinstance(inner.iter, ast.Call):
        return False
    return ast.unparse(inner.iter.func) == "enumerate"


def _is_behind(step: Site, clearing: Site) -> bool:
    """Whether a step comes after a loop of the same function in which gradients are cleared."""
    tree = tree_of(step.filename) if step.code is clearing.code else None
    rows = step.place.row, clearing.place.row
    loops = (node for node in ast.walk(tree) if isinstance(node, _LOOPS)) if tree else ()
    inner = [node for node in loops if _governs(node, rows[1]) and not _governs(node, rows[0])]
    return any((node.end_lineno or 0) < rows[0] for node in inner)


def _governs(node: ast.stmt, row: int) -> bool:
    return node.lineno <= row <= (node.end_lineno or row)


def _guards(node: ast.AST, row: int) -> Iterator[ast.expr]:
    """The conditions under which a block is left before a row of it is reached."""
    block = getattr(node, "body", None)
    if not isinstance(block, list) or not any(_governs(one, row) for one in block):
        return
    for one in block:
        leaves = isinstance(one, ast.If) and isinstance(one.body[-1], (ast.Continue, ast.Return))
        if isinstance(one, ast.If) and leaves and (one.end_lineno or row) < row:
            yield one.test
