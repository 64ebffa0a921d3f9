"""What an operator may do where one argument is unknown: `python -m benchmarks.unknown_arguments`.

Calls of torch's own samples are run on the real engine. Then the tool is asked the same with one
argument hidden: what it holds possible on any path must contain what torch has done.
"""

from __future__ import annotations

import ast
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import cast

import torch

from autograd_lint.libraries.torch.operators.option_decisions import settle_options
from autograd_lint.operators.facts import AliasKind, Form, Operator, Output
from autograd_lint.operators.measure import functions, layer_samples, layers
from autograd_lint.operators.measure.calls import Call
from autograd_lint.operators.measure.names import resolve
from autograd_lint.operators.measure.probe import probe
from autograd_lint.operators.measure.signatures import signature_of
from autograd_lint.operators.measure.trials import Case, Trial
from autograd_lint.operators.table import load
from autograd_lint.places import Place
from autograd_lint.vm.choices import Choices
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.paths import Path
from autograd_lint.vm.values import Unknown

_BITS = 3  # decisions that a path may make otherwise than usual
ASPECTS = ("alias", "saves", "writes", "differentiable", "dtype")
Kinds = dict[str, frozenset[str]]


@dataclass(slots=True)
class Tally:
    """How many of the questions were answered with what torch does, by aspect, and the misses."""

    calls: int = 0
    contained: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of answers that contain what torch does."""
        return self.right.total() / max(self.asked.total(), 1)


def calls(name: str) -> Iterator[Call]:
    """Calls of an operator or layer, torch's own samples among them."""
    if name in layer_samples.names():
        layer = layer_samples.layer(name)
        for sample in layer_samples.samples(name):
            yield from layers.layer_calls(layer, sample)
        return
    signature = signature_of(name, resolve(name))
    for given in functions._samples(name, signature):
        call = functions.call(name, *given, signature)
        if not call.is_degenerate:
            yield call


def judge(name: str, count: int, tally: Tally, chance: random.Random) -> bool:
    """Ask about calls of one operator with one argument hidden; whether any could be run."""
    operator = load().operator(name)
    cases = (case for call in islice(calls(name), 3 * count) if (case := probe(call)))
    found = list(islice(cases, count))
    for _ in range(count if found else 0):
        case = chance.choice(found)
        hidden = [key for key in case.kinds if key != "training"]
        if hidden:
            _ask(operator, case, chance.choice(hidden), chance.choice(case.trials), tally)
    return bool(found)


def _ask(operator: Operator, case: Case, hidden: str, trial: Trial, tally: Tally) -> None:
    forms, known = possible(operator, case.kinds, hidden), len(tally.missed)
    for aspect in ASPECTS:
        if aspect == hidden:
            continue  # of a dtype that is not known the machine says nothing
        tally.asked[aspect] += 1
        if any(fits(aspect, form, trial, case) for form in forms):
            tally.right[aspect] += 1
        else:
            tally.missed.append((operator.name, aspect, hidden))
    tally.calls += 1
    tally.contained += len(tally.missed) == known


def possible(operator: Operator, kinds: Mapping[str, frozenset[str]], hidden: str) -> list[Form]:
    """The forms that the paths of a program lead to, where one argument is not known."""
    found: dict[int, Form] = {}
    for decisions in range(2**_BITS):
        values = {key: Unknown(key) if key == hidden else None for key in kinds}
        known: Kinds = {**kinds, hidden: frozenset()}
        run = cast(Interpreter, _Run(decisions))
        settle_options(run, operator, values, known, ast.Constant(None))
        form = operator.select(known)
        found[id(form)] = form
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Frame:
    branch: None = None
    firm: bool = False


@dataclass(frozen=True, slots=True)
class _World:
    source: str = "another file"
    passed: frozenset[ast.AST] = frozenset()


class _Run:
    """Decides as the bits of a number say."""

    def __init__(self, decisions: int) -> None:
        self.choices = Choices(Path(tuple(bool(decisions >> bit & 1) for bit in range(_BITS))))
        self.frame, self.source, self.world = _Frame(), "the file at work", _World()
        self.frames = [self.frame]

    def place(self, _: ast.AST) -> Place:
        """Where it is decided, which nobody asks for."""
        return Place("program.py", 1, 1, 1, 2)


def fits(aspect: str, form: Form, trial: Trial, case: Case) -> bool:
    """Whether torch has done in a trial what a form says."""
    if aspect == "saves":
        return _saves_fit(form, trial)
    if aspect == "writes":
        return trial.modified == frozenset(form.modifies)
    if aspect == "differentiable":
        return trial.differentiable == (form.continues and not form.required.isdisjoint(trial.grad))
    outputs = form.outputs[:1] * len(trial.results) if case.listed else form.outputs
    pairs = zip(outputs, trial.results, strict=False)
    if aspect == "dtype":
        return all(_dtype_fits(output, seen.dtype) for output, seen in pairs)
    return all(_alias_fits(output, seen.alias) for output, seen in pairs)


def _saves_fit(form: Form, trial: Trial) -> bool:
    saves = {save.key: save for save in form.saves}
    for key, raised in trial.raised.items():
        save = saves.get(key)
        kept = save is not None and (save.needs is None or not save.needs.isdisjoint(trial.grad))
        if (raised is True and not kept) or (raised is False and kept and save and save.sure):
            return False
    return True


def _dtype_fits(output: Output, seen: str) -> bool:
    return output.dtype in ("unknown", seen) or (
        output.dtype == "real" and seen in ("same", "float")
    )


def _alias_fits(output: Output, seen: tuple[str, AliasKind] | None) -> bool:
    alias = output.alias
    if alias is None or seen is None:
        return seen is None and (alias is None or not alias.sure)
    return (alias.key, alias.kind) == seen


def main(count: int, operators: int) -> Tally:
    """Ask about so many calls of so many operators and layers."""
    torch.set_num_threads(1)
    chance, tally, known = random.Random(0), Tally(), 0
    names = sorted({*functions.function_names(), *layer_samples.names()} & {*load()})
    chance.shuffle(names)
    for name in names:
        if known >= operators:
            break
        known += judge(name, count, tally, chance)
    print(f"{known} operators, {tally.asked.total()} questions, {tally.share:.2%} right")
    print(f"  in all respects: {tally.contained} of {tally.calls} calls")
    for aspect in ASPECTS:
        print(f"  {aspect}: {tally.right[aspect]} of {tally.asked[aspect]}")
    return tally


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
