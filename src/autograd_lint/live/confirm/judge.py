"""The verdict on a finding: what its witnesses showed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from autograd_lint.findings import Certainty, Confirmation, Finding
from autograd_lint.live.confirm.jobs import Harness, Job, Outcome, Seen
from autograd_lint.live.confirm.needless import Without, is_about, leaving_out
from autograd_lint.live.confirm.watch.sights import VISIBLE

_LONGEST = 300  # characters of what a witness has said
Run = Callable[[Job], Outcome]
_WRITES = frozenset(
    {"leaf-modified", "leaf-view-modified", "view-modified", "saved-tensor-modified"}
)


def judge(finding: Finding, jobs: Iterable[Job], run: Run) -> Confirmation:
    """Run the witnesses one after the other until one confirms the finding.

    Refuted is a finding whose rows all ran without it, in every witness that got as far.
    """
    if not _can_show(finding):
        return Confirmation("undecided", reason="it leaves no trace that a run could show")
    refuted: Confirmation | None = None
    undecided: Confirmation | None = None
    own_undecided, furthest = False, 0
    came_by = False  # the program itself has: its parts alone would say less
    for job in jobs:
        if came_by and job.harness is Harness.SLICE:
            continue
        verdict = _verdict(finding, job, run)
        if verdict.verdict == "undecided":
            verdict = _behind_another(finding, job, run) or verdict
        own = job.harness is Harness.SCRIPT and not job.stand_ins
        came_by = came_by or (own and _has_come_by(finding, run(job)))
        if verdict.verdict == "confirmed" or (own and verdict.verdict == "refuted"):
            return verdict
        if verdict.verdict == "undecided":
            reached = len(_rows(finding) & run(job).executed)
            if undecided is None or reached > furthest:
                undecided, furthest = verdict, reached
            own_undecided = own_undecided or own
        elif not own_undecided:
            refuted = refuted or verdict  # where the program itself is to be had, steps say little
    nothing = Confirmation("undecided", reason="nothing in the file could be driven")
    return refuted or undecided or nothing


def _has_come_by(finding: Finding, outcome: Outcome) -> bool:
    """Whether a program ran to its end, and on its way reached what the finding speaks of."""
    near = outcome.backward_calls > 0 or not outcome.executed.isdisjoint(_rows(finding))
    return outcome.ended == "done" and near


def _can_show(finding: Finding) -> bool:
    """Whether a run, or two that differ in one thing, can show what a finding says."""
    by_itself = finding.predicts is not None or _is_unversioned_write(finding)
    return by_itself or is_about(finding, VISIBLE) or leaving_out(finding) is not None


def _is_unversioned_write(finding: Finding) -> bool:
    """Whether it is about values that change unseen, which gradients show."""
    roles = {finding.role, *(other.role for other in finding.related)}
    return {"saved", "modified"} <= roles


def _behind_another(finding: Finding, job: Job, run: Run) -> Confirmation | None:
    """The verdict once what fails first is made not to; None where that is no help."""
    first = next((seen for seen in run(job).seen if seen.error is not None), None)
    if first is None or agrees(finding, first) or first.filename != job.filename:
        return None
    other, note = _without(first, job)
    verdict = _verdict(finding, other, run) if other is not None else None
    if verdict is None or verdict.verdict != "confirmed":
        return None
    return replace(verdict, assumptions=(*verdict.assumptions, note))


def _without(first: Seen, job: Job) -> tuple[Job | None, str]:
    """The same run without an error: a write is undone, graphs are retained."""
    if first.error == "graph-freed" and not job.retain:
        return replace(job, retain=True), "graphs are retained, as a second backward fails first"
    row = first.rows.get("modified", first.row)
    if first.error in _WRITES:
        return replace(job, undo=(row,)), f"the write at row {row}, which fails first, is undone"
    return None, ""


def _verdict(finding: Finding, job: Job, run: Run) -> Confirmation:
    outcome = run(job)
    base = Confirmation(
        "undecided",
        device=outcome.device,
        torch=outcome.torch or None,
        error=outcome.error,
        row=outcome.row,
        witness=outcome.program or job.filename,
        assumptions=(_describe(job), *outcome.assumptions),
    )
    match = next((seen for seen in outcome.seen if agrees(finding, seen)), None)
    if match is not None:
        return _with_counterfactual(finding, job, outcome, match, base, run)
    without = leaving_out(finding)
    if without is not None:
        return _by_comparing(finding, without, job, base, run)
    if outcome.ended == "done" and _all_ran(finding, job, outcome):
        if finding.predicts is None and not _is_unversioned_write(finding):
            return replace(base, reason="it ran, and the engine was not seen to do so")
        itself = job.harness is Harness.SCRIPT and not outcome.assumptions
        if itself or (finding.certainty is Certainty.CERTAIN and job.harness is not Harness.SLICE):
            return replace(base, verdict="refuted", reason="save, write and backward ran: no error")
        return replace(base, reason="with these arguments it ran without an error")
    return replace(base, reason=_why(finding, outcome))


def agrees(finding: Finding, seen: Seen) -> bool:
    """Whether the tracer saw what a finding says: kind, row that fails, of a write the row."""
    predicted = finding.predicts
    same_file = seen.filename == finding.place.filename
    if predicted is None:
        agreed = seen.error is None and seen.code == finding.code
        return agreed and same_file and _same_place(finding, seen)
    if seen.error != predicted.error or seen.raised_row != predicted.row:
        return False
    if predicted.error in _WRITES:
        return same_file and _same_cause(finding, seen)
    # What was freed, or led nowhere, may have been built in another file.
    return same_file or seen.raised_in == predicted.filename


def _same_place(finding: Finding, seen: Seen) -> bool:
    """Whether what was seen is about a row that the finding speaks of."""
    if "seen" not in seen.rows:
        return _same_cause(finding, seen)
    places = [finding.place, *(other.place for other in finding.related)]
    own = (place for place in places if place.filename == seen.filename)
    return any(place.row <= seen.row <= place.end_row for place in own)


def _same_cause(finding: Finding, seen: Seen) -> bool:
    """Whether the write is the one that the finding accuses; a finding may know of none."""
    accused = {other.place.row for other in finding.related if other.role == "modified"}
    if finding.role == "modified" or not accused:
        accused.add(finding.place.row)
    return seen.rows.get("modified", seen.row) in accused


def _with_counterfactual(
    finding: Finding, job: Job, outcome: Outcome, match: Seen, base: Confirmation, run: Run
) -> Confirmation:
    if finding.predicts is None:
        base = replace(base, error=None, row=None)  # what else fails is another matter
        if not _is_unversioned_write(finding) or "modified" not in match.rows:
            return replace(base, verdict="confirmed", reason="the engine was seen to do so")
        return _by_gradients(finding, job, outcome, base, run)
    others = list(_counterfactuals(finding.predicts.error, job, match))
    if not others:
        return replace(base, verdict="confirmed")
    undone = False
    for other, what in others:
        again = run(other)
        undone = undone or again.undone
        if again.undone and not any(agrees(finding, seen) for seen in again.seen):
            return replace(base, verdict="confirmed", reason=f"{what} it does not fail")
    if not undone:
        return replace(base, reason="it fails so, but the write could not be undone to compare")
    return replace(base, reason="it fails so, but with the write undone as well")


def _counterfactuals(error: str, job: Job, match: Seen) -> Iterator[tuple[Job, str]]:
    """The runs that must not fail for the accused to be to blame, the nearest first."""
    if error == "graph-freed":
        yield replace(job, retain=True), "with the graph retained"
    elif error in _WRITES and match.filename == job.filename:
        row = match.rows.get("modified", match.row)
        undo = (*job.undo, row)
        yield replace(job, undo=undo), "when it writes to a copy"
        yield replace(job, undo=undo, how="omit"), "without this write"
    if error == "saved-tensor-modified" and "saved" in match.rows:
        yield replace(job, keep=match.rows["saved"]), "when copies are saved"


def _by_gradients(
    finding: Finding, job: Job, outcome: Outcome, base: Confirmation, run: Run
) -> Confirmation:
    """A silent finding: gradients against those of the values as they were saved."""
    truth = run(replace(job, unmodified=True))
    if truth.ended in _ENDINGS:
        return replace(base, reason=_why(finding, truth))
    if len(truth.gradients) != len(outcome.gradients):
        return replace(base, reason="the run with unmodified values took another way")
    if truth.gradients != outcome.gradients:
        return replace(base, verdict="confirmed", reason="gradients differ from the true ones")
    if outcome.ended != "done":
        return replace(base, reason=_why(finding, outcome))  # perhaps in that very backward
    return replace(base, verdict="refuted", reason="gradients are those of unmodified values")


def _by_comparing(
    finding: Finding, without: Without, job: Job, base: Confirmation, run: Run
) -> Confirmation:
    """What is of no use, or has no effect: the run without it comes to the same."""
    outcome = run(job)
    again = run(without(finding, job)) if _all_ran(finding, job, outcome) else None
    if job.harness is Harness.SLICE or outcome.ended != "done" or again is None or not again.undone:
        return replace(base, reason=_why(finding, outcome))  # a slice leaves out what may need it
    if again.ended == "done" and again.gradients == outcome.gradients:
        return replace(base, verdict="confirmed", reason="without it the gradients are the same")
    if again.error_kind == "graph-freed":
        return replace(base, verdict="refuted", reason=f"without it the run fails: {again.error}")
    return replace(base, reason="without it the run takes another way")


def _all_ran(finding: Finding, job: Job, outcome: Outcome) -> bool:
    filename = finding.place.filename
    places = [finding.place, *(other.place for other in finding.related)]
    rows = {place.row for place in places if place.filename == filename}
    if finding.predicts is not None and finding.predicts.row is not None:
        rows.add(finding.predicts.row)
    return rows <= outcome.executed and outcome.backward_calls > 0


_ENDINGS = {
    "time": "the witness did not end in time",
    "memory": "the witness ran out of memory",
    "killed": "the witness was killed, or ended itself",
    "broken": "the witness broke off, or what it said is no outcome",
}


def _why(finding: Finding, outcome: Outcome) -> str:
    if outcome.ended in _ENDINGS:
        how = f" ({outcome.error})" if outcome.ended == "killed" and outcome.error else ""
        return _ENDINGS[outcome.ended] + how
    if outcome.error is not None:
        where = f" at row {outcome.row}" if outcome.row else ""
        said = f"the witness stopped{where}: {outcome.error}".partition("\n")[0]
        return said if len(said) <= _LONGEST else f"{said[:_LONGEST].rpartition(' ')[0]} …"
    missing = sorted(_rows(finding) - outcome.executed)
    if missing:
        return f"row {missing[0]} was not reached"
    return "nothing that the witness ran calls backward"


def _rows(finding: Finding) -> set[int]:
    places = [finding.place, *(other.place for other in finding.related)]
    return {place.row for place in places if place.filename == finding.place.filename}


def _describe(job: Job) -> str:
    what = {
        "script": "the file is run as a script",
        "module": f"`{job.target}` is trained for some steps",
        "function": f"`{job.target}` is called",
        "method": f"`{job.target}.{job.method}` is called",
        "slice": "the statements in question are run alone",
    }[job.harness.value]
    what += ", with stand-ins for missing modules" if job.stand_ins else ""
    return what + (", with inputs that require grad" if job.input_grad else "")
