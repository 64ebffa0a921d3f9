"""The black box probe: runs a call, raises versions one by one, and asks backward what it thinks.

Nothing is known of the operator beforehand. A tensor is saved if backward raises once its version
counter has been raised by one; that needs no change of data and no knowledge of the graph's nodes.
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace

import torch
from torch.autograd.grad_mode import _unsafe_preserve_version_counter

from autograd_lint.operators.facts import GapKind
from autograd_lint.operators.measure.calls import Call, Prepared
from autograd_lint.operators.measure.gaps import find_gap, plain_gradient
from autograd_lint.operators.measure.results import flatten, look
from autograd_lint.operators.measure.trials import Case, Trial

_SEED = 0


def probe(call: Call) -> Case | None:
    """All trials of a call; None where it cannot run at all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {grad: _try(call, grad) for grad in call.subsets()}
        trials = [trial for trial in found.values() if trial is not None]
        if not trials:
            return None
        dtype = _dtype_of_same(call, trials)
        alone = [grad for grad, trial in found.items() if trial is None and len(grad) == 1]
        refused = frozenset[str]().union(*(grad for grad in alone if _refuses(call, grad)))
    trials = [_with_dtype(trial, dtype) for trial in trials]
    return Case(call.kinds, tuple(trials), call.listed, refused)


def _try(call: Call, grad: frozenset[str]) -> Trial | None:
    try:
        return _trial(call, grad)
    except Exception:  # an operator may refuse this call with any exception at all
        return None


def _refuses(call: Call, grad: frozenset[str]) -> bool:
    """Whether a call is refused because of what requires grad.

    Source: `check_no_requires_grad` in torch/csrc/autograd/VariableTypeUtils.h.
    """
    try:
        call.prepare(grad).run()
    except RuntimeError as error:
        return "not differentiable with respect to argument" in str(error)
    except Exception:  # any other trouble is no refusal
        return False
    return False


def _trial(call: Call, grad: frozenset[str]) -> Trial:
    prepared = call.prepare(grad)
    before = [_state(tensor) for _, tensor in prepared.parts]
    torch.manual_seed(_SEED)
    results = flatten(prepared.run())
    modified, silent = _written(prepared, before)
    seen = tuple(look(result, prepared) for result in results)
    written = [tensor for key, tensor in prepared.parts if key in modified and key in grad]
    others = [tensor for key, tensor in prepared.parts if key in modified and key not in grad]
    ends = _distinct([*results, *written, *others])
    roots = [end.clone() for end in ends if end.requires_grad]
    trial = Trial(grad, seen, bool(roots), modified, silent)
    if not roots or not prepared.leaves:
        return trial
    if len(grad) == 1:
        trial = replace(trial, gap=_gap(roots, [leaf for _, leaf in prepared.leaves]))
    return _with_backward(trial, _Backward(roots, prepared.leaves), prepared, results, call.listed)


def _gap(roots: list[torch.Tensor], leaves: list[torch.Tensor]) -> GapKind | None:
    try:
        return find_gap(roots, leaves)
    except Exception:  # gradients of some results cannot be taken twice, for many a reason
        return None


def _state(tensor: torch.Tensor) -> tuple[int, torch.Tensor]:
    return tensor._version, tensor.detach().clone()


def _written(
    prepared: Prepared, before: list[tuple[int, torch.Tensor]]
) -> tuple[frozenset[str], frozenset[str]]:
    modified, silent = set(), set()
    for (key, tensor), (version, value) in zip(prepared.parts, before, strict=True):
        if tensor._version != version:
            modified.add(key)
        elif not _same(tensor.detach(), value):
            silent.add(key)
    return frozenset(modified), frozenset(silent)


def _same(left: torch.Tensor, right: torch.Tensor) -> bool:
    if left.shape != right.shape or left.layout != torch.strided:
        return left.shape == right.shape
    return bool(torch.equal(left.nan_to_num(), right.nan_to_num()))


