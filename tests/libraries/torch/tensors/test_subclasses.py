"""Arguments that are tensors of a class of the program's own."""

import pytest

from tests.vm.running import kinds

BOXES = """
class Boxes(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **kwargs or {})

class Tracked(torch.Tensor):
    pass

"""
TURNED = """
def turned({argument}):
    {check}
    y = x.exp()
    y[:, 0].mul_(2)
    return y
"""


@pytest.mark.parametrize(
    ("argument", "check"),
    [
        ("x: Boxes", "pass"),
        ("x: torch.Tensor", "if not isinstance(x, Boxes): raise TypeError(x)"),
        ("x", "if not isinstance(x, Boxes): raise TypeError(x)"),
    ],
)
def test_what_somebody_has_wrapped_is_data(argument: str, check: str) -> None:
    assert kinds(BOXES + TURNED.format(argument=argument, check=check)) == []


@pytest.mark.parametrize(
    ("argument", "check"),
    [
        ("x: torch.Tensor", "pass"),
        ("x: Tracked", "pass"),
        ("x: nn.Parameter", "pass"),
        ("x", "if not isinstance(x, (Boxes, torch.Tensor)): raise TypeError(x)"),
        ("x", "if isinstance(x, Boxes): raise TypeError(x)"),
    ],
)
def test_other_tensors_may_come_from_a_graph(argument: str, check: str) -> None:
    assert kinds(BOXES + TURNED.format(argument=argument, check=check)) == ["saved-tensor-modified"]


MADE = """
class Group:
    def __init__(self, tensor=None):
        self.tensor = torch.zeros(3)
        if isinstance(tensor, torch.Tensor):
            self.tensor = tensor

class OfGroup({base}):
    def __new__(cls, group):
        return torch.Tensor._make_subclass(cls, group.tensor)

group = Group(torch.randn(3))
group.tensor = OfGroup(group)
group.tensor.requires_grad = True
loss = Group(group.tensor).tensor.norm()
loss.backward()
"""


def test_an_object_of_such_a_class_is_a_tensor() -> None:
    assert kinds(MADE.format(base="torch.Tensor")) == []
    assert kinds(MADE.format(base="nn.Parameter")) == []
