"""Stands around every call of the engine: remembers what it freed, looks into it when it fails."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from weakref import ReferenceType, ref

import torch

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.live import graph
from autograd_lint.live.calls import Asked, Call, asked
from autograd_lint.live.exposure import Exposures
from autograd_lint.live.failure import Failure
from autograd_lint.live.kept import Inventory
from autograd_lint.live.memory import UNKNOWN, Origin
from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.onlooker import Onlooker
from autograd_lint.live.post_mortem import explain
from autograd_lint.live.private import sequence_number, storage_id, without_grad
from autograd_lint.live.raised import kind_of
from autograd_lint.live.record import Record
from autograd_lint.live.recorder import Recorder
from autograd_lint.live.running_threads import RunningThreads, Thread
from autograd_lint.live.runs import NOTHING, Runs
from autograd_lint.live.silent import overwritten, overwritten_unchecked
from autograd_lint.live.sites import Site, Sites
from autograd_lint.live.surroundings import of_error

Engine = Callable[..., Any]
Leaves = Sequence[ReferenceType[torch.Tensor]]


class Below(NamedTuple):
    """The nodes below a call and its leaves; `runs_program`: code of the program runs inside;
    `filled` are the leaves whose `.grad` it fills, where pitfalls are looked for."""

    nodes: Runs = NOTHING
    leaves: Leaves = ()
    runs_program: bool = False
    filled: Sequence[Leaf] = ()


@dataclass(slots=True)
class EngineCalls:
    """Calls the engine in the program's place.

    `running` is what is known of the running thread, `after` is told after every outermost call
    whether operators were observed before it, `inventory`, if any, what each graph keeps,
    `onlooker` what may raise nothing and be wrong.
    """

    record: Record
    sites: Sites
    exposures: Exposures
    running: RunningThreads
    after: Callable[[bool], None]
    faults: list[Fault] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    inventory: Inventory | None = None
    onlooker: Onlooker | None = None

    @passes_on
    def run(
        self, engine: Engine, name: str, site: Site | None, outputs: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Run the engine on `outputs` as the program asked; errors pass through."""
        thread = self.running.here
        outer, recorder = not thread.calls, thread.recorder
        wanted, began = asked(*args, **kwargs), sequence_number()
        call, rests = Call(name, site, wanted.creates), thread.rests
        if recorder is not None and outer:
            recorder.rounds.begins_call(call, began)
        below = self.look(outputs, call, thread, wanted)
        self.running.begins(call, thread)
        # Operators inside of backward are observed only where the program's code runs there.
        seen = call.creates or below.runs_program or self.record.hooks_used
        around = recorder.enter_backward(call.site, blind=not seen) if recorder else None
        try:
            result = engine(outputs, *args, **kwargs)
        except BaseException as error:
            self.told_failure(error, call, outputs, wanted.inputs)
            # It has walked a part of the graph by then; which one the engine does not tell.
            self.record.calls.add_freed(call, below.nodes)
            raise
        finally:
            self.running.ends(thread)
            if recorder is not None and around is not None:
                recorder.leave_backward(around)
            if outer:
                self.after(not rests)
                self._end_round(thread.recorder, call, began)
        with self.record.looking(f"what `{name}` has left"):
            self.record.add_backward(call, began)
            if not wanted.keeps:
                self.record.calls.add_freed(call, below.nodes)
            if not call.creates and recorder is not None and not rests:
                self._note_results(result, below.leaves, call)
            if self.onlooker is not None and outer:
                self.onlooker.called(outputs, call, below.filled, result)
        return result

    def _end_round(self, recorder: Recorder | None, call: Call, began: int) -> None:
        if recorder is None:
            return
        try:
            recorder.rounds.ends_call(call, began)
        except Exception as error:
            self.record.stumble("a round", error)

    def _note_results(self, result: Any, leaves: Leaves, call: Call) -> None:
        """Gradients made without `create_graph` lead nowhere."""
        cut = Origin(call.name, call.site, None, True, True)
        origin = cut._replace(cut=cut)
        new = []
        for tensor in result if isinstance(result, tuple) else _gradients(leaves):
            storage = None if tensor is None else storage_id(tensor)
            if storage is not None and tensor._is_view():  # of memory that is older than the call
                self.record.add_origin(storage, origin, UNKNOWN)
            elif storage is not None:
                new.append(storage)
        self.record.add_gradients(new, origin, sequence_number())

    def look(self, outputs: Any, call: Call, thread: Thread, wanted: Asked | None = None) -> Below:
        """What lies below `outputs` of a call of this thread; nothing of the graph is held
        afterwards.

        `wanted` is what the call asks for, where pitfalls are looked for as well.
        """
        with self.record.looking(f"a graph before `{call.name}`"):
            return self._walk(outputs, call, thread, wanted)
        return Below()

    def _walk(self, outputs: Any, call: Call, thread: Thread, wanted: Asked | None) -> Below:
        rests = thread.rests
        if thread.recorder is not None and not rests:  # else it may be older than the graph
            self.exposures.look_at_all(call.site)
        nodes = graph.nodes_below(graph.roots_of(outputs))
        numbers = graph.numbers_of(nodes)
        if numbers and self.record.writes.latest_held > min(numbers):
            with without_grad():
                self.faults.extend(overwritten(nodes, self.record, call))
        programs = not rests and any(map(graph.runs_program, nodes))
        may_use = programs or self.record.hooks_used
        if may_use and numbers and self.record.writes.latest > min(numbers):
            with without_grad():
                self.faults.extend(overwritten_unchecked(nodes, self.record, call))
        if self.inventory is not None and not thread.calls:
            with without_grad():
                self.inventory.add(nodes, self.record, call)
        unasked = call.creates or rests
        leaves: Leaves = [] if unasked else [ref(leaf) for leaf in graph.leaves_in(nodes)]
        filled: Sequence[Leaf] = ()
        if self.onlooker is not None and wanted is not None and not thread.calls:
            below = nodes, numbers
            filled = self.onlooker.calling(below, outputs, call, wanted, closely=not rests)
        return Below(Runs(numbers), leaves, programs, filled)

    def told_failure(self, error: BaseException, call: Call, outputs: Any, inputs: Any) -> None:
        """A call has failed: say why."""
        with self.record.looking(f"why `{call.name}` failed"):
            self._fail(error, call, outputs, inputs)

    def _fail(self, error: BaseException, call: Call, outputs: Any, inputs: Any) -> None:
        # A nested call (checkpoint, a custom Function) explains first, from nearest by.
        thread = self.running.here
        seen, thread.explained = thread.explained, None
        nested = len(thread.calls) > 1
        if seen is not None and graph.same_message(seen, str(error)):
            thread.explained = seen if nested else None
            return
        around = of_error(error, self.sites)
        raised = self.sites.of_traceback(error.__traceback__) or call.site
        failure = Failure(
            FaultKind.OTHER, error, raised, around, call.name, call.site, outputs, inputs
        )
        with without_grad():
            kind = kind_of(failure, self.record)
            if kind is None:
                return
            self.faults.append(explain(replace(failure, kind=kind), self.record))
        self.told.append(str(error))
        thread.explained = str(error) if nested else None


def _gradients(leaves: Leaves) -> Iterator[Any]:
    """The gradients of the leaves that are still there."""
    for reference in leaves:
        leaf = reference()
        if leaf is not None:
            yield leaf.grad
