"""What the functions of a running program are given."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from autograd_lint.live.observing.recording import Recording
from autograd_lint.live.sites import Sites
from autograd_lint.live.tracing import Tracer
from autograd_lint.observed.calls import Call, Key
from autograd_lint.observed.values import Plain, Tensor

TEXT = """
import torch

def double(x, times=2):
    return x * times

def fails(x):
    raise ValueError("no")

def numbers(x):
    yield x

class Net:
    def __init__(self):
        self.scale = None

    def call(self, x):
        return double(x.sigmoid()).sum()

    @staticmethod
    def helper(x):
        return x

def deep(x, n):
    return deep(x, n - 1) if n else x.sum()

double_again = lambda x: x
"""


@pytest.fixture
def program(tmp_path: Path) -> ModuleType:
    path = tmp_path / "program.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return Recording(tmp_path, Sites())


def calls(recording: Recording, name: str) -> list[Call]:
    found = {key.name: calls for key, calls in recording.observed.functions.items()}
    return found.get(name, [])


def test_what_a_function_was_given_and_gave_back(program: ModuleType, recording: Recording) -> None:
    with Tracer(recording=recording) as tracer:
        program.double(torch.ones(2, requires_grad=True))
        program.double(torch.ones(3, requires_grad=True))
    assert tracer.unseen == {}
    (call,) = calls(recording, "double")
    assert call.times == 2
    assert call.arguments.get("x") == Tensor("float32", requires_grad=True, leaf=True)
    assert call.arguments.get("times") == Plain("int")
    assert call.returned == Tensor("float32", requires_grad=True, leaf=False, made_by="mul")
    (key,) = recording.observed.functions
    assert key == Key("program.py", "double", key.text)


def test_whether_backward_walked_through_the_result(
    program: ModuleType, recording: Recording
) -> None:
    with Tracer(recording=recording):
        loss = program.Net().call(torch.ones(2, requires_grad=True))
        program.double(torch.ones(2, dtype=torch.float64, requires_grad=True))
        loss.backward()
    assert [call.trained for call in calls(recording, "Net.call")] == [True]
    assert [call.trained for call in calls(recording, "double")] == [True, False]


def test_the_object_of_a_method_is_described(program: ModuleType, recording: Recording) -> None:
    with Tracer(recording=recording):
        program.Net().call(torch.ones(2))
    (call,) = calls(recording, "Net.call")
    assert call.own is not None
    assert call.own.entries == (("scale", Plain("none")),)
    assert [name for name, _ in call.arguments.entries] == ["x"]


def test_grad_mode_is_kept(program: ModuleType, recording: Recording) -> None:
    with Tracer(recording=recording), torch.no_grad():
        program.double(torch.ones(2))
    assert [call.grad_mode for call in calls(recording, "double")] == [False]


def test_a_call_that_raises_leaves_the_others_in_order(
    program: ModuleType, recording: Recording
) -> None:
    with Tracer(recording=recording):
        with pytest.raises(ValueError, match="no"):
            program.fails(torch.ones(2))
        program.double(torch.ones(2))
    assert len(calls(recording, "double")) == 1


def test_each_call_of_a_recursion_is_kept(program: ModuleType, recording: Recording) -> None:
    with Tracer(recording=recording):
        program.deep(torch.ones(2), 3)
    (call,) = calls(recording, "deep")
    assert call.times == 4


def test_generators_lambdas_and_other_files_are_left_out(
    program: ModuleType, tmp_path: Path
) -> None:
    recording, elsewhere = Recording(tmp_path, Sites()), Recording(tmp_path / "src", Sites())
    for one in (recording, elsewhere):
        with Tracer(recording=one):
            [*program.numbers(torch.ones(2))]
            program.double_again(torch.ones(2))
            program.double(torch.ones(2))
    assert [key.name for key in recording.observed.functions] == ["double"]
    assert not elsewhere.observed.functions


def test_nothing_is_kept_alive(program: ModuleType, recording: Recording) -> None:
    import weakref

    with Tracer(recording=recording):
        x = torch.ones(2, requires_grad=True)
        gone = weakref.ref(x)
        program.double(x)
        del x
    assert gone() is None


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there may be several watchers")
def test_another_profiler_is_left_alone(program: ModuleType, recording: Recording) -> None:
    def other(*_: object) -> None:
        pass

    sys.setprofile(other)
    try:
        with Tracer(recording=recording) as tracer:
            program.double(torch.ones(2))
        assert sys.getprofile() is other
    finally:
        sys.setprofile(None)
    assert not recording.observed.functions
    assert tracer.unseen == {"the calls of functions: another profiler runs": 1}


def test_one_recording_can_be_opened_again(program: ModuleType, recording: Recording) -> None:
    for _ in range(2):
        with Tracer(recording=recording):
            program.double(torch.ones(2))
    program.double(torch.ones(2))
    assert [call.times for call in calls(recording, "double")] == [2]
    assert sys.getprofile() is None
