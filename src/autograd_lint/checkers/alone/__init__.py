"""Statements that are wrong whatever runs them: judged in the text of a file, without a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from autograd_lint.checkers.alone import (
    backwards_repeated,
    calls_without_parentheses,
    class_states,
    cleared_windows,
    clips_before_unscaling,
    constant_dropouts,
    cut_conversions,
    detached_parameters,
    hidden_modules,
    idle_schedulers,
    kept_losses,
    kept_models,
    kept_states,
    late_bound_hooks,
    layers_in_forward,
    legacy_hooks,
    losses_from_numbers,
    lost_entries,
    modes_not_ended,
    module_backwards,
    moved_parameters,
    optimizers_left_out,
    outdated_rates,
    pixel_norms,
    replaced_models,
    schedules_before_steps,
    shallow_copies,
    skipped_batches,
    stale_casts,
    steps_after_clearing,
    steps_left_out,
    steps_without_backward,
    steps_without_clearing,
    targets_without_copy,
    undone_freezing,
    unused_optimizers,
    whole_names,
    window_tests,
)
from autograd_lint.engine.faults import Fault
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

# Each by the words without which it finds nothing.
JUDGES: dict[tuple[str, ...], Callable[[Source], Iterator[Fault]]] = {
    ("backward",): calls_without_parentheses.judge,
    (".backward(",): backwards_repeated.judge,
    ("requires_grad=True",): losses_from_numbers.judge,
    ("lr_scheduler.",): schedules_before_steps.judge,
    ("register_backward_hook",): legacy_hooks.judge,
    (".detach_()",): detached_parameters.judge,
    ("def backward(",): module_backwards.judge,
    ("ropout",): constant_dropouts.judge,
    ("Tensor)",): cut_conversions.judge,
    ("state_dict()",): lost_entries.judge,
    ("lr=", "optim"): outdated_rates.judge,
    ("def forward(",): layers_in_forward.judge,
    ("class ", "Module"): hidden_modules.judge,
    (".step(",): replaced_models.judge,
    ("GradScaler", "clip_grad_"): clips_before_unscaling.judge,
    ("copy(",): shallow_copies.judge,
    ("Parameter(",): moved_parameters.judge,
    (".backward()",): unused_optimizers.judge,
    ("create_graph",): pixel_norms.judge,
    ("autocast",): stale_casts.judge,
    ("%",): window_tests.judge,
    ("register_", "hook("): late_bound_hooks.judge,
    ("named_parameters()",): whole_names.judge,
    ("for ",): kept_models.judge,
    ("def ",): targets_without_copy.judge,
    (".backward(", "for "): kept_losses.judge,
    ("Function)", "def backward("): class_states.judge,
    (".backward(", "continue", ".step("): skipped_batches.judge,
    (".backward(", ".zero_grad()", ".step(", "%"): cleared_windows.judge,
}
BESIDE_OTHERS: dict[tuple[str, ...], Callable[[Source, Project], Iterator[Fault]]] = {
    (".backward(", ".zero_grad()"): steps_after_clearing.judge,
    (".backward(",): steps_without_clearing.judge,
    (".step()", ".zero_grad()"): steps_without_backward.judge,
    (".backward()", ".zero_grad()"): steps_left_out.judge,
    ("backward(", ".step()", "optim"): optimizers_left_out.judge,
    (".state_dict()",): kept_states.judge,
    ("optim",): modes_not_ended.judge,
    ("sched",): idle_schedulers.judge,
    ("Norm", ".eval()", ".train("): undone_freezing.judge,
}


def faults_of(source: Source, project: Project) -> list[Fault]:
    """What is wrong in a file as it stands, beside those around it; each judge looks only where its
    words are."""
    text = source.text
    judges = (judge for words, judge in JUDGES.items() if all(one in text for one in words))
    others = (judge for words, judge in BESIDE_OTHERS.items() if all(one in text for one in words))
    found = [fault for judge in judges for fault in judge(source)]
    return found + [fault for judge in others for fault in judge(source, project)]
