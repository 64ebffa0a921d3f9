"""The edits that rules offer, each for the code at a place; none where the code is another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from autograd_lint.findings import Edit
from autograd_lint.places import Place
from autograd_lint.rules.reading import edits, names
from autograd_lint.rules.reading.edits import Edits
from autograd_lint.rules.reading.writes import called

if TYPE_CHECKING:
    from autograd_lint.rules.reading.chunk import Chunk

_CONTAINERS = {cst.List: "List", cst.ListComp: "List", cst.Dict: "Dict", cst.DictComp: "Dict"}


class Mends:
    """Edits of what was read around one place."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk

    def set_keyword(self, place: Place, keyword: str, value: str) -> Edits:
        """Give the call at `place` a keyword argument, or change the one it has."""
        return edits.set_keyword(self._chunk, place, keyword, value)

    def drop_keyword(self, place: Place, keyword: str) -> Edits:
        """Take a keyword argument out of the call at `place`."""
        return edits.drop_keyword(self._chunk, place, keyword)

    def call_first(self, place: Place, method: str, first: str) -> Edits:
        """`x.first().method()` for `x.method()` at `place`."""
        return edits.call_first(self._chunk, place, method, first)

    def call_method(self, place: Place, method: str) -> Edits:
        """`x.method()` for the expression `x` that is just `place`."""
        node = self._chunk.node_at(place)
        is_it = node is not None and self._chunk.place_of(node) == place
        return edits.method_of(self._chunk, node, method) if is_it else ()

    def drop_method(self, place: Place, *methods: str) -> Edits:
        """`x` for `x.name()` or `x.name` at `place`, where the name is one of `methods`."""
        return edits.drop_method(self._chunk, place, methods)

    def drop_methods(self, place: Place, *methods: str) -> Edits:
        """The same for all such names of the chain of methods that ends at `place`."""
        return edits.drop_methods(self._chunk, place, methods)

    def drop_method_below(self, place: Place, *methods: str) -> Edits:
        """`x.y()` for `x.name().y()` or `x.name().y` at `place`."""
        node = self._chunk.node_at(place)
        node = node.func if isinstance(node, cst.Call) else node
        if not isinstance(node, cst.Attribute):
            return ()
        return edits.drop_method(self._chunk, self._chunk.place_of(node.value), methods)

    def detach_arguments(self, rows: range, name: str) -> Edits:
        """`name.detach()` wherever a call in these rows of the file is given just that name."""
        return edits.detached_arguments(self._chunk.source, rows, name)

    def call_it(self, place: Place) -> Edits:
        """`x.y()` for `x.y` at `place`."""
        is_attribute = isinstance(self._chunk.node_at(place), cst.Attribute)
        return (edits.after(place, "()"),) if is_attribute else ()

    def rename(self, place: Place, name: str, instead: str) -> Edits:
        """Another name for the last one of what is read or called at `place`, if that is `name`."""
        node = self._chunk.node_at(place)
        node = node.func if isinstance(node, cst.Call) else node
        node = node.attr if isinstance(node, cst.Attribute) else node
        if not isinstance(node, cst.Name) or node.value != name:
            return ()
        return (Edit(instead, self._chunk.place_of(node)),)

    def drop_inplace_flags(self, place: Place) -> Edits:
        """Take `inplace=True` out of the layers that the call at `place` runs."""
        call = self._chunk.node_at(place)
        if not isinstance(call, cst.Call):
            return ()
        flags = names.inplace_flags(self._chunk.source, self._chunk.code(call.func))
        around = (edits.drop_inplace(self._chunk.around(at), at) for at in flags)
        return edits.all_of(*around)

    def method_on_argument(self, place: Place, tensor: str, method: str) -> Edits:
        """`f(x.method())` for `f(x)` at `place`, where `x` is the argument `tensor`."""
        call = self._chunk.node_at(place)
        given = call.args if isinstance(call, cst.Call) else ()
        found = [one for one in given if self._chunk.code(one.value) == tensor and not one.star]
        if len(found) != 1:
            return ()
        return edits.method_of(self._chunk, found[0].value, method)

    def make_leaf(self, place: Place) -> Edits:
        """A leaf for the result at `place`: nothing that it is made of requires grad by itself."""
        node = self._chunk.node_at(place)
        flags = [one for one in self._chunk.inside(node) if _is_flagged(one)] if node else []
        if not flags:
            return self.call_method(place, "detach().requires_grad_")
        dropped = (self.drop_keyword(self._chunk.place_of(one), "requires_grad") for one in flags)
        return edits.all_of(*dropped, self.call_method(place, "requires_grad_"))

    def update_in_place(self, place: Place) -> Edits:
        """`x -= y` for the statement `x = x - y` around `place`."""
        statement = self._chunk.statement_at(place)
        if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
            return ()
        goal, value = statement.targets[0].target, statement.value
        if not isinstance(value, cst.BinaryOperation) or value.lpar:
            return ()
        if self._chunk.code(value.left) != self._chunk.code(goal):
            return ()
        first, last = self._chunk.place_of(goal), self._chunk.place_of(value.left)
        right = self._chunk.place_of(value.right)
        if first.row != right.row or value.right.lpar:
            return ()
        sign = self._chunk.source.lines[last.end_row - 1][last.end_column - 1 : right.column - 1]
        text = f" {sign.strip()}= "
        at = Place(first.filename, first.end_row, first.end_column, right.row, right.column)
        return (Edit(text, at),)

    def register(self, place: Place) -> Edits:
        """A container of modules or parameters, or a parameter, for what is assigned at `place`."""
        statement, nn = self._chunk.statement_at(place), self._chunk.lines.nn
        if not isinstance(statement, cst.Assign) or nn is None or statement.value.lpar:
            return ()
        value = statement.value
        at, code = self._chunk.place_of(value), self._chunk.code(value)
        kind = _CONTAINERS.get(type(value))
        if kind is None:
            is_tensor = isinstance(value, cst.Call) and "requires_grad" in code
            wrapper = f"{nn}.Parameter" if is_tensor else ""
        else:
            holds = "Parameter" if "Parameter(" in code else "Module"
            wrapper = f"{nn}.{holds}{kind}"
        return (edits.before(at, f"{wrapper}("), edits.after(at, ")")) if wrapper else ()

    def set_flag(self, place: Place) -> Edits:
        """`module.requires_grad_(...)` for `module.requires_grad = ...`; the name spelled right."""
        statement = self._chunk.statement_at(place)
        if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
            return ()
        goal = statement.targets[0].target
        if not isinstance(goal, cst.Attribute):
            return ()
        name = self._chunk.place_of(goal.attr)
        if goal.attr.value != "requires_grad":
            return (Edit("requires_grad", name),)
        value = self._chunk.place_of(statement.value)
        return edits.between(name, value, "requires_grad_("), edits.after(value, ")")

    def keep_result(self, place: Place) -> Edits:
        """`x = x.f()` for the statement `x.f()` at `place`."""
        call, statement = self._chunk.node_at(place), self._chunk.statement_at(place)
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            return ()
        if not isinstance(statement, cst.Expr) or statement.value is not call:
            return ()
        owner = call.func.value
        code = self._chunk.code(owner)
        is_gradient = isinstance(owner, cst.Attribute) and owner.attr.value == "grad"
        if not is_gradient and not self._chunk.can_rebind(place, code):
            return ()
        return (edits.before(place, f"{code} = "),)

    def detach_kept(self, place: Place, tensor: str | None = None) -> Edits:
        """`.detach()` on what is added to a sum, put into a list or handed over at `place`.

        `tensor` is how the program speaks of it.
        """
        statement, node = self._chunk.statement_at(place), self._chunk.node_at(place)
        given = list(_given(node)) if isinstance(node, cst.Call) else []
        if isinstance(node, cst.Call) and called(node) in ("append", "add") and len(given) == 1:
            return edits.method_of(self._chunk, given[0], "detach")
        named = [value for value in given if self._chunk.code(value) == tensor]
        if len(named) == 1:
            return edits.method_of(self._chunk, named[0], "detach")
        if isinstance(statement, cst.AugAssign):
            return edits.method_of(self._chunk, statement.value, "detach")
        if isinstance(statement, cst.Assign):
            return edits.method_of(self._chunk, statement.value, "detach")
        return ()

    def detach_for_flag(self, place: Place) -> Edits:
        """`x = x.detach()` for `x.requires_grad = False` or `x.requires_grad_(False)`."""
        statement, chunk = self._chunk.statement_at(place), self._chunk
        owner = chunk.owner_at(place, "requires_grad") or chunk.owner_at(place, "requires_grad_")
        is_whole = isinstance(statement, (cst.Assign, cst.Expr))
        if not owner or not is_whole or not chunk.can_rebind(place, owner):
            return ()
        assert statement is not None
        at, code = chunk.place_of(statement), chunk.code(statement)
        return (Edit(f"{owner} = {owner}.detach()", at),) if code.count("False") == 1 else ()

    def carried_at(self, place: Place) -> tuple[str, ...]:
        """The names that a statement around `place` computes from their old values."""
        statement = self._chunk.statement_at(place)
        if isinstance(statement, cst.AugAssign):
            return (self._chunk.code(statement.target),)
        if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
            return ()
        read = {self._chunk.code(node) for node in self._reads(statement.value)}
        goals = map(self._chunk.code, _names(statement.targets[0].target))
        return tuple(code for code in goals if code in read)

    def detach_reads(self, place: Place, carried: str, detached: str) -> Edits:
        """`detached` where the statement around `place` reads the name that it carries on."""
        statement = self._chunk.statement_at(place)
        if not isinstance(statement, (cst.Assign, cst.AugAssign)):
            return ()
        source = self._chunk.source
        if names.may_be_none(source, carried) or names.reads_before(source, place, carried):
            return ()
        reads = [one for one in self._reads(statement.value) if self._chunk.code(one) == carried]
        return tuple(Edit(detached, self._chunk.place_of(one)) for one in reads)

    def clone_reads(self, base: str) -> Edits:
        """`.clone()` where the value of an item assignment reads the tensor that is written."""
        statement = next((one for one in self._assignments()), None)
        if statement is None:
            return ()
        found: list[cst.BaseExpression] = []
        for node in self._chunk.inside(statement.value):
            whole = isinstance(node, (cst.Name, cst.Attribute)) and self._chunk.code(node) == base
            part = isinstance(node, cst.Subscript) and self._chunk.code(node.value) == base
            if (whole or part) and not any(node in self._chunk.inside(one) for one in found):
                assert isinstance(node, cst.BaseExpression)
                found.append(node)
        cloned = (edits.method_of(self._chunk, one, "clone") for one in found)
        return tuple(edit for each in cloned for edit in each)

    def clone_read(self, place: Place, tensor: str) -> Edits:
        """`x.clone()` where the expression at `place` reads `x`, the tensor of this name."""
        node = self._chunk.node_at(place)
        if node is None or self._chunk.place_of(node) != place:
            return ()
        inside = [one for one in self._chunk.inside(node) if one is not node]
        reads = [one for one in inside if self._chunk.code(one) == tensor]
        return edits.all_of(*(edits.method_of(self._chunk, one, "clone") for one in reads))

    def _assignments(self) -> list[cst.Assign]:
        return [one for one in self._chunk.statements() if isinstance(one, cst.Assign)]

    def _reads(self, value: cst.BaseExpression) -> list[cst.BaseExpression]:
        return [
            node
            for node in self._chunk.inside(value)
            if isinstance(node, (cst.Name, cst.Attribute))
        ]


def _given(call: cst.Call) -> Iterator[cst.BaseExpression]:
    """What a call is given, in dictionaries that stand in it as well; none of what is unpacked."""
    for argument in call.args:
        if isinstance(argument.value, cst.Dict):
            pairs = argument.value.elements
            yield from (pair.value for pair in pairs if isinstance(pair, cst.DictElement))
        elif not argument.star:
            yield argument.value


def _is_flagged(node: cst.CSTNode) -> bool:
    given = edits.argument_of(node, "requires_grad") if isinstance(node, cst.Call) else None
    return given is not None


def _names(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The names and attributes that an assignment binds."""
    if isinstance(target, (cst.Tuple, cst.List)):
        return [name for element in target.elements for name in _names(element.value)]
    return [target] if isinstance(target, (cst.Name, cst.Attribute)) else []
