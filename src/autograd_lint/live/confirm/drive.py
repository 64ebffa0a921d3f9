"""Runs one job in this process: the user's code under the tracer, driven and observed."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import torch

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.attention import WHOLE_RUN
from autograd_lint.live.confirm.executed import Executed
from autograd_lint.live.confirm.gradients import Gradients
from autograd_lint.live.confirm.jobs import Harness, Job, Outcome, Seen
from autograd_lint.live.confirm.loading import module_name
from autograd_lint.live.confirm.no_cuda import WithoutCuda
from autograd_lint.live.confirm.no_workers import WithoutWorkers
from autograd_lint.live.confirm.pieces import slice_harness
from autograd_lint.live.confirm.standins import MissingModules, forgive_imports
from autograd_lint.live.confirm.steps import Notes, Stopped, harness_for
from autograd_lint.live.confirm.undo import Undo, without_write
from autograd_lint.live.confirm.watch.onlooker import Onlooker
from autograd_lint.live.confirm.watch.sights import Sight
from autograd_lint.live.confirm.watch.values import changed
from autograd_lint.live.findings import findings_of
from autograd_lint.live.messages import classify
from autograd_lint.live.private import unobserved
from autograd_lint.live.program import run_tree
from autograd_lint.live.tracing import Tracer
from autograd_lint.rules.registry import rule_for


class TimeIsUp(BaseException):
    """The witness has used up its time."""


def run(job: Job) -> Outcome:
    """Run a job; whatever happens becomes part of the outcome."""
    linecache.cache[job.filename] = (
        len(job.text),
        None,
        job.text.splitlines(keepends=True),
        job.filename,
    )
    torch.set_num_threads(1)
    torch.manual_seed(0)
    tree = ast.parse(job.text, job.filename)
    undone = all(without_write(tree, row, Undo(job.how)) for row in job.undo)
    return _Run(job, tree).outcome(undone)


class _Run:
    def __init__(self, job: Job, tree: ast.Module) -> None:
        self.job = job
        self.tree = tree
        self.tracer = Tracer(WHOLE_RUN, job.filename, pitfalls=False)
        sites, blocks = self.tracer.sites, blocks_around(tree)
        self.onlooker = Onlooker(self.tracer.record, sites, job.filename, blocks)
        self.executed = Executed(job.filename, self.onlooker.lines)
        self.gradients = Gradients(self.onlooker, job.retain, job.release)
        self.notes = Notes()
        self.error: BaseException | None = None

    def outcome(self, undone: bool) -> Outcome:
        with WithoutCuda(self.tree) as without_cuda, WithoutWorkers() as without_workers:
            harness = self._harness()
            if harness is not None:
                self._observe(harness)
        if without_cuda.used:
            self.notes.assumptions.append("what is put on CUDA is copied on the CPU")
        if without_workers.used:
            self.notes.assumptions.append("what workers of a DataLoader do is done by the program")
        error = self.error
        kind = classify(error) if error is not None else None
        site = self.tracer.sites.of_traceback(error.__traceback__) if error else None
        return Outcome(
            ended=_ended(error),
            error=f"{type(error).__name__}: {error}" if error else None,
            error_kind=kind.value if kind else None,
            row=site.place.row if site and site.filename == self.job.filename else None,
            seen=(*self._seen(), *self._sights()),
            executed=frozenset(self.executed.rows),
            backward_calls=self.gradients.calls,
            gradients=tuple(self.gradients.digests),
            assumptions=tuple(dict.fromkeys(self.notes.assumptions)),
            program=self.notes.program,
            undone=undone and (self.job.release is None or self.gradients.released),
            torch=torch.__version__,
            device=self.job.device,
        )

    def _harness(self) -> Callable[[], Any] | None:
        """What to run; what it takes to prepare is neither traced nor counted as executed."""
        if self.job.harness is Harness.SCRIPT:
            return self._script
        prepare = slice_harness if self.job.harness is Harness.SLICE else harness_for
        try:
            return prepare(self.job, self.tree, self.notes)
        except BaseException as error:
            self.error = error
            return None

    def _script(self) -> None:
        missing = MissingModules()
        if self.job.stand_ins:
            sys.meta_path.append(missing)
            forgive_imports(self.tree)
        _, packages = module_name(self.job.filename)
        sys.path += [packages, self.job.root or "."]
        try:
            run_tree(self.tree, self.job.filename)
        finally:
            self.notes.assumptions += [
                f"a stand-in for the module `{used}`" for used in missing.used
            ]

    def _observe(self, harness: Callable[[], Any]) -> None:
        with ExitStack() as stack:
            stack.enter_context(self.onlooker)
            stack.enter_context(self.gradients)
            stack.enter_context(self.tracer)
            if self.job.unmodified or self.job.keep is not None:
                stack.enter_context(self._copies_of_saved_tensors())
            stack.enter_context(self.executed)
            try:
                harness()
            except SystemExit:
                pass
            except BaseException as error:
                self.error = error
                self.tracer.note_error(error)

    def _copies_of_saved_tensors(self) -> Any:
        """While open, backward computes with copies of what (the row `keep`) saved."""
        return torch.autograd.graph.saved_tensors_hooks(self._kept, lambda kept: kept)

    def _kept(self, tensor: torch.Tensor) -> torch.Tensor:
        site = self.tracer.sites.here()
        if self.job.keep is not None and (site is None or site.place.row != self.job.keep):
            return tensor
        return tensor.detach().clone().requires_grad_(tensor.requires_grad)

    def _seen(self) -> list[Seen]:
        found = []
        faults = [fault for fault in self.tracer.faults if not self._is_witness_own(fault)]
        for finding in findings_of(faults):
            rows = {other.role: other.place.row for other in finding.related}
            if finding.role:
                rows[finding.role] = finding.place.row
            predicted = finding.predicts
            found.append(
                Seen(
                    finding.code,
                    finding.place.filename,
                    finding.place.row,
                    predicted.error if predicted else None,
                    predicted.row if predicted else None,
                    rows,
                    predicted.filename if predicted else None,
                )
            )
        return found

    def _is_witness_own(self, fault: Fault) -> bool:
        """Whether a graph was freed that made the arguments: no line of the program built it."""
        built = fault.built.place if fault.built else None
        return self.job.input_grad and fault.kind is FaultKind.GRAPH_FREED and built is None

    def _alone(self) -> set[int]:
        """The rows that must be what it was, where only some were run."""
        return self.executed.rows if self.job.harness is Harness.SLICE else set()

    def _sights(self) -> Iterator[Seen]:
        """The pitfalls that the engine was seen to run into, each row of each."""
        with torch.no_grad(), unobserved():
            rows = frozenset(changed(self.notes.handed, self.tracer.record))
        handed = [Sight(Pitfall.ALIAS_FOR_COPY, rows)] if rows else []
        for sight in [*self.onlooker.seen(ended=self.error is None), *handed]:
            rule = rule_for(Fault(sight.pitfall, None))
            code = rule.code if rule is not None else ""
            for row in sight.rows or self._alone():
                yield Seen(code, self.job.filename, row, None, None, {"seen": row})


def blocks_around(tree: ast.Module) -> dict[int, frozenset[int]]:
    """The rows of the `with` statements around each row."""
    found: dict[int, frozenset[int]] = {}
    for node in ast.walk(tree):  # the outer ones first
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for row in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[row] = found.get(row, frozenset()) | {node.lineno}
    return found


def _ended(error: BaseException | None) -> str:
    if error is None:
        return "done"
    if isinstance(error, TimeIsUp):
        return "time"
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return "memory"
    return "stopped" if isinstance(error, Stopped) else "raised"
