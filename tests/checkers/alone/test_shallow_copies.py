"""Copies of modules that share the parameters."""

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted

TEXT = """
import copy
from copy import deepcopy
target = {copied}
target.load_state_dict(model.state_dict())
{use}
"""
TRAINED = "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"


def test_a_shallow_copy_of_a_module_is_told() -> None:
    assert Pitfall.OWN_STATE in noted(TEXT.format(copied="copy.copy(model)", use=TRAINED))


def test_a_deep_copy_is_quiet() -> None:
    assert Pitfall.OWN_STATE not in noted(TEXT.format(copied="deepcopy(model)", use=TRAINED))
    assert Pitfall.OWN_STATE not in noted(TEXT.format(copied="copy.deepcopy(model)", use=TRAINED))


def test_a_copy_of_what_is_no_module_is_quiet() -> None:
    assert Pitfall.OWN_STATE not in noted("import copy\nmine = copy.copy(options)")
