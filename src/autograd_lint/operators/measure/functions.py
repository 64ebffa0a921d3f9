"""Calls of functions, methods and properties: our own samples first, then torch's."""

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from autograd_lint.operators.facts import Operator
from autograd_lint.operators.measure import opinfo, samples
from autograd_lint.operators.measure.calls import Function, FunctionCall
from autograd_lint.operators.measure.defaults import mistakable
from autograd_lint.operators.measure.names import in_place_name, resolve, runner
from autograd_lint.operators.measure.opinfo import Sample
from autograd_lint.operators.measure.probe import probe
from autograd_lint.operators.measure.signatures import Signature, returns_list, signature_of
from autograd_lint.operators.measure.split import learn
from autograd_lint.operators.measure.trials import Case, constants

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
    signature = signature_of(name, function)
    cases = [case for _, case in probed(name, signature)]
    if not cases:
        return None
    found = Operator(name, learn(cases), tuple(sorted(signature.keywords.items())))
    return replace(
        found,
        constants=tuple(sorted(constants(cases, found.differentiable))),
        defaults=mistakable(found.forms, signature.defaults),
    )


def probed(name: str, signature: Signature) -> Iterator[tuple[FunctionCall, Case]]:
    """Calls with different kinds of arguments, a few of each, and what was seen of them."""
    made = (call(name, *sample, signature) for sample in _samples(name, signature))
    telling = (one for one in made if not one.is_degenerate)
    likeness = Counter[Any]()
    taken = 0
    for one in telling:
        alike = (frozenset(one.kinds.items()), one.dimensions)
        likeness[alike] += 1
        if likeness[alike] > _MOST_ALIKE or taken >= _MOST_CASES:
            continue
        case = probe(one)
        if case is not None:
            taken += 1
            yield one, case


def call(
    name: str, arguments: tuple[Any, ...], named: dict[str, Any], signature: Signature
) -> FunctionCall:
    """The call of an operator of that name."""
    function = runner(name)
    assert function is not None
    return FunctionCall(
        function,
        arguments,
        named,
        signature,
        listed=_listed(name),
        indexed=name in _INDEXED,
    )


def _listed(name: str) -> bool:
    named = name in samples.LISTED or name.startswith("_foreach_")
    return named or returns_list(name, resolve(name))


def _samples(name: str, signature: Signature) -> Iterator[Sample]:
    base = name if name in opinfo.names() else name.removesuffix("_")
    yield from samples.own(name)
    if base != name:
        yield from samples.own(base)
    given = sorted(opinfo.samples(base), key=lambda sample: _given(sample, signature))
    yield from given
    if base == name and "inplace" in signature.keywords:
        yield from ((arguments, {**named, "inplace": True}) for arguments, named in given[:10])
    yield from _with_out(name, [*samples.own(name), *given])


def _given(sample: Sample, signature: Signature) -> int:
    """How many arguments a call has beyond the defaults: plain calls come first."""
    arguments, named = sample
    places = [(str(place), value) for place, value in enumerate(arguments)]
    words = [(signature.keywords.get(word, word), value) for word, value in named.items()]
    return sum(not signature.is_default(key, value) for key, value in [*places, *words])


def _with_out(name: str, given: list[Sample]) -> Iterator[Sample]:
    """The `out=` form of the plain call, where the operator has one."""
    function = resolve(name)
    if function is None or not given:
        return
    arguments, named = given[0]
    out = _filled(function, arguments, named)
    if out is not None:
        yield arguments, {**named, "out": out}


def _filled(
    function: Function, arguments: tuple[Any, ...], named: dict[str, Any]
) -> torch.Tensor | None:
    """A tensor that the function wrote its result into, None where it does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            out = torch.empty_like(function(*arguments, **named))
            function(*arguments, **named, out=out)
        except Exception:  # no such form, or not for this call
            return None
    return out if out._version else None
