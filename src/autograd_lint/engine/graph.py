"""The graph that backward walks: nodes, what they saved, where they lead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created, Freed
from autograd_lint.engine.graph_breaks import GraphBreaks
from autograd_lint.engine.tensor import CERTAINLY, Storage, Tensor, Write
from autograd_lint.operators.facts import Gap
from autograd_lint.places import Place


@dataclass(slots=True, eq=False, repr=False)
class SavedTensor:
    """A tensor a node keeps, with the version it had when it was saved.

    `writes` and `unversioned` are how many writes the storage had seen by then, `contents` which
    memory it stood for. `unchecked` says that backward uses the tensor without a look at its
    version, `hooked` that hooks of the program keep it, `unread` that backward asks for it, but
    computes nothing with it, `by_view` that the operator has made a view of it and kept that.
    """

    tensor: Tensor
    storage: Storage
    slot: str
    version: int
    writes: int
    unversioned: int
    contents: int
    assumptions: frozenset[Assumption] = CERTAINLY
    had_history: bool = False
    unchecked: bool = False
    hooked: bool = False
    unread: bool = False
    by_view: bool = False

    @classmethod
    def of(
        cls,
        tensor: Tensor,
        slot: str,
        assumptions: frozenset[Assumption] = CERTAINLY,
        unchecked: bool = False,
        by_view: bool = False,
    ) -> SavedTensor:
        """Save `tensor` now."""
        storage = tensor.storage
        return cls(
            tensor,
            storage,
            slot,
            storage.version,
            len(storage.writes),
            len(storage.unversioned_writes),
            storage.contents,
            assumptions,
            slot == "input" and tensor.node is not None,
            unchecked,
            by_view=by_view,
        )

    def renew(self) -> None:
        """Save it anew, as it is by now."""
        storage = self.storage
        self.version, self.contents = storage.version, storage.contents
        self.writes, self.unversioned = len(storage.writes), len(storage.unversioned_writes)

    def later_writes(self) -> list[Write]:
        """The writes since it was saved that the version check will see."""
        return self.storage.writes[self.writes :]

    def _is_concerned(self, write: Write) -> bool:
        """Whether the saved tensor itself got other contents, and has not got the old ones back.

        Of a result, a view and a `detach()` a node keeps a tensor of its own.
        Source: torch/csrc/autograd/saved_variable.cpp.
        """
        if write.alone is None:
            return True
        itself = self.slot != "result" and not self.by_view and write.alone is self.tensor
        return itself and self.contents != self.storage.contents

    def unversioned_writes(self) -> list[Write]:
        """The writes since it was saved that the version check will not see.

        What a program does to a parameter again and again (a mask, a bound) changes it once only,
        and other contents change nothing where the old ones have been put back.
        """
        later = [] if self.unread else self.storage.unversioned_writes[self.unversioned :]
        later = [write for write in later if self._is_concerned(write)]
        if not later or not self.tensor.parameter:
            return later
        before = {
            (w.event.place, w.event.operator)
            for w in self.storage.unversioned_writes[: self.unversioned]
        }
        return [w for w in later if (w.event.place, w.event.operator) not in before]


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """One step of the graph, made by `operator` at `place`.

    `bound` and `name` are where the program first named its result, and how; `kept` is where it did
    so last in each activation of its code. `run` is what the program itself does in
    backward (a custom Function).

    `graph_breaks` are the ends of other graphs among the constants it used. `second` is why a
    gradient that the program's own backward computes has a graph, None where it has none. `once` is
    where the program says that its gradient is not to be differentiated again, `refused` such a
    node of which this one computes the gradient.

    `gaps` are the edges over which backward cannot go, or not as usual. `recomputed` are
    the storages (by identity) from which backward computes anew what it saved (a checkpoint).
    `retained` are its results that were told to keep their gradient.

    `parts` are the tensors (by identity) that the program has taken out of what unknown code gave.

    `opaque` says that it stands for a graph that nobody knows, `given` that a caller gave that, or
    a leaf, `element` that it is of what a loop goes over, `perhaps_number` that it may as well be
    one of a number, which has no graph, `closed` that it leads to nothing but what its edges lead
    to, `of_caller` that beyond them it leads to nothing but what the caller has. `requires` is what
    must hold for the node to exist, `doubt` for a gradient to go on from it. `frees` says that
    backward leaves it unusable; `walked_at` and `walked_by` are the time and the call of the last
    backward through it. `sequence` grows with time: backward runs the youngest node first
    (torch/csrc/autograd/engine.cpp), and every edge leads to an older node.
    """

    operator: str
    place: Place | None
    sequence: int
    requires: frozenset[Assumption] = CERTAINLY
    edges: list[Node] = field(default_factory=list)
    saved: list[SavedTensor] = field(default_factory=list)
    frees: bool = False
    freed: Freed | None = None
    walked_at: int = 0
    walked_by: Place | None = None
    leaf: Tensor | None = None
    error: str = ""
    opaque: bool = False
    given: bool = False
    element: bool = False
    perhaps_number: bool = False
    closed: bool = False
    of_caller: bool = False
    doubt: frozenset[Assumption] = CERTAINLY
    bound: Place | None = None
    name: str | None = None
    kept: dict[object, tuple[Place, str]] = field(default_factory=dict)
    graph_breaks: GraphBreaks = ()
    second: frozenset[Assumption] | None = None
    once: Place | None = None
    refused: Node | None = None
    gaps: Sequence[tuple[Node, Gap]] = ()
    recomputed: frozenset[int] | None = None
    retained: Sequence[Tensor] = ()
    parts: set[int] = field(default_factory=set)
    run: Callable[[Place | None], None] | None = None

    @property
    def created(self) -> Created:
        return Created(self.place, self.operator)
