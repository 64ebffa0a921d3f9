"""The abstract engine's state: grad mode, the clock, and the faults it has found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.parts import Assumed, Backwards, SavingHooks, Transform
from autograd_lint.engine.tensor import CreationMeta
from autograd_lint.places import Place

if TYPE_CHECKING:
    from autograd_lint.engine.backward import Pass


Mode = tuple[bool, bool, Created | None]  # grad mode, inference mode, and what has set it

# Errors at the very line that works on plain data: who wrote it took what it was given for such.
REFUSALS = {
    FaultKind.LEAF_MODIFIED,
    FaultKind.LEAF_VIEW_MODIFIED,
    FaultKind.NON_LEAF_FLAG,
    FaultKind.NUMPY_ON_GRAD,
    FaultKind.OTHER,
    FaultKind.VIEW_MODIFIED,
}

# Operators without a derivative that count or tell apart: they are given data rather than results.
OF_DATA = {"floor_divide", "floor_divide_", "histogram", "unique", "unique_consecutive"}

# Operators that give back what they are given, or a part of it.
PICKING = {"getitem", "index_select", "masked_select", "gather", "select", "take_along_dim"}


def _computed(fault: Fault) -> bool:
    """Whether the program computed what a call is refused for, and did not only pick it out of
    something: then it is no plain data.

    Where backward comes upon an operator that has no derivative, `built` is that operator: only
    some of them are rather given data.
    """
    built = fault.built
    if fault.kind is not FaultKind.OTHER or built is None:
        return False
    given = fault.needed is not None and built.operator in OF_DATA
    return built.place is not None and not given and built.operator not in PICKING


class EngineError(Exception):
    """What the real engine would raise here, for certain, where the program catches it."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind.value)
        self.fault = fault


