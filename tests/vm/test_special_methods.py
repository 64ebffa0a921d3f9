"""Special methods of the program's classes, where Python calls them."""

import pytest

from tests.vm.running import certain, taking

CLASSES = """
class Stored:
    def __init__(self, value=None):
        self.value = value
    def __get__(self, owner, cls=None):
        return self.value
    def __set__(self, owner, value):
        self.value = value

class Owner:
    stored = Stored()

class One:
    made = None
    def __new__(cls, value=None):
        if cls.made is None:
            cls.made = super().__new__(cls)
            cls.made.value = value
        return cls.made

class Even:
    def __eq__(self, other):
        return other % 2 == 0 if isinstance(other, int) else NotImplemented
    def __lt__(self, other):
        return False
    def __contains__(self, key):
        return key == 3
    def __call__(self):
        return self
"""


@pytest.mark.parametrize(
    "taken",
    [
        "owner = Owner()\nowner.stored = h\ng = owner.stored",
        "Owner().stored = h\ng = Owner.stored",
        "One(h)\ng = One().value",
        "g = h if Even() == 2 else None",
        "g = h if 3 != Even() else None",
        "g = None if 2 > Even() else h",
        "g = h if 3 in Even() and 4 not in Even() else None",
        "g = h if callable(Even()) and callable(print) and not callable(One(1)) else None",
        "g = h if callable(Even) and callable(nn.Linear(1, 1)) and not callable(h) else None",
    ],
)
def test_python_calls_them(taken: str) -> None:
    assert certain(taking(taken, CLASSES)) == ["saved-tensor-modified"]
