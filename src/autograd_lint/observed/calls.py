"""Calls that were seen, gathered for each function: equal ones count as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from autograd_lint.immutable import immutable
from autograd_lint.observed.values import Named, Value, joined

MOST_CALLS = 8  # kept of one function


@immutable
class Call:
    """A call: what each parameter was bound to, what was returned, and the grad mode.

    `own` holds the attributes of the object whose method it was. `returned` is None where the call
    raised. Calls that agree in all of that are alike: `times` counts them, `trained` says that
    backward has walked through what one of them returned.
    """

    arguments: Named
    own: Named | None = None
    returned: Value | None = None
    grad_mode: bool = True
    trained: bool = field(default=False, compare=False)
    times: int = field(default=1, compare=False)

    def and_another(self, other: Call) -> Call:
        """This call for two that were alike."""
        arguments, own, returned = joined(self.arguments, other.arguments), self.own, self.returned
        assert isinstance(arguments, Named)
        if own is not None and other.own is not None:
            kept = joined(own, other.own)
            assert isinstance(kept, Named)
            own = kept
        if returned is not None and other.returned is not None:
            returned = joined(returned, other.returned)
        return Call(
            arguments,
            own,
            returned,
            self.grad_mode,
            self.trained or other.trained,
            self.times + other.times,
        )


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """Which function: its file, below the folder in which the program ran, its name in the file
    (`Net.forward`), and the digest of its text."""

    file: str
    name: str
    text: str


@dataclass
class Observed:
    """The calls of all functions that were seen."""

    functions: dict[Key, list[Call]] = field(default_factory=dict)

    def add(self, key: Key, call: Call) -> None:
        """Add a call to those of a function; of calls that are not alike the first are kept."""
        calls = self.functions.setdefault(key, [])
        for at, known in enumerate(calls):
            if known == call:
                calls[at] = known.and_another(call)
                return
        if len(calls) < MOST_CALLS:
            calls.append(call)

    def mark_trained(self, key: Key, call: Call) -> None:
        """Backward has walked through what this call of a function returned."""
        calls = self.functions.get(key, [])
        calls[:] = [replace(one, trained=True) if one == call else one for one in calls]

    def add_all(self, other: Observed) -> None:
        """Add all that another run has seen."""
        for key, calls in other.functions.items():
            for call in calls:
                self.add(key, call)

    def of_file(self, filename: str) -> Iterator[tuple[Key, list[Call]]]:
        """The functions of a file, by its absolute name."""
        slashes = filename.replace("\\", "/")
        for key, calls in self.functions.items():
            if slashes == key.file or slashes.endswith(f"/{key.file}"):
                yield key, calls


def merged(parts: Iterable[Observed]) -> Observed:
    """What several runs have seen."""
    found = Observed()
    for part in parts:
        found.add_all(part)
    return found
