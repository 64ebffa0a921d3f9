"""Where tensors without a graph come from: which operator left a graph, and who is told of it."""

import ast
import math
from collections.abc import Callable
from typing import Any

import torch

from autograd_lint.live.factors import factor_at
from autograd_lint.live.graph import leads_nowhere
from autograd_lint.live.memory import UNKNOWN, Origin
from autograd_lint.live.naming import call_at
from autograd_lint.live.private import storage_id
from autograd_lint.live.record import Record, Watcher
from autograd_lint.live.schemas import Schema, tensors_in
from autograd_lint.live.sites import Site

Function = Callable[[float], object]
UNCOUNTED = frozenset({"unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"})
DATA = "lift_fresh"  # what `torch.tensor(data)` and `torch.from_numpy` dispatch on their memory
NO_GRAD = "no_grad"  # the operator of a number that was computed with grad mode off
BOTH = "both"  # the operator of what was computed of two tensors that were detached
DRAWN = "normal"  # the operator by which a distribution draws a sample that could have a gradient
_MOST_ELEMENTS = 64
# What these give is one of several values, and of none of them a condition makes another one.
_SELECTING = frozenset({"index", "masked_fill", "masked_fill_", "masked_select", "where"})


class Origins:
    """Notes in the record what operators without a node gave, and what is added to a graph."""

    __slots__ = ("_functions", "_record")

    def __init__(self, record: Record) -> None:
        self._record = record
        self._functions: dict[Site, Function | None] = {}  # that are called at a place

    def note_terms(
        self, args: tuple[Any, ...], site: Site | None, sequence: int, watcher: Watcher
    ) -> None:
        """Where the graph of a term was left that is added at a place to what has one."""
        for term in args if self._record.numbers else ():
            read = self._read(term, site) if type(term) is float else None
            cut = read.cut if read is not None else None
            if read is not None and cut is not None and cut.site:
                operator = "item" if cut.site is read.site else cut.operator
                operator = "item" if self._is_weighed(term, cut, read) else operator
                watcher.added(cut.site, sequence - 1, operator)
        for tensor in tensors_in(args):
            storage = storage_id(tensor) if leads_nowhere(tensor) else None
            known = self._record.memory.origin(storage) if storage is not None else None
            if known and known.cut and known.cut.site:
                is_unrecorded = not known.cut.grad_enabled and tensor.dim() == 0
                operator = NO_GRAD if is_unrecorded else known.cut.operator
                operator = BOTH if known.cut.both else operator
                if operator == DRAWN and not (known.site and known.site.module):
                    continue  # perhaps its probability, and not what a layer makes of it
                watcher.added(known.cut.site, sequence - 1, operator)

    def _read(self, term: float, site: Site | None) -> Origin | None:
        """Where a number was read that is a term, or a factor of it."""
        read = self._record.numbers.like(term)
        is_product = read is None and site is not None
        return factor_at(site, self._record.numbers) if is_product and site else read

    def _is_weighed(self, term: float, cut: Origin, read: Origin) -> bool:
        """Whether a number is a factor of a term and was read in the line where its graph is left
        (`x.detach().item()`): what is only to be counted in needs no weight."""
        one, other = cut.site, read.site
        if one is None or other is None or self._record.numbers.like(term) is not None:
            return False
        return one.code is other.code and one.place.row == other.place.row

    def note_uses(self, args: tuple[Any, ...], operator: str, watcher: Watcher) -> None:
        """What an operator with a node is given that has left a graph."""
        for value in args if self._record.numbers else ():
            read = self._record.numbers.exactly(value) if type(value) is float else None
            if read is not None and read.site is not None:
                watcher.used(read.site, operator)
        for tensor in tensors_in(args):
            storage = storage_id(tensor) if leads_nowhere(tensor) else None
            known = self._record.memory.origin(storage) if storage is not None else None
            if known and known.cut and known.cut.site:
                watcher.used(known.cut.site, operator)

    def note(
        self,
        schema: Schema,
        given: list[Any],
        result: Any,
        site: Site | None,
        made: int,
        *,
        made_node: bool,
    ) -> None:
        """An operator has made `result` of what it was given, when so many nodes were made."""
        operator = schema.name
        if operator == "detach" and site is not None and site.reads_attribute:
            operator = "data"
        is_view = operator in UNCOUNTED or (schema.aliases and operator != DATA)
        origin = self._of(operator, given, site)
        if operator in ("data", "detach"):
            self._note_alias(operator, given[0], result, site)
        if not isinstance(result, (torch.Tensor, list, tuple)):
            if origin.cut is not None:
                self._note_number(result, origin)
            return
        for tensor in tensors_in(result if isinstance(result, (list, tuple)) else (result,)):
            if made_node and tensor.is_floating_point():
                continue  # of an operator with a node only the indices lead nowhere
            storage = storage_id(tensor)
            if storage is None or (is_view and self._is_known_view(origin, storage)):
                continue
            self._record.add_origin(storage, origin, UNKNOWN if is_view else made)

    def _note_number(self, value: Any, origin: Origin) -> None:
        """A number was read, perhaps by a function of `math`, which computes another one of it."""
        self._record.numbers.add(value, origin)
        site = origin.site
        if site is None or type(value) is not float:
            return
        if site not in self._functions:
            self._functions[site] = function_at(site)
        function = self._functions[site]
        computed = None if function is None else _computed(function, value)
        if computed is not None:
            self._record.numbers.add_computed(computed, origin)

    def _note_alias(self, operator: str, leaf: Any, alias: Any, site: Site | None) -> None:
        watcher = self._record.watcher
        is_leaf = isinstance(leaf, torch.Tensor) and leaf.is_leaf and leaf.requires_grad
        if watcher is not None and site is not None and is_leaf:
            watcher.took(site, alias, leaf, operator)

    def _is_known_view(self, origin: Origin, storage: int) -> bool:
        """Whether a view adds nothing to what is known of the memory that it looks at."""
        itself = origin.cut is not None and origin.cut.operator == origin.operator
        return not itself and self._record.memory.origin(storage) is not None

    def _of(self, operator: str, given: list[Any], site: Site | None) -> Origin:
        enabled = torch.is_grad_enabled()
        entered = self._record.entered if torch.is_inference_mode_enabled() else None
        cut: Origin | None = None
        taken = tensors_in(given)
        for tensor in taken:
            if tensor.requires_grad:
                self._tell(operator, taken, site)
                watcher = self._record.watcher
                off = watcher.off() if watcher is not None and not enabled else None
                itself = Origin(operator, site, None, enabled, True, entered, off)
                left = self._left_before(taken, tensor, itself) if not enabled else itself
                return Origin(operator, site, left, enabled, False, entered)
            if operator == DATA:
                continue  # what lay in this memory before has nothing to do with new data
            if not (operator in _SELECTING and tensor.dtype is torch.bool):
                storage = storage_id(tensor)
                known = self._record.memory.origin(storage) if storage is not None else None
                found = known.cut if known else None
                cut = self._of_two(cut, found) if tensor.dim() else self._nearer(cut, found)
        if cut is None and self._record.numbers:
            cut = self._from_numbers(operator, given)
        return Origin(operator, site, cut, enabled, False, entered)

    def _left_before(
        self, taken: list[torch.Tensor], itself: torch.Tensor, cut: Origin
    ) -> Origin | None:
        """Where the graph of what is trained was left: here, or where what a layer that is not
        trained is applied to without grad mode has left it."""
        for tensor in taken:
            storage = storage_id(tensor) if tensor is not itself else None
            known = self._record.memory.origin(storage) if storage is not None else None
            if known is not None and known.cut is not None and not tensor.requires_grad:
                return self._nearer(cut, known.cut)
        return cut

    def _nearer(self, cut: Origin | None, other: Origin | None) -> Origin | None:
        """Of two places where a graph was left the first one, or that of what is trained."""
        watcher = self._record.watcher
        if cut is None or other is None or cut.site is None or other.site is None:
            return cut or other
        if watcher is None or cut.site is other.site or watcher.is_of_trained(cut.site):
            return cut
        return other if watcher.is_of_trained(other.site) else cut

    def _of_two(self, cut: Origin | None, other: Origin | None) -> Origin | None:
        """The same of tensors of several elements: both may be trained, and detached."""
        watcher, nearer = self._record.watcher, self._nearer(cut, other)
        if watcher is None or cut is None or other is None or nearer is None:
            return nearer
        sites = [one.site for one in (cut, other) if one.site and one.operator == "detach"]
        is_both = len(set(sites)) > 1 and all(map(watcher.is_of_trained, sites))
        return nearer._replace(both=True) if is_both else nearer

    def _tell(self, operator: str, taken: list[torch.Tensor], site: Site | None) -> None:
        watcher = self._record.watcher
        for tensor in taken if watcher is not None and site is not None else ():
            if tensor.requires_grad and watcher is not None and site is not None:
                watcher.cut(site, tensor, operator)

    def _from_numbers(self, operator: str, given: list[Any]) -> Origin | None:
        """Where Python numbers among the arguments were read from a tensor with a graph."""
        values = _elements(given[0]) if operator == DATA else given
        found = (self._record.numbers.like(value) for value in values)
        return next((one for one in found if one is not None), None)


def function_at(site: Site) -> Function | None:
    """The function of `math` that is given one argument at a place; None for anything else."""
    call = call_at(site.place)
    if call is None or len(call.args) != 1 or not isinstance(call.func, ast.Attribute):
        return None
    found = getattr(math, call.func.attr, None)
    is_of_math = isinstance(call.func.value, ast.Name) and call.func.value.id == "math"
    return found if is_of_math and callable(found) else None


def _computed(function: Function, value: float) -> float | None:
    try:
        found = function(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if type(found) is float else None


def _elements(tensor: torch.Tensor) -> list[Any]:
    """The elements of a tensor that the program may have written out as numbers."""
    if tensor.device.type != "cpu" or tensor.numel() > _MOST_ELEMENTS:
        return []
    return list(tensor.reshape(-1).tolist()) if tensor.dim() else [tensor.item()]
