"""Hooks that stay behind when the object that has put them there goes."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows

PROGRAM = """
class Cam:
    def __init__(self, layer):
        self.handle = layer.register_forward_hook(self.keep)

    def keep(self, module, inputs, output):
        self.output = output.detach()

    def __call__(self, x):
        model(x).sum().backward()
        return self.output

cams = []
for i in range(3):
    cam = Cam(model[0])
    cam(loader[0][0])
    {then}
"""


def test_the_hooks_of_each_object_that_goes_stay_on_the_layer() -> None:
    assert rows(PROGRAM.format(then="print(i)"), Pitfall.HOOK_REPEATED) == [4]


@pytest.mark.parametrize("then", ["cam.handle.remove()", "cams.append(cam)"])
def test_objects_whose_hooks_go_and_objects_that_stay_are_right(then: str) -> None:
    assert rows(PROGRAM.format(then=then), Pitfall.HOOK_REPEATED) == []


def test_a_hook_on_another_layer_is_another_one() -> None:
    program = PROGRAM.format(then="print(i)").replace("Cam(model[0])", "Cam(nn.Linear(2, 2))")
    assert rows(program, Pitfall.HOOK_REPEATED) == []
