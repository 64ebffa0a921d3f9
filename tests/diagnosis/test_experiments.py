"""The cheapest experiment, where the answer is not clear."""

from autograd_lint.diagnosis.evidence import Evidence
from autograd_lint.diagnosis.experiments import experiment
from autograd_lint.diagnosis.fitting import Fit, Way
from autograd_lint.diagnosis.matching import Step
from autograd_lint.diagnosis.ranking import Candidate, ranked
from autograd_lint.diagnosis.topics.registry import named
from autograd_lint.findings import Finding
from autograd_lint.places import Place

WRITTEN = Evidence(named("saved-tensor-modified"), "")


def candidate(row: int, weight: float) -> Candidate:
    """A write that may be to blame."""
    finding = Finding("AG103", "name", "message", Place("net.py", row, 1, row, 9))
    return Candidate(finding, (Fit("class", True, ""),), weight)


def test_a_clear_answer_needs_none() -> None:
    assert experiment(WRITTEN, ranked([candidate(3, 400.0)]), Way()) == ""


def test_between_two_writes_one_is_undone() -> None:
    told = experiment(WRITTEN, ranked([candidate(3, 4.0), candidate(9, 4.0)]), Way())
    assert "net.py:3" in told
    assert "out of place" in told


def test_the_program_that_was_run_is_the_one_to_trace() -> None:
    way = Way(steps=(Step("/p/train.py", 3, "<module>"), Step("/p/net.py", 5, "fit")))
    told = experiment(WRITTEN, ranked([candidate(3, 2.0)]), way)
    assert "autograd-lint trace train.py" in told
