"""Stands around every call of the engine: remembers what it freed, looks into it when it fails."""

import threading
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from autograd_lint.engine.faults import Fault
from autograd_lint.live import graph
from autograd_lint.live.exposure import Exposures
from autograd_lint.live.kept import Inventory
from autograd_lint.live.messages import classify
from autograd_lint.live.post_mortem import Failure, explain
from autograd_lint.live.private import sequence_number, storage_id, unobserved
from autograd_lint.live.record import Call, Origin, Record
from autograd_lint.live.recorder import Recorder
from autograd_lint.live.schemas import tensors_in
from autograd_lint.live.silent import overwritten
from autograd_lint.live.sites import Site, Sites


class _Thread(threading.local):
    """How deep calls are nested in this thread, and the message that an inner one has explained."""

    depth: int = 0
    explained: str | None = None


@dataclass
class EngineCalls:
    """Calls the engine in the program's place.

    `recorder` gives the running thread's dispatch mode, `after` is told after every outermost call,
    `inventory`, if any, what each graph keeps.
    """

    record: Record
    sites: Sites
    exposures: Exposures
    recorder: Callable[[], Recorder | None]
    after: Callable[[], None]
    faults: list[Fault] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    inventory: Inventory | None = None
    _thread: _Thread = field(default_factory=_Thread)

    def run(
        self, engine: Callable[..., Any], name: str, outputs: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Run the engine on `outputs` as the program asked; errors pass through."""
        site = self.sites.here(2)
        outer = self._thread.depth == 0
        call = self._look(outputs, name, site)
        self._thread.depth += 1
        try:
            with self._observing(call, _creates(args, kwargs)):
                result = engine(outputs, *args, **kwargs)
        except BaseException as error:
            self._told_failure(error, name, site, outputs)
            raise
        finally:
            self._thread.depth -= 1
            if outer:
                self.after()
        self.record.backwards.append(replace(call, nodes=array("Q")))
        if not _keeps(args, kwargs):
            self.record.add_call(call)
            self._note_results(result, name, site)
        return result

    def _note_results(self, result: Any, name: str, site: Site | None) -> None:
        """Gradients made without `create_graph` lead nowhere."""
        origin = Origin(name, site, sequence_number(), None, True, True)
        for tensor in tensors_in(result if isinstance(result, tuple) else ()):
            storage = storage_id(tensor)
            if storage is not None:
                self.record.add_origin(storage, replace(origin, cut=origin))

    def _look(self, outputs: Any, name: str, site: Site | None) -> Call:
        """The call with the nodes below `outputs`; nothing of the graph is held afterwards."""
        call = Call(name, site, array("Q"), sequence_number())
        try:
            return self._walk(outputs, call)
        except Exception as error:  # whatever the tracer stumbles over, the program is to go on
            self.record.miss(f"a graph before `{name}` ({type(error).__name__})")
            return call

    def _walk(self, outputs: Any, call: Call) -> Call:
        self.exposures.look_at_all(call.site)
        nodes = graph.nodes_below(graph.roots_of(outputs))
        numbers = sorted(n for n in map(graph.sequence_of, nodes) if n is not None)
        if numbers and self.record.latest_hidden > numbers[0]:
            with torch.no_grad(), unobserved():
                self.faults.extend(overwritten(nodes, self.record, call))
        if self.inventory is not None and not self._thread.depth:
            with torch.no_grad(), unobserved():
                self.inventory.add(nodes, self.record, call)
        programs = any(map(graph.runs_program, nodes))
        return replace(call, nodes=array("Q", numbers), runs_program=programs)

    @contextmanager
    def _observing(self, call: Call, creates: bool) -> Iterator[None]:
        """Operators inside of backward are observed only where the program's code runs there."""
        recorder = self.recorder()
        if recorder is None:
            yield
            return
        before = (recorder.in_backward, recorder.backward_site)
        recorder.in_backward, recorder.backward_site = True, call.site
        recorder.optimizer_site = None
        needed = creates or call.runs_program or self.record.hooks_used
        try:
            with nullcontext() if needed else recorder.paused():
                yield
        finally:
            recorder.in_backward, recorder.backward_site = before

    def _told_failure(
        self, error: BaseException, name: str, site: Site | None, outputs: Any
    ) -> None:
        try:
            self._fail(error, name, site, outputs)
        except Exception as trouble:
            self.record.miss(f"why `{name}` failed ({type(trouble).__name__})")

    def _fail(self, error: BaseException, name: str, site: Site | None, outputs: Any) -> None:
        # A nested call (checkpoint, a custom Function) explains first, from nearest by.
        seen, self._thread.explained = self._thread.explained, None
        nested = self._thread.depth > 1
        if seen is not None and graph.same_message(seen, str(error)):
            self._thread.explained = seen if nested else None
            return
        kind = classify(error)
        if kind is None:
            return
        raised = self.sites.of_traceback(error.__traceback__) or site
        failure = Failure(kind, str(error), name, raised, site, outputs)
        with torch.no_grad(), unobserved():
            self.faults.append(explain(failure, self.record))
        self.told.add(str(error))
        self._thread.explained = str(error) if nested else None


def _creates(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return bool(kwargs.get("create_graph", args[2] if len(args) > 2 else False))


def _keeps(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the call keeps the graph: `retain_graph` and `create_graph` follow the gradients."""
    retain = kwargs.get("retain_graph", args[1] if len(args) > 1 else False)
    return bool(retain) or _creates(args, kwargs)
