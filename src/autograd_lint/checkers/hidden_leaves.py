"""Leaves that nobody gets: a function hands on the flag that it is given, and returns views of it.

Who asks `angles(3, requires_grad=True)` for tensors that require grad reads their `.grad`. Where
the flag lands on a tensor of which only parts or products are returned, that stays None.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.body import parameters_of
from autograd_lint.libraries.torch.events import LeafMade
from autograd_lint.libraries.torch.tensors.moved_leaves import CONVERSIONS
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import FunctionLeft
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Definition

FLAG = "requires_grad"
NEAR = 4  # nodes between a leaf and what is returned


@dataclass(slots=True, eq=False, repr=False)
class HiddenLeaves(Checker):
    """The leaves whose flag is an argument of the function that has made them, and of those that
    nobody gets the tensors that were returned instead."""

    made: list[tuple[Tensor, Frame]] = field(default_factory=list)
    hidden: list[tuple[Tensor, Tensor]] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, LeafMade, cls.leaf_made)
        to.add(cls, FunctionLeft, cls.left)

    def leaf_made(self, interp: Interpreter, event: LeafMade) -> None:
        """A leaf is made: does an argument say whether it requires grad?"""
        function, made = interp.frame.function, event.tensor.made
        if function is None or made is None or made.place is None or interp.frame.receiver:
            return
        if made.place.row in function.query(_flagged):
            self.made.append((event.tensor, interp.frame))

    def left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """A function is left: is such a leaf behind all that it returns, and returned nowhere?"""
        own = [leaf for leaf, frame in self.made if frame is event.frame]
        if not own:
            return
        self.made = [pair for pair in self.made if pair[1] is not event.frame]
        results = list(tensors_in(event.value))
        graphs = [one.node for one in results if one.node is not None]
        for leaf in own:
            hidden = bool(graphs) and all(any(leaf is end for end in _leaves(g)) for g in graphs)
            kept = any(leaf is one for one in results) or any(map(_is_conversion, graphs))
            if hidden and not kept:
                self.hidden.append((leaf, next(one for one in results if one.node is not None)))

    def end(self, interp: Interpreter) -> None:
        """The run is over: whose `.grad` has the program not read itself?"""
        faults = [one for one in interp.engine.faults if one.kind is Pitfall.NON_LEAF_GRAD]
        told = {one.built.place for one in faults if one.built is not None}
        for leaf, returned in self.hidden:
            built = returned.node.created if returned.node is not None else None
            if built is not None and leaf.made is not None and built.place not in told:
                note(
                    interp,
                    Pitfall.NON_LEAF_GRAD,
                    leaf.made.place,
                    tensor=returned.name,
                    operator=built.operator,
                    built=built,
                    assumptions=_asked_by_callers(leaf),
                )


def _asked_by_callers(leaf: Tensor) -> frozenset[Assumption]:
    """What makes a leaf require grad: that callers set the flag."""
    return frozenset(replace(why, given=False, called=True) for why in leaf.requires or ())


@query
def _flagged(source: Source, function: Definition) -> frozenset[int]:
    """The rows of the calls of a function that are given its own argument as the flag."""
    if isinstance(function, ast.Lambda) or FLAG not in parameters_of(function):
        return frozenset()
    calls = (node for node in walk(function) if isinstance(node, ast.Call))
    return frozenset(call.lineno for call in calls if any(map(_hands_on, call.keywords)))


def _hands_on(keyword: ast.keyword) -> bool:
    return keyword.arg == FLAG and isinstance(keyword.value, ast.Name) and keyword.value.id == FLAG


def _leaves(node: Node) -> Iterator[Tensor]:
    """The leaves to which a graph leads within a few nodes."""
    stack, seen = [node], 0
    while stack and seen < NEAR:
        current = stack.pop()
        seen += 1
        if current.leaf is not None:
            yield current.leaf
        stack.extend(current.edges)


def _is_conversion(node: Node) -> bool:
    """Whether an operator may have given back the leaf itself."""
    return node.operator in CONVERSIONS
