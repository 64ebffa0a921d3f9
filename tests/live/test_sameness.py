"""A traced program computes the same bits, draws the same numbers, frees at the same time."""

import gc
import io
import threading
import traceback
import warnings
import weakref
from contextlib import redirect_stdout
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy
import pytest
import torch

from autograd_lint.live import backward, own_frames, recorder, warned
from autograd_lint.live.attention import WHOLE_RUN
from autograd_lint.live.schemas import schema_of, with_tensor
from autograd_lint.live.tracing import Tracer
from tests.live.odd_programs import ODD, WATCHFUL

BITS = """
def bits(*tensors):
    for tensor in tensors:
        print(tensor.detach().reshape(-1).view(torch.int32).tolist())
"""

PROGRAMS = {
    "training with foreach Adam": """
        net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(), torch.nn.Linear(8, 1))
        opt = torch.optim.Adam(net.parameters(), foreach=True)
        for _ in range(3):
            opt.zero_grad()
            net(torch.randn(5, 4)).pow(2).mean().backward()
            opt.step()
        bits(*net.parameters())
        print([p._version for p in net.parameters()], torch.rand(3).tolist())
        """,
    "convolution and batch norm": """
        net = torch.nn.Sequential(
            torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU(inplace=True))
        net(torch.randn(2, 1, 6, 6)).sum().backward()
        bits(*(p.grad for p in net.parameters()), net[1].running_mean)
        """,
    "transformer layer": """
        layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        layer(torch.randn(2, 3, 8)).sum().backward()
        bits(*(p.grad for p in layer.parameters()))
        layer.eval()
        with torch.no_grad():
            bits(layer(torch.randn(2, 3, 8)))
        """,
    "LSTM": """
        net = torch.nn.LSTM(3, 4, 2)
        net(torch.randn(5, 2, 3))[0].sum().backward()
        bits(*(p.grad for p in net.parameters()))
        """,
    "second order": """
        x = torch.randn(3, requires_grad=True)
        (g,) = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
        g.pow(2).sum().backward()
        bits(x.grad)
        """,
    "checkpoint, both kinds": """
        from torch.utils.checkpoint import checkpoint
        net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(), torch.nn.Linear(3, 1))
        for reentrant in (True, False):
            x = torch.randn(2, 3, requires_grad=True)
            checkpoint(net, x, use_reentrant=reentrant).sum().backward()
            bits(x.grad)
        """,
    "torch.func": """
        from torch.func import grad, vmap, jacrev
        bits(vmap(grad(lambda x: x.sin().sum()))(torch.randn(2, 3)))
        bits(jacrev(torch.exp)(torch.randn(3)))
        """,
    "autocast": """
        net = torch.nn.Linear(4, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = net(torch.randn(2, 4)).float().sum()
        loss.backward()
        bits(net.weight.grad)
        """,
    "hooks": """
        x = torch.randn(3, requires_grad=True)
        y = x.exp()
        y.register_hook(lambda g: g * 2)
        x.register_post_accumulate_grad_hook(lambda p: print(p.grad.shape))
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
            z = y.tanh()
        z.sum().backward()
        bits(x.grad)
        """,
    "mutation of saved tensors allowed": """
        x = torch.randn(3, requires_grad=True)
        with torch.autograd.graph.allow_mutation_on_saved_tensors():
            y = x.exp()
            y.mul_(2)
            y.sum().backward()
        bits(x.grad)
        """,
    "data loader with workers": """
        from torch.utils.data import DataLoader, TensorDataset
        data = TensorDataset(torch.arange(6.0).reshape(6, 1))
        for (x,) in DataLoader(data, batch_size=2, shuffle=True, num_workers=1):
            bits(x)
        """,
    "arrays": """
        import numpy
        array = numpy.ones(3, dtype="float32")
        x = torch.from_numpy(array).requires_grad_()
        (x.exp() * 2).sum().backward()
        print(x.grad.numpy().tobytes(), numpy.asarray(x.detach()).sum())
        """,
    "lifetimes": """
        import weakref
        from torch.multiprocessing.reductions import StorageWeakRef
        x = torch.randn(3, requires_grad=True)
        h = x.exp()
        kept, alive = StorageWeakRef(h.untyped_storage()), weakref.ref(h)
        loss = h.sum()
        del h
        print(kept.expired(), alive() is None)
        loss.backward()
        print(kept.expired())
        del loss
        print(kept.expired(), alive() is None)
        a = torch.zeros(4).numpy()
        print(torch.zeros(4).data.add_(1).numpy().sum(), a.sum())
        """,
    "torch.compile": """
        net = torch.compile(torch.nn.Linear(3, 3), backend="eager")
        net(torch.randn(2, 3)).sum().backward()
        bits(*(p.grad for p in net.parameters()))
        """,
    "inference mode and a custom Function": """
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2
            @staticmethod
            def backward(ctx, g):
                print(ctx.saved_tensors[0].shape, torch.is_grad_enabled())
                return g * 2
        with torch.inference_mode():
            print(torch.ones(3).add_(1).is_inference())
        x = torch.randn(3, requires_grad=True)
        Double.apply(x).sum().backward()
        bits(x.grad)
        """,
    "an error that is caught": """
        import traceback
        h = torch.randn(3, requires_grad=True).exp()
        h += 1
        try:
            h.sum().backward()
        except RuntimeError as error:
            print(type(error).__name__, error)
        print(torch.is_grad_enabled(), h._version)
        """,
}


