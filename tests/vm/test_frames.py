"""The activations of a run, inside each other."""

import ast

from autograd_lint.project.source import Source
from autograd_lint.vm.calls import Call
from autograd_lint.vm.frames import (
    MAX_COUNTED,
    MAX_DEPTH,
    MAX_RECURSION,
    Frame,
    call_place,
    called_at,
    handed,
    left_by,
    may_enter,
    path,
)
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import Function, Unknown

OWN = Source("own.py", "def outer():\n    helper(x)\n\nouter()\n")
OTHER = Source("other.py", "def helper(x):\n    return x\n")
VALUE = Unknown("x")
CALLS = {ast.unparse(one.func): one for one in ast.walk(OWN.tree) if isinstance(one, ast.Call)}


def frames() -> list[Frame]:
    """The module calls `outer`, which calls `helper` of another file."""
    outer = Frame(Scope(), OWN, call=Call([], {}, CALLS["outer"]))
    helper = Frame(Scope(), OTHER, call=Call([VALUE], {}, CALLS["helper"]))
    return [Frame(Scope(), OWN), outer, helper]


def rows(*places: object) -> list[int | None]:
    return [getattr(place, "row", None) for place in places]


def test_a_call_stands_where_the_caller_has_written_it() -> None:
    assert rows(call_place(frames())) == [2]


def test_a_call_that_stands_in_another_file_is_none_of_the_caller() -> None:
    caller = Frame(Scope(), OTHER)
    assert called_at(caller, Frame(Scope(), OWN, call=Call([], {}, CALLS["outer"]))) is None


def test_a_module_was_called_nowhere() -> None:
    assert call_place(frames()[:1]) is None


def test_the_path_begins_with_the_outermost_call() -> None:
    assert rows(*path(frames())) == [4, 2]


def test_another_file_was_reached_by_the_last_call_of_the_own_one() -> None:
    assert left_by(frames(), OWN) is CALLS["helper"]


def test_nothing_leads_away_from_the_file_that_runs() -> None:
    assert left_by(frames()[:2], OWN) is None


def test_a_value_was_handed_to_the_function_where_it_is_an_argument() -> None:
    assert rows(handed(frames(), [VALUE])) == [2]


def test_a_value_that_is_no_argument_was_handed_nowhere() -> None:
    assert handed(frames(), [Unknown("y")]) is None


def helper() -> Function:
    definition = OTHER.tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    return Function(definition, Scope(), OTHER)


def test_a_function_is_entered_again_only_so_often() -> None:
    inside = [Frame(Scope(), OTHER, helper())] * MAX_RECURSION
    assert may_enter(inside[1:], helper())
    assert not may_enter(inside, helper())


def test_one_that_is_given_a_number_is_entered_more_often() -> None:
    inside = [Frame(Scope(), OTHER, helper())] * MAX_RECURSION
    assert may_enter(inside, helper(), [3, VALUE])
    assert not may_enter(inside, helper(), [VALUE, True])
    assert not may_enter(inside * MAX_COUNTED, helper(), [3])


def test_calls_inside_of_each_other_are_followed_only_so_deep() -> None:
    assert not may_enter([Frame(Scope(), OWN)] * MAX_DEPTH, helper())
