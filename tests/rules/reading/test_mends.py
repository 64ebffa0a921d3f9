"""The edits that rules offer, by the code that they are for."""

from collections.abc import Callable

import pytest

from autograd_lint.fixes.editing import Document
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.rules.reading import Chunk
from autograd_lint.rules.reading.edits import Edits
from autograd_lint.rules.reading.mends import Mends
from tests.rules.telling import spot

Make = Callable[[Mends, Place], Edits]


def made(text: str, snippet: str, make: Make) -> str | None:
    """The text after the edits made at a snippet; None where there are none."""
    source = Source("a.py", text)
    place = spot(source, snippet)
    edits = make(Chunk(source, place).mends, place)
    return Document(text).edited(edits).text if edits else None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(x, flag=True)", "f(x)"),
        ("f(flag=True, y=1)", "f(y=1)"),
        ("f(flag=True)", "f()"),
        ("f( flag = True , )", "f(  )"),
        ("f(x, flag=True,)", "f(x,)"),
        ("f(\n    x,\n    flag=True,  # fast\n)", "f(\n    x,  # fast\n)"),
        ("f(\n    x,  # why\n    flag=True,\n)", "f(\n    x,  # why\n)"),
        ("f(\n    x,  # why\n    flag=True\n)", "f(\n    x,  # why\n)"),
        ("f(\n    flag=True,\n    # why\n    y=1,\n)", "f(\n    # why\n    y=1,\n)"),
        ("f(\n    x,  # why\n    flag=True, y=1)", "f(\n    x,  # why\n     y=1)"),
        ("f(x)", None),
    ],
)
def test_an_argument_less(before: str, after: str | None) -> None:
    place = Place("a.py", 1, 1, before.count("\n") + 1, len(before.split("\n")[-1]) + 1)
    edits = Chunk(Source("a.py", before + "\n"), place).mends.drop_keyword(place, "flag")
    assert (Document(before).edited(edits).text if edits else None) == after


@pytest.mark.parametrize(
    ("text", "snippet", "after"),
    [
        ("y = (a * b).detach()", "(a * b).detach()", "y = (a * b)"),
        ("y = x.data.pow(2)", "x.data", "y = x.pow(2)"),
        ("y = x.item() + 1", "x.item()", "y = x + 1"),
        ("y = x.detach().numpy()", "x.detach()", None),
        ("y = x.item", "x", None),
    ],
)
def test_a_method_less(text: str, snippet: str, after: str | None) -> None:
    drop: Make = lambda mends, place: mends.drop_method(place, "detach", "data", "item")  # noqa: E731
    assert made(text, snippet, drop) == after


@pytest.mark.parametrize(
    ("text", "snippet", "after"),
    [
        ("y = x.sum().detach().cpu().item()", "x.sum().detach().cpu().item()", "y = x.sum().cpu()"),
        ("y = x.detach().item()", "x.detach().item()", "y = x"),
        ("y = x.detach().cpu()", "x.detach().cpu()", None),
    ],
)
def test_methods_less(text: str, snippet: str, after: str | None) -> None:
    drop: Make = lambda mends, place: mends.drop_methods(place, "detach", "item")  # noqa: E731
    assert made(text, snippet, drop) == after


@pytest.mark.parametrize(
    ("text", "snippet", "after"),
    [
        ("total += loss", "total", "total += loss.detach()"),
        ("total = total + loss", "total", "total = (total + loss).detach()"),
        ("outs.append(a if b else c)", "outs.append(a if b else c)", None),
        ("outs.append(net(x))", "outs.append(net(x))", "outs.append(net(x).detach())"),
        ("outs.append(-x)", "outs.append(-x)", "outs.append((-x).detach())"),
    ],
)
def test_what_is_kept_is_detached(text: str, snippet: str, after: str | None) -> None:
    after = after or "outs.append((a if b else c).detach())"
    assert made(text, snippet, Mends.detach_kept) == after


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("meter.update(loss, n)", "meter.update(loss.detach(), n)"),
        ("log.add(loss=loss)", "log.add(loss=loss.detach())"),
        ("log.add({'loss': loss})", "log.add({'loss': loss.detach()})"),
        ("run.end({'loss': loss, 'n': n})", "run.end({'loss': loss.detach(), 'n': n})"),
        ("log.add(**logs)", None),
        ("meter.update(loss, loss)", None),
        ("meter.update(logs)", None),
    ],
)
def test_what_is_handed_over_is_detached(call: str, after: str | None) -> None:
    assert made(call, call, lambda mends, place: mends.detach_kept(place, "loss")) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("w = w - 0.1 * g", "w -= 0.1 * g"),
        ("w = w @ a", "w @= a"),
        ("w = v - g", None),
        ("w = (w - g)", None),
    ],
)
def test_an_update_in_place(text: str, after: str | None) -> None:
    assert made(text, "w", Mends.update_in_place) == after


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("[nn.Linear(2, 2)]", "torch.nn.ModuleList([nn.Linear(2, 2)])"),
        ("[f(i) for i in x]", "torch.nn.ModuleList([f(i) for i in x])"),
        ("[nn.Parameter(x)]", "torch.nn.ParameterList([nn.Parameter(x)])"),
        ('{"a": nn.Linear(2, 2)}', 'torch.nn.ModuleDict({"a": nn.Linear(2, 2)})'),
        ("torch.ones(1, requires_grad=True)", None),
        ("made()", None),
    ],
)
def test_modules_and_parameters_are_registered(value: str, after: str | None) -> None:
    if "requires_grad" in value:
        after = f"torch.nn.Parameter({value})"
    text = f"import torch\nself.x = {value}"
    expected = after and f"import torch\nself.x = {after}"
    assert made(text, "self.x", Mends.register) == expected


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("import torch\nfrom torch import nn", "nn"),
        ("import torch\nimport torch.nn as tnn", "tnn"),
        ("from torch import nn as layers", "layers"),
        ("import torch.nn", "torch.nn"),
    ],
)
def test_torch_nn_is_called_as_the_file_calls_it(imports: str, name: str) -> None:
    text = f"{imports}\nself.x = [f(1)]"
    assert made(text, "self.x", Mends.register) == f"{imports}\nself.x = {name}.ModuleList([f(1)])"