def run(source: str, tracer: Tracer | None) -> str:
    gc.collect()
    code = compile("import torch\n" + BITS + dedent(source), "program.py", "exec")
    torch.manual_seed(0)
    output = io.StringIO()
    with redirect_stdout(output):
        if tracer is None:
            exec(code, {"__name__": "__main__"})
        else:
            with tracer:
                exec(code, {"__name__": "__main__"})
    return output.getvalue()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ODD)
def test_odd_programs_do_not_notice_the_tracer(name: str) -> None:
    plain = run(ODD[name], None)
    assert plain
    tracer = Tracer(WHOLE_RUN)
    assert run(ODD[name], tracer) == plain
    assert tracer.unseen == {}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WATCHFUL)
def test_nobody_sees_what_the_tracer_reads(name: str) -> None:
    plain = run(WATCHFUL[name], None)
    assert plain
    assert run(WATCHFUL[name], Tracer(WHOLE_RUN)) == plain


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("calls", [WHOLE_RUN, 1, 0])
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_output_with_and_without_the_tracer(name: str, calls: int, tmp_path: Path) -> None:
    plain = run(PROGRAMS[name], None)
    assert plain
    tracer = Tracer(calls)
    assert run(PROGRAMS[name], tracer) == plain
    assert tracer.unseen == {}


def of_array(array: Any) -> torch.Tensor:
    return torch.as_tensor(array) + torch.asarray(array) + torch.from_numpy(array)


def to_array(array: Any) -> torch.Tensor:
    return torch.from_numpy(numpy.negative(torch.from_numpy(array).numpy()))


def written_array(array: Any) -> torch.Tensor:
    doubled = torch.from_numpy(array) * 2
    view = doubled.numpy()
    view += 1
    return doubled


def given_data(array: Any) -> torch.Tensor:
    tensor = torch.from_numpy(array) * 2
    tensor.data = torch.zeros(3)  # compiled in two parts, with or without the tracer
    return tensor


@pytest.mark.parametrize("function", [of_array, to_array, written_array])
def test_functions_are_compiled_whole_as_without_the_tracer(function: Any) -> None:
    array = numpy.ones(3, dtype="float32")
    with Tracer():
        compiled = torch.compile(function, backend="eager", fullgraph=True)(array)
    assert torch.equal(compiled, function(array))


