"""Whole messages of autograd, as torch 2.13 prints them, and what a piece of one is about."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from autograd_lint.diagnosis.topics.registry import topic_of
from autograd_lint.diagnosis.topics.topic import Topic

MESSAGES = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    "inplace operation: [torch.FloatTensor [3]], which is output 0 of SigmoidBackward0, is at "
    "version 1; expected version 0 instead.",
    "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.",
    "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place "
    "operation.",
    "RuntimeError: Output 0 of UnbindBackward0 is a view and is being modified inplace. This view "
    "is the output of a function that returns multiple views.",
    "RuntimeError: A view was created in no_grad mode and is being modified inplace with grad mode "
    "enabled.",
    "RuntimeError: Trying to backward through the graph a second time (or directly access saved "
    "tensors after they have already been freed).",
    "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
    "RuntimeError: grad can be implicitly created only for scalar outputs",
    "RuntimeError: One of the differentiated Tensors appears to not have been used in the graph. "
    "Set allow_unused=True if this is the desired behavior.",
    "ValueError: can't optimize a non-leaf Tensor",
    "RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
    "instead.",
    "RuntimeError: Inference tensors cannot be saved for backward.",
    "RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed.",
    "RuntimeError: you can only change requires_grad flags of leaf variables.",
    "RuntimeError: can't retain_grad on Tensor that has requires_grad=False",
    "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.",
    "AttributeError: 'NoneType' object has no attribute 'zero_'",
    "AttributeError: 'float' object has no attribute 'backward'",
    "RuntimeError: function MyFunctionBackward returned an incorrect number of gradients "
    "(expected 2, got 1)",
    "RuntimeError: derivative for aten::nextafter is not implemented",
    "RuntimeError: add(): functions with out=... arguments don't support automatic "
    "differentiation, but one of the arguments requires grad.",
    "RuntimeError: Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
    "protocol at the moment.",
    "RuntimeError: Only Tensors of floating point and complex dtype can require gradients",
    "UserWarning: None of the inputs have requires_grad=True. Gradients will be None",
    "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.",
    "RuntimeError: unscale_() has already been called on this optimizer since the last update().",
    "RuntimeError: Expected to have finished reduction in the prior iteration before starting a "
    "new one.",
    "torch.OutOfMemoryError: CUDA out of memory.",
)

_LEAST = 10  # characters by which a message is known


def topic_of_beginning(text: str) -> Topic | None:
    """What a message is about that was cut off; None where it may be several, or none."""
    begun = _squeezed(text)
    return _only(begun, (topic for message, topic in _known() if message.startswith(begun)))


def topic_of_piece(text: str) -> Topic | None:
    """What any piece of a message is about; None where it may be several, or none."""
    piece = _squeezed(text)
    return _only(piece, (topic for message, topic in _known() if piece in message))


def _only(piece: str, topics: Iterable[Topic]) -> Topic | None:
    found = {topic.name: topic for topic in topics} if len(piece) >= _LEAST else {}
    return next(iter(found.values())) if len(found) == 1 else None


@cache
def _known() -> tuple[tuple[str, Topic], ...]:
    """The messages without the class of the exception, and what they are about."""
    texts = (message.partition(": ")[2] for message in MESSAGES)
    found = ((text, topic_of(text)) for text in texts)
    return tuple((_squeezed(text), match[0]) for text, match in found if match is not None)


def _squeezed(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .…'\"`")
