"""Functions that unseen code was given: what they write is not known once it has run."""

import pytest

from tests.vm.running import certain

PROBE = """
from elsewhere import load

class Probe:
    def __init__(self, model):
        self.model = model
        self.features = torch.empty(3)
        {registered}

    def save(self, module, given, output):
        self.features = output

    def run(self, x):
        self.model(x)
        self.features.mean().backward()

Probe(load()).run(torch.randn(3))
"""
SAVED = """
from elsewhere import load

kept, last = {}, torch.zeros(3)

def save(output):
    global last
    last = kept["it"] = output

model = load()
"""


def test_without_a_callback_the_tensor_stays_what_it_is() -> None:
    assert certain(PROBE.format(registered="pass")) == ["no-grad-root"]


@pytest.mark.parametrize(
    "registered",
    [
        "model.tap(self.save)",
        "model.encoder.layers[3].register_forward_hook(self.save)",
        "[m.register_forward_hook(self.save) for m in model._modules.values()]",
    ],
)
def test_what_a_method_that_was_given_away_sets_is_unknown(registered: str) -> None:
    assert certain(PROBE.format(registered=registered)) == []


def test_a_global_name_that_a_callback_binds_is_unknown() -> None:
    program = SAVED + "model.tap(save)\nmodel(1)\nlast.sum().backward()\n"
    assert certain(program) == []


def test_a_name_is_known_as_long_as_nobody_is_given_the_function() -> None:
    assert certain(SAVED + "model(1)\nlast.sum().backward()\n") == ["no-grad-root"]
