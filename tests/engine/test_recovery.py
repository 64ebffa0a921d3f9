"""After an error the engine goes on as if that mistake had been fixed."""

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import backward
from autograd_lint.engine.backward_call import Call
from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.places import Place
from tests.engine.driving import COPY, EXP, PART, SUM, WRITE, apply, leaf, plain, walk


def told(engine: Engine) -> list[str]:
    return [fault.kind.value for fault in engine.faults]


def at(row: int) -> Place:
    return Place("a.py", row, 1, row, 9)


def back(engine: Engine, root: Tensor, row: int) -> None:
    """`root.backward(gradient)` on a row."""
    backward(engine, Call([root], at(row), gradient_given=True))


def test_a_leaf_that_is_written_stays_a_leaf_with_its_old_version() -> None:
    engine, tensor = Engine(), leaf()
    apply(engine, WRITE, tensor)
    assert (tensor.is_leaf, tensor.storage.version) == (True, 0)


def test_what_is_written_to_a_leaf_keeps_its_gradient() -> None:
    engine, source, tensor = Engine(), leaf(), leaf()
    apply(engine, COPY, tensor, source)
    walk(engine, apply(engine, SUM, tensor))
    assert source.grad is not None


def test_what_is_written_to_a_leaf_leaves_its_graph_behind() -> None:
    engine, source, tensor = Engine(), leaf(), leaf()
    result = apply(engine, EXP, source)
    apply(engine, COPY, tensor, result)
    walk(engine, apply(engine, SUM, tensor))
    walk(engine, apply(engine, SUM, tensor))
    assert told(engine) == [FaultKind.LEAF_MODIFIED.value]


def test_a_view_that_must_not_be_written_is_a_new_tensor() -> None:
    engine, base = Engine(), apply(Engine(), EXP, leaf())
    view = apply(engine, PART, base)
    apply(engine, WRITE, view)
    assert (view.base, base.storage.version) == (None, 0)
    assert told(engine) == [FaultKind.VIEW_MODIFIED.value]


def test_a_saved_tensor_that_was_written_is_told_once() -> None:
    engine, tensor = Engine(), leaf()
    result = apply(engine, EXP, tensor)
    apply(engine, WRITE, result)
    walk(engine, result, retain=True)
    walk(engine, result)
    assert told(engine) == [FaultKind.SAVED_TENSOR_MODIFIED.value]


def test_a_graph_that_was_freed_is_told_once_for_each_backward() -> None:
    engine, tensor = Engine(), leaf()
    inner = apply(engine, EXP, tensor)
    result = apply(engine, EXP, inner)
    for row in (1, 2, 3):
        back(engine, result, row)
    assert told(engine) == [FaultKind.GRAPH_FREED.value] * 2


def test_a_graph_that_was_freed_does_not_meet_later_writes() -> None:
    engine, tensor = Engine(), leaf()
    result = apply(engine, EXP, tensor)
    back(engine, result, 1)
    apply(engine, WRITE, result)
    back(engine, result, 2)
    assert told(engine) == [FaultKind.GRAPH_FREED.value]


def test_gradients_of_what_has_no_graph_may_be_differentiated() -> None:
    engine, tensor = Engine(), leaf()
    call = Call([plain()], at(1), "grad", [tensor], gradient_given=True, accumulate=False)
    (gradient,) = backward(engine, call)
    assert gradient is not None
    walk(engine, gradient)
    assert told(engine) == [FaultKind.NO_GRAD_ROOT.value]


def test_an_error_says_behind_which_other_it_comes() -> None:
    engine = Engine()
    back(engine, plain(), 1)
    back(engine, plain(), 2)
    assert [fault.behind for fault in engine.faults] == [None, at(1)]


def test_an_error_under_assumptions_hides_none_that_is_certain() -> None:
    engine = Engine()
    with engine.supposing(Assumption(Kind.CALLED)):
        back(engine, plain(), 1)
    back(engine, plain(), 2)
    assert [fault.assumptions == CERTAINLY for fault in engine.faults] == [False, True]
    assert engine.faults[1].behind is None
