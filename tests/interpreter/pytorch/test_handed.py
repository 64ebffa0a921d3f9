"""Who is to blame where a function raises with what it was handed."""

from tests.interpreter.running import faults

FREEZE = """
def freeze(x):
    x.requires_grad_(False)
def both(x):
    freeze(x)
w = torch.ones(3, requires_grad=True)
{call}
"""


def test_the_outermost_call_that_handed_it_over() -> None:
    (fault,) = faults(FREEZE.format(call="both(w * 2)"))
    assert fault.place is not None and fault.place.row == 5
    assert fault.handed is not None and fault.handed.row == 9


def test_what_the_function_computed_itself_was_not_handed_over() -> None:
    body = "    y = w * 2\n    y.requires_grad_(False)\n"
    text = f"def f(w):\n{body}f(torch.ones(3, requires_grad=True))\n"
    (fault,) = faults(text)
    assert fault.handed is None


PENALTY = """
def penalty(out, x):
    (g,) = torch.autograd.grad(out, x, {ones})
    return g
layer = nn.Linear(3, 1)
x = torch.ones(2, 3)
seen = x.clone().requires_grad_()
penalty({out}, seen)
"""


def test_roots_and_inputs_must_both_have_been_handed_over() -> None:
    text = PENALTY.format(ones="torch.ones(2, 1)", out="layer(x)")
    (fault,) = faults(text)
    assert fault.kind.value == "unused-input"
    assert fault.handed is not None and fault.handed.row == 10
    text = PENALTY.replace("grad(out, x", "grad(layer(out), x")
    (fault,) = faults(text.format(ones="torch.ones(2, 1)", out="x"))
    assert fault.handed is None


def test_a_module_that_is_handed_in_need_not_be_trained() -> None:
    text = (
        "class Resize:\n    def __init__(self, stage: nn.Module):\n        self.stage = stage\n"
        "    def __call__(self, x):\n        return self.stage(x.float()).numpy()\n"
    )
    assert faults(text) == []