@dataclass
class Engine:
    """One run of the machine.

    Source of the semantics: torch/csrc/autograd (engine.cpp, variable.cpp, saved_variable.cpp) and
    the generated VariableType; each module of this package names the part it mirrors. `switch` is
    what turned grad mode off, `layer` the layer of torch that is run, and where it was made.
    `youngest` is the number of the last node, `latest` the last one that an operator has made.
    `told` are the errors so far, `catching` counts the enclosing constructs of the program that
    would catch one. `caller` tells the call by which the program came to what a fault speaks of
    (`Fault.caller`).
    """

    grad_enabled: bool = True
    inference: bool = False
    switch: Created | None = None
    layer: Created | None = None
    clock: int = 0
    youngest: int = 0
    latest: Node | None = None
    faults: list[Fault] = field(default_factory=list)
    told: list[Fault] = field(default_factory=list)
    catching: int = 0
    caller: Callable[[Fault], Place | None] = lambda _: None
    transform: Transform = field(default_factory=Transform)
    assumed: Assumed = field(default_factory=Assumed)
    hooks: SavingHooks = field(default_factory=SavingHooks)
    backward: Backwards = field(default_factory=Backwards)

    def unobserved(self) -> None:
        """Nobody is asked for callers or told of passes any more."""
        self.caller, self.backward.on_pass = lambda _: None, None

    def tick(self) -> int:
        """The next sequence number."""
        self.clock += 1
        return self.clock

    def next_node(self) -> int:
        """The sequence number of a node that is made now."""
        self.youngest = self.tick()
        return self.youngest

    def passed_over(self, code: str, weight: int) -> None:
        """A loop went over nothing, as what the program is given is empty on this path."""
        self.assumed.unfilled[code] = (self.tick(), weight)

    def cut_short(self) -> None:
        """A loop is left before its last round."""
        self.assumed.cut_short.append(self.tick())

    def empty_since(self, moment: int) -> frozenset[Assumption]:
        """That what loops have gone over in vain since a moment is empty, which is seldom meant.

        Of what was not made at that moment, but computed (0), each may have been a part.
        """
        found = [
            (code, weight) for code, (at, weight) in self.assumed.unfilled.items() if at > moment
        ]
        return frozenset(
            Assumption(Kind.EMPTY, code, weight=weight if moment else 2) for code, weight in found
        )

    def report_empty(self, fault: Fault, moment: int = 0) -> None:
        """Report what only holds where what loops went over since a moment is empty.

        On this path it is, so the program ends all the same.
        """
        empty = self.empty_since(moment)
        self.report(replace(fault, assumptions=fault.assumptions | empty))
        if empty and not fault.assumptions | self.assumed.here:
            raise EngineError(fault)

    def report(self, fault: Fault) -> frozenset[Assumption]:
        """Record an error, and give back all that it rests on; the run goes on as if that mistake
        had been fixed.

        An error with the same cause as one told before is not told again. Raises EngineError where
        nothing is assumed and the program catches the error.
        """
        because = fault.assumptions | self.assumed.here
        earlier = [one for one in self.told if one.assumptions <= because]
        if not any(map(fault.follows, earlier)):
            behind = next((one.place for one in earlier if one.place), None)
            self._tell(replace(fault, assumptions=because, behind=behind))
        if self.catching and not because:
            raise EngineError(fault)
        return because

    def _tell(self, fault: Fault) -> None:
        """Record an error; what is refused plain data is rather given some."""
        self.told.append(fault)
        fault = self._with_proofs(fault)
        if fault.kind in REFUSALS and not _computed(fault):
            as_data = fault.premises - self.assumed.proven_by_backward
            self.assumed.treated_as_data.update(as_data)
            data = frozenset(map(Assumption.as_data, as_data))
            fault = replace(fault, assumptions=data | (fault.assumptions - as_data))
        self._keep(self._weighed_as_data(fault))

    def _with_proofs(self, fault: Fault) -> Fault:
        """The fault, which does not rest on what a backward proves, nor doubts that gradients get
        to parameters with which an optimizer steps, and that terms of a loss have a graph."""
        shown = frozenset(map(self._as_shown, fault.assumptions))
        return replace(fault, assumptions=shown) if shown != fault.assumptions else fault

    def _as_shown(self, assumption: Assumption) -> Assumption:
        """An assumption, by what backwards and steps of the run have shown of it."""
        if assumption in self.assumed.proofs:
            return replace(assumption, proven=True)
        if assumption in self.assumed.stepped_with:
            return assumption.as_stepped_with()
        of_term = assumption in self.assumed.of_terms and assumption.kind is Kind.REQUIRES_GRAD
        return assumption.as_of_term() if of_term else assumption

    def _weighed_as_data(self, fault: Fault) -> Fault:
        """The fault, daring where it rests on what the program treats as data."""
        if self.assumed.treated_as_data.isdisjoint(fault.assumptions):
            return fault
        because = {
            why.as_data() if why in self.assumed.treated_as_data else why
            for why in fault.assumptions
        }
        return replace(fault, assumptions=frozenset(because))

    def record(self, walk: Pass) -> None:
        """Remember a backward, and tell whoever listens."""
        self.backward.passes.append(walk)
        if self.backward.on_pass is not None:
            self.backward.on_pass(walk)

    def note(self, fault: Fault) -> None:
        """Record a pitfall; nothing raises."""
        if self.assumed.scenario:
            fault = replace(fault, assumptions=fault.assumptions | self.assumed.scenario)
        self._keep(self._weighed_as_data(self._weighed_as_proven(self._with_proofs(fault))))

    def _keep(self, fault: Fault) -> None:
        if not self.assumed.denies(fault):
            self.faults.append(replace(fault, caller=self.caller(fault)))

    def deny(self, requires: frozenset[Assumption]) -> None:
        """Take note that a tensor does not require grad on this path, and so nothing else does on
        that account: faults that rest on it are none."""
        if len(requires) == 1:
            self.assumed.denied.update((why.kind, why.about) for why in requires)
            self.faults[:] = [one for one in self.faults if not self.assumed.denies(one)]

    def _weighed_as_proven(self, fault: Fault) -> Fault:
        """The fault with what backward has shown to hold, as far as one can tell, weighing less."""
        if self.assumed.proven_by_backward.isdisjoint(fault.assumptions):
            return fault
        lighter = (
            replace(assumption, weight=1)
            if assumption in self.assumed.proven_by_backward
            else assumption
            for assumption in fault.assumptions
        )
        return replace(fault, assumptions=frozenset(lighter))

    def origin(self, made: Created) -> Created:
        """Where a tensor made now comes from: under inference mode what matters is the mode."""
        return self.switch if self.inference and self.switch is not None else made

    @property
    def recording(self) -> bool:
        """Whether operators make nodes: grad mode is on, and inference mode, which wins, is off."""
        return self.grad_enabled and not self.inference

    @property
    def view_creation(self) -> CreationMeta:
        """How a view made now is marked."""
        if self.inference:
            return CreationMeta.INFERENCE
        return CreationMeta.DEFAULT if self.grad_enabled else CreationMeta.NO_GRAD

    @contextmanager
    def supposing(self, assumption: Assumption) -> Iterator[None]:
        """Run what may not be run at all, or not so often."""
        before = self.assumed.scenario
        self.assumed.scenario = before | {assumption}
        try:
            yield
        finally:
            self.assumed.scenario = before

    @contextmanager
    def inside(self, layer: Created | None) -> Iterator[None]:
        """Run a layer of torch."""
        before, self.layer = self.layer, layer
        try:
            yield
        finally:
            self.layer = before

    @contextmanager
    def mode(
        self, *, grad: bool, inference: bool | None = None, switch: Created | None = None
    ) -> Iterator[None]:
        """Run with another grad mode, and restore the one before."""
        before = self.enter_mode(grad=grad, inference=inference, switch=switch)
        try:
            yield
        finally:
            self.leave_mode(before)

    def enter_mode(self, *, grad: bool, inference: bool | None, switch: Created | None) -> Mode:
        """Set another grad mode; gives back the one before."""
        before = (self.grad_enabled, self.inference, self.switch)
        self.grad_enabled, self.switch = grad, switch
        self.inference = self.inference if inference is None else inference
        return before

    def leave_mode(self, before: Mode) -> None:
        """Restore a grad mode."""
        self.grad_enabled, self.inference, self.switch = before
