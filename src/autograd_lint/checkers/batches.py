"""What a model computes for batch after batch, where nothing is trained."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from autograd_lint.checkers.module_modes import mode_set_at, training
from autograd_lint.checkers.surroundings import Loop, enclosing, is_in_loop, is_inside
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.walk import reached
from autograd_lint.facts.effects import trains_in
from autograd_lint.facts.evaluation_names import evaluates_by_name
from autograd_lint.facts.result_uses import is_dropped
from autograd_lint.libraries.torch.events import BackwardCalled, GradientsOfUnknown
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.places import Place
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import FunctionLeft, ModuleCalled
from autograd_lint.vm.frames import Frame, forward_of, path
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.record import OpaqueBackward
from autograd_lint.vm.values import Class, Function, Instance, Unknown, Value

ADDING = {"add", "add_"}
_OF_A_SIZE = {"rand", "randn", "randint", "zeros", "ones", "empty", "full"}


def _builds_graph(interp: Interpreter, event: ModuleCalled) -> bool:
    """Whether a module in evaluation mode, or one that a function evaluates by its name, has built
    a graph."""
    if training(event.module) is not False and not _is_evaluated_by_name(interp, event.module):
        return False
    seen = event.node is not None and not event.node.opaque and interp.engine.recording
    return seen or not isinstance(event.module, Instance)


def _is_evaluated_by_name(interp: Interpreter, module: Instance | Unknown) -> bool:
    """Whether a module that an optimizer has is called by a function, outside of a `forward`, that
    says by its name that it evaluates, and trains nothing."""
    function = interp.frame.function
    named = function is not None and evaluates_by_name(function.name)
    return named and _is_used_untrained(interp, module)


def _is_used_untrained(interp: Interpreter, module: Instance | Unknown) -> bool:
    """Whether a module that an optimizer has is called by a function, outside of a `forward`, that
    trains nothing."""
    function = interp.frame.function
    if function is None or trains_in(function.source, function.node):
        return False
    if any(map(forward_of, interp.frames)):
        return False
    optimized = {id(tensor) for tensor in interp.state(TrainingRecord).optimized()}
    return any(id(own) in optimized for own in own_parameters(module))


def _is_tried(interp: Interpreter, call: Call, place: Place) -> bool:
    """Whether a call only tries a module out: once, on what is made of a size alone, for nothing
    that it gives."""
    given = list(tensors_in(call.get(0, "input")))
    made = (one.made.operator for one in given if one.made and not one.storage.writes)
    if not given or sum(operator in _OF_A_SIZE for operator in made) < len(given):
        return False
    return is_dropped(interp.source, call.node) and not _is_repeated(interp, place)


def _is_for_hooks(interp: Interpreter, call: Call) -> bool:
    """Whether a call is there for what hooks keep of it: nothing is done with what it gives, and
    its function runs backward."""
    function = interp.frame.function
    trains = function is not None and trains_in(function.source, function.node)
    return trains and is_dropped(interp.source, call.node)


def _is_set_by_definer(interp: Interpreter, set_at: Place | None) -> bool:
    """Whether a function runs that another one has defined and handed over, and a mode was set
    outside of it: that may have come when the function had been called."""
    running = [frame.function for frame in interp.frames if frame.function is not None]
    if interp.whole or not running or running[0].node not in interp.record.closures:
        return False
    return not any(is_inside(set_at, one) for one in running)


def _is_repeated(interp: Interpreter, place: Place) -> bool:
    """Whether a loop stands around a place, or around a call by which a program comes to it."""
    return any(is_in_loop(interp, one) for one in (place, *path(interp.frames)))


def _outermost_method(interp: Interpreter) -> tuple[Frame, Frame, Instance] | None:
    """The outermost method that runs of a module that was in evaluation mode before: who called it,
    itself, and the module, which is evaluated there."""
    for position, (caller, frame) in enumerate(pairwise(interp.frames), 1):
        module, function = frame.receiver, frame.function
        if function is None or not isinstance(module, Instance) or training(module) is not False:
            continue
        if not isinstance(module.cls, Class) or module.cls.find(function.name) is not function:
            continue  # it is given the module, and no method of it
        set_at = mode_set_at(interp, module)
        running = [one.function for one in interp.frames[position:] if one.function is not None]
        if set_at is not None and not any(is_inside(set_at, one) for one in running):
            return caller, frame, module
    return None


def _called_at(interp: Interpreter, caller: Frame, method: Frame | None) -> Place | None:
    """Where a method of a module was called by the program."""
    call = method.call if method is not None else None
    if call is None or not caller.source.holds(call.node):
        return None
    return interp.place_in(caller, call.node)


def _unless_kept(interp: Interpreter, place: Place | None) -> Place | None:
    return None if place is not None and _is_kept_so(interp, place) else place


def _is_kept_so(interp: Interpreter, place: Place) -> bool:
    """Whether a module whose `forward` runs has set the mode of a part of its own: it keeps the
    statistics of batch normalization while it is trained."""
    classes = (
        owner
        for module in _running(interp)
        if isinstance(module.cls, Class)
        for owner in module.cls.mro()
    )
    return any(
        one.source.filename == place.filename
        and one.node.lineno <= place.row <= (one.node.end_lineno or 0)
        for one in classes
    )


def _is_part(interp: Interpreter) -> bool:
    """Whether a module runs as a part of one that is evaluated itself: that one is told."""
    return any(training(owner) is False for owner in _running(interp))


def _running(interp: Interpreter) -> Iterator[Instance]:
    """The modules whose `forward` runs."""
    return (one for one in map(forward_of, interp.frames) if one is not None)


def summed(interp: Interpreter, node: Node, before: Node) -> bool:
    """Whether a value is the sum of its earlier one and of what the same parameters gave anew.

    The steps of a recurrent model lead to each other; batches have only the parameters in common.
    """
    function = interp.frame.function
    if function is None or node.operator not in ADDING or before not in node.edges:
        return False
    if trains_in(function.source, _innermost_loop(function, node.place)):
        return False
    added = reached([edge for edge in node.edges if edge is not before])
    earlier = reached(before.edges)
    shared = [added[key] for key in added.keys() & earlier.keys()]
    if id(before) in added:
        return False  # a residual block
    return bool(shared) and all(one.leaf is not None and one.leaf.parameter for one in shared)


def _innermost_loop(function: Function, place: Place | None) -> ast.AST:
    """The loop of a function in which a place stands; without one the whole function."""
    node, around = function.node, enclosing(function.source, place.row if place is not None else 0)
    rows = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    loops = [one for one in around if isinstance(one, Loop) and one.lineno in rows]
    return loops[-1] if loops else node


@dataclass(slots=True, eq=False, repr=False)
class Evaluation:
    """What a module in evaluation mode has computed with grad mode on, from its first argument.

    `made` is where the mode was set, None where only the name of the function tells that it
    evaluates; `function` the function in which it ran, `caller` its name
    where nothing calls it. `itself` says that the module was called, and not another method of it,
    of which the code is not seen. `method` is the activation of a method of the module that ran a
    part of it, `frame` that of the function that has the result. `astray` is when a backward had
    last gone through unknown code, `tried` that it runs once, for nothing that it gives. `over` is
    that the function was left before another did, and gave no graph away: none that came later got
    to this one.
    """

    node: Node
    place: Place
    made: Created | None
    given: Value
    function: Function | None
    caller: str | None
    itself: bool
    method: Frame | None
    frame: Frame
    astray: int
    tried: bool = False
    over: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Evaluations(Listener):
    """The evaluations of a run, by the identity of the node that each has made.

    `kept` are the graphs of which it is told that something keeps them, `differentiated` those that
    are differentiated, or may be, by code that is not known, `differentiating` the modules whose
    `forward` runs backward: it adapts to what it is given, and needs grad mode. `held` are those of
    which objects were made: a distribution may differentiate what it was given when it is asked.
    `rounds` are the calls of trained modules in functions that run and train nothing, by the
    activation and the module: where each goes on with the result of the one before, and the
    function gives no graph away, the whole graph was built for nothing.
    """

    known: dict[int, Evaluation] = field(default_factory=dict)
    kept: list[Node] = field(default_factory=list)
    differentiated: list[Node] = field(default_factory=list)
    held: list[Node] = field(default_factory=list)
    differentiating: list[Instance] = field(default_factory=list)
    rounds: dict[tuple[int, int], list[Evaluation]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.called)
        to.add(cls, BackwardCalled, cls.backward_called)
        to.add(cls, GradientsOfUnknown, cls.differentiated_by_unknown)
        to.add(cls, FunctionLeft, cls.left, waits=True)

    def ran_in(self, function: str) -> bool:
        """Whether one ran in the function of that name, which nothing calls."""
        return any(one.caller == function for one in self.known.values())

    def backward_called(self, interp: Interpreter, event: BackwardCalled) -> None:
        """A backward begins: within the `forward` of a module?"""
        self.differentiating += _running(interp)

    def differentiated_by_unknown(self, interp: Interpreter, event: GradientsOfUnknown) -> None:
        """Gradients are asked for: all that has led to the outputs is walked for them."""
        self.differentiating += _running(interp)
        self.differentiated += _graphs(event.outputs)

    def called(self, interp: Interpreter, event: ModuleCalled) -> None:
        node = event.node
        if node is None:
            return
        if not _builds_graph(interp, event):
            if (
                event.itself
                and interp.engine.recording
                and _is_used_untrained(interp, event.module)
            ):
                one = _evaluation(interp, event, node)
                key = id(interp.frame), id(event.module)
                self.rounds.setdefault(key, []).append(one)
        elif not _is_part(interp):
            self._evaluated(interp, event, node)

    def _evaluated(self, interp: Interpreter, event: ModuleCalled, node: Node) -> None:
        """A module has built a graph in evaluation mode, or in a function that evaluates."""
        caller, method, module = _outermost_method(interp) or (interp.frame, None, event.module)
        set_at = _unless_kept(interp, mode_set_at(interp, module))
        named = training(module) is not False
        if (set_at is None and not named) or any(one is module for one in self.differentiating):
            return
        if _is_for_hooks(interp, event.call) or _is_set_by_definer(interp, set_at):
            return
        one = _evaluation(interp, event, node)
        one.place = _called_at(interp, caller, method) or one.place
        one.made = None if named else Created(set_at, "eval")
        one.function, one.method = caller.function, method
        one.tried = _is_tried(interp, event.call, one.place)
        self.known[id(node)] = one

    def left(self, interp: Interpreter, event: FunctionLeft) -> None:
        """What ran in a function is over with it, unless it keeps a graph; what it returns goes on
        in its caller."""
        if self.known and event.function.name == "__init__":
            self.held += (node for one in event.arguments for node in _graphs(one))
        ran = [one for one in self.known.values() if one.frame is event.frame]
        for one in self._rounds_of(event.frame):
            if event.finished and not (_has_graph(event.value) or _has_graph(event.receiver)):
                self.known[id(one.node)] = one
                ran.append(one)
        if not event.finished:
            self._broken_off(interp, event, ran)
        if not ran or not event.finished or _has_graph(event.receiver):
            return
        returned = _has_graph(event.value)
        last = interp.state(OpaqueBackward).last
        for one in ran:
            if returned:
                one.frame = interp.frame
            else:
                one.over = one.astray == last

    def _rounds_of(self, frame: Frame) -> Iterator[Evaluation]:
        """The first call of each module that an activation has run on its own results."""
        for key in [one for one in self.rounds if one[0] == id(frame)]:
            rounds = [one for one in self.rounds.pop(key) if one.frame is frame]
            if _goes_on(rounds):
                yield rounds[0]

    def _broken_off(
        self, interp: Interpreter, event: FunctionLeft, ran: Iterable[Evaluation]
    ) -> None:
        """What a function would have done that was not followed to its end is not known: one that
        trains with what it was given, and one that raises on the side of a condition that is not
        the usual one with what ran in it."""
        if event.function.query(trains_in):
            self.differentiated += (node for one in event.arguments for node in _graphs(one))
        if interp.choices.path.negated:
            self.differentiated += (one.node for one in ran)

    def behind(self, node: Node, before: Iterable[Node]) -> Evaluation | None:
        """The evaluation behind a value, where those behind earlier ones were given other batches.

        What was given the result of an earlier one goes on with the same batch.
        """
        known = self.known
        if not known:
            return None
        earlier = [known[key] for key in reached(before) if key in known]
        found = [known[key] for key in reached([node]) if key in known]
        new = [one for one in found if one not in earlier]
        again = {id(one.given) for one in earlier} & {id(one.given) for one in new}
        within = reached([one.node for one in new])
        if not earlier or again or any(id(one.node) in within for one in earlier):
            return None
        return new[-1] if new else None


def _goes_on(rounds: list[Evaluation]) -> bool:
    """Whether the last of several calls in one line was given what came of the first one."""
    if len(rounds) < 2 or rounds[0].place != rounds[-1].place:
        return False
    first, last = rounds[0].node, rounds[-1].node
    return first is not last and id(first) in reached([last])


def _evaluation(interp: Interpreter, event: ModuleCalled, node: Node) -> Evaluation:
    """What a call of a module has computed, where only the code around it tells that it is an
    evaluation."""
    return Evaluation(
        node,
        interp.place(event.call.node),
        None,
        event.call.get(0, "input"),
        interp.frame.function,
        interp.called_by_nobody,
        event.itself,
        None,
        interp.frame,
        interp.state(OpaqueBackward).last,
    )


def _graphs(value: Value) -> list[Node]:
    """The graphs that a value keeps, of several tensors those of each."""
    nodes = [graph_of(value), *(one.node for one in tensors_in(value))]
    return [node for node in nodes if node is not None]


def _has_graph(value: Value) -> bool:
    """Whether a value is a tensor with a graph, or holds one; of an object those that it has set,
    but not its modules."""
    if isinstance(value, Instance):
        return any(graph_of(part) is not None for part in value.attributes.values())
    return graph_of(value) is not None


def because(one: Evaluation) -> frozenset[Assumption]:
    """What an evaluation rests on: that nobody has switched grad mode off around it, and that it is
    one, where only a name tells so."""
    named = one.function.name if one.made is None and one.function is not None else None
    meant = {Assumption(Kind.MEANT_AS_EVALUATION, named, weight=0)} if named else set()
    if one.caller is None:
        return frozenset(meant)
    on = Assumption(Kind.EVALUATED_WITH_GRAD_MODE, one.caller, weight=0, called=True)
    return frozenset({on, *meant})
