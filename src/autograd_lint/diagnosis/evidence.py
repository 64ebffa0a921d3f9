"""What a printed error says, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.immutable import immutable

if TYPE_CHECKING:
    from autograd_lint.diagnosis.topics.topic import Topic


@immutable
class Frame:
    """One level of a traceback: the file as it was called where the program ran, the row in it,
    the function, and the code of the line, as far as they were printed."""

    filename: str
    row: int | None
    function: str = ""
    text: str = ""


@immutable
class Named:
    """What a message says of the tensor or node that it is about.

    `node` is the graph node without its `Backward0`, `output` which of its results. `dtype` is
    `float`, `int`, `bool` or `complex`. `version` is the one that was found where `expected` was
    to be. `index` counts from 0 among the roots or inputs of a call. `subject` is any other name
    that the message has: a function, an operator, an attribute.
    """

    node: str | None = None
    output: int | None = None
    dtype: str | None = None
    shape: tuple[int, ...] | None = None
    version: int | None = None
    expected: int | None = None
    index: int | None = None
    subject: str | None = None

    @property
    def writes(self) -> int | None:
        """How many writes came after the tensor was saved."""
        if self.version is None or self.expected is None:
            return None
        return self.version - self.expected


@immutable
class Evidence:
    """One error, read: what it is about, what it names, and the way of the program to it.

    `message` is its text on one line. `frames` lead to where it was raised, the outermost first;
    `forward` to the forward call that anomaly mode blames, whose node is `failed`.
    """

    topic: Topic
    message: str
    named: Named = Named()
    frames: tuple[Frame, ...] = ()
    forward: tuple[Frame, ...] = ()
    failed: str | None = None
