"""Whether results are as large as the machine says: `python -m benchmarks.shapes [MOST]`.

So many of torch's own samples of each operator and layer are written down as programs, run on the
real engine and on the machine. A size that the machine does not know is no fault; a wrong one is.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import torch
from tests.vm.running import bound

from autograd_lint.engine.shapes import Shape
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.scope import Missing
from autograd_lint.vm.values import Items, Value
from benchmarks.sample_programs import HEAD, names, samples

# Programs without a backward are not run by the machine.
_TAIL = "torch.ones(2, requires_grad=True).sum().backward()\n"
Shapes = tuple[Shape, ...]


@dataclass(slots=True)
class Tally:
    """How many results have the sizes that the machine says, how many have some that it does not
    know, none that it knows, and those that have others, each with its program."""

    right: int = 0
    partly: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[str, Shapes, Shapes]] = field(default_factory=list)


def of_torch(text: str) -> Shapes | None:
    """The sizes of the results on the real engine; None where it refuses the program."""
    bound: dict[str, object] = {}
    try:
        exec(text, bound)
    except Exception:
        return None
    return tuple(tuple(one.shape) for one in _results(bound["h"]))


def _results(found: object) -> Iterator[torch.Tensor]:
    if isinstance(found, (list, tuple)):
        for one in found:
            yield from _results(one)
    elif isinstance(found, torch.Tensor):
        yield found


def of_machine(text: str) -> Shapes:
    """The sizes of the results on the machine."""
    return tuple(_said(bound(text, "h")))


def _said(value: Value | Missing) -> Iterator[Shape]:
    if isinstance(value, Items):
        for one in value.items:
            yield from _said(one)
    else:
        tensor = None if isinstance(value, Missing) else tensor_of(value)
        yield None if tensor is None else tensor.shape


def judge(name: str, most: int, tally: Tally) -> None:
    """Compare the results of so many calls of an operator or layer."""
    programs = (one.program() for one in samples(name))
    runs = ((text, real) for text in programs if (real := of_torch(text)))
    for text, real in islice(runs, most):
        said = of_machine(text + _TAIL)
        if len(said) != len(real) or all(one is None for one in said):
            tally.unknown[name] += 1
        elif not all(map(_fits, said, real)):
            tally.wrong.append((text.removeprefix(HEAD), said, real))
        elif any(one is None or None in one for one in said):
            tally.partly += 1
        else:
            tally.right += 1


def _fits(said: Shape, real: Shape) -> bool:
    """Whether what is said of a shape holds for the one that torch gives."""
    if said is None or real is None:
        return True
    pairs = zip(said, real, strict=False)
    return len(said) == len(real) and all(one in (None, other) for one, other in pairs)


def main(most: int, operators: int | None = None) -> Tally:
    """Compare the results of so many operators and layers, or all, and print what differs."""
    warnings.simplefilter("ignore")
    tally = Tally()
    for name in names()[:operators]:
        judge(name, most, tally)
    unknown = tally.unknown.total()
    print(
        f"{tally.right} right, {tally.partly} in part, {unknown} unknown, {len(tally.wrong)} wrong"
    )
    for text, said, real in tally.wrong:
        print(f"wrong: {text.strip()}  # {said}, in truth {real}")
    for name, times in tally.unknown.most_common():
        print(f"unknown: {name} ({times})")
    return tally


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
