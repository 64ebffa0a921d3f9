"""The dispatch mode that sees every operator, and changes nothing.

Four properties of dispatch modes had to be worked around so that a program runs as without one
(seen on torch 2.13): foreach operators lose their version counts (`run_counting_versions`);
torch.compile skips frames under a mode (`ignore_compile_internals`); the mode would import
torch._dynamo (`_should_skip_dynamo`); new threads do not inherit it (`threads.py`).
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from threading import get_ident
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.attention import Attention
from autograd_lint.live.births import Births
from autograd_lint.live.contents import digest
from autograd_lint.live.exposure import Exposures
from autograd_lint.live.handed import is_handed
from autograd_lint.live.memory import UNKNOWN
from autograd_lint.live.naming import name_at
from autograd_lint.live.origins import DATA, UNCOUNTED, Origins
from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.private import (
    is_below_another,
    is_innermost,
    is_traced_by_torch,
    no_dispatch,
    no_functions,
    run_counting_versions,
    sequence_number,
    storage_id,
    version_of,
)
from autograd_lint.live.record import Record, Step
from autograd_lint.live.resting import Resting
from autograd_lint.live.rounds import Rounds
from autograd_lint.live.running_frames import frame_of, instruction, is_running_any, running_forward
from autograd_lint.live.schemas import Schema, schema_of, tensors_in, with_tensor, written
from autograd_lint.live.sites import Site, Sites
from autograd_lint.live.statistics import NORMALIZING, Statistics
from autograd_lint.live.stepping import Stepping
from autograd_lint.live.writes import Held, Manner, Note, geometry_of

_ADDING = frozenset({"add", "add_", "sub", "sub_", "stack", "cat"})
_UNKNOWN = Schema("an operator", (), (), loses_bump=False, writes=False, aliases=False)


class Around(NamedTuple):
    """What a call of the engine runs in: another one, at a place, and whether it is suspended."""

    in_backward: bool
    backward_site: Site | None
    suspended: bool


@dataclass(slots=True)
class _Seen:
    """What was noted before an operator ran, to be completed after; gone with the call. `is_new`
    says that nodes were made, and by the first operator of its kind at its place."""

    site: Site | None
    made_node: bool = False
    is_new: bool = False
    has_node: bool = False
    sequence: int = UNKNOWN
    notes: Sequence[Note] = ()


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Records what one thread does into a shared record.

    `backward_site` is the place of the running call of `backward`, None outside of one;
    `stepping` knows the running `step` of an optimizer.
    `resting` says whether it rests, as its `attention` decides, if it has any.
    """

    supports_higher_order_operators = True
    __slots__ = (
        "_births", "_counts", "_exposures", "_latest_kind", "_latest_site",
        "_made_at", "_origins", "_sequence", "_sites", "_statistics", "_suspended",
        "_thread", "backward_site", "in_backward", "record",
        "resting", "rounds", "stepping",
    )  # fmt: skip

    def __init__(
        self,
        record: Record,
        sites: Sites,
        exposures: Exposures,
        attention: Attention | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        for name, flags in vars(self).items():
            if isinstance(flags, deque):  # of 600 bytes for one flag
                setattr(self, name, [*flags])
        self.record = record
        self.backward_site: Site | None = None
        self.in_backward = False
        self.stepping = Stepping()
        self._sites = sites
        self._exposures = exposures
        self._origins = Origins(record)
        self._statistics = Statistics()
        self._thread = get_ident()  # the engine computes for a GPU in other ones
        self._counts: dict[int, tuple[int, Births]] = {}  # of these
        self._births = record.births_here()
        self._sequence = sequence_number()
        self._suspended = False
        self._latest_site: Site | None = None
        self._latest_kind = 0
        self._made_at: tuple[int, int] | None = None  # the latest node
        self.resting = Resting(self, attention, self._rest, self._wake)
        self.rounds = Rounds(self._births, self.resting)

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        return True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    @passes_on
    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if is_traced_by_torch():
            return func(*args, **kwargs)
        schema, seen = _UNKNOWN, _Seen(None)
        try:  # whatever the tracer stumbles over, the program is to go on
            with no_functions(), no_dispatch():  # `unobserved()`, in half the time
                schema = schema_of(func)
                args = with_tensor(schema, args)
                seen = self._before(schema, args, kwargs)
                if self.record.follower is not None:
                    self.record.follower.begins(func, args, kwargs, writes=schema.writes)
        except Exception as error:
            self._stumble(schema, error)
        if schema.loses_bump and not is_below_another(self):
            result = run_counting_versions(func, args, kwargs)
        else:
            result = func(*args, **kwargs)
        try:
            with no_functions(), no_dispatch():  # `unobserved()`, in half the time
                self._after(schema, args, kwargs, seen, result)
                if self.record.tape is not None:
                    self.record.tape.ran(func, args, kwargs, result)
        except Exception as error:
            self._stumble(schema, error)
        self.resting.saw(schema.name, seen.site, made_node=seen.made_node)
        return result

    def _stumble(self, schema: Schema, error: Exception) -> None:
        self.record.stumble(f"a call of `{schema.name}`", error)

    def _before(self, schema: Schema, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Seen:
        if self.in_backward:
            self._follow_thread()
        sequence = sequence_number()
        later = sequence != self._sequence
        # A custom Function makes its node before its forward runs, which makes none.
        made_node = later and torch.is_grad_enabled()
        site = self._site(made_node, schema.writes)
        if self._exposures.known and not self.in_backward:
            self._look_at_arrays(args, kwargs, site, later)
        is_new = later and self._note_births(sequence, schema.name, site)
        for told in self.record.told_use.values():
            told(args, site, schema.name, writes=schema.writes)
        for told in self.record.told_of.get(schema.name, ()):
            told(args, site, schema.name, writes=schema.writes)
        seen = _Seen(site, made_node, is_new, sequence=sequence)
        if schema.writes:
            computes = torch.is_grad_enabled() or self.in_backward or self.stepping.site is not None
            forward = None if computes else running_forward()
            if forward is not None:
                seen.sequence = forward + 1  # where other nodes were made meanwhile, without edges
            seen.has_node = made_node or forward is not None or is_running_any(self.record.packing)
            tensors = written(schema, args, kwargs)
            seen.notes = [one for tensor in tensors if (one := self._noted(tensor, schema, seen))]
        elif schema.name in NORMALIZING and not self.in_backward:
            seen.notes = self._statistics.overwritten(args)
        return seen

    def _after(
        self,
        schema: Schema,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        seen: _Seen,
        result: Any,
    ) -> None:
        for note in seen.notes:
            self._note_write(note, schema, seen)
        if schema.name == "detach" and self._is_saving(seen.site):
            return
        self._made_at = instruction(2) if seen.made_node else None
        # Parts that torch's own cells make in the middle of their work are seen by nobody else.
        if schema.name in UNCOUNTED and seen.site is not self._latest_site:
            self._note_uncounted(result)
        self._latest_site = seen.site
        if schema.name == DATA:
            self._exposures.lent(result, seen.site)
        watcher = self.record.watcher if seen.made_node else None
        if watcher is not None and schema.name in _ADDING:
            self._origins.note_terms(args, seen.site, seen.sequence, watcher)
        if watcher is not None and seen.is_new:
            self._origins.note_uses(args, schema.name, watcher)
            if seen.site is not None:
                watcher.combined(seen.site, seen.sequence - 1, schema.name, args)
        # Inside backward the program computes where it recomputes.
        computes = not self.in_backward or torch.is_grad_enabled()
        if schema.writes or not computes or self.stepping.site is not None:
            return
        if not seen.made_node or isinstance(result, tuple):
            given, made_node = [*args, *kwargs.values()], seen.made_node
            self._origins.note(
                schema, given, result, seen.site, self._sequence, made_node=made_node
            )

    def _is_saving(self, site: Site | None) -> bool:
        """Whether the node that was made by the running instruction saves its own result: a
        dispatch mode sees a `detach` of it then, which the program has not called."""
        is_there = site is self._latest_site and self._made_at is not None
        return is_there and instruction(3) == self._made_at

    def enter_backward(self, site: Site | None, blind: bool) -> Around:
        """A call of the engine begins; if `blind`, nothing is seen of what it does."""
        suspended = blind and not self.resting.is_on and self.suspend()
        around = Around(self.in_backward, self.backward_site, suspended)
        self.resting.pinned += 1
        self.in_backward, self.backward_site, self.stepping.site = True, site, None
        return around

    def leave_backward(self, around: Around) -> None:
        """The call that was entered so has ended."""
        self._follow_thread()
        self.in_backward, self.backward_site, suspended = around
        self.resting.pinned -= 1
        if suspended:
            self.resume()

    def _follow_thread(self) -> None:
        """Count the nodes of the running thread: each has numbers of its own.

        Those of the engine outlive tracers: what one has made before the operator that is seen
        there first, and perhaps its node, was made by nobody knows what.
        """
        thread = get_ident()
        if thread != self._thread:
            self._counts[self._thread] = self._sequence, self._births
            before = max(0, sequence_number() - torch.is_grad_enabled())
            known = self._counts.get(thread)
            self._sequence, self._births = known or (before, self.record.births_here())
            self._thread = thread

    @property
    def is_suspended(self) -> bool:
        """Whether nothing is seen at present."""
        return self._suspended or self.resting.is_on

    def suspend(self) -> bool:
        """See nothing until `resume`; False where this mode is not the innermost, and stays."""
        if is_innermost(self):
            self.__exit__(None, None, None)  # type: ignore[no-untyped-call]
            self._suspended = True
        return self._suspended

    def resume(self) -> None:
        """See again, if it was suspended."""
        if self._suspended:
            self._suspended = False
            self.__enter__()  # type: ignore[no-untyped-call]
            self._sequence = sequence_number()

    def _rest(self) -> None:
        self.record.forget_memory()

    def _wake(self) -> None:
        self._exposures.refresh()
        self._sequence, self._latest_site = sequence_number(), None

    def enter_step(self, step: Step, *, has_closure: bool) -> None:
        """A step of an optimizer begins that is observed; a closure is the program's."""
        self.stepping.begin(step, UNKNOWN if has_closure else sequence_number())

    def leave_step(self) -> None:
        """It has ended, observed or not."""
        self.stepping.end()

    def note_step(self, step: Step) -> None:
        """Note what a step has written that ran while this was suspended."""
        for parameter, version in step.parameters:
            storage = storage_id(parameter)
            if storage is not None and version_of(parameter) != version:
                manner = Manner("step", step.site, shape=tuple(parameter.shape))
                self.record.add_write(storage, self._sequence, version, manner)
                self._exposures.wrote(storage)

    def _site(self, made_node: bool, writes: bool) -> Site | None:
        # Inside backward only hooks, custom Functions and recomputation have a place of their own,
        # inside an optimizer's step only a closure.
        if self.in_backward and not writes and not torch.is_grad_enabled():
            return self.backward_site
        if not made_node and self.stepping.is_own(self._sequence):
            return self.stepping.site
        return self._sites.of_operator(2)

    def _look_at_arrays(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], site: Site | None, later: bool
    ) -> None:
        for tensor in tensors_in([*args, *kwargs.values()]):
            storage = storage_id(tensor)
            if storage in self._exposures.known:
                self._exposures.look(storage, self._sequence, site, is_saved=later)

    def _note_births(self, sequence: int, operator: str, site: Site | None) -> bool:
        """Note what makes nodes; whether this thread has seen nothing of the kind before."""
        kind = self.record.kind(operator, site)
        self._births.add(self._sequence, sequence, kind)
        self._sequence = sequence
        is_new = kind > self._latest_kind
        self._latest_kind = max(kind, self._latest_kind)
        return is_new

    def _look_at_hook(self, storage: int, site: Site) -> None:
        """A hook, or the backward of a custom Function, that writes to the gradient that it is
        handed, which others are handed as well."""
        frame = frame_of(site)
        if frame is None or not is_handed(frame, storage):
            return
        if not self._sites.is_called_by_user(frame):
            name = name_at(site)
            self.record.found.append(Fault(Pitfall.HOOK_MODIFIES, site.place, name, "in place"))

    def _noted(self, tensor: torch.Tensor, schema: Schema, seen: _Seen) -> Note | None:
        storage = storage_id(tensor)
        if storage is None or self.stepping.is_state(storage, self._sequence):
            return None
        version, held = version_of(tensor), None
        if self._may_be_unversioned(tensor, storage, version, schema, seen):
            before = digest(tensor)
            held = None if before is None else Held(geometry_of(tensor), before)
        if self.in_backward and seen.site is not None and seen.site != self.backward_site:
            self._look_at_hook(storage, seen.site)
        return Note(tensor, storage, version, held)

    def _note_write(self, note: Note, schema: Schema, seen: _Seen) -> None:
        tensor, version = note.tensor, note.version
        counted = version_of(tensor) != version if schema.loses_bump else version is not None
        bumped = schema.writes and counted
        shape = tuple(tensor.shape)
        manner = Manner(schema.name, seen.site, seen.has_node, bumped, shape)
        self.record.add_write(note.storage, seen.sequence, version, manner, note.held)
        self._exposures.wrote(note.storage)
        if self.record.watcher is not None:
            self.record.watcher.wrote(seen.site, tensor, schema.name)
        if schema.name == "set_":  # the tensor looks at another storage now
            storage = storage_id(tensor)
            if storage is not None:
                self.record.add_write(storage, seen.sequence, version, manner, note.held)
                self.record.several_counters.add(storage)

    def _may_be_unversioned(
        self, tensor: torch.Tensor, storage: int, version: int | None, schema: Schema, seen: _Seen
    ) -> bool:
        """Whether the check of backward may not see a write to what a node has saved.

        A counter at 0 may be that of `.data`; fused optimizers count nothing. No node has saved
        what was made since the latest one.
        """
        if schema.name.startswith("_fused_") or (schema.loses_bump and is_below_another(self)):
            return True
        if self.in_backward:
            return False
        if storage in self.record.several_counters:
            return True
        if self.record.follower is not None and tensor.requires_grad:  # it asks what is unrecorded
            return True
        if version or tensor.requires_grad:
            return False
        latest = seen.sequence - 1 if seen.has_node else seen.sequence
        return self.record.memory.made(storage) != latest

    def _note_uncounted(self, parts: Any) -> None:
        """Parts of one memory that are no views: each has a version counter of its own."""
        for part in tensors_in((parts,)):
            storage = storage_id(part)
            if storage is not None:
                self.record.several_counters.add(storage)
