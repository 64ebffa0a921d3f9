"""Evaluating expressions."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm import arithmetic, comparing, registries
from autograd_lint.vm.assignment import assign
from autograd_lint.vm.attributes import get_attribute
from autograd_lint.vm.builtin_functions import builtin
from autograd_lint.vm.call_expressions import evaluate_call
from autograd_lint.vm.classes import define_lambda
from autograd_lint.vm.events import DictionaryWritten
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.grad_modes import suspended_mode
from autograd_lint.vm.imports import from_stars, settled
from autograd_lint.vm.integers import known_constant
from autograd_lint.vm.iterables import gives_parameters
from autograd_lint.vm.iteration import MOST, Iteration, begin_iteration, iterate
from autograd_lint.vm.known_elements import once_each
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.number_sides import takes_number
from autograd_lint.vm.scope import MISSING, Scope
from autograd_lint.vm.string_facts import outline, put_together, usually
from autograd_lint.vm.subscripts import get_item
from autograd_lint.vm.texts import LONGEST_TEXT, asks_for_width
from autograd_lint.vm.truth import is_true
from autograd_lint.vm.uncalled import shown_of
from autograd_lint.vm.values import Items, Lazy, Mapping, Slice, Unknown, Value, is_key
from autograd_lint.vm.waiting import known_ahead

_MOST_ELEMENTS = 2_000  # of a comprehension and those in it, all together


def evaluate(interp: Interpreter, node: ast.expr) -> Value:
    """The value of an expression; unknown kinds are Unknown."""
    return EXPRESSIONS[type(node)](interp, node)


def _constant(interp: Interpreter, node: ast.Constant) -> Value:
    value = node.value
    if isinstance(value, (str, bytes)) and len(value) > LONGEST_TEXT:
        return Unknown("a string", hint="string")
    return value


def _name(interp: Interpreter, node: ast.Name) -> Value:
    scope = interp.frames[-1].scope
    value = scope.names.get(node.id, MISSING)
    if value is MISSING:
        value = scope.lookup(node.id)
        if value is MISSING:
            return _free_name(interp, node.id)
    return _settle(interp, node.id) if type(value) is Lazy else value


def _settle(interp: Interpreter, name: str) -> Value:
    """Compute an imported name where it is bound."""
    scope = interp.frame.scope.binder(name)
    return settled(interp, scope, name) if scope is not None else Unknown(name)


def _free_name(interp: Interpreter, name: str) -> Value:
    scope = interp.frame.scope
    module = scope.module or scope
    if module.stars:
        starred = from_stars(interp, module, name)
        if starred is not None:
            return starred
    found = builtin(name)
    if found is not None:
        return found
    interp.models.refusals.name(interp, name)
    return interp.record.unbound.setdefault(name, Unknown(name, weight=2))


def _attribute(interp: Interpreter, node: ast.Attribute) -> Value:
    return get_attribute(interp, evaluate(interp, node.value), node.attr, node)


def _binary(interp: Interpreter, node: ast.BinOp) -> Value:
    left, right = evaluate(interp, node.left), evaluate(interp, node.right)
    return arithmetic.binary(interp, node.op, left, right, node)


def _unary(interp: Interpreter, node: ast.UnaryOp) -> Value:
    value = evaluate(interp, node.operand)
    if isinstance(node.op, ast.Not):
        return comparing.negate(interp, value, node)
    return arithmetic.unary(interp, node.op, value, node)


def _compare(interp: Interpreter, node: ast.Compare) -> Value:
    left = evaluate(interp, node.left)
    outcome: Value = True
    for kind, comparator in zip(node.ops, node.comparators, strict=True):
        right = evaluate(interp, comparator)
        outcome = comparing.compare(interp, kind, left, right, node)
        if len(node.ops) > 1 and not is_true(interp, outcome, node):
            return False
        left = right
    if isinstance(outcome, Unknown) and node in interp.frame.told:
        return interp.frame.told[node]
    return known_ahead(interp, node, outcome)


def _boolean(interp: Interpreter, node: ast.BoolOp, usual: bool = True) -> Value:
    conjunction = isinstance(node.op, ast.And)
    value: Value = None
    for part in node.values:
        value = evaluate_test(interp, part, usual)
        if part is not node.values[-1] and is_true(interp, value, part, usual) is not conjunction:
            return value
    return value


def evaluate_test(interp: Interpreter, node: ast.expr, usual: bool) -> Value:
    """The value of a condition whose `usual` side is to be tried first, in its parts too."""
    if isinstance(node, ast.BoolOp):
        return _boolean(interp, node, usual)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return comparing.negate(interp, evaluate_test(interp, node.operand, not usual), node)
    return evaluate(interp, node)


def _conditional(interp: Interpreter, node: ast.IfExp) -> Value:
    holds = _side(interp, node)
    interp.record.reached.sides.add((node, holds))
    chosen, other = (node.body, node.orelse) if holds else (node.orelse, node.body)
    value = evaluate(interp, chosen)
    if isinstance(value, Tensor) and takes_number(other, chosen):
        return evaluate(interp, other)
    return value


def _side(interp: Interpreter, node: ast.IfExp) -> bool:
    """Which side of a conditional expression is taken; a fault may hang on it as on an `if`."""
    frame, usual = interp.frame, interp.choices.path.wanted_sides.get(node, True)
    before, frame.branch = frame.branch, node
    try:
        return is_true(interp, evaluate(interp, node.test), node.test, usual=usual)
    finally:
        frame.branch = before


def _subscript(interp: Interpreter, node: ast.Subscript) -> Value:
    value = evaluate(interp, node.value)
    return get_item(interp, value, evaluate(interp, node.slice), node)


def _slice(interp: Interpreter, node: ast.Slice) -> Value:
    parts = (node.lower, node.upper, node.step)
    return Slice(*(evaluate(interp, part) if part is not None else None for part in parts))


def elements(interp: Interpreter, nodes: list[ast.expr], kind: str) -> Items:
    """A display of elements, starred ones spread."""
    items = Items(kind, [])
    for node in nodes:
        if isinstance(node, ast.Starred):
            spread = iterate(interp, evaluate(interp, node.value), node)
            items.items.extend(spread.gathered())
            items.rest = items.rest or (None if spread.complete else Unknown(interp.text(node)))
        else:
            items.items.append(evaluate(interp, node))
    return items


def _list(interp: Interpreter, node: ast.List) -> Value:
    made = elements(interp, node.elts, "list")
    made.made = interp.engine.clock
    return made


def _tuple(interp: Interpreter, node: ast.Tuple) -> Value:
    return elements(interp, node.elts, "tuple")


def _set(interp: Interpreter, node: ast.Set) -> Value:
    made = elements(interp, node.elts, "set")
    made.items[:] = once_each(made.items)
    return made


def _dict(interp: Interpreter, node: ast.Dict) -> Value:
    mapping = registries.begin(interp, Mapping({}, made=interp.engine.clock))
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = evaluate(interp, value_node)
        if key_node is None:
            if isinstance(value, Mapping):
                mapping.entries.update(value.entries)
                mapping.rest = mapping.rest or value.rest
            else:
                mapping.rest = Unknown(interp.text(node))
            continue
        key = evaluate(interp, key_node)
        store_entry(mapping, key, value)
        if is_key(key):
            mapping.written[key] = (interp.source, value_node)
    if mapping.written:
        interp.emit(DictionaryWritten(mapping))
    return mapping


def store_entry(mapping: Mapping, key: Value, value: Value) -> None:
    """`mapping[key] = value`, where an unknown key may be any."""
    if is_key(key):
        mapping.entries[key] = value
    else:
        mapping.rest = value


def _begun(interp: Interpreter, part: ast.comprehension) -> Iteration:
    """What a `for` of a comprehension goes through."""
    sequence = evaluate(interp, part.iter)
    begin_iteration(interp, sequence, part.iter)
    return iterate(interp, sequence, part.iter)


def _generate(
    interp: Interpreter,
    generators: list[ast.comprehension],
    iteration: Iteration,
    rounds: int = 4,
) -> Iterator[bool]:
    """Run the `for` and `if` parts of a comprehension, the first of which goes through `iteration`;
    yields once an element is due."""
    first, rest = generators[0], generators[1:]
    for value in iteration.few(min(max(iteration.known, rounds), MOST)):
        assign(interp, first.target, value)
        if all(is_true(interp, evaluate(interp, test), test) for test in first.ifs):
            if rest:
                yield from _generate(interp, rest, _begun(interp, rest[0]))
            else:
                yield True


def _comprehend(interp: Interpreter, node: ast.AST, build: Callable[[], None]) -> bool:
    """Run a comprehension in a scope of its own; whether its length is known.

    What has very many elements is cut short: its length is not known then.
    """
    generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
    frame = interp.frame
    scope = Scope(parent=frame.scope, module=frame.scope.module or frame.scope)
    inner = Frame(scope, frame.source, frame.function, frame.receiver, frame.yielded, inner=True)
    if not frame.inner:
        interp.budget.built = 0
    with interp.activation(inner):
        iteration = _begun(interp, generators[0])
        for _ in _generate(interp, generators, iteration):
            interp.budget.built += 1
            if interp.budget.built > _MOST_ELEMENTS:
                return False
            build()
    return iteration.complete


def _list_comprehension(interp: Interpreter, node: ast.ListComp | ast.GeneratorExp) -> Value:
    items: list[Value] = []
    closed = _comprehend(interp, node, lambda: items.append(evaluate(interp, node.elt)))
    rest = None if closed else _more_of(items, interp.text(node))
    if isinstance(node, ast.SetComp):
        return Items("set", once_each(items), rest)
    return Items("list", items, rest)


def _more_of(items: list[Value], text: str) -> Value:
    """What stands for the elements of a comprehension that were not made: data where those are."""
    last = items[-1] if items else None
    if isinstance(last, Tensor) and last.node is None and last.requires_grad is None:
        return last
    return Unknown(f"an element of {text}", weight=2)


def _generator(interp: Interpreter, node: ast.GeneratorExp) -> Value:
    made = _list_comprehension(interp, node)
    if isinstance(made, Items):
        made.single_pass = gives_parameters(made.items)
        made.taken = None if made.single_pass else 0
    return made


def _dict_comprehension(interp: Interpreter, node: ast.DictComp) -> Value:
    mapping = Mapping({})

    def build() -> None:
        key = evaluate(interp, node.key)
        store_entry(mapping, key, evaluate(interp, node.value))

    if not _comprehend(interp, node, build) and mapping.rest is None:
        mapping.rest = Unknown(f"an element of {interp.text(node)}", weight=2)
    return mapping


def _lambda(interp: Interpreter, node: ast.Lambda) -> Value:
    return define_lambda(interp, node)


def _text(interp: Interpreter, node: ast.JoinedStr) -> Value:
    """An f-string: a string where all its parts are known numbers and strings, else an outline."""
    parts = [_part_of_text(interp, part) for part in node.values]
    text = "".join(map(outline, parts))
    if len(text) > LONGEST_TEXT:
        return Unknown("a string", hint="string")
    return usually(put_together(text, "a string"), parts, _joined)


def _part_of_text(interp: Interpreter, part: ast.expr) -> Value:
    if not isinstance(part, ast.FormattedValue):
        return evaluate(interp, part)
    value = shown_of(interp, evaluate(interp, part.value))
    spec = "" if part.format_spec is None else evaluate(interp, part.format_spec)
    if part.conversion == -1 and not spec:
        return value
    if not known_constant(value) or asks_for_width(spec):
        return Unknown("a formatted value")
    return _formatted(value, part.conversion, str(spec))


def _formatted(value: Value, conversion: int, spec: str) -> Value:
    """A constant as `{value!r:>5}` gives it; not known where Python refuses the form."""
    try:
        return format(_CONVERSIONS[conversion](value), spec)
    except (TypeError, ValueError):
        return Unknown("a formatted value")


def _as_it_is(value: Value) -> Value:
    return value


_CONVERSIONS: dict[int, Callable[[Value], Value]] = {
    -1: _as_it_is,
    ord("s"): str,
    ord("r"): repr,
    ord("a"): ascii,
}


def _joined(*parts: object) -> str:
    return "".join(map(str, parts))


def _named(interp: Interpreter, node: ast.NamedExpr) -> Value:
    value = evaluate(interp, node.value)
    interp.frame.scope.bind(node.target.id, value)
    return value


def _await(interp: Interpreter, node: ast.Await) -> Value:
    return evaluate(interp, node.value)


def _yield(interp: Interpreter, node: ast.Yield) -> Value:
    value = evaluate(interp, node.value) if node.value else None
    interp.frame.leaks = interp.frame.leaks or suspended_mode(interp, node)
    if interp.frame.resume is not None:
        interp.frame.resume(value)
    elif interp.frame.yielded is not None:
        interp.record.grown.append(interp.frame.yielded)
        interp.frame.yielded.items.append(value)
    return Unknown(interp.text(node))


def _yield_from(interp: Interpreter, node: ast.YieldFrom) -> Value:
    value = evaluate(interp, node.value)
    if interp.frame.yielded is not None:
        interp.record.grown.append(interp.frame.yielded)
        interp.frame.yielded.items.extend(iterate(interp, value, node).gathered())
    return Unknown(interp.text(node))


def _starred(interp: Interpreter, node: ast.Starred) -> Value:
    return evaluate(interp, node.value)


def _not_understood(interp: Interpreter, node: ast.expr) -> Value:
    return Unknown(interp.text(node))


EXPRESSIONS: dict[type[ast.AST], Callable[..., Value]] = defaultdict(lambda: _not_understood)
EXPRESSIONS |= {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: evaluate_call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.ListComp: _list_comprehension,
    ast.SetComp: _list_comprehension,
    ast.GeneratorExp: _generator,
    ast.DictComp: _dict_comprehension,
    ast.Lambda: _lambda,
    ast.JoinedStr: _text,
    ast.NamedExpr: _named,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Starred: _starred,
}
