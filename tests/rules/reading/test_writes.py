"""How an in-place write is written, and what would not write in place."""

import pytest

from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.rules.reading import Chunk, Form, Write


def read(code: str, tensor: str = "x", operator: str = "") -> Write:
    """The write that a whole line of code is."""
    place = Place("a.py", 1, 1, 1, len(code) + 1)
    write = Chunk(Source("a.py", code + "\n"), place).write_at(place, tensor, operator)
    assert write is not None
    return write


def underlined(code: str, write: Write) -> str:
    return code[write.place.column - 1 : write.place.end_column - 1]


@pytest.mark.parametrize(
    ("code", "operator", "form", "target"),
    [
        ("x += 1", "__iadd__", Form.AUGMENTED, "x"),
        ("x[0] = 1", "__setitem__", Form.ITEM, "x[0]"),
        ("x[0] += 1", "__iadd__", Form.AUGMENTED_ITEM, "x[0]"),
        ("y = x[0] = 1", "__setitem__", Form.ITEM, "x[0]"),
        ("x.add_(1)", "add_", Form.METHOD, "x"),
        ("torch.relu_(x)", "relu_", Form.FUNCTION, "x"),
        ("relu_(x)", "nn.functional.relu_", Form.FUNCTION, "x"),
        ("F.relu(x, inplace=True)", "nn.functional.relu", Form.FLAG, "x"),
        ("torch.add(a, b, out=x)", "add", Form.OUT, "x"),
        ("self.relu(x)", "nn.ReLU", Form.CALL, "x"),
        ("update_(x)", "add_", Form.CALL, "x"),
    ],
)
def test_form_and_target(code: str, operator: str, form: Form, target: str) -> None:
    write = read(code, operator=operator)
    assert (write.form, write.target) == (form, target)


@pytest.mark.parametrize(
    ("code", "operator", "part"),
    [
        ("x += 1", "__iadd__", "x"),
        ("x[0] = 1", "__setitem__", "x[0]"),
        ("x.add_(1)", "add_", "x.add_(1)"),
    ],
)
def test_what_is_underlined(code: str, operator: str, part: str) -> None:
    assert underlined(code, read(code, operator=operator)) == part


@pytest.mark.parametrize(
    ("code", "operator", "instead"),
    [
        ("x += 1", "__iadd__", "x = x + 1"),
        ("x *= a + b", "__imul__", "x = x * (a + b)"),
        ("x -= a * b", "__isub__", "x = x - a * b"),
        ("x *= a * b", "__imul__", "x = x * (a * b)"),
        ("x[0] += 1", "__iadd__", "x[0] = x[0] + 1"),
        ("x -= (a + b)", "__isub__", "x = x - (a + b)"),
        ("x @= y", "__imatmul__", "x = x @ y"),
        ("self.x //= y.z", "__ifloordiv__", "self.x = self.x // y.z"),
        ("x.add_(y, alpha=2)", "add_", "x = x.add(y, alpha=2)"),
        ("y = x.relu_()", "relu_", "x.relu()"),
        ("x[0].add_(1)", "add_", "x[0].add(1)"),
        ("x.zero_()", "zero_", "x = torch.zeros_like(x)"),
        ("x.copy_(y)", "copy_", "x = y.clone()"),
        ("x.fill_(2)", "fill_", "x = torch.full_like(x, 2)"),
        ("x.normal_()", "normal_", None),
        ("x[0] = 1", "__setitem__", None),
        ("torch.relu_(x)", "relu_", None),
    ],
)
def test_what_to_write_instead(code: str, operator: str, instead: str | None) -> None:
    place = Place("a.py", 1, 1, 1, len(code) + 1)
    if code.startswith("y = x.relu_"):
        place = Place("a.py", 1, 5, 1, len(code) + 1)
    write = Chunk(Source("a.py", code + "\n"), place).write_at(place, "x", operator)
    assert write is not None and write.instead == instead


def test_no_write_where_none_is_written() -> None:
    place = Place("a.py", 1, 5, 1, 10)
    assert Chunk(Source("a.py", "y = x + 1\n"), place).write_at(place, "x", "add") is None
