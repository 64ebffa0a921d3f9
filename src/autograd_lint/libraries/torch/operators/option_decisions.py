"""Options of unknown value: where the forms of an operator differ in what they do, a path decides.

Which memory a result lies in, what is written, what is saved, and whether there is a derivative
may hang on an option. Nothing may rest on its value being the usual one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from autograd_lint.operators.facts import ZERO, Form, Operator, Test
from autograd_lint.vm.deciding import decide
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import DEFAULT, Unknown, Value

NUMBER = frozenset({"number"})
# What an option may be for all that is known; what is reshaped to is hardly ever a dtype.
CHOICES = frozenset({"true", "false", "none", "zero"})
Kinds = dict[str, frozenset[str]]


def settle_options(
    interp: Interpreter,
    operator: Operator,
    values: Mapping[str, Value],
    kinds: Kinds,
    node: ast.AST,
) -> None:
    """Decide which form of an operator a call takes, as far as unknown options tell.

    Those of a command line are what they are by default.
    """
    if len(operator.forms) == 1:
        return
    for key in operator.zeroed:
        if isinstance(values.get(key), Unknown):
            kinds[key] = frozenset()  # whether it is usually true does not tell which number it is
    forms = operator.candidates(kinds)
    for form in forms[:-1]:
        tests, other = list(_open(operator, form, values, kinds)), operator.select(kinds)
        if not tests or not _differs(form, other):
            continue
        written = bool(form.modifies or other.modifies)
        if all(_holds(interp, test, values, kinds, node, written) for test in tests):
            return


def _open(
    operator: Operator, form: Form, values: Mapping[str, Value], kinds: Kinds
) -> Iterator[Test]:
    """The tests of a form that hang on unknown options; none where one hangs on anything else."""
    found = [test for test in form.tests if not kinds.get(test.key, NUMBER)]
    if all(isinstance(values.get(t.key), Unknown) and _is_option(operator, t) for t in found):
        yield from found


def _is_option(operator: Operator, test: Test) -> bool:
    """Whether an argument is there to choose, and not to compute with."""
    if test.key == "out":
        return True  # None, or a tensor to write to
    chosen = test.kinds <= CHOICES or any(kind.startswith("=") for kind in test.kinds)
    return chosen and (test.key not in operator.differentiable or test.kinds == ZERO)


def _differs(one: Form, other: Form) -> bool:
    """Whether two forms do something else to tensors."""
    return _effects(one) != _effects(other)


def _effects(form: Form) -> object:
    results = tuple((out.alias, out.differentiable) for out in form.outputs)
    return results, form.modifies, form.unversioned, frozenset(save.key for save in form.saves)


def _holds(
    interp: Interpreter,
    test: Test,
    values: Mapping[str, Value],
    kinds: Kinds,
    node: ast.AST,
    written: bool,
) -> bool:
    """Whether the path takes an option for what a form asks of it."""
    value = values[test.key]
    assert isinstance(value, Unknown)
    default = value.attributes.get(DEFAULT)
    is_zero = test.kinds == ZERO
    if is_zero and isinstance(default, (int, float)):
        holds = default == 0
    else:
        said = "0" if is_zero else " or ".join(sorted(test.kinds))
        asked = value.derived(("is", said), f"{value.origin} == {said}", "bool")
        asked.usual = False
        holds = decide(interp, asked, node, usual=False)
        if written and interp.source is interp.world.source:
            position = interp.choices.truths[asked]
            interp.choices.path.fault_relevant.add(position)
            interp.choices.path.acting.add(position)
    if holds:
        kinds[test.key] = test.kinds
    elif is_zero:
        kinds[test.key] = NUMBER
    return holds
