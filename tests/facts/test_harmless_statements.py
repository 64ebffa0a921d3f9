"""Statements that look like writes to tensors: which of them are taken for such."""

import pytest

from autograd_lint.facts.triggers import triggers
from autograd_lint.project.source import Source

CLASS = "class Net(nn.Module):\n    def {name}(self, x, n: int = 2, flag=None):\n"


def marked(*lines: str, name: str = "forward") -> bool:
    """Whether a trigger stands in a method with these lines."""
    body = "".join(f"        {line}\n" for line in lines)
    return bool(triggers(Source("a.py", CLASS.format(name=name) + body)).rows)


@pytest.mark.parametrize(
    "lines",
    [
        ("x += n",),
        ("y = x", "y *= 2"),
        ("total = 0", "total += x.sum()"),
        ("y = f(x)", "y += 1"),
        ("self.h += 1",),
        ("for y in x:", "    y += 1"),
        ("y = [x]", "z = y[0]", "z += 1"),
        ("flag += 1",),
        ("y = [0, 1]", "x[0] = y"),
        ("self.blocks += [Block()]",),
        ("blocks = []", "blocks += [Block()]", "self.blocks = blocks"),
    ],
)
def test_what_may_write_a_tensor_is_a_trigger(lines: tuple[str, ...]) -> None:
    assert marked(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        ("count = 0", "count += 1"),
        ("n *= 2",),
        ("size = x.shape[0]", "size //= 2"),
        ("total = 0", "total += x.item()"),
        ("for i, y in enumerate(x):", "    i += 1"),
        ("text = ''", "text += f'{x}'"),
        ("blocks = []", "blocks += [Block()]", "nn.Sequential(*blocks)"),
        ("self.info += [dict(size=int(n))]",),
        ("sizes = [0] * n", "sizes[n] = 1"),
        ("known[x] = {}",),
    ],
)
def test_counters_texts_and_lists_are_none(lines: tuple[str, ...]) -> None:
    assert not marked(*lines)


def test_a_number_that_a_constructor_adds_to_stays_a_number() -> None:
    lines = ("stride = 1", "for one in x:", "    stride *= one")
    assert not marked(*lines, name="__init__")
    assert marked(*lines)


def test_an_attribute_that_any_method_sets_to_a_tensor_is_no_counter() -> None:
    text = (
        "class Net:\n    def __init__(self):\n        self.n = 0\n"
        "    def add(self):\n        self.n += 1\n"
    )
    assert not triggers(Source("a.py", text)).rows
    text += "    def set(self, x):\n        self.n = x\n"
    assert triggers(Source("a.py", text)).rows == [5]


@pytest.mark.parametrize(
    "value", ["self.h * x", "self.cell(x, self.h)", "self.h[0]", "self.h[-1:]"]
)
def test_state_that_is_computed_from_itself_is_a_trigger(value: str) -> None:
    assert marked(f"self.h = {value}")


@pytest.mark.parametrize("statement", ["self.h = self.h[:n]", "y = f(x, h=self.h, g=self.h)"])
def test_what_is_cut_short_or_only_read_is_none(statement: str) -> None:
    assert not marked(statement)


def test_a_constructor_may_make_a_parameter_of_what_it_has_set() -> None:
    assert marked("self.w = nn.Parameter(self.w / 2)", name="__init__")
    assert not marked("self.w = check(self.w)", name="__init__")


def test_first_values_of_parameters_are_no_trigger() -> None:
    assert not marked("nn.init.normal_(self.w)", name="reset_parameters")
    assert not marked("nn.init.zeros_(self.l.bias)", name="_init_weights")


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("nn.init.zeros_(self.w)", "_init_weights"),  # two of them in series are stuck
        ("nn.init.normal_(self.w)", "forward"),
        ("self.w.normal_()", "_init_weights"),
    ],
)
def test_other_calls_in_place_are(call: str, name: str) -> None:
    assert marked(call, name=name)


@pytest.mark.parametrize("line", ['"""x += y of an optimizer."""', "y = x  # loss.backward()"])
def test_remarks_are_none(line: str) -> None:
    assert not marked(line)


def test_a_hash_in_a_text_begins_no_remark() -> None:
    assert marked("y = '#'; loss.backward()")
    assert marked('f("#1", x.data)')


@pytest.mark.parametrize("line", ["f(dim_out=x)", "g(dropout=n)", "self.inference_mode = flag"])
def test_longer_names_are_none(line: str) -> None:
    assert not marked(line)


@pytest.mark.parametrize("line", ["torch.add(x, x, out=y)", "with torch.inference_mode(): pass"])
def test_the_names_themselves_are(line: str) -> None:
    assert marked(line)


@pytest.mark.parametrize(
    "line",
    [
        "optimizer.load_state_dict(torch.load(n))",
        "nn.init.normal_(x.weight.data, 0.0, 0.02)",
        "torch.nn.init.zeros_(x.bias.data)",
    ],
)
def test_what_loads_values_or_gives_the_first_ones_is_no_trigger(line: str) -> None:
    assert not marked(line, name="weights_init")


@pytest.mark.parametrize(
    "line",
    [
        "loaded = optimizer.load_state_dict(torch.load(n))",
        "x.weight.data.normal_(0.0, 0.02)",
        "torch.nn.init.zeros_(x.weight.data)",
    ],
)
def test_what_may_write_later_or_sets_weights_to_zero_is_one(line: str) -> None:
    assert marked(line, name="weights_init")
