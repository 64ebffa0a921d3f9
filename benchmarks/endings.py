"""What becomes of each operator: `python -m benchmarks.endings [MOST] [OPERATORS]`.

So many of torch's own samples of each operator and layer are written down as programs that go on in
different ways: backward, once or twice, after a write to what the operator took or gave, or with a
leaf as its argument. Each runs on the real engine, and is analysed. Samples with `out=` are left
out, for which PyTorch refuses in many places.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import torch
from tests.truth.judging import compare
from tests.truth.programs import Program
from tests.truth.real import run

from benchmarks.sample_programs import HEAD, Sample, names, samples
from benchmarks.shapes import of_torch

_MOST_INPUTS = 3
_BACKWARD = "h.sum().backward()"


@dataclass(slots=True)
class Tally:
    """How many programs were compared, and those that the engines differ on, by how they do."""

    programs: int = 0
    differing: Counter[str] = field(default_factory=Counter)
    found: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of programs of which both engines say the same."""
        return 1 - self.differing.total() / max(self.programs, 1)


def endings(sample: Sample) -> Iterator[str]:
    """Programs that go on with the result `h` of a sample."""
    floats = [name for name, made in sample.tensors.items() if made.startswith("torch.rand(")]
    floats = [name for name in floats if ">" not in sample.tensors[name]]
    for taken in ([*floats], floats[:1]) if len(floats) > 1 else (floats,):
        called = _called(sample, taken)
        yield _program(*called, _BACKWARD)
        yield _program(*called, _BACKWARD, _BACKWARD)
        yield _program(*called, "h.mul_(2)", _BACKWARD)
        for name in floats[:_MOST_INPUTS]:
            yield _program(*called, f"{name}.mul_(2)", _BACKWARD)
    yield _program(*_called(sample, [], floats[:1]), _BACKWARD)


def _called(sample: Sample, computed: list[str], leaves: list[str] | None = None) -> list[str]:
    """The lines of a sample in which some tensors are computed of leaves, and others are leaves."""
    lines = []
    for name, made in sample.tensors.items():
        leaf = f"{made[:-1]}, requires_grad=True)"
        if name in computed:
            lines += [f"{name}_leaf = {leaf}", f"{name} = {name}_leaf * 1.5"]
        else:
            lines.append(f"{name} = {leaf if name in (leaves or ()) else made}")
    return [*lines, f"h = {sample.call}"]


def _program(*lines: str) -> str:
    return HEAD + "\n".join(lines) + "\n"


def judge(name: str, most: int, tally: Tally) -> None:
    """Compare the endings of so many samples of an operator or layer."""
    for sample in islice(filter(_is_usable, samples(name)), most):
        for text in endings(sample):
            verdict = run(text)
            if not verdict.valid:
                continue
            tally.programs += 1
            difference = compare(Program(text, True), verdict)
            if difference is not None:
                tally.differing[difference.sort] += 1
                tally.found.append((name, text.removeprefix(HEAD), str(difference)))


def _is_usable(sample: Sample) -> bool:
    """Whether torch takes a sample and gives one tensor."""
    results = of_torch(sample.program()) if "out=" not in sample.call else None
    return results is not None and len(results) == 1


def main(most: int, operators: int | None = None) -> Tally:
    """Compare so many operators and layers, or all, and print on what the engines differ."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    tally = Tally()
    for name in names()[:operators]:
        judge(name, most, tally)
    for name, text, difference in tally.found:
        print(f"{name}\n{text}{difference}\n")
    told = ", ".join(f"{number} {sort}" for sort, number in tally.differing.most_common())
    print(f"{tally.programs} programs, {tally.share:.2%} alike; {told}")
    return tally


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
