"""What was seen when a call ran once with certain arguments requiring grad."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autograd_lint.operators.facts import AliasKind, GapKind


@dataclass(frozen=True)
class Seen:
    """One result; `dtype` and `shape` are as in `facts.Output`.

    The shape is None for numbers made of numbers, and `scalar?` for a number made of vectors, which
    may come of reducing one dimension or all.
    """

    requires_grad: bool
    dtype: str
    shape: str | None
    alias: tuple[str, AliasKind] | None


@dataclass(frozen=True)
class Trial:
    """One run of a call.

    `raised` tells for every tensor (by key, results as `out0`) whether backward raised once its
    version had been raised, None where a list had both; it is empty where there was no backward.
    `reached` are the keys that backward gave a gradient; `gap` is what was the matter with that of
    the only key that required grad; `curved` says that a gradient had a graph, though nothing that
    `raised` required grad.
    """

    grad: frozenset[str]
    results: tuple[Seen, ...]
    differentiable: bool
    modified: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    raised: Mapping[str, bool | None] = field(default_factory=dict)
    freed: bool | None = None
    reached: frozenset[str] = frozenset()
    gap: GapKind | None = None
    curved: bool = False


@dataclass(frozen=True)
class Case:
    """All trials of one call, with the kinds of its arguments.

    `refused` are the arguments that, requiring grad alone, are refused for that very reason.
    """

    kinds: Mapping[str, frozenset[str]]
    trials: tuple[Trial, ...]
    listed: bool = False
    refused: frozenset[str] = frozenset()


def constants(cases: Sequence[Case], differentiable: frozenset[str]) -> frozenset[str]:
    """The arguments that some case lets require grad, though there is no derivative in them."""
    taken = frozenset(key for case in cases for trial in case.trials for key in trial.grad)
    return taken - differentiable