def test_what_is_detached_is_not_detached_again() -> None:
    assert made("kept.append(x.detach())", "kept.append(x.detach())", Mends.detach_kept) is None


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("net.requires_grad = False", "net.requires_grad_(False)"),
        ("p.require_grad = flag", "p.requires_grad = flag"),
    ],
)
def test_a_flag_is_set(text: str, after: str) -> None:
    assert made(text, text.split(" ")[0], Mends.set_flag) == after


@pytest.mark.parametrize(
    ("text", "snippet", "after"),
    [
        ("h = f(x)\nh.clamp(0)\nh", "h.clamp(0)", "h = f(x)\nh = h.clamp(0)\nh"),
        ("w.grad.clamp(-1, 1)", "w.grad.clamp(-1, 1)", "w.grad = w.grad.clamp(-1, 1)"),
        ("y = h.clamp(0)", "h.clamp(0)", None),
    ],
)
def test_a_result_is_kept(text: str, snippet: str, after: str | None) -> None:
    assert made(text, snippet, Mends.keep_result) == after


def test_a_flag_of_what_is_no_leaf_becomes_a_detach() -> None:
    text = "y = x * 2\ny.requires_grad = False\n"
    assert made(text, "y.requires_grad", Mends.detach_for_flag) == "y = x * 2\ny = y.detach()\n"


@pytest.mark.parametrize(
    ("text", "carried"),
    [
        ("h = cell(x, h)", ("h",)),
        ("out, (h, c) = lstm(x, (h, c))", ("h", "c")),
        ("out, self.h = rnn(x, self.h)", ("self.h",)),
        ("total += loss", ("total",)),
        ("h = cell(x)", ()),
    ],
)
def test_what_is_carried(text: str, carried: tuple[str, ...]) -> None:
    place = Place("a.py", 1, 1, 1, 2)
    assert Chunk(Source("a.py", text + "\n"), place).mends.carried_at(place) == carried


def test_reads_of_what_is_written_are_cloned() -> None:
    text = "h[t] = f(h[t - 1]) + h.sum()"
    cloned: Make = lambda mends, place: mends.clone_reads("h")  # noqa: E731
    assert made(text, "h[t]", cloned) == "h[t] = f(h[t - 1].clone()) + h.clone().sum()"


def test_layers_are_made_without_their_flag() -> None:
    text = "act = nn.Sequential(nn.ReLU(inplace=True), nn.ELU(1.0, inplace=True))\ny = act(h)\n"
    expected = "act = nn.Sequential(nn.ReLU(), nn.ELU(1.0))\ny = act(h)\n"
    assert made(text, "act(h)", Mends.drop_inplace_flags) == expected


def test_layers_are_made_without_their_flag_where_it_is_given_by_position() -> None:
    text = "act = f(ReLU(True), nn.ELU(1.0, True), nn.RReLU(0.1, 0.3, False))\ny = act(h)\n"
    expected = "act = f(ReLU(), nn.ELU(1.0), nn.RReLU(0.1, 0.3, False))\ny = act(h)\n"
    assert made(text, "act(h)", Mends.drop_inplace_flags) == expected


def test_a_leaf_is_made_last() -> None:
    text = "w = torch.randn(3, requires_grad=True) * 0.1"
    expected = "w = (torch.randn(3) * 0.1).requires_grad_()"
    assert made(text, text.removeprefix("w = "), Mends.make_leaf) == expected


def test_state_that_may_be_none_is_not_detached() -> None:
    text = "self.h = None\nself.h = f(self.h)\n"
    reads: Make = lambda mends, place: mends.detach_reads(place, "self.h", "self.h.detach()")  # noqa: E731
    assert made(text, "self.h = f(self.h)", reads) is None
    assert made(text[14:], "self.h = f", reads) == "self.h = f(self.h.detach())\n"
