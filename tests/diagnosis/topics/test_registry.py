"""Messages of torch 1.8 to 2.15, and what they are about."""

import pytest

from autograd_lint.diagnosis.topics.registry import TOPICS, topic_of
from autograd_lint.rules.registry import by_code_or_name


@pytest.mark.parametrize(
    ("message", "name"),
    [
        (
            "Trying to backward through the graph a second time, but the saved intermediate "
            "results have already been freed. Specify retain_graph=True",
            "graph-freed",
        ),
        (
            "Trying to backward through the graph a second time, but the buffers have already been"
            " freed.",
            "graph-freed",
        ),
        (
            "element 0 of variables does not require grad and does not have a grad_fn",
            "no-grad-root",
        ),
        (
            "One of the differentiated Tensors appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior.",
            "unused-input",
        ),
        ("Can't call numpy() on Variable that requires grad.", "numpy-on-grad"),
        (
            "a view of a leaf Variable that requires grad is being used in an in-place operation.",
            "view-of-leaf-modified",
        ),
        (
            "a leaf Variable that requires grad has been used in an in-place operation.",
            "leaf-modified",
        ),
        (
            "Output 0 of UnbindBackward is a view and is being modified inplace. This view is the "
            "output of a function that returns multiple views.",
            "view-modified",
        ),
        ("Function 'SqrtBackward0' returned nan values in its 0th output.", "nan-in-backward"),
        ("can't optimize a non-leaf Tensor", "non-leaf-optimizer"),
        ("CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.93 GiB total", "out-of-memory"),
        ("derivative for aten::floor_divide is not implemented", "not-differentiable"),
        (
            "Expected to have finished reduction in the prior iteration before starting a new one.",
            "parameter-not-used",
        ),
    ],
)
def test_messages_are_known_in_all_their_wordings(message: str, name: str) -> None:
    found = topic_of(message)
    assert found is not None
    assert found[0].name == name


def test_topics_name_rules_that_there_are() -> None:
    unknown = {code for topic in TOPICS for code in topic.codes if by_code_or_name(code) is None}
    assert not unknown