def _distinct(tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    return list({id(tensor): tensor for tensor in tensors}.values())


class _Backward:
    """Backward from fixed roots, as often as wanted."""

    def __init__(self, roots: list[torch.Tensor], leaves: list[tuple[str, torch.Tensor]]) -> None:
        self.roots = roots
        self.keys = [key for key, _ in leaves]
        self.leaves = [leaf for _, leaf in leaves]
        self.gradients: list[torch.Tensor] = []

    def run(self, retain: bool = True) -> frozenset[str]:
        """The keys that got a gradient; raises what the engine raises."""
        gradients = torch.autograd.grad(
            self.roots, self.leaves, self.gradients, retain_graph=retain, allow_unused=True
        )
        pairs = zip(self.keys, gradients, strict=True)
        return frozenset(key for key, gradient in pairs if gradient is not None)

    def start(self) -> frozenset[str] | None:
        """The keys that get a gradient, None where there is no backward.

        Some backwards refuse gradients of ones: eigenvectors are defined up to a phase.
        """
        for make in (plain_gradient, torch.zeros_like):
            self.gradients = [make(root) for root in self.roots]
            try:
                return self.run()
            except RuntimeError:
                continue
        return None

    def is_curved(self) -> bool:
        """Whether a gradient depends on what it is taken for, and has a graph if asked for one."""
        try:
            found = torch.autograd.grad(
                self.roots, self.leaves, self.gradients, create_graph=True, allow_unused=True
            )
        except RuntimeError:
            return False
        return any(gradient is not None and gradient.requires_grad for gradient in found)

    def raises(self, words: str, retain: bool = True) -> bool:
        """Whether it raises an error with these words."""
        try:
            self.run(retain)
        except RuntimeError as error:
            return words in str(error)
        return False


def _with_backward(
    trial: Trial,
    backward: _Backward,
    prepared: Prepared,
    results: list[torch.Tensor],
    listed: bool,
) -> Trial:
    reached = backward.start()
    if reached is None:
        return trial
    raised: dict[str, bool | None] = {}
    for key, tensor in [*prepared.parts, *_named(results, listed)]:
        answer = _raises_when_bumped(tensor, backward)
        raised[key] = answer if raised.get(key, answer) is answer else None
    curved = not _tells(raised, trial.grad) and backward.is_curved()
    backward.run(retain=False)
    freed = backward.raises("second time", retain=False)
    return replace(
        trial, raised=_cleared(raised, trial), freed=freed, reached=reached, curved=curved
    )


def _tells(raised: Mapping[str, bool | None], grad: frozenset[str]) -> bool:
    """Whether something that requires grad was saved: an argument that does, or a result."""
    return any(raised[key] is not False for key in raised if key in grad or key.startswith("out"))


def _named(results: list[torch.Tensor], listed: bool) -> list[tuple[str, torch.Tensor]]:
    return [("out*" if listed else f"out{place}", each) for place, each in enumerate(results)]


def _raises_when_bumped(tensor: torch.Tensor, backward: _Backward) -> bool:
    with _unsafe_preserve_version_counter(tensor):
        torch.autograd.graph.increment_version(tensor)
        return backward.raises("modified by an inplace operation")


def _cleared(raised: dict[str, bool | None], trial: Trial) -> Mapping[str, bool | None]:
    """One name for one tensor: that of the result where an argument was written, else its own."""
    cleared = dict(raised)
    for place, seen in enumerate(trial.results):
        result = "out*" if "out*" in raised else f"out{place}"
        if seen.alias is None or seen.alias[1].value == "unversioned":
            continue
        loser = seen.alias[0] if seen.alias[0] in trial.modified else result
        cleared.pop(loser, None)
    return cleared


def _dtype_of_same(call: Call, trials: list[Trial]) -> str:
    """What the dtype that results seem to share with arguments is in truth.

    Of integers some operators make floats (`div`, `mean`, `sigmoid`), of complex numbers others
    (`abs`, `norm`).
    """
    if not any(seen.dtype == "same" for seen in trials[0].results):
        return "same"
    if _makes_floats(call, torch.int64):
        return "float"
    return "real" if _makes_floats(call, torch.complex64) else "same"


def _makes_floats(call: Call, dtype: torch.dtype) -> bool:
    """Whether arguments of that dtype give a result of floats."""
    try:
        results = flatten(call.prepare(frozenset(), dtype).run())
    except Exception:  # many operators refuse such a dtype, in many ways
        return False
    return any(result.is_floating_point() for result in results)


def _with_dtype(trial: Trial, dtype: str) -> Trial:
    results = tuple(
        replace(seen, dtype=dtype) if seen.dtype == "same" else seen for seen in trial.results
    )
    return replace(trial, results=results)
