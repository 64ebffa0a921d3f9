"""What the tracer remembers: which operator made which node, and what became of storages.

Nothing here keeps a tensor, the memory of a storage or a graph node alive. Time is counted in
sequence numbers of autograd: a write happened after a node was made when its `sequence` is greater
than the node's.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import count
from threading import get_ident
from types import CodeType, TracebackType
from typing import Any, Protocol

import torch

from autograd_lint.engine.faults import Fault
from autograd_lint.live.births import Births
from autograd_lint.live.calls import Call, Calls
from autograd_lint.live.memory import UNKNOWN, Memory, Origin
from autograd_lint.live.numbers import Numbers
from autograd_lint.live.private import Unseen
from autograd_lint.live.sites import Site
from autograd_lint.live.writes import Held, Manner, Write, Writes
from autograd_lint.places import Place

_REMEMBERED = 8  # calls of backward; what was written before them is forgotten


@dataclass(frozen=True, slots=True)
class Birth:
    """The operator that ran when a node was made, and its place."""

    operator: str
    site: Site | None

    def fits(self, operator: str) -> bool:
        """Whether its operator makes nodes of `operator`, as the operator table spells it."""
        plain = self.operator.strip("_").removeprefix("native_").removeprefix("convolution_")
        return plain.startswith(operator) or operator.startswith(plain)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of an optimizer that is not observed: its parameters and their versions before."""

    site: Site | None
    parameters: list[tuple[torch.Tensor, int | None]]


class Watcher(Protocol):
    """Is told more than is remembered, where somebody asks for it."""

    def cut(self, site: Site, tensor: torch.Tensor, operator: str) -> None:
        """An operator leaves the graph of a tensor."""

    def added(self, site: Site, number: int, operator: str) -> None:
        """What an operator left at a site is added to what has a graph, by the node `number`;
        the operator is `NO_GRAD` for a tensor of one number that grad mode was off for."""

    def took(self, site: Site, alias: torch.Tensor, leaf: torch.Tensor, operator: str) -> None:
        """An operator has given an alias of a leaf, without its graph."""

    def is_of_trained(self, site: Site) -> bool:
        """Whether an operator there is known to leave a graph of what optimizers have."""

    def used(self, site: Site, operator: str) -> None:
        """What an operator left at a site is given to this one, which has a node."""

    def combined(self, site: Site, number: int, operator: str, given: tuple[Any, ...]) -> None:
        """An operator has made the node `number` of these, for the first time at a place."""

    def wrote(self, site: Site | None, tensor: torch.Tensor, operator: str) -> None:
        """An operator has written to a tensor."""

    def replaced(self, site: Site, tensor: torch.Tensor, value: torch.Tensor) -> None:
        """The `.data` of a tensor is about to be set."""

    def off(self) -> Site | CodeType | None:
        """What has switched grad mode off in this thread: a call, or a decorated function."""


class Use(Protocol):
    """Is told that an operator at a place is given these, and whether it writes."""

    def __call__(
        self, given: tuple[Any, ...], site: Site | None, operator: str, /, *, writes: bool
    ) -> None: ...


class Follower(Protocol):
    """Is told of every operator; while there is one, what values a write changes is kept."""

    def begins(
        self, operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, writes: bool
    ) -> None:
        """An operator is about to run."""


class Recording(Protocol):
    """Is told of every operator that has run, and what it gave."""

    def ran(self, operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any], made: Any) -> None:
        """An operator has run."""


class Looking(Unseen):
    """A step of the tracer: nobody sees what it reads, and what it stumbles over is only counted.

    `what` says what remains unseen then.
    """

    __slots__ = ("_record", "_what")

    def __init__(self, record: "Record", what: str) -> None:
        self._record = record
        self._what = what

    __enter__ = Unseen.begin

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        self.end(kind, error, traceback)
        if isinstance(error, Exception):
            self._record.stumble(self._what, error)
            return True
        return False


