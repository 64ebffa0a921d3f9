"""What a backward pass checks, frees and leaves behind."""

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.backward import backward
from autograd_lint.engine.backward_call import Call
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.inplace import write
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from tests.engine.driving import (
    ADD,
    COPY,
    EXP,
    MUL,
    SQUARE,
    SUM,
    WRITE,
    apply,
    kind_of,
    leaf,
    plain,
    walk,
)


def grad(
    engine: Engine,
    root: Tensor,
    inputs: list[Tensor],
    *,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> list[Tensor | None]:
    """`torch.autograd.grad(root, inputs, ...)`."""
    call = Call(
        [root],
        None,
        "grad",
        inputs,
        gradient_given=True,
        create_graph=create_graph,
        accumulate=False,
        allow_unused=allow_unused,
    )
    return backward(engine, call)


def test_a_second_backward_finds_the_graph_freed() -> None:
    engine = Engine()
    result = apply(engine, EXP, leaf())
    walk(engine, result)
    assert kind_of(engine, lambda: walk(engine, result)) is FaultKind.GRAPH_FREED


def test_a_retained_graph_may_be_walked_again() -> None:
    engine = Engine()
    result = apply(engine, EXP, leaf())
    walk(engine, result, retain=True)
    assert kind_of(engine, lambda: walk(engine, result)) is None


def test_nodes_that_keep_nothing_may_be_walked_again() -> None:
    engine = Engine()
    total = apply(engine, SUM, leaf())
    walk(engine, total)
    assert kind_of(engine, lambda: walk(engine, total)) is None


def test_only_the_path_to_the_inputs_is_freed() -> None:
    engine, first, second = Engine(), leaf(), leaf()
    left, right = apply(engine, EXP, first), apply(engine, EXP, second)
    both = apply(engine, ADD, left, right)
    walk(engine, both, inputs=[first])
    assert kind_of(engine, lambda: walk(engine, right)) is None


def test_new_work_on_a_freed_tensor_fails_at_the_old_node() -> None:
    engine = Engine()
    hidden = apply(engine, EXP, leaf())
    walk(engine, hidden)
    later = apply(engine, ADD, hidden, 1)
    assert kind_of(engine, lambda: walk(engine, later)) is FaultKind.GRAPH_FREED


def test_create_graph_retains_the_graph() -> None:
    engine, weight = Engine(), leaf()
    result = apply(engine, SQUARE, weight)
    grad(engine, result, [weight], create_graph=True)
    assert kind_of(engine, lambda: walk(engine, result)) is None


def test_a_gradient_of_a_created_graph_can_be_differentiated() -> None:
    engine, weight = Engine(), leaf()
    (first,) = grad(engine, apply(engine, SQUARE, weight), [weight], create_graph=True)
    assert first is not None
    assert kind_of(engine, lambda: walk(engine, first)) is None


def test_a_gradient_with_a_graph_needs_what_is_on_the_way_to_its_input_alone() -> None:
    engine, first, second = Engine(), leaf(), leaf()
    left, right = apply(engine, EXP, first), apply(engine, SQUARE, second)
    both = apply(engine, ADD, left, right)
    grad(engine, both, [first])
    (slope,) = grad(engine, both, [second], create_graph=True)
    assert slope is not None
    assert kind_of(engine, lambda: walk(engine, slope)) is None


def test_the_gradient_of_one_input_may_have_no_graph_where_that_of_another_has() -> None:
    engine, first, second = Engine(), leaf(), leaf()
    both = apply(engine, ADD, apply(engine, SUM, first), apply(engine, SQUARE, second))
    flat, slope = grad(engine, both, [first, second], create_graph=True)
    assert flat is not None
    assert slope is not None
    assert flat.requires_grad is None
    assert slope.requires_grad is not None


def test_a_gradient_without_created_graph_is_no_root() -> None:
    engine, weight = Engine(), leaf()
    (first,) = grad(engine, apply(engine, SQUARE, weight), [weight])
    assert first is not None
    assert kind_of(engine, lambda: walk(engine, first)) is FaultKind.NO_GRAD_ROOT


def test_backward_accumulates_into_the_gradient_in_place() -> None:
    engine, weight = Engine(), leaf()
    walk(engine, apply(engine, SUM, weight))
    assert weight.grad is not None
    walk(engine, apply(engine, SUM, weight))
    assert weight.grad.storage.version == 1


def test_a_gradient_that_was_saved_is_modified_by_the_next_backward() -> None:
    engine, weight, other = Engine(), leaf(), leaf()
    walk(engine, apply(engine, SUM, weight))
    product = apply(engine, MUL, weight.grad, other)
    walk(engine, apply(engine, SUM, weight))
    assert kind_of(engine, lambda: walk(engine, product)) is FaultKind.SAVED_TENSOR_MODIFIED


def test_a_root_without_graph_is_refused() -> None:
    engine = Engine()
    assert kind_of(engine, lambda: walk(engine, plain())) is FaultKind.NO_GRAD_ROOT


def test_a_root_of_several_elements_needs_a_gradient() -> None:
    engine = Engine()
    call = Call([apply(engine, EXP, leaf())], None)
    assert kind_of(engine, lambda: backward(engine, call)) is FaultKind.NON_SCALAR_ROOT


def test_the_shape_of_the_root_is_checked_before_its_graph() -> None:
    engine = Engine()
    result = apply(engine, EXP, leaf())
    apply(engine, WRITE, result)
    call = Call([result], None)
    assert kind_of(engine, lambda: backward(engine, call)) is FaultKind.NON_SCALAR_ROOT


def test_an_input_outside_of_the_graph_is_unused() -> None:
    engine = Engine()
    total = apply(engine, SUM, leaf())
    assert kind_of(engine, lambda: grad(engine, total, [leaf()])) is FaultKind.UNUSED_INPUT


def test_unused_inputs_may_be_allowed() -> None:
    engine = Engine()
    total = apply(engine, SUM, leaf())
    assert grad(engine, total, [leaf()], allow_unused=True) == [None]


def test_a_leaf_moved_into_the_graph_is_found_in_backward() -> None:
    engine, moved = Engine(), leaf()
    total = apply(engine, SUM, moved)
    moved.requires = None
    apply(engine, COPY, moved, leaf())
    assert kind_of(engine, lambda: walk(engine, total)) is FaultKind.LEAF_MODIFIED


def test_a_fault_on_an_assumption_stops_nothing() -> None:
    engine, maybe = Engine(), leaf()
    maybe.requires = frozenset({Assumption(Kind.REQUIRES_GRAD, "x")})
    squared = apply(engine, SQUARE, apply(engine, ADD, maybe, 1))
    walk(engine, squared)
    walk(engine, squared)
    assert [fault.kind for fault in engine.faults] == [FaultKind.GRAPH_FREED]


def test_the_write_that_is_named_is_the_surest() -> None:
    engine = Engine()
    hidden = apply(engine, ADD, leaf(), 1)
    squared = apply(engine, SQUARE, hidden)
    write(hidden, "unsure_", None, assumptions=frozenset({Assumption(Kind.CALLED, "f")}))
    write(hidden, "sure_", None)
    assert kind_of(engine, lambda: walk(engine, squared)) is FaultKind.SAVED_TENSOR_MODIFIED
    assert engine.faults[0].modified is not None
    assert engine.faults[0].modified.operator == "sure_"


def test_inputs_of_backward_that_need_no_gradient_cannot_retain_it() -> None:
    engine = Engine()
    total = apply(engine, SUM, leaf())
    assert kind_of(engine, lambda: walk(engine, total, inputs=[plain()])) is FaultKind.RETAIN_GRAD


def test_inputs_of_grad_that_need_no_gradient_are_unused() -> None:
    engine = Engine()
    total = apply(engine, SUM, leaf())
    assert kind_of(engine, lambda: grad(engine, total, [plain()])) is FaultKind.UNUSED_INPUT


def test_whoever_runs_backward_has_the_root_require_grad() -> None:
    engine, daring = Engine(), Assumption(Kind.REQUIRES_GRAD, "x", weight=2)
    root = Tensor(requires=frozenset({daring}))
    kept = Fault(Pitfall.GRAPH_KEPT, None, assumptions=frozenset({daring}))
    engine.note(kept)
    backward(engine, Call([root], None, gradient_given=True))
    engine.note(kept)
    backward(engine, Call([root], Place("a.py", 1, 1, 1, 9), gradient_given=True))
    engine.note(kept)
    assert [fault.weight for fault in engine.faults] == [2, 2, 0]


def _given(name: str) -> Tensor:
    """An argument that is taken to require grad."""
    because = Assumption(Kind.REQUIRES_GRAD, name, given=True)
    return Tensor(requires=frozenset({because}), shape=(3,), name=name)


def _run_by_the_program(engine: Engine, root: Tensor) -> None:
    backward(engine, Call([root], Place("train.py", 9, 1, 9, 20), gradient_given=True))


def test_a_backward_proves_what_its_only_source_requires() -> None:
    engine = Engine()
    result = apply(engine, EXP, _given("x"))
    apply(engine, WRITE, result)
    assert kind_of(engine, lambda: _run_by_the_program(engine, result)) is not None


def test_a_backward_with_two_sources_proves_neither() -> None:
    engine = Engine()
    result = apply(engine, EXP, _given("x"))
    apply(engine, WRITE, result)
    both = apply(engine, ADD, result, _given("w"))
    assert kind_of(engine, lambda: _run_by_the_program(engine, both)) is None
    assert engine.faults


def test_a_backward_that_nobody_has_written_proves_nothing() -> None:
    engine = Engine()
    result = apply(engine, EXP, _given("x"))
    apply(engine, WRITE, result)
    assert kind_of(engine, lambda: walk(engine, result)) is None
    assert engine.faults
