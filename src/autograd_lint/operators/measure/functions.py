"""Calls of functions, methods and properties: our own samples first, then torch's."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from autograd_lint.operators.facts import Operator
from autograd_lint.operators.measure import opinfo, samples
from autograd_lint.operators.measure.calls import FunctionCall
from autograd_lint.operators.measure.names import in_place_name, resolve
from autograd_lint.operators.measure.opinfo import Sample
from autograd_lint.operators.measure.probe import probe
from autograd_lint.operators.measure.signatures import keywords_of, returns_list
from autograd_lint.operators.measure.split import learn
from autograd_lint.operators.measure.trials import Case

_MOST_ALIKE = 4
_MOST_CASES = 60
_INDEXED = ("__getitem__", "__setitem__")


def function_names() -> list[str]:
    """All names there are samples of, and their in-place forms."""
    plain = dict.fromkeys([*samples.names(), *opinfo.names()])
    twins = [twin for name in plain if (twin := in_place_name(name))]
    return [name for name in dict.fromkeys([*plain, *twins]) if resolve(name)]


def measure_function(name: str) -> Operator | None:
    """The operator of that name, None where no sample ran."""
    function = resolve(name)
    if function is None:
        return None
    keywords = keywords_of(name, function)
    cases = list(_cases(name, keywords))
    if not cases:
        return None
    return Operator(name, learn(cases), tuple(sorted(keywords.items())))


def _cases(name: str, keywords: Mapping[str, str]) -> Iterator[Case]:
    """Cases of different kinds of arguments, a few of each."""
    counts: dict[Any, int] = {}
    taken = 0
    for arguments, named in _samples(name, keywords):
        call = _call(name, arguments, named, keywords)
        likeness = (frozenset(call.kinds.items()), _dimensions(call))
        counts[likeness] = counts.get(likeness, 0) + 1
        if counts[likeness] > _MOST_ALIKE or taken >= _MOST_CASES:
            continue
        case = probe(call)
        if case is not None:
            taken += 1
            yield case


def _dimensions(call: FunctionCall) -> tuple[int, ...]:
    return tuple(
        min(value.dim(), 3) for value in call.values.values() if isinstance(value, torch.Tensor)
    )


def _call(
    name: str, arguments: tuple[Any, ...], named: dict[str, Any], keywords: Mapping[str, str]
) -> FunctionCall:
    function = resolve(name)
    assert function is not None
    return FunctionCall(
        function,
        arguments,
        named,
        keywords,
        listed=returns_list(name, function) or name in samples.LISTED,
        indexed=name in _INDEXED,
    )


def _samples(name: str, keywords: Mapping[str, str]) -> Iterator[Sample]:
    yield from samples.own(name)
    base = name if name in opinfo.names() else name.rstrip("_")
    given = list(opinfo.samples(base))
    yield from given
    if base == name and "inplace" in keywords:
        yield from ((arguments, {**named, "inplace": True}) for arguments, named in given[:10])
    if base != name:
        yield from samples.own(base)
    yield from _with_out(name, given)


def _with_out(name: str, given: list[Sample]) -> Iterator[Sample]:
    """The `out=` form of a plain call, where the operator has one."""
    function = resolve(name)
    for arguments, named in given[:1]:
        try:
            result = function(*arguments, **named)  # type: ignore[misc]
            out = torch.empty_like(result)
            function(*arguments, **named, out=out)  # type: ignore[misc]
        except Exception:  # no such form, or not for this call
            return
        yield arguments, {**named, "out": out}
