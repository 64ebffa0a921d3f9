"""`parameters_to_vector`: parameters laid end to end."""

from tests.vm.running import certain, kinds

DISTANCE = "anchor = {}\n((vector - anchor) ** 2).sum().backward()\n"
VECTOR = """
net = nn.Linear(3, 1)
vector = torch.nn.utils.parameters_to_vector({})
"""


def test_the_vector_of_parameters_requires_grad() -> None:
    text = VECTOR.format("net.parameters()")
    assert certain(text + "vector.numpy()\n") == ["numpy-on-grad"]
    assert kinds(text + "vector.detach().numpy()\n") == []


def test_the_vector_is_no_view_of_the_parameters() -> None:
    text = VECTOR.format("net.parameters()")
    assert kinds(text + "vector.add_(1)\nvector.sum().backward()\n") == []


def test_of_parameters_that_are_not_all_known_nothing_is_certain() -> None:
    assert certain(VECTOR.format("parameters") + "vector.numpy()\n") == []


def test_the_distance_to_a_vector_of_before_trains_nothing() -> None:
    text = VECTOR.format("net.parameters()") + DISTANCE
    assert kinds(text.format("vector.clone()")) == ["gradient-cut"]
    assert kinds(text.format("vector.detach()")) == []
