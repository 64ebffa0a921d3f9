"""Calls of the layers of `torch.nn`: constructed with their options, run in both modes."""

import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from autograd_lint.operators.facts import Operator
from autograd_lint.operators.measure import layer_samples
from autograd_lint.operators.measure.calls import FunctionCall, Prepared, subsets_of
from autograd_lint.operators.measure.defaults import mistakable
from autograd_lint.operators.measure.kinds import kinds_of
from autograd_lint.operators.measure.probe import probe
from autograd_lint.operators.measure.signatures import of_python
from autograd_lint.operators.measure.split import learn
from autograd_lint.operators.measure.trials import Case, constants

_MOST_FROZEN = 16
_MOST_ALIKE = 2
# Layers of many parameters are composites, and a case of theirs takes long: cases times parameters.
_MOST_WORK = 240
_FEW = 10
_LATER_PART = re.compile(r"(?<![a-z_])[1-9]\d*|(?<=_l)[1-9]\d*")


def layer_names() -> list[str]:
    """The layers there are samples of."""
    return layer_samples.names()


@dataclass(frozen=True)
class LayerCall:
    """A layer, the kinds of its options, and a call of its `forward`; `sample` is what it was made
    of."""

    sample: layer_samples.LayerSample
    module: torch.nn.Module
    option_kinds: Mapping[str, frozenset[str]]
    forward: FunctionCall
    listed: bool = False

    @property
    def kinds(self) -> Mapping[str, frozenset[str]]:
        """The kinds of options, mode and arguments."""
        mode = kinds_of(self.module.training)
        return {**self.option_kinds, **self.forward.kinds, "training": mode}

    def subsets(self) -> list[frozenset[str]]:
        """Inputs with all parameters, none, and each one frozen."""
        inputs = self.forward.subsets()
        every = frozenset(general(name) for name, _ in self.module.named_parameters())
        if len(every) + max(map(len, inputs)) <= 4:
            return subsets_of(sorted(every | frozenset().union(*inputs)))
        some = sorted(every)[:_MOST_FROZEN]
        singles = [frozenset({name}) for name in some]
        frozen = [every, frozenset[str](), *(every - one for one in singles)]
        return list(dict.fromkeys(grad | names for names in frozen for grad in inputs))

    def prepare(self, grad: frozenset[str], dtype: torch.dtype | None = None) -> Prepared:
        """The call on fresh tensors, those of `grad` requiring it (all of `dtype` if given)."""
        module = copy.deepcopy(self.module)
        prepared = self.forward.prepare(grad, dtype)
        parts, leaves = list(prepared.parts), list(prepared.leaves)
        for name, parameter in module.named_parameters():
            wanted = general(name) in grad
            parameter.requires_grad_(wanted)
            parts.append((general(name), parameter))
            leaves += [(general(name), parameter)] if wanted else []
        parts += [(general(name), buffer) for name, buffer in module.named_buffers()]
        return Prepared(_bound(prepared, module), parts, leaves)


def general(name: str) -> str:
    """A parameter's name with `*` for every number from 1 on."""
    return _LATER_PART.sub("*", name)


def measure_layer(name: str) -> Operator | None:
    """The layer of that name, None where no sample ran."""
    layer = layer_samples.layer(name)
    calls = [call for sample in layer_samples.samples(name) for call in layer_calls(layer, sample)]
    cases = [case for _, case in probed(calls)]
    if not cases:
        return None
    found = Operator(
        name,
        learn(cases),
        tuple(sorted(of_python(layer.forward, skip=1).keywords.items())),
        tuple(layer_samples.constructor(layer).keywords),
        _names(calls, "named_parameters"),
        _names(calls, "named_buffers"),
    )
    return replace(
        found,
        constants=tuple(sorted(constants(cases, found.differentiable))),
        defaults=mistakable(found.forms, _defaults(layer)),
    )


def _defaults(layer: type[torch.nn.Module]) -> dict[str, Any]:
    """The default values of a layer's options."""
    signature = layer_samples.constructor(layer)
    given = signature.keywords.items()
    return {word: signature.defaults[key] for word, key in given if key in signature.defaults}


def _bound(prepared: Prepared, module: torch.nn.Module) -> Any:
    return lambda: prepared.run()(module)


def layer_calls(
    layer: type[torch.nn.Module], sample: layer_samples.LayerSample
) -> Iterator[LayerCall]:
    """The calls of a layer that is made of a sample, in both modes."""
    constructor = layer_samples.constructor(layer)
    given = dict(zip(constructor.keywords, sample.arguments, strict=False)) | sample.options
    kinds = {
        word: kinds_of(value)
        for word, value in given.items()
        if not constructor.is_default(constructor.keywords.get(word, word), value)
    }
    forward = FunctionCall(_deferred, sample.inputs, sample.named, of_python(layer.forward, skip=1))
    for training in (True, False):
        module = _built(layer, sample)
        if module is not None:
            yield LayerCall(sample, module.train(training), kinds, forward)


def _built(
    layer: type[torch.nn.Module], sample: layer_samples.LayerSample
) -> torch.nn.Module | None:
    """The layer, lazy ones with their parameters made; None where its options do not fit."""
    torch.manual_seed(0)
    try:
        module = layer(*sample.arguments, **sample.options)
        if isinstance(module, torch.nn.modules.lazy.LazyModuleMixin):
            module(*sample.inputs, **sample.named)
    except Exception:  # options are tried on every layer, and some refuse
        return None
    return module


def _deferred(*arguments: Any, **named: Any) -> Any:
    """The call of a module that is only known later."""
    return lambda module: module(*arguments, **named)


def probed(calls: list[LayerCall]) -> Iterator[tuple[LayerCall, Case]]:
    """Calls with different kinds of options and arguments, and what was seen of them."""
    likeness = Counter[Any]()
    taken = 0
    for call in calls:
        alike = (frozenset(call.kinds.items()), call.forward.dimensions)
        likeness[alike] += 1
        size = max(_FEW, len(list(call.module.parameters())))
        if call.forward.is_degenerate or likeness[alike] > (_MOST_ALIKE if size == _FEW else 1):
            continue
        case = probe(call) if taken < _MOST_WORK // size else None
        if case is not None:
            taken += 1
            yield call, case


def _names(calls: list[LayerCall], kind: str) -> tuple[str, ...]:
    found = [general(name) for call in calls for name, _ in getattr(call.module, kind)()]
    return tuple(dict.fromkeys(found))
