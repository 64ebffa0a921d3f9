"""Graphs of results that are collected or added up, by a program that never walks them."""

from __future__ import annotations

from autograd_lint.checkers.batches import Evaluations
from autograd_lint.checkers.containers import GrowingContainers
from autograd_lint.checkers.kept_graphs import note_evaluated, note_kept
from autograd_lint.checkers.read_containers import may_train_on
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.engine.walk import reached
from autograd_lint.places import Place
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.machine import Interpreter

FAR = 60  # nodes that are looked through for a parameter
ROUNDS = 3  # values that show that something grows


def judge_lists(interp: Interpreter, part_of_step: set[Place]) -> None:
    """Outputs of trained modules, collected by a program that never runs backward on them.

    Of a function whose callers are not known, only what it computes in evaluation mode is told, and
    nothing where it runs backward on others: unseen code may do so on these.
    """
    trains = bool(interp.engine.backward.passes)
    if trains and (not interp.whole or interp.opaque_backward or interp.record.gave_up):
        return
    for (_, place), kept in interp.state(GrowingContainers).taken.items():
        graphs = [graph for value, _ in kept if (graph := graph_of(value)) is not None]
        if place in part_of_step or len(graphs) < 2 or any(one.walked_at for one in graphs):
            continue
        if trains and may_train_on(interp.source, place):
            continue
        evaluated = interp.state(Evaluations).behind(graphs[-1], graphs[:1])
        if evaluated is not None:
            note_evaluated(interp, place, None, "container", graphs[-1], evaluated)
        elif interp.whole and len(graphs) >= ROUNDS and _of_module(graphs[-1]):
            if _goes_on(graphs) or _each_of_own_parameters(graphs) or _parts_of_one(graphs):
                continue  # the steps of one sequence, entries for parts of a model, or of a result
            note_kept(interp, place, None, "container", graphs[-1])


def judge_sums(
    interp: Interpreter, sums: dict[tuple[Place, str | None], tuple[Tensor, Node]]
) -> None:
    """Losses of many batches, added up by a program that never runs backward on the sum."""
    for (place, name), (total, before) in sums.items():
        node = total.node
        if node is None or node.walked_at:
            continue
        evaluated = interp.state(Evaluations).behind(node, [before])
        # A backward through unknown code may have got anywhere, but not to an evaluation.
        # Losses are numbers: an image that is composed of several is its own purpose.
        plain = interp.whole and not interp.opaque_backward and total.shape == ()
        if evaluated is not None:
            note_evaluated(interp, place, name, "running sum", node, evaluated)
        elif plain:
            note_kept(interp, place, name, "running sum", node)


def _goes_on(graphs: list[Node]) -> bool:
    """Whether the last of some graphs leads to what the rounds before it have computed."""
    *earlier, last = graphs
    within = range(earlier[0].sequence, earlier[-1].sequence + 1)
    behind = reached([last]).values()
    return any(node.sequence in within for node in behind if node.leaf is None)


def _each_of_own_parameters(graphs: list[Node]) -> bool:
    """Whether the last two graphs begin at different parameters: there are as many as the loop goes
    through parameters or layers."""
    *_, one, other = map(_parameters_at, graphs)
    return bool(one and other) and one.isdisjoint(other)


def _parts_of_one(graphs: list[Node]) -> bool:
    """Whether the last two graphs are of parts of one result: what the last round has computed has
    no parameters of its own."""
    *_, one, other = graphs
    made = (node for node in reached([other]).values() if node.sequence > one.sequence)
    return not any(map(_parameters_at, made))


def _parameters_at(node: Node) -> set[int]:
    """The parameters that the last operator of a graph was given, by identity."""
    leaves = (edge.leaf for edge in node.edges)
    return {id(leaf) for leaf in leaves if leaf is not None and leaf.parameter}


def _of_module(node: Node) -> bool:
    stack, seen = [node], 0
    while stack and seen < FAR:
        current = stack.pop()
        seen += 1
        if current.leaf is not None and current.leaf.parameter:
            return True
        stack.extend(current.edges)
    return False
