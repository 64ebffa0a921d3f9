"""What an engine is made of, beside its mode and its clock."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.places import Place

if TYPE_CHECKING:
    from autograd_lint.engine.backward import Pass
    from autograd_lint.engine.faults import Fault
    from autograd_lint.engine.freezing import Frozen
    from autograd_lint.engine.graph import Node
    from autograd_lint.engine.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Refused:
    """Why hooks on what is saved raise, and what is at fault: `saving`, else in backward."""

    detail: str
    built: Created
    saving: bool


@dataclass(frozen=True, slots=True)
class Packing:
    """Hooks that take what is saved, so that its version is not checked.

    `keeps` says that they keep the tensor itself, `because` under which assumptions; else what they
    keep is not known. `refused` is why they raise, where they do.
    """

    keeps: bool
    because: frozenset[Assumption] = frozenset()
    refused: Refused | None = None


@dataclass(slots=True)
class Transform:
    """The transforms of `torch.func` that run the program.

    `batched` says that what requires grad here stands for what differs from one element of a batch
    to another, `randomness` which random numbers they get (`vmap`); `transformed` says that a
    function of `torch.func` runs the program. `duals` are the dual tensors of forward AD with their
    tangents, None where no level is open.
    """

    batched: bool = False
    randomness: str = "error"
    transformed: bool = False
    duals: list[tuple[Tensor, Tensor]] | None = None


@dataclass(slots=True)
class Assumed:
    """What a run assumes, and what it has shown of it.

    `path_condition` is what must have held for it to have come this far, `scenario` how often what
    runs is taken to be run, `proven_by_backward` those without which a backward would have raised,
    as far as one can tell, `proofs` those of which that is certain (`proofs.py`), `reaching` those
    on which gradients have reached a leaf, `stepped_with` those on which a step has used them,
    `of_terms` those without which a term of a loss would have no graph,
    `treated_as_data` those about what the program treats as data, `denied` those that do not hold
    on this path, by kind and by what they are about. `unfilled` are the empty things that loops
    went over, each with the moment and with how daring it is that it is empty, `cut_short` the
    moments at which loops were left before their last round.
    """

    path_condition: frozenset[Assumption] = frozenset()
    scenario: frozenset[Assumption] = frozenset()
    proven_by_backward: set[Assumption] = field(default_factory=set)
    treated_as_data: set[Assumption] = field(default_factory=set)
    proofs: set[Assumption] = field(default_factory=set)
    reaching: dict[Tensor, frozenset[Assumption]] = field(default_factory=dict)
    stepped_with: set[Assumption] = field(default_factory=set)
    of_terms: set[Assumption] = field(default_factory=set)
    denied: set[tuple[Kind, str]] = field(default_factory=set)
    unfilled: dict[str, tuple[int, int]] = field(default_factory=dict)
    cut_short: list[int] = field(default_factory=list)

    def denies(self, fault: Fault) -> bool:
        """Whether a fault rests on what does not hold on this path, daring or not."""
        if not self.denied:
            return False
        return any((why.kind, why.about) in self.denied for why in fault.assumptions)

    @property
    def here(self) -> frozenset[Assumption]:
        """All that must hold for what is run now to be run."""
        return self.path_condition | self.scenario


@dataclass(slots=True)
class SavingHooks:
    """`packing` are the hooks that take what is saved, `unhooked` the call since which there must
    be none."""

    packing: Packing | None = None
    unhooked: Created | None = None


@dataclass(slots=True)
class Backwards:
    """The backwards of a run.

    `passes` are those so far, `walking` is the call of the one that runs, `carried` the node of an
    earlier, freed graph that it leads to. `reached` is where something asked for a graph (backward,
    `retain_grad`). `frozen` are the leaves that were asked not to require grad any more, by
    identity. `on_pass` is told of each pass before it runs. `trained` are the positions, among the
    leaves that the program is there to train, of those that got a gradient, `cut` the position of
    one that got none by where its graph was cut.
    """

    passes: list[Pass] = field(default_factory=list)
    walking: Place | None = None
    carried: Node | None = None
    reached: set[Place | None] = field(default_factory=set)
    frozen: dict[int, Frozen] = field(default_factory=dict)
    on_pass: Callable[[Pass], None] | None = None
    trained: Set[int] = frozenset()
    cut: dict[Place, int] = field(default_factory=dict)

    @property
    def received(self) -> set[int]:
        """The leaves that a backward so far has come to, by identity."""
        return {id(leaf) for walk in self.passes for leaf in walk.leaves()}
