"""The calls of the engine that a program has made, and the nodes that each has freed."""

from array import array
from typing import Any, NamedTuple

from autograd_lint.live.runs import Runs
from autograd_lint.live.sites import Site

_MOST = 4_096
_WAITING = 64  # calls that are noted at once, which takes less time than one by one


class Call(NamedTuple):
    """A call of `backward` or `grad`; `creates` says whether it makes a graph of its own."""

    name: str
    site: Site | None
    creates: bool = False


class Calls:
    """What is known of the latest calls: when each began, and what it has freed.

    Calls that are alike and follow one another at equal distances cost no more than one.
    """

    __slots__ = (
        "_by", "_distances", "_ends", "_firsts", "_kinds", "_of", "_starts", "_times", "_waiting",
    )  # fmt: skip

    def __init__(self) -> None:
        self._kinds: list[Call] = []
        self._firsts = array("Q")  # of stretches: when the first call began, how many nodes later
        self._distances = array("Q")  # the next one, how many there were, and of which kind
        self._times = array("I")
        self._of = array("I")
        self._starts = array("Q")  # runs of freed nodes, and the call that has freed them
        self._ends = array("Q")
        self._by = array("I")
        self._waiting: list[tuple[Call, int, Runs, int]] = []

    def __len__(self) -> int:
        """How many stretches of calls are kept."""
        self._note_all()
        return len(self._of)

    def add(self, call: Call, began: int) -> None:
        """A call has ended that began when `began` nodes had been made."""
        kind = self._kind(call)
        if self._of and self._of[-1] == kind and self._goes_on(began):
            self._times[-1] += 1
            return
        self._firsts.append(began)
        self._distances.append(0)
        self._times.append(1)
        self._of.append(kind)
        if len(self._of) > _MOST:
            for column in (self._firsts, self._distances, self._times, self._of):
                del column[: _MOST // 2]

    def _goes_on(self, began: int) -> bool:
        """Whether a call that began then is at the distance of those of the latest stretch."""
        if self._times[-1] == 1 and began >= self._firsts[-1]:
            self._distances[-1] = began - self._firsts[-1]
        return began == self._begins(-1, self._times[-1])

    def _begins(self, at: int, number: int) -> int:
        """When the call of a number of a stretch began."""
        return self._firsts[at] + number * self._distances[at]

    def add_freed(self, call: Call, nodes: Runs) -> None:
        """It has freed nodes; what the same call has freed right before them counts as one run."""
        kind = self._kind(call)
        for start, end in nodes.bounds():
            if self._by and self._by[-1] == kind and self._ends[-1] == start:
                self._ends[-1] = end
            else:
                self._starts.append(start)
                self._ends.append(end)
                self._by.append(kind)
        if len(self._by) > _MOST:
            half = len(self._by) // 2
            del self._starts[:half], self._ends[:half], self._by[:half]

    def add_soon(self, call: Call, began: int, nodes: Runs, since: int) -> None:
        """A call has ended that began then, and has freed these nodes as many numbers later."""
        self._waiting.append((call, began, nodes, since))
        if len(self._waiting) >= _WAITING:
            self._note_all()

    def _note_all(self) -> None:
        waiting, self._waiting = self._waiting, []
        for call, began, nodes, since in waiting:
            self.add(call, began)
            self.add_freed(call, nodes.moved(since))

    def freed(self, node: int) -> Call | None:
        """The latest call that has freed a node."""
        self._note_all()
        for at in reversed(range(len(self._by))):
            if self._starts[at] <= node < self._ends[at]:
                return self._kinds[self._by[at]]
        return None

    def since(self, sequence: int) -> Call | None:
        """The first call that began after so many nodes had been made."""
        self._note_all()
        for at, times in enumerate(self._times):
            if self._begins(at, times - 1) > sequence:
                return self._kinds[self._of[at]]
        return None

    def latest_creating(self) -> Call | None:
        """The latest call that made a graph."""
        self._note_all()
        latest = (self._kinds[kind] for kind in reversed(self._of))
        return next((call for call in latest if call.creates), None)

    def began(self, ago: int) -> int:
        """When the call began that ended so many calls ago; 0 where there was none."""
        self._note_all()
        for at in reversed(range(len(self._of))):
            if ago <= self._times[at]:
                return self._begins(at, self._times[at] - ago)
            ago -= self._times[at]
        return 0

    def _kind(self, call: Call) -> int:
        for at, known in enumerate(self._kinds):  # few: a program calls at few places
            if known == call:
                return at
        self._kinds.append(call)
        return len(self._kinds) - 1


class Asked(NamedTuple):
    """What a call asks the engine for: gradients of `inputs`, of all leaves where there are none,
    that it keeps the graph or makes one of its own, that it fills `.grad`."""

    inputs: Any
    keeps: bool
    creates: bool
    accumulates: bool


def asked(
    gradients: Any = None,
    keep_graph: Any = False,
    create_graph: Any = False,
    inputs: Any = (),
    allow_unreachable: Any = False,
    accumulate_grad: Any = False,
    *_: Any,
    **__: Any,
) -> Asked:
    """What the arguments that follow the roots say: their names and order are those of the engine
    (`THPEngine_run_backward` in PyTorch's `torch/csrc/autograd/python_engine.cpp`)."""
    creates = bool(create_graph)
    return Asked(inputs, creates or bool(keep_graph), creates, bool(accumulate_grad))
