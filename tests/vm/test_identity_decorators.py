"""Decorators that return what they are given are not run."""

import pytest

from tests.vm.running import certain

GIVES_BACK = {
    "registers": """
def decorator(f):
    names[f.__name__] = f
    return f
""",
    "documents, by way of another": """
def document(f, intro):
    f.__doc__ = intro
    return f

def decorator(f=None, *, intro=None):
    def documented(f):
        if intro is None:
            return f
        else:
            return document(f, intro)

    if f:
        return documented(f)
    return documented
""",
}
MAKES_ANEW = {
    "another function": """
def decorator(f):
    def wrapped(x):
        return f(x) + unseen
    return wrapped
""",
    "another function that gives back": """
def decorator(f):
    def wrapped(x):
        return x
    return wrapped
""",
    "what it binds the name to": """
def decorator(f):
    f = other(f)
    return f
""",
    "nothing, on one side": """
def decorator(f):
    if unseen:
        return f
""",
    "a generator": """
def decorator(f):
    yield f
    return f
""",
    "by way of another that does not": """
def wrap(f):
    return lambda x: f(x)

def decorator(f):
    return wrap(f)
""",
    "a method of what it is given": """
def decorator(f):
    return f.__call__
""",
}
APPLIED = """
names = {}
class Model:
    @decorator
    def run(self, x):
        x.mul_(2)
w = torch.ones(3, requires_grad=True)
Model().run(w)
"""


@pytest.mark.parametrize("text", GIVES_BACK.values(), ids=GIVES_BACK)
def test_a_function_that_is_given_back_is_called_as_it_stands(text: str) -> None:
    assert certain(text + APPLIED) == ["leaf-modified"]


def run(text: str) -> bool:
    """Whether the decorator is run where it is applied: it makes `v` a leaf that requires grad."""
    head, name, rest = text.partition("def decorator(")
    opening, _, body = rest.partition("\n")
    start = f"v = torch.ones(3)\n{head}{name}{opening}\n    v.requires_grad_()\n{body}"
    applied = APPLIED.partition("w = ")[0]
    return certain(f"{start}{applied}v.mul_(2)\n") == ["leaf-modified"]


@pytest.mark.parametrize("text", GIVES_BACK.values(), ids=GIVES_BACK)
def test_a_decorator_that_gives_back_is_not_run(text: str) -> None:
    assert not run(text)


@pytest.mark.parametrize("text", MAKES_ANEW.values(), ids=MAKES_ANEW)
def test_any_other_decorator_is_run(text: str) -> None:
    assert run(text)


def test_decorators_that_return_each_other_are_not_followed_for_ever() -> None:
    text = "def decorator(f):\n    return other(f)\ndef other(f):\n    return decorator(f)\n"
    assert certain(text + APPLIED.partition("w = ")[0]) == []