def test_what_is_not_compiled_whole_runs_as_without_the_tracer() -> None:
    with Tracer() as tracer:
        compiled = torch.compile(given_data, backend="eager")(numpy.ones(3, dtype="float32"))
    assert torch.equal(compiled, torch.zeros(3))
    assert tracer.unseen == {}


def test_torch_is_left_as_it_was() -> None:
    owners: tuple[Any, ...] = (
        torch, torch.autograd, torch.autograd.graph, torch.autograd.graph.saved_tensors_hooks,
        torch.Tensor, torch.UntypedStorage, torch.nn.Module, torch.nn.Parameter, torch.nn.utils,
        torch.optim.Optimizer, torch.no_grad, torch.set_grad_enabled, torch.inference_mode,
        torch.amp.GradScaler, torch.utils.checkpoint.CheckpointFunction, torch.jit._trace,
        threading.Thread, traceback, warnings,
    )  # fmt: skip
    before = [dict(vars(owner)) for owner in owners]
    with Tracer():
        assert torch.frombuffer is not before[0]["frombuffer"]
    assert [dict(vars(owner)) for owner in owners] == before
    assert "numpy" not in vars(torch.Tensor)


def test_what_the_program_puts_into_torch_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "frombuffer", torch.frombuffer)  # put back after the test

    def own(*args: Any, **kwargs: Any) -> Any:
        return None

    with Tracer():
        torch.frombuffer = own
    assert torch.frombuffer is own


def test_nothing_of_a_tracer_is_left_when_it_has_ended() -> None:
    tracer = Tracer()
    with tracer:
        torch.ones(2, requires_grad=True).exp().sum().backward()
    gone = weakref.ref(tracer)
    del tracer
    gc.collect()
    assert gone() is None


def test_no_tensor_is_kept_alive_by_the_tracer() -> None:
    tracer = Tracer()
    with tracer:
        x = torch.randn(3, requires_grad=True)
        h = x.exp()
        h.data.add_(1)
        h.sum().backward()
        alive = weakref.ref(h)
        del h
    assert tracer.faults
    assert alive() is None


def test_a_fault_of_the_tracer_is_counted_and_the_program_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*args: Any) -> Any:
        raise ZeroDivisionError

    for part in (backward.graph, recorder.Recorder, warned.Warnings):
        name = {backward.graph: "nodes_below", recorder.Recorder: "_before"}.get(part, "_fault")
        monkeypatch.setattr(part, name, broken)
    plain = run(PROGRAMS["training with foreach Adam"], None)
    tracer = Tracer()
    assert run(PROGRAMS["training with foreach Adam"], tracer) == plain
    assert "a graph before `backward` (ZeroDivisionError)" in tracer.unseen


def test_no_frame_is_left_out_of_an_exception_that_the_tracer_had_a_part_in() -> None:
    def of_the_tracer() -> None:
        own_frames._is_own(None)  # type: ignore[arg-type]

    with pytest.raises(AttributeError) as caught:
        of_the_tracer()
    frames = len(caught.traceback)
    own_frames.leave_out(caught.value)
    assert len(list(traceback.walk_tb(caught.value.__traceback__))) == frames


def test_frames_that_hand_on_what_the_program_asked_for_are_left_out() -> None:
    with Tracer(), pytest.raises(RuntimeError) as caught:
        torch.ones(3).sum().backward()
    own_frames.leave_out(caught.value)
    files = {frame.f_code.co_filename for frame, _ in traceback.walk_tb(caught.value.__traceback__)}
    assert not any("autograd_lint" in file and "tests" not in file for file in files)


def test_a_number_that_an_operator_would_refuse_is_made_the_tensor_that_it_was() -> None:
    equal, add = torch.ops.aten.equal.default, torch.ops.aten.add.Tensor
    _, number = with_tensor(schema_of(equal), (torch.ones(()), 2))
    assert (number.dtype, number.item()) == (torch.int64, 2)
    assert with_tensor(schema_of(add), (torch.ones(()), 2))[1] == 2
    assert type(with_tensor(schema_of(add), (torch.ones(()), 2))[1]) is int
