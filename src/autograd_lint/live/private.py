"""The parts of torch that its public interface does not promise, in one place.

Each was verified on torch 2.13. `missing()` says which of them the installed torch lacks.
"""

import sys
from importlib import import_module
from types import FrameType, TracebackType
from typing import Any

import torch
from torch.autograd import graph
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from autograd_lint.live.own_frames import passes_on

_C: Any = torch._C  # the compiled module has no complete types

COMPILER_RULES = "torch._dynamo.trace_rules"
no_functions, no_dispatch = _C.DisableTorchFunction, _C._DisableTorchDispatch
ACCUMULATING: type = _C._functions.AccumulateGrad  # of the nodes of leaves
_VERSION_KEY = _C.DispatchKey.ADInplaceOrView
_KEYS = _C._TorchDispatchModeKey
_TRACING = (_KEYS.PROXY, _KEYS.FUNCTIONAL, _KEYS.FAKE)


SAVED_IS_OPEN = hasattr(_C._autograd.SavedTensor, "data")
"""Whether what a node saved can be read without a check of its version, and its hooks be seen: not
so in torch 2.8 and before."""


def _cdata(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


_address_of = getattr(_C, "_storage_address", _cdata)  # the same, without an object for Python


def sequence_number() -> int:
    """The number that the next graph node of this thread will get."""
    return int(_C._autograd._get_sequence_nr())


def missing() -> list[str]:
    """The names that this torch lacks; tracing is not possible without them."""
    needed = {
        "torch._C._autograd._get_sequence_nr": hasattr(_C._autograd, "_get_sequence_nr"),
        "torch.autograd.graph._engine_run_backward": hasattr(graph, "_engine_run_backward"),
        "torch._C._dispatch_tls_set_dispatch_key_excluded": hasattr(
            _C, "_dispatch_tls_set_dispatch_key_excluded"
        ),
    }
    return [name for name, there in needed.items() if not there]


def set_engine(engine: Any) -> None:
    """Let every call of backward go to `engine`."""
    module: Any = torch.autograd
    graph._engine_run_backward = engine
    module._engine_run_backward = engine


def is_innermost(mode: TorchDispatchMode) -> bool:
    """Whether a dispatch mode is the innermost of this thread."""
    return _get_current_dispatch_mode() is mode


def modes_around() -> tuple[int, object]:
    """How many dispatch modes this thread is in, and the innermost."""
    return int(_C._len_torch_dispatch_stack()), _get_current_dispatch_mode()


def is_transformed() -> bool:
    """Whether a transform of `torch.func` runs, or inference mode is on.

    At its end such a one puts back the keys of the dispatcher, which entering and leaving of modes
    sets: a mode is entered and left either inside of it, or outside.
    """
    return torch.is_inference_mode_enabled() or _C._functorch.peek_interpreter_stack() is not None


def is_below_another(mode: TorchDispatchMode) -> bool:
    """Whether another dispatch mode, or subclass, has been handed the running operator before.

    What that one calls counts versions as it would without `mode`.
    """
    own = type(mode).__torch_dispatch__.__code__
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "__torch_dispatch__" and frame.f_code is not own:
            return True
        frame = frame.f_back
    return False


def has_version_kernel(operator: str) -> bool:
    """Whether the dispatcher itself counts up the versions of what `operator` writes."""
    return bool(_C._dispatch_has_kernel_for_dispatch_key(operator, "ADInplaceOrView"))


def allows_numbers(operator: str) -> bool:
    """Whether the operator of this name takes a Python number where a tensor is wanted."""
    return bool(_C._should_allow_numbers_as_tensors(operator))


@passes_on
def run_counting_versions(operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operator from below a dispatch mode so that what it calls counts versions."""
    excluded = _C._dispatch_tls_is_dispatch_key_excluded(_VERSION_KEY)
    _C._dispatch_tls_set_dispatch_key_excluded(_VERSION_KEY, False)
    try:
        return operator(*args, **kwargs)
    finally:
        _C._dispatch_tls_set_dispatch_key_excluded(_VERSION_KEY, excluded)


class Unseen:
    """From `begin` to `end`, what this thread does with tensors is seen by nobody.

    Operators do not reach dispatch modes or the `__torch_dispatch__` of subclasses, functions not
    the function modes or the `__torch_function__` of subclasses. Grad mode stays as it is.
    """

    __slots__ = ("_dispatch", "_functions")

    def begin(self) -> None:
        """Hide what follows."""
        self._functions = no_functions()
        self._functions.__enter__()
        self._dispatch = no_dispatch()
        self._dispatch.__enter__()

    def end(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Hide it no longer; takes what a context manager is told at its end."""
        self._dispatch.__exit__(kind, error, traceback)
        self._functions.__exit__(kind, error, traceback)


class unobserved(Unseen):
    """A context manager in which what this thread does with tensors is seen by nobody."""

    __slots__ = ()
    __enter__ = Unseen.begin
    __exit__ = Unseen.end


class without_grad:
    """A context manager in which no graph is made: that of torch tells whoever watches grad mode,
    and takes several times as long."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = torch.is_grad_enabled()
        _C._set_grad_enabled(False)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _C._set_grad_enabled(self._before)


class with_grad(without_grad):
    """The opposite."""

    __slots__ = ()

    def __enter__(self) -> None:
        super().__enter__()
        _C._set_grad_enabled(True)


def derivative(
    result: torch.Tensor, gradient: torch.Tensor, inputs: list[torch.Tensor]
) -> list[torch.Tensor | None]:
    """What the engine itself makes of a gradient, unheard by those who listen to its calls."""
    engine: Any = torch.autograd.Variable._execution_engine
    given = (result,), (gradient,), False, False, tuple(inputs), True
    return [*engine.run_backward(*given, accumulate_grad=False)]


def is_traced_by_torch() -> bool:
    """Whether torch itself makes a graph of what runs: make_fx, export, a compiler, fake tensors.

    Asked inside of a dispatch mode, which is not on the stack then.
    """
    if not _C._len_torch_dispatch_stack():
        return False
    return any(_C._get_dispatch_mode(key) is not None for key in _TRACING)


def storage_id(tensor: torch.Tensor) -> int | None:
    """The address of a tensor's storage; None for tensors that have none (sparse, wrapped)."""
    try:
        return int(_address_of(tensor))
    except (NotImplementedError, RuntimeError):
        return None


def is_captured(tensor: torch.Tensor) -> bool:
    """Whether what is computed now with a tensor is captured for a CUDA graph."""
    return tensor.is_cuda and torch.cuda.is_current_stream_capturing()


def custom_operator(name: str) -> Any:
    """The function that the program has made the operator `name`; None where it is unknown."""
    from torch._library.custom_ops import OPDEFS

    found = OPDEFS.get(name)
    return None if found is None else found._init_fn


def leave_alone() -> None:
    """Let torch.compile run the frames of this package as they are, where it comes by them."""
    rules = import_module(COMPILER_RULES)
    if not any(__file__.startswith(folder) for folder in rules.SKIP_DIRS):
        rules.add(__name__.partition(".")[0])


class WeakStorage:
    """A storage that is not kept alive."""

    __slots__ = ("_pointer",)

    def __init__(self, storage: torch.UntypedStorage) -> None:
        self._pointer = storage._weak_ref()

    def get(self) -> torch.UntypedStorage | None:
        """The storage, or None once it is gone."""
        storage = torch.UntypedStorage._new_with_weak_ptr(self._pointer)
        return storage if isinstance(storage, torch.UntypedStorage) else None

    def __del__(self) -> None:
        torch.UntypedStorage._free_weak_ref(self._pointer)  # type: ignore[no-untyped-call]


def version_of(tensor: torch.Tensor) -> int | None:
    """The version counter; None where the tensor does not keep one (inference tensors)."""
    try:
        return int(tensor._version)
    except RuntimeError:
        return None
