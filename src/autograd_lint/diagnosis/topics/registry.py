"""What messages of autograd are about: their texts, what they mean, what usually leads to them.

The texts are those of torch 1.8 to 2.15. A pattern is a piece of a message that stays the same over
releases; what stands in a group of it is what the message names. The usual causes are in the order
in which public bug fixes and questions show them.
"""

from __future__ import annotations

import re

from autograd_lint.diagnosis.topics import (
    backward,
    functions,
    graphs,
    leaves,
    rest,
    tensors,
    training,
    transforms,
    writes,
)
from autograd_lint.diagnosis.topics.topic import Topic

_MOST = 200_000  # characters of a text that are searched

TOPICS: tuple[Topic, ...] = (
    *writes.TOPICS,
    *graphs.TOPICS,
    *leaves.TOPICS,
    *functions.TOPICS,
    *tensors.TOPICS,
    *backward.TOPICS,
    *transforms.TOPICS,
    *training.TOPICS,
    *rest.TOPICS,
)
"""All topics, in the order in which a text is compared with them: the first that fits is meant."""

LAST = TOPICS[-1]


def topic_of(text: str) -> tuple[Topic, re.Match[str]] | None:
    """What a text is about, and where on its one line it says so; None where it does not speak of
    autograd."""
    text = " ".join(text[:_MOST].split())
    for topic in TOPICS:
        match = topic.search(text)
        if match is not None:
            return topic, match
    return None


def named(name: str) -> Topic:
    """The topic of a name; raises KeyError where there is none."""
    return {topic.name: topic for topic in TOPICS}[name]