class Record:
    """Everything that was seen. One record serves all threads of a program.

    All of `told_use`, by who asks for it, are told what each operator is given, those of `told_of`
    what an operator of that name is. `packing` has the code of all pack hooks, `pack_hooks` the
    latest one and its unpack hook.
    """

    __slots__ = (
        "_births", "_kinds", "_numbers", "calls", "entered", "follower", "found",
        "hooks_used", "memory", "numbers", "pack_hooks", "packing", "several_counters", "tape",
        "told_of", "told_use", "unseen", "watcher", "writes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.writes = Writes()
        self.memory = Memory()
        self.calls = Calls()
        self.numbers = Numbers()
        self.several_counters: set[int] = set()
        self.hooks_used = False
        self.pack_hooks: tuple[Any, ...] = ()
        self.packing: set[CodeType] = set()
        self.entered: Place | None = None
        self.found: list[Fault] = []
        self.told_use: dict[type, Use] = {}
        self.told_of: dict[str, list[Use]] = {}
        self.unseen: dict[str, int] = {}
        self.watcher: Watcher | None = None
        self.follower: Follower | None = None
        self.tape: Recording | None = None
        self._kinds: dict[tuple[str, Site | None], int] = {}
        self._numbers = count(1)
        self._births: dict[int, Births] = {}

    @property
    def _horizon(self) -> int:
        """When the first of the calls of backward began that are remembered."""
        return self.calls.began(_REMEMBERED)

    @property
    def has_packed(self) -> bool:
        """Whether the program has put hooks on what is saved for backward."""
        return bool(self.pack_hooks)

    def tell_of(self, operators: Iterable[str], use: Use) -> None:
        """Be told what each operator of these names is given; once is enough."""
        for operator in operators:
            users = self.told_of.setdefault(operator, [])
            if use not in users:
                users.append(use)

    def births_here(self) -> Births:
        """What makes the nodes of the running thread from now on."""
        births = self._births[get_ident()] = Births()
        return births

    def kind(self, operator: str, site: Site | None) -> int:
        """The number that stands in `Births` for an operator at a place."""
        number = self._kinds.get((operator, site))
        if number is None:
            number = self._kinds.setdefault((operator, site), next(self._numbers))
        return number

    def births_of(self, node: int) -> tuple[Birth | None, Birth | None]:
        """What ran when a node was made, and what made the nodes before that.

        Every thread counts for itself: the running one's count goes before that of others.
        """
        latest_first = reversed(self._births.values())
        births = [self._births.get(get_ident(), Births()), *latest_first]
        made = next((one for one in births if one.of(node)), None)
        return (None, None) if made is None else self._made_by(made, node)

    def _made_by(self, births: Births, node: int) -> tuple[Birth | None, Birth | None]:
        """What one thread ran when a node of its own was made, and what made those before that."""
        number = births.of(node)
        before = (births.of(n) for n in range(node - 1, max(-1, node - 64), -1))
        return self._birth(number), self._birth(next((n for n in before if n != number), 0))

    def counts_alike(self, node: int, operator: str, write: Write) -> bool:
        """Whether the running thread has made a node of an operator, and a write: each thread
        numbers its own.

        Where others have made nodes of that number, too, their operators tell whose it is, or it is
        not sure.
        """
        threads = self._births
        if len(threads) < 2:
            return True
        here, first = get_ident(), next(iter(threads))
        makers = {thread: one for thread, one in list(threads.items()) if one.of(node)}
        if len(makers) > 1:
            known = {thread: self._made_by(one, node) for thread, one in makers.items()}
            fitting = [
                at for at, made in known.items() if any(b and b.fits(operator) for b in made)
            ]
        else:
            fitting = [*makers]
        return fitting == [here] and (write.thread or first) == here

    def is_assumed(self, node: int) -> bool:
        """Whether what made a node is only assumed: what made as many in an earlier round."""
        return any(one.is_assumed(node) for one in list(self._births.values()))

    def _birth(self, number: int) -> Birth | None:
        kinds = (kind for kind, known in self._kinds.items() if known == number)
        return next((Birth(*kind) for kind in kinds), None)

    def add_write(
        self,
        storage: int,
        sequence: int,
        version: int | None,
        manner: Manner,
        held: Held | None = None,
    ) -> None:
        """Remember a write; what came before the latest calls of backward is forgotten some day."""
        if self.writes.are_many:
            self.writes.forget(self._horizon)
        if len(self._births) > 1:
            manner = manner._replace(thread=get_ident())
        self.writes.add(storage, sequence, version, manner, held)

    def add_origin(self, storage: int, origin: Origin, made: int) -> None:
        """A tensor without a graph was made, its memory with it; of a view `made` is UNKNOWN."""
        if self.memory.is_much:
            self.memory.forget(self._horizon, self.writes.storages())
        if made != UNKNOWN:
            self.several_counters.discard(storage)
        self.memory.add(storage, origin, made)

    def add_gradients(self, storages: Collection[int], origin: Origin, made: int) -> None:
        """A call has made gradients."""
        self.memory.add_gradients(storages, origin, made)
        self.several_counters.difference_update(storages)

    def add_backward(self, call: Call, began: int) -> None:
        """A call has ended."""
        self.calls.add(call, began)
        for births in list(self._births.values()):
            births.close()

    def forget_memory(self) -> None:
        """Operators are not observed any longer: what lies where is not known after that."""
        self.memory = Memory()
        self.numbers = Numbers()

    def looking(self, what: str) -> Looking:
        """A step that reads what the program has, and must not change it."""
        return Looking(self, what)

    def stumble(self, what: str, error: Exception) -> None:
        """Count a step of the tracer that has failed: `what` remains unseen."""
        self.miss(f"{what} ({type(error).__name__})")

    def miss(self, what: str) -> None:
        """Count something that could not be observed."""
        self.unseen[what] = self.unseen.get(what, 0) + 1
