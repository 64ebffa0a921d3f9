"""Findings to draw."""

from autograd_lint.findings import Assumed, Certainty, Edit, Finding, Fix, Prediction, Related
from autograd_lint.places import Place

TRAIN = """\
import torch


def step(x, w):
    h = torch.sigmoid(x)
    # double it
    h.mul_(2)
    y = h * w
    loss = y.sum()



    loss.backward()
"""


def place(text: str, row: int, part: str, filename: str = "/project/train.py") -> Place:
    """The place of `part` on a row of `text`."""
    column = text.split("\n")[row - 1].index(part) + 1
    return Place(filename, row, column, row, column + len(part))


def saved_tensor_modified() -> Finding:
    """A finding with everything that a finding can have."""
    write = place(TRAIN, 7, "h.mul_(2)")
    return Finding(
        code="AG103",
        name="saved-tensor-modified",
        message="`h` is modified in place after `sigmoid` saved it",
        place=write,
        certainty=Certainty.LIKELY,
        probability=0.84,
        assumptions=(Assumed("`x` requires grad", "argument-requires-grad", "unusual", 0.62),),
        signals=("in-package",),
        label="modified in place here: version 1, saved at version 0",
        role="modified",
        reason="`backward()` needs the values as they were when they were saved, and finds by the "
        "version counter that they are not",
        help="use `h = h.mul(2)`",
        related=(
            Related(
                "saved", "`sigmoid` saves its result here", place(TRAIN, 5, "torch.sigmoid(x)")
            ),
            Related("needed", "`backward()` needs it here", place(TRAIN, 13, "loss.backward()")),
        ),
        predicts=Prediction("saved-tensor-modified", "/project/train.py", 13),
        fix=Fix("unsafe", "Use `mul`", (Edit("h = h.mul(2)", write),)),
        noqa_row=7,
    )


def simple(message: str = "a leaf is modified", row: int = 3) -> Finding:
    """A finding with no more than a finding must have."""
    return Finding("AG101", "leaf-modified", message, Place("/project/a.py", row, 1, row, 7))
