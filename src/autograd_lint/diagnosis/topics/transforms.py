"""Messages of `torch.func`, forward mode and `gradcheck`."""

from __future__ import annotations

from autograd_lint.diagnosis.topics.topic import Topic
from autograd_lint.engine.faults import FaultKind

TOPICS = (
    Topic(
        "vmap",
        (
            r"vmap: ",
            r"[Bb]atching rule not implemented",
            r"functorch",
            r"autograd\.functional",
        ),
        FaultKind.OTHER,
        ("AG310", "AG107"),
        "a function that runs for a whole batch at once (`vmap`, `torch.func`) does"
        " what cannot be"
        " done for all elements together",
        (
            "`.item()` or an `if` on a value: use `torch.where`",
            "a plain tensor created in the function is modified with values of the batch: create"
            " it with `torch.zeros_like` of one of them",
        ),
        r"\.item\(|\bif\b|rand|\[.{0,200}\]|_\(|vmap\(",
    ),
    Topic(
        "forward-ad",
        (
            r"forward AD",
            r"[Dd]ual (?:level|[Tt]ensor)",
            r"forward (?:grad|mode)",
            r"Expected primal to be floating point",
            r"forward gradient",
        ),
        FaultKind.OTHER,
        ("AG310", "AG601"),
        "forward-mode differentiation does not support an operation",
        ("make dual tensors of floats, inside of `dual_level()`",),
        r"dual|jvp|fwAD|forward_ad",
    ),
    Topic(
        "gradcheck",
        (r"[Jj]acobian mismatch", r"gradcheck expects"),
        FaultKind.OTHER,
        ("AG310", "AG601"),
        "`gradcheck` and `backward` compute different gradients",
        (
            "`backward` does not compute the derivative of `forward`",
            "the inputs are not in double precision",
        ),
        r"gradcheck\(|def backward\b|return\b",
        earlier=True,
    ),
)
