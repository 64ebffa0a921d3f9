"""Programs that raise nothing: the silent findings that explain what a user sees."""

from __future__ import annotations

from autograd_lint.diagnosis.diagnosing import Diagnosis, Request, survey
from autograd_lint.diagnosis.evidence import Evidence
from autograd_lint.diagnosis.fitting import Fit, Way
from autograd_lint.diagnosis.ranking import Candidate, ranked
from autograd_lint.diagnosis.topics.topic import Topic
from autograd_lint.engine.faults import FaultKind
from autograd_lint.findings import Finding
from autograd_lint.levels import Certainty

_WEIGHTS = {Certainty.CERTAIN: 1.0, Certainty.LIKELY: 0.5, Certainty.POSSIBLE: 0.2}
# What each rule's findings lead to, and how often that is what a user with the symptom has: the
# order of public bug fixes and questions.
_EXPLAINS: dict[str, dict[str, float]] = {
    "memory": {
        "AG501": 10.0, "AG202": 6.0, "AG503": 6.0, "AG602": 5.0, "AG504": 3.0, "AG502": 3.0,
        "AG332": 2.0, "AG331": 2.0, "AG410": 1.5,
    },
    "not-learning": {
        "AG311": 8.0, "AG313": 8.0, "AG301": 6.0, "AG401": 6.0, "AG322": 6.0, "AG329": 6.0,
        "AG324": 6.0, "AG321": 6.0, "AG303": 5.0, "AG316": 5.0, "AG402": 5.0, "AG403": 5.0,
        "AG408": 5.0, "AG312": 4.0, "AG318": 4.0, "AG332": 4.0, "AG325": 4.0, "AG326": 4.0,
        "AG315": 4.0, "AG328": 4.0, "AG112": 4.0, "AG113": 3.0, "AG314": 3.0, "AG323": 3.0,
        "AG404": 3.0, "AG405": 3.0, "AG407": 3.0, "AG409": 3.0, "AG410": 3.0, "AG317": 3.0,
        "AG319": 3.0, "AG604": 3.0, "AG605": 2.0, "AG327": 2.0, "AG406": 1.5, "AG106": 2.0,
        "AG114": 2.0, "AG109": 2.0, "AG115": 2.0, "AG108": 2.0, "AG110": 1.5, "AG111": 1.5,
        "AG331": 1.5, "AG333": 1.5, "AG334": 1.5, "AG411": 1.0,
    },
    "nan": {
        "AG342": 10.0, "AG341": 10.0, "AG354": 10.0, "AG405": 4.0, "AG401": 2.0, "AG410": 2.0,
        "AG106": 1.0,
    },
}  # fmt: skip
NAMES = tuple(_EXPLAINS)
_SAID = {
    "memory": "memory grows from step to step until it runs out: graphs are kept alive",
    "not-learning": "the loss does not move, or parameters get no gradient",
    "nan": "values or gradients become NaN",
}
_CAUSES = {
    "memory": (
        "losses or outputs are gathered with their graph: `total += loss` for `loss.item()`",
        "evaluation runs without `torch.no_grad()`",
        "a state or buffer carries its graph from step to step: `detach()` it",
    ),
    "not-learning": (
        "the graph is cut: `.detach()`, `.data`, `.item()`, NumPy, `torch.tensor(loss)`",
        "the optimizer does not have the parameters (made or replaced after it was built)",
        "`zero_grad()`, `backward()` and `step()` are not called, or in another order",
    ),
    "nan": (
        "`sqrt`, `norm` or a power at zero, where the derivative is infinite",
        "`torch.where` hides values for which the gradient is not a number all the same",
        "the learning rate is too high, or a loss scale is not taken off before clipping",
    ),
}


def diagnose(symptom: str, request: Request) -> Diagnosis:
    """The silent findings of a program in the order in which they explain a symptom."""
    topic = Topic(
        symptom, (), FaultKind.OTHER, tuple(_EXPLAINS[symptom]), _SAID[symptom], _CAUSES[symptom]
    )
    shown, trace = survey(request), "autograd-lint trace SCRIPT"
    found = ranked(_candidates(symptom, shown.findings))
    sure = found.candidates and found.candidates[0].probability > 0.8
    return Diagnosis(
        Evidence(topic, f"--symptom {symptom}"),
        found,
        Way(),
        len(set(shown.files)),
        "" if sure else _EXPERIMENTS[symptom].format(trace=trace),
        tuple(dict.fromkeys(shown.troubles)),
    )


_EXPERIMENTS = {
    "memory": "`{trace} --saved` tells what the largest graph keeps, and where it was made",
    "not-learning": (
        "after the first `backward()`, print `[(n, p.grad is None) for n, p in"
        " model.named_parameters()]`: the graph ends behind the last True"
    ),
    "nan": "`torch.autograd.set_detect_anomaly(True)` names the operator: run it once, and give"
    " what it prints to `autograd-lint diagnose`",
}


def _candidates(symptom: str, findings: list[Finding]) -> list[Candidate]:
    weights = _EXPLAINS[symptom]
    found = []
    for one in findings:
        ratio = weights.get(one.code)
        if ratio is not None:
            pieces = (Fit("symptom", True, f"such code is {_LEADS[symptom]}", ratio),)
            found.append(Candidate(one, pieces, _WEIGHTS[one.certainty] * ratio))
    return found


_LEADS = {
    "memory": "what keeps graphs, and with them memory",
    "not-learning": "what keeps gradients from what is to learn",
    "nan": "where gradients become NaN",
}
