"""Pieces of messages, and what they are about."""

import pytest

from autograd_lint.diagnosis.topics.messages import topic_of_beginning, topic_of_piece
from autograd_lint.diagnosis.topics.topic import Topic


def _name(topic: Topic | None) -> str:
    return topic.name if topic is not None else ""


@pytest.mark.parametrize(
    ("piece", "name"),
    [
        ("does not require grad and does not have", "no-grad-root"),
        ("Output 0 of UnbindBackward0 is a view", "view-modified"),
        ("created explicitly by the user (graph", "deepcopy"),
        ("requires grad", ""),  # several messages have it
        ("instead.", ""),
        ("shapes cannot be multiplied", ""),
    ],
)
def test_a_piece_is_known_by_the_only_message_that_has_it(piece: str, name: str) -> None:
    assert _name(topic_of_piece(piece)) == name


def test_a_message_that_was_cut_off_is_known_by_its_beginning() -> None:
    assert _name(topic_of_beginning("one of the v")) == "saved-tensor-modified"
    assert _name(topic_of_beginning("does not require grad and does not have")) == ""
    assert _name(topic_of_beginning("one of the")) == ""
