"""Messages of autograd that no other topic knows; asked last."""

from __future__ import annotations

from autograd_lint.diagnosis.topics.topic import Topic
from autograd_lint.engine.faults import FaultKind

TOPICS = (
    Topic(
        "out-of-vmap-index",
        (r"too many indices for tensor of dimension",),
        FaultKind.OTHER,
        ("AG310",),
        "a tensor has fewer dimensions than the index; inside `vmap` there is no batch dimension",
        ("inside of `vmap` an element is seen without its batch dimension: leave that index out",),
        r"\[[^\]]*[:,][^\]]*\]|vmap\(",
    ),
    Topic(
        "other",
        (
            r"requires?[_ ]grad(?:ient)?s?\b",
            r"\bautograd\b",
            r"grad_(?:output|input|fn)\b",
            r"is_leaf",
            r"saved tensors?",
            r"leaf (?:tensor|variable)",
            r"\bbackward\b",
        ),
        FaultKind.OTHER,
        ("AG310", "AG601"),
        "an error where autograd is used, of no class that is known here",
        (),
        r"",
    ),
)
