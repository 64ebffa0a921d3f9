"""Whether results are as large as the machine says: `python -m benchmarks.shapes [MOST]`.

So many of torch's own samples of each operator and layer are written down as programs, run on the
real engine and on the machine. A size that the machine does not know is no fault; a wrong one is.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from unittest.mock import patch

import torch

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.shapes import Shape
from autograd_lint.operators.measure import functions, layer_samples
from autograd_lint.operators.measure.names import resolve
from autograd_lint.operators.measure.signatures import signature_of
from autograd_lint.operators.table import load
from autograd_lint.project.source import Source
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import Missing
from autograd_lint.vm.values import Items, Value

_HEAD = "import torch\nfrom torch import nn\nw = torch.ones(2, requires_grad=True)\n"
_TAIL = "w.sum().backward()\n"
Shapes = tuple[Shape, ...]


@dataclass(slots=True)
class Tally:
    """How many results have the sizes that the machine says, how many have some that it does not
    know, none that it knows, and those that have others, each with its program."""

    right: int = 0
    partly: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[str, Shapes, Shapes]] = field(default_factory=list)


class Unwritten(Exception):
    """A sample that cannot be written down as a program."""


def programs(name: str) -> Iterator[str]:
    """Programs that call an operator or a layer on torch's samples and keep the result as `h`."""
    if name in layer_samples.names():
        for sample in layer_samples.samples(name):
            yield from _written(name, sample.arguments, sample.options, sample.inputs, sample.named)
        return
    for arguments, named in functions._samples(name, signature_of(name, resolve(name))):
        yield from _written(f"torch.{name}", arguments, named)


def _written(
    called: str,
    arguments: tuple[object, ...],
    named: dict[str, object],
    inputs: tuple[object, ...] | None = None,
    options: dict[str, object] | None = None,
) -> Iterator[str]:
    made: list[str] = []
    try:
        call = f"{called}({_given(arguments, named, made)})"
        if inputs is not None:
            call += f"({_given(inputs, options or {}, made)})"
    except Unwritten:
        return
    yield _HEAD + "".join(made) + f"h = {call}\n" + _TAIL


def _given(arguments: tuple[object, ...], named: dict[str, object], made: list[str]) -> str:
    given = [_text(one, made) for one in arguments]
    return ", ".join([*given, *(f"{word}={_text(one, made)}" for word, one in named.items())])


def _text(value: object, made: list[str]) -> str:
    """An argument as Python; tensors get a line of their own in `made`."""
    if isinstance(value, torch.Tensor):
        made.append(f"t{len(made)} = {_tensor(value)}\n")
        return f"t{len(made) - 1}"
    if isinstance(value, (list, tuple)):
        parts = ", ".join(_text(one, made) for one in value)
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' * (len(value) == 1)})"
    if value is None or isinstance(value, (int, float, str, torch.dtype)):
        return str(value) if isinstance(value, torch.dtype) else repr(value)
    raise Unwritten


def _tensor(value: torch.Tensor) -> str:
    size = tuple(value.shape)
    if value.dtype.is_floating_point:
        return f"torch.rand({size})"
    if value.dtype == torch.bool:
        return f"torch.rand({size}) > 0.5"
    if value.dtype == torch.int64:
        return f"torch.zeros({size}, dtype=torch.int64)"
    raise Unwritten


def of_torch(text: str) -> Shapes | None:
    """The sizes of the results on the real engine; None where it refuses the program."""
    names: dict[str, object] = {}
    try:
        exec(text, names)
    except Exception:
        return None
    return tuple(tuple(one.shape) for one in _results(names["h"]))


def _results(found: object) -> Iterator[torch.Tensor]:
    if isinstance(found, (list, tuple)):
        for one in found:
            yield from _results(one)
    elif isinstance(found, torch.Tensor):
        yield found


def of_machine(text: str) -> Shapes:
    """The sizes of the results on the machine."""
    found: Shapes = ()
    let_go = Interpreter.let_go

    def noted(run: Interpreter) -> None:
        nonlocal found
        value = run.frames[0].scope.lookup("h") if run.frames else None
        found = () if value is None else tuple(_said(value))
        let_go(run)

    with patch.object(Interpreter, "let_go", noted):
        analyse(Source("program.py", text))
    return found


def _said(value: Value | Missing) -> Iterator[Shape]:
    if isinstance(value, Items):
        for one in value.items:
            yield from _said(one)
    else:
        tensor = None if isinstance(value, Missing) else tensor_of(value)
        yield None if tensor is None else tensor.shape


def judge(name: str, most: int, tally: Tally) -> None:
    """Compare the results of so many calls of an operator or layer."""
    runs = ((text, real) for text in programs(name) if (real := of_torch(text)))
    for text, real in islice(runs, most):
        said = of_machine(text)
        if len(said) != len(real) or all(one is None for one in said):
            tally.unknown[name] += 1
        elif not all(map(_fits, said, real)):
            tally.wrong.append((text.removeprefix(_HEAD).removesuffix(_TAIL), said, real))
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
    names = sorted({*functions.function_names(), *layer_samples.names()} & {*load()})
    random.Random(0).shuffle(names)
    for name in names[:operators]:
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
