"""A function is given an image of PIL: that, and whatever comes with it, is data.

def crop(image, boxes):
    width, height = image.size
    boxes[:, 0] *= width
"""

from __future__ import annotations

from autograd_lint.evidence.assumption_origin import works_on_images
from autograd_lint.evidence.signals.base import Case, Signal


def _speaks(case: Case) -> bool:
    return case.needs_given and works_on_images(case.owner)


SIGNAL = Signal("works-on-images", _speaks, data=True)
