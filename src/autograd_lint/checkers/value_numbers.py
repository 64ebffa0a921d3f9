"""Which values are the same numbers, computed once more from the same values in the same way.

It tells of no pitfall itself. Values that are computed without a graph are followed as well.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from autograd_lint.checkers.training_record import mark_of
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import Detached, OperatorRun, ProbabilityGiven
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter

# What gives other numbers whenever it is run.
DRAWING = ("rand", "dropout", "bernoulli", "multinomial", "normal", "rrelu", "gumbel", "poisson")


@dataclass(slots=True, eq=False, repr=False)
class ValueNumbers(Listener):
    """A number for each value that was computed, by the identity of its tensor: equal numbers are
    equal values. `known` are the numbers by what they were computed from, `probabilities` those of
    log probabilities and what was made of them, `origins` what each alias without a graph was taken
    of, by identity; `held` keeps alive what an identity stands for. What runs in files that never
    ask for a probability is not `followed`."""

    numbers: dict[int, int] = field(default_factory=dict)
    known: dict[Hashable, int] = field(default_factory=dict)
    probabilities: set[int] = field(default_factory=set)
    origins: dict[int, int] = field(default_factory=dict)
    held: list[object] = field(default_factory=list)
    followed: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.operator_run)
        to.add(cls, Detached, cls.detached)
        to.add(cls, ProbabilityGiven, cls.probability_given)

    def of(self, tensor: Tensor) -> int:
        """The number of a value as it is now."""
        own = self.numbers.get(id(tensor), -id(tensor))
        return self._number((own, mark_of(tensor)), tensor)

    def origin(self, tensor: Tensor) -> int:
        """The identity of the tensor that a value was first known as."""
        return self.origins.get(id(tensor), id(tensor))

    def are_probabilities(self, tensors: Iterable[Tensor]) -> bool:
        """Whether values were made of log probabilities."""
        return all(self.of(one) in self.probabilities for one in tensors)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator has run: with the same operands it gives the same results."""
        if not self._is_followed(interp):
            return
        operation = event.operation
        draws = any(word in event.dotted.lower() for word in DRAWING)
        drawn = len(self.held) if draws or operation.form.modifies else 0
        given = tuple((name, self._key(value)) for name, value in operation.arguments.items())
        scores = any(self.of(one) in self.probabilities for one in operation.tensors())
        for position, result in enumerate(event.results):
            key = event.dotted, position, given, drawn
            self.numbers[id(result)] = self._number(key, result)
            if scores:
                self.probabilities.add(self.of(result))

    def detached(self, interp: Interpreter, event: Detached) -> None:
        """An alias has the values of what it was taken of."""
        if not self._is_followed(interp):
            return
        self.numbers[id(event.alias)] = self.numbers.get(id(event.source), -id(event.source))
        self.origins[id(event.alias)] = self.origin(event.source)
        self.held += [event.alias, event.source]

    def probability_given(self, interp: Interpreter, event: ProbabilityGiven) -> None:
        """A distribution has given the logarithm of a probability."""
        key = event.kind, tuple(map(self._key, event.sources))
        self.numbers[id(event.result)] = self._number(key, event.result)
        self.probabilities.add(self.of(event.result))

    def _is_followed(self, interp: Interpreter) -> bool:
        source = interp.source
        if source.filename not in self.followed:
            self.followed[source.filename] = "log_prob" in source.text
        return self.followed[source.filename]

    def _key(self, value: object) -> Hashable:
        if isinstance(value, Tensor):
            return self.of(value)
        if isinstance(value, (list, tuple)):
            return tuple(map(self._key, value))
        if value is None or isinstance(value, (int, float, str)):
            return type(value), value
        self.held.append(value)
        return id(value)

    def _number(self, key: Hashable, value: object) -> int:
        self.held.append(value)
        return self.known.setdefault(key, len(self.known) + 1)
