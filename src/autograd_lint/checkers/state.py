"""What the watchers of one run remember."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.severing import Severed
from autograd_lint.engine.tensor import Storage, Tensor, Write
from autograd_lint.places import Place

if TYPE_CHECKING:
    from autograd_lint.engine.backward import Pass
    from autograd_lint.engine.graph import Node


@dataclass(frozen=True, slots=True)
class Bound:
    """Where an attribute was bound, and when by the engine's clock."""

    place: Place
    moment: int


@dataclass(slots=True, eq=False)
class Share:
    """What one backward added to a gradient; `steps` counts the optimizer steps before it."""

    walk: Pass
    steps: int


@dataclass(slots=True, eq=False)
class Gradient:
    """The gradient of a leaf: the shares it holds that no step has used yet.

    `used` is the step that used it last, as long as nothing has cleared it; `mixed` the backward
    that added to it nevertheless; `wasted` what cleared it before any step; `scaled` the backward
    whose loss a gradient scaler had scaled. `held` and `mark` tell whether the program itself has
    replaced or written it, `during` is what a driver had called when backward first came by.
    """

    leaf: Tensor
    fresh: list[Share] = field(default_factory=list)
    used: Place | None = None
    mixed: Share | None = None
    wasted: Place | None = None
    scaled: Place | None = None
    held: Tensor | None = None
    mark: int = 0
    during: object = None


@dataclass(slots=True, eq=False)
class Term:
    """A term of a loss: one of its cuts, and the leaves that backward gets to nevertheless."""

    walk: Pass
    severed: Severed
    leaves: list[Tensor]


@dataclass(slots=True, eq=False)
class Stepping:
    """One optimizer: where it was made, its steps, and those that found no gradient.

    `idle` are pairs of such a step and of what cleared the gradients before it, `during` what a
    driver had called at the first.
    """

    optimizer: Any
    made: Created
    steps: int = 0
    useful: int = 0
    idle: list[tuple[Place, Place | None]] = field(default_factory=list)
    scheduled: Place | None = None
    during: object = None


@dataclass(frozen=True, slots=True)
class Added:
    """A parameter that a module got after its optimizer was made, and where.

    `because` is what it rests on where little is known of the module.
    """

    stepping: Stepping
    tensor: Tensor
    place: Place
    because: frozenset[Assumption] = frozenset()


@dataclass(frozen=True, slots=True)
class Made:
    """A module, and where the program made it."""

    module: Any
    place: Place


@dataclass(frozen=True, slots=True)
class Rebound:
    """A leaf whose name went on to another tensor, and where.

    `last` is what the name means by now. `steps` is how often the optimizers of the leaf had
    stepped by then, where no gradient was waiting for them; None where one was.
    """

    leaf: Tensor
    last: Tensor
    place: Place
    steps: int | None
    switch: Created | None = None


@dataclass(slots=True, eq=False)
class Kept:
    """A tensor that outlives the round of a loop in which it was computed.

    `freed` is what must hold for an earlier part of its graph to have been freed, `unproven` what
    for there to be a graph, `first` the graph of the first value that went into it.
    """

    place: Place
    node: Node
    name: str | None
    freed: frozenset[Assumption]
    unproven: frozenset[Assumption]
    first: Node


@dataclass(slots=True, eq=False)
class Evaluated:
    """What a module in evaluation mode has computed with grad mode on, from its first argument.

    `made` is where the mode was set, `caller` the function at work where nothing calls that one.
    """

    node: Node
    place: Place
    made: Created
    given: Any
    caller: str | None


@dataclass(slots=True, eq=False)
class Alias:
    """A tensor on memory that is written under another name.

    `made` is where it came to share the memory, and how. `plain` says that nothing but the wish to
    keep values explains it: it was taken from the middle of a graph, or belongs to a caller.
    `overwritten` is the first write by another name, `seen` how many writes there were by then.
    `source` is what it was taken from.
    """

    tensor: Tensor
    made: Created
    plain: bool
    overwritten: Modified | None = None
    seen: int = 0
    source: Tensor | None = None

    @property
    def part(self) -> Tensor | None:
        """The view that it was taken from, where it shares but a part of the memory."""
        return self.source if self.source is not None and self.source.is_view else None


