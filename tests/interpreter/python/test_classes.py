"""What a class says of itself."""

import pytest

from autograd_lint.engine.faults import FaultKind
from tests.interpreter.running import certain

ASKED = """
class Base:
    pass

class Derived(Base):
    limit = 1

    def run(self):
        cls = self.__class__
        w = torch.ones(3, requires_grad=True)
        if {condition}:
            w += 1

Derived().run()
"""
TRUE = [
    "cls.__name__ == 'Derived'",
    "'limit' in cls.__dict__",
    "'run' in cls.__dict__.keys()",
    "cls.__bases__[0].__name__ == 'Base'",
]


@pytest.mark.parametrize("condition", TRUE)
def test_a_class_knows_its_name_its_bases_and_what_it_holds(condition: str) -> None:
    assert certain(ASKED.format(condition=condition)) == [FaultKind.LEAF_MODIFIED.value]
    assert certain(ASKED.format(condition=f"not ({condition})")) == []
