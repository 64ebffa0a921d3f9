"""Graphs that stay alive in containers and in running sums on which nobody calls backward."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from autograd_lint.checkers import batches, binding, retaining, steps_before, surroundings
from autograd_lint.checkers.bounded_lists import gives_way
from autograd_lint.checkers.call_site import handed_over
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.running_sums import Told, told_by_caller
from autograd_lint.checkers.state import Kept
from autograd_lint.checkers.writes import in_forward
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import CERTAINLY, Requires, Tensor, either
from autograd_lint.engine.walk import reached
from autograd_lint.places import Place
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
)

FAR = 60  # nodes that are looked through for a freed one
NEAR = 6  # nodes between one value of a running sum and the next
IN_PARTS = 24  # the same for a tensor whose elements are written one by one
MAY_BE_COUNT = frozenset({Assumption(Kind.NO_NUMBER, weight=2)})
ROUNDS = 3  # values that show that something grows


def appended(interp: Interpreter, items: Items | Mapping, value: Value, node: ast.AST) -> None:
    """A value is added to a list or dictionary: earlier ones were of use until they were freed."""
    graph = graph_of(value)
    if graph is None or (isinstance(items, Items) and items.bounded) or gives_way(interp, node):
        return
    place = interp.place(node)
    earlier = interp.watch.appended.setdefault((id(items), place), [])
    held = items.items if isinstance(items, Items) else list(items.entries.values())
    kept = [old for old, _ in earlier if any(old is item for item in held)]
    last = graph_of(kept[-1]) if kept else None
    freed = freed_behind(last, since=items.made) if last is not None else None
    # Who stores whatever it is given is not to blame: who hands that over can cut it off.
    to_blame = interp.watch.handed[id(items), place] = handed_over(interp, value) or place
    if freed is not None and (to_blame == place or surroundings.grows(interp, place)):
        name = getattr(_tensor(value), "name", None)
        unproven = CERTAINLY if id(last) in interp.watch.losses else _unproven(value, graph)
        _note_kept(interp, to_blame, name, "container", graph, freed, unproven)
    earlier.append((value, items))
    if in_forward(interp):
        interp.watch.part_of_step.add(place)


def gathers(interp: Interpreter, instance: Instance) -> bool:
    """Whether a container of an object has taken in a value with a graph, known or not."""
    own = {id(value) for value in instance.attributes.values() if isinstance(value, Items)}
    return bool(own) and any(key in own for key, _ in interp.watch.appended)


def graph_of(value: Value, depth: int = 4) -> Node | None:
    """The graph that a value keeps alive, if it is a tensor or holds one."""
    value = _holder(value, depth)
    if isinstance(value, Unknown) and value.tensor is None:
        return value.source if not (value.hint or _replaced(value)) else None
    tensor = _tensor(value)
    return tensor.node if isinstance(tensor, Tensor) else None


def _holder(value: Value, depth: int = 4) -> Value:
    """The first part of a container that keeps a graph alive, or what is no container itself."""
    if isinstance(value, Mapping):
        value = Items("list", list(value.entries.values()))
    if not isinstance(value, Items):
        return value
    found = [_holder(item, depth - 1) for item in value.items] if depth else []
    return next((part for part in found if graph_of(part, 0) is not None), None)


def _unproven(value: Value, graph: Node) -> frozenset[Assumption]:
    """What must hold of a value that unknown code has made for it to keep a graph at all.

    Such code gives numbers as well, above all where it gives several values.
    """
    value = _holder(value)
    if not isinstance(value, Unknown) or value.tensor is not None:
        return _doubt(graph)
    weight = 2 if value.several else 1
    return _doubt(graph) | {Assumption(Kind.IS_TENSOR, value.origin, weight=weight)}


def _doubt(graph: Node) -> frozenset[Assumption]:
    """What must hold for gradients to pass through the unknown code that made a value of late.

    Where backward went through it nothing must.
    """
    stack, found = [graph], CERTAINLY
    for _ in range(NEAR):
        if not stack:
            break
        current = stack.pop()
        if current.opaque and not current.walked_at:
            found |= current.doubt
        elif not current.walked_at:
            stack.extend(current.edges)
    return found


def _doubt_of_terms(node: Node) -> frozenset[Assumption]:
    """What must hold for what was added up in a node to have a graph."""
    return CERTAINLY.union(*map(_doubt, node.edges))


def _may_be_count(interp: Interpreter, node: Node) -> frozenset[Assumption]:
    return MAY_BE_COUNT if node in interp.watch.counted else CERTAINLY


def _doubt_of_sum(interp: Interpreter, node: Node) -> frozenset[Assumption]:
    """What must hold for a sum to keep the graphs of its terms."""
    return _may_be_count(interp, node) | _doubt_of_terms(node)


def _replaced(value: Unknown) -> bool:
    """Whether the program has put something without a graph in place of a part of it."""
    parts = [part for key, part in value.attributes.items() if isinstance(key, tuple)]
    return any(isinstance(part, Tensor) and part.node is None for part in parts)


def _note_kept(
    interp: Interpreter,
    place: Place | None,
    name: str | None,
    where: str,
    graph: Node,
    freed: frozenset[Assumption] = CERTAINLY,
    unproven: frozenset[Assumption] = CERTAINLY,
) -> None:
    """Tell of a graph; `unproven` is what must hold for it to be there at all."""
    if not surroundings.grows(interp, place):
        return
    note(
        interp,
        Pitfall.GRAPH_KEPT,
        place,
        tensor=name,
        operator=where,
        built=graph.created,
        assumptions=_because(interp, graph.requires, freed) | unproven,
    )


def _because(
    interp: Interpreter, requires: frozenset[Assumption], freed: frozenset[Assumption]
) -> frozenset[Assumption]:
    """What must hold for a graph to be there, and to be freed.

    Who calls `backward` of something has it require grad, and gets its graph walked: what the
    program itself shows needs no courage.
    """
    roots = [root for walk in interp.engine.passes if walk.call.place for root in walk.call.roots]
    alone = [root.requires_grad for root in roots if len(root.requires_grad or ()) == 1]
    shown = frozenset[Assumption]().union(*(why for why in alone if why is not None))
    if not requires or not requires <= shown:
        return requires | freed
    plain = frozenset(replace(why, weight=0) for why in requires)
    return plain | {why for why in freed - requires if not why.weight}


def _tensor(value: Value) -> Value:
    return value.tensor if isinstance(value, Unknown) else value


def freed_behind(node: Node, since: int = 0, after: Node | None = None) -> Requires:
    """Whether, and on what assumptions, backward can no longer walk what leads on from a node.

    What was walked before the time `since` does not count, nor what is older than `after`.
    """
    stack, seen = [node], 0
    found: Requires = None
    while stack and seen < FAR:
        current = stack.pop()
        if after is not None and current.sequence <= after.sequence:
            continue
        seen += 1
        assumed = current.opaque and not current.edges  # it may be data as well
        keeps = (current.frees or current.saved) and not assumed
        if keeps and current.freed is not None and current.walked_at >= since:
            because = current.freed.assumptions | (current.requires - node.requires)
            if not because:
                return because
            found = either(found, because)
        stack.extend(current.edges)
    return found


def assigned(interp: Interpreter, value: Value, target: ast.expr, key: object = None) -> None:
    """A name, attribute or entry gets a value: one that its own earlier value went into is a chain.

    `key` is that of the entry, where it is known. Each object has a chain of its own.
    """
    tensor = _tensor(value)
    if not isinstance(tensor, Tensor) or tensor.node is None:
        return
    place = interp.place(target)
    chains, new = interp.watch.chains, tensor.node
    chain = place, key, _owner(interp, target)
    before, first, then = chains.get(chain, (new, new, 0))
    near = IN_PARTS if isinstance(target, ast.Subscript) else NEAR
    now = interp.engine.tick()
    # What a loop goes through was there before, though one may lead to the other.
    if before is new or new.sequence < then or not _leads(new, before, near):
        chains[chain] = (new, first if before is new else new, now)
        return
    chains[chain] = (new, first, now)
    freed, name = freed_behind(before), interp.text(target)
    if freed is not None:
        doubt = _may_be_count(interp, tensor.node)
        told: Told | None = Told(name, place)
        if interp.asked_by() is not None and not surroundings.grows(interp, place):
            return
        own = interp.world.project.owns(place.filename)
        if interp.asked_by() is not None and not (own and isinstance(target, ast.Name)):
            told = None if isinstance(target, ast.Name) else told_by_caller(interp, target)
        if told is not None:
            kept = Kept(told.place, tensor.node, told.name, freed, doubt, first)
            interp.watch.kept[told.place, name, first] = kept
    elif isinstance(target, ast.Name) and batches.summed(interp, tensor.node, before):
        interp.watch.sums[place, name] = (tensor, before)


def _owner(interp: Interpreter, target: ast.expr) -> Instance | None:
    """The object of a name to which an attribute is assigned, where it is known."""
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return None
    owner = interp.frame.scope.lookup(target.value.id)
    return owner if isinstance(owner, Instance) else None


def _leads(node: Node, before: Node, near: int) -> bool:
    """Whether a graph goes on from an earlier one, so many nodes away."""
    stack, seen = [node], 0
    while stack and seen < near:
        current = stack.pop(0)
        seen += 1
        if before in current.edges:
            return True
        stack.extend(current.edges)
    return False


def finished(interp: Interpreter) -> None:
    """The run is over: what was kept, and never walked again."""
    for kept in _each_value_once(interp.watch.kept.values()):
        # What was there before the sum began does not live longer because of it.
        added = freed_behind(kept.node, after=kept.first)
        if not kept.node.walked_at and added is not None:
            doubt = kept.unproven | _doubt_of_terms(kept.node)
            _note_kept(interp, kept.place, kept.name, "running sum", kept.node, kept.freed, doubt)
            _forget_lists_of(interp, kept.place)
    _judge_unused_lists(interp)
    _judge_unused_sums(interp)
    _judge_evaluations(interp)
    for module in interp.watch.modules:
        _judge_attributes(interp, module)
    retaining.finished(interp)


def _forget_lists_of(interp: Interpreter, place: Place) -> None:
    """What is told of a sum is not told again of a list that takes in the sum, or its average."""
    lists = {
        interp.watch.handed.get(key, key[1])
        for key, held in interp.watch.appended.items()
        if any(_sums_at(place, graph_of(value)) for value, _ in held)
    }
    faults = interp.engine.faults
    kept = (one for one in faults if one.kind is Pitfall.GRAPH_KEPT and one.place in lists)
    gone = [one for one in kept if one.operator == "container"]
    faults[:] = [one for one in faults if one not in gone]


def _sums_at(place: Place, graph: Node | None) -> bool:
    """Whether a graph begins, but for a few nodes, with the sum that is computed in a line."""
    near = [graph] if graph is not None else []
    for node in near[:NEAR]:
        near.extend(node.edges[:1])
    return any(
        node.place is not None
        and (node.place.filename, node.place.row) == (place.filename, place.row)
        for node in near[:NEAR]
    )


def _each_value_once(kept: Iterable[Kept]) -> Iterable[Kept]:
    """Of several names for one value the attribute or entry that outlives the others."""
    found: dict[int, Kept] = {}
    for one in kept:
        known = found.setdefault(id(one.node), one)
        if _is_plain(known.name) and not _is_plain(one.name):
            found[id(one.node)] = one
    return found.values()


def _is_plain(name: str | None) -> bool:
    return name is not None and name.isidentifier()


def evaluated(interp: Interpreter, module: Instance, result: Value, call: Call) -> None:
    """A module in evaluation mode has run, and its result has a graph."""
    set_at = binding.bound_at(interp, module, "training")
    graph = graph_of(result)
    if graph is not None and set_at is not None and not graph.opaque:
        batches.ran(interp, graph, call.get(0, "input"), call.node, set_at)


def _judge_evaluations(interp: Interpreter) -> None:
    """Graphs of modules in evaluation mode that no backward ever walked."""
    if interp.opaque_backward:
        return
    for one in interp.watch.evaluated.values():
        if not one.node.walked_at:
            note(
                interp,
                Pitfall.EVALUATION_BUILDS_GRAPHS,
                one.place,
                built=one.made,
                assumptions=one.node.requires,
            )


def _judge_attributes(interp: Interpreter, module: Instance) -> None:
    """Buffers that take in, step after step, values with their graph."""
    for name, value in module.attributes.items():
        if not isinstance(value, Tensor) or value.node is None or value.parameter:
            continue
        if any(kept.node is value.node for kept in interp.watch.kept.values()):
            continue
        earlier = None if value.node.walked_at else steps_before.same_step(value.node)
        if earlier is None or not steps_before.came_between(interp, earlier, value.node):
            continue
        if not steps_before.takes_in(value.node, earlier):
            continue  # data: that it began with a graph is not likely
        freed = freed_behind(earlier)
        if freed is None and steps_before.passed_by(interp, earlier):
            freed = CERTAINLY
        if freed is not None:
            place = binding.kept_at(interp, module, name, value.node)
            doubt = _doubt_of_sum(interp, value.node)
            _note_kept(interp, place, f"self.{name}", "running sum", value.node, freed, doubt)


def _judge_unused_lists(interp: Interpreter) -> None:
    """Outputs of trained modules, collected by a program that never runs backward on them.

    Of a function whose callers are not known, only what it computes in evaluation mode is told.
    """
    if interp.engine.passes:
        return
    for (_, place), kept in interp.watch.appended.items():
        graphs = [graph for value, _ in kept if (graph := graph_of(value)) is not None]
        if place in interp.watch.part_of_step or len(graphs) < 2:
            continue
        evaluated = batches.evaluated(interp, graphs[-1], graphs[:1])
        if evaluated is not None:
            _note_kept(interp, place, None, "container", graphs[-1], batches.because(evaluated))
        elif interp.whole and len(graphs) >= ROUNDS and _of_module(graphs[-1]):
            if _goes_on(graphs):
                continue  # a recurrent model goes on from step to step of one sequence
            _note_kept(interp, place, None, "container", graphs[-1])


def _goes_on(graphs: list[Node]) -> bool:
    """Whether the last of some graphs leads to what the rounds before it have computed."""
    *earlier, last = graphs
    within = range(earlier[0].sequence, earlier[-1].sequence + 1)
    behind = reached([last]).values()
    return any(node.sequence in within for node in behind if node.leaf is None)


def _judge_unused_sums(interp: Interpreter) -> None:
    """Losses of many batches, added up by a program that never runs backward on the sum."""
    for (place, name), (total, before) in interp.watch.sums.items():
        node = total.node
        if node is None or node.walked_at:
            continue
        evaluated = batches.evaluated(interp, node, [before])
        # A backward through unknown code may have got anywhere, but not to an evaluation. Losses
        # are numbers: an image that is composed of several is its own purpose.
        plain = interp.whole and not interp.opaque_backward and total.shape == ()
        if not (plain or evaluated):
            continue
        because = batches.because(evaluated) if evaluated else CERTAINLY
        _note_kept(interp, place, name, "running sum", node, because)


def _of_module(node: Node) -> bool:
    stack, seen = [node], 0
    while stack and seen < FAR:
        current = stack.pop()
        seen += 1
        if current.leaf is not None and current.leaf.parameter:
            return True
        stack.extend(current.edges)
    return False