@dataclass(slots=True, eq=False)
class Aliases:
    """What shares memory: all by memory, those overwritten by tensor.

    `gradient` is the `.grad` that was read last, `lent` are arguments that the function they were
    given to has written, with its frame.
    """

    known: dict[int, list[Alias]] = field(default_factory=dict)
    stale: dict[int, Alias] = field(default_factory=dict)
    gradient: Tensor | None = None
    lent: list[tuple[Tensor, Modified, Any]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Flags:
    """What became of `requires_grad`: where leaves were frozen, and at what time.

    `undone` are leaves whose freezing was taken back before anything had been computed, `again`
    those that were told to require grad while they held an old gradient.
    """

    frozen: dict[int, tuple[Tensor, Place, int]] = field(default_factory=dict)
    undone: list[tuple[Tensor, Place, tuple[Place, int]]] = field(default_factory=list)
    freed: dict[tuple[Place, int], set[Tensor]] = field(default_factory=dict)
    again: dict[int, Place] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Hazard:
    """A node with an infinite derivative for some values: those that a mask lays aside, or zero."""

    node: Node
    masked_at: Place | None
    made: Created
    because: Assumption | None


@dataclass(slots=True, eq=False)
class Values:
    """What is known of values.

    `conditions` are results of comparisons of a tensor with a number, `singular` the nodes of
    functions without a derivative in some intervals of their argument, `zeros` tensors that are
    zero, and where.
    """

    conditions: dict[int, tuple[Tensor, Tensor, str, float]] = field(default_factory=dict)
    singular: dict[int, tuple[Node, Tensor, tuple[Any, ...]]] = field(default_factory=dict)
    zeros: dict[int, tuple[Tensor, str]] = field(default_factory=dict)
    hazards: dict[int, Hazard] = field(default_factory=dict)


@dataclass(eq=False)
class Watch:
    """The memory of all watchers.

    `pass_steps` is how many steps came before each backward, `wasted` the leaves (by identity)
    whose gradients were cleared somewhere before any step has used them. `asked` are the tensors
    whose gradient the program itself has asked for, `absent` those of which
    an expression has read a `.grad` that stays None, `standing` the classes
    that stand for all of a table, and how the program asks for them, `unmoved` the parameters that
    no gradient is there to move.
    """

    gradients: dict[int, Gradient] = field(default_factory=dict)
    astray: int = 0
    cleared: dict[Tensor, int] = field(default_factory=dict)
    slopes: dict[int, tuple[Storage, Tensor]] = field(default_factory=dict)
    optimizers: dict[int, Stepping] = field(default_factory=dict)
    steps: int = 0
    step_log: list[Any] = field(default_factory=list)
    pass_steps: list[int] = field(default_factory=list)
    wasted: dict[Place, list[int]] = field(default_factory=dict)
    idle_clips: dict[Place, list[Tensor]] = field(default_factory=dict)
    useful_clips: set[Place] = field(default_factory=set)
    scaled_nodes: set[Node] = field(default_factory=set)
    scaler_calls: dict[tuple[str, int], Place] = field(default_factory=dict)
    left_round: Place | None = None
    severed: dict[int, Severed] = field(default_factory=dict)
    restarted: set[Severed] = field(default_factory=set)
    flags: dict[int, Place] = field(default_factory=dict)
    rebuilt: list[tuple[Tensor, Severed, Needed]] = field(default_factory=list)
    leaves: list[Tensor] = field(default_factory=list)
    asked: dict[int, Tensor] = field(default_factory=dict)
    absent: dict[ast.AST, Tensor] = field(default_factory=dict)
    flagged: list[Tensor] = field(default_factory=list)
    trained: list[Tensor] = field(default_factory=list)
    typed: set[Tensor] = field(default_factory=set)
    unmoved: set[Tensor] = field(default_factory=set)
    rebound: list[Rebound] = field(default_factory=list)
    added: list[Added] = field(default_factory=list)
    anew: list[tuple[Any, Tensor, Place]] = field(default_factory=list)
    modules: list[Any] = field(default_factory=list)
    made: list[Made] = field(default_factory=list)
    given_away: list[Any] = field(default_factory=list)
    bound: dict[tuple[int, str], Bound] = field(default_factory=dict)
    copies: dict[int, tuple[Tensor, Storage]] = field(default_factory=dict)
    filled: dict[int, set[int]] = field(default_factory=dict)
    kept: dict[tuple[Place, str, Node], Kept] = field(default_factory=dict)
    counted: set[Node] = field(default_factory=set)
    sums: dict[tuple[Place, str], tuple[Tensor, Node]] = field(default_factory=dict)
    chains: dict[tuple[Place, object, object], tuple[Node, Node, int]] = field(default_factory=dict)
    appended: dict[tuple[int, Place], list[tuple[Any, Any]]] = field(default_factory=dict)
    handed: dict[tuple[int, Place], Place] = field(default_factory=dict)
    losses: dict[int, Node] = field(default_factory=dict)
    part_of_step: set[Place] = field(default_factory=set)
    leak: Created | None = None
    aliases: Aliases = field(default_factory=Aliases)
    requiring: Flags = field(default_factory=Flags)
    values: Values = field(default_factory=Values)
    observed: dict[int, tuple[Tensor, Created]] = field(default_factory=dict)
    underived: list[tuple[Node, Tensor, Modified]] = field(default_factory=list)
    evaluated: dict[int, Evaluated] = field(default_factory=dict)
    terms: list[Term] = field(default_factory=list)
    used: set[tuple[int, int]] = field(default_factory=set)
    unrecorded: list[tuple[Node, int, Write]] = field(default_factory=list)
    bent: list[tuple[Node, Write]] = field(default_factory=list)
    tied: list[tuple[Tensor, Tensor, Place]] = field(default_factory=list)
    idle_clears: dict[int, list[Place]] = field(default_factory=dict)
    mistaken: list[tuple[Modified, Any, frozenset[Assumption]]] = field(default_factory=list)
    withheld: list[tuple[Node, Node, Created]] = field(default_factory=list)
    made_trainable: dict[int, Place] = field(default_factory=dict)
    graphless: list[Tensor] = field(default_factory=list)
    flat: list[Node] = field(default_factory=list)
    standing: dict[object, str] = field(default_factory=dict)
    said: set[tuple[object, ...]] = field(default_factory=set)
