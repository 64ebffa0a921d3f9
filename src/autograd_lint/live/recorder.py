"""The dispatch mode that sees every operator, and changes nothing.

Four properties of dispatch modes had to be worked around so that a program runs as without one
(seen on torch 2.13): foreach operators lose their version counts (`run_counting_versions`);
torch.compile skips frames under a mode (`ignore_compile_internals`); the mode would import
torch._dynamo (`_should_skip_dynamo`); new threads do not inherit it (`threads.py`).
"""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from autograd_lint.live.contents import digest
from autograd_lint.live.exposure import Exposures
from autograd_lint.live.private import (
    run_counting_versions,
    sequence_number,
    storage_id,
    version_of,
)
from autograd_lint.live.record import Birth, Geometry, Origin, Record, Write
from autograd_lint.live.schemas import Schema, schema_of, tensors_in, written
from autograd_lint.live.sites import Site, Sites


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Records what one thread does into a shared record.

    `backward_site` is the place of the running call of `backward`, None outside of one.
    """

    def __init__(self, record: Record, sites: Sites, exposures: Exposures) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.record = record
        self.backward_site: Site | None = None
        self.in_backward = False
        self._sites = sites
        self._exposures = exposures
        self._schemas: dict[Any, Schema] = {}
        self._births: dict[tuple[str, Site | None], Birth] = {}
        self._sequence = sequence_number()
        self._previous: Birth | None = None

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        return True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        schema = self._schemas.get(func)
        if schema is None:
            schema = self._schemas[func] = schema_of(func)
        sequence = sequence_number()
        made_node = sequence != self._sequence
        writes = bool(schema.keywords)
        site: Site | None = None
        if made_node or writes or not self.in_backward:
            site = self._site(writes)
        if self._exposures.known and not self.in_backward:
            self._look_at_arrays(args, kwargs, site)
        if made_node:
            self._note_births(sequence, schema.name, site)
        if writes:
            return self._write(func, schema, args, kwargs, site, sequence if made_node else None)
        result = func(*args, **kwargs)
        if not self.in_backward and (not made_node or isinstance(result, tuple)):
            self._note_origin(schema.name, args, kwargs, result, site, made_node)
        return result

    def catch_up(self) -> None:
        """Forget about the nodes made while this mode was not active."""
        self._sequence = sequence_number()
        self._previous = None

    def _site(self, writes: bool) -> Site | None:
        # Inside backward only hooks and custom Functions have a place of their own.
        if self.in_backward and not writes:
            return self.backward_site
        return self._sites.here(2)

    def _look_at_arrays(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], site: Site | None
    ) -> None:
        for tensor in tensors_in([*args, *kwargs.values()]):
            storage = storage_id(tensor)
            if storage in self._exposures.known:
                self._exposures.look(storage, self._sequence, site)

    def _note_births(self, sequence: int, operator: str, site: Site | None) -> None:
        birth = self._birth(operator, site)
        for number in range(self._sequence, sequence):
            self.record.add_birth(number, birth, self._previous)
        self._sequence = sequence
        self._previous = birth

    def _birth(self, operator: str, site: Site | None) -> Birth:
        key = (operator, site)
        birth = self._births.get(key)
        if birth is None:
            birth = self._births[key] = Birth(operator, site)
        return birth

    def _write(
        self,
        func: Any,
        schema: Schema,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        site: Site | None,
        made: int | None,
    ) -> Any:
        own = None if made is None else made - 1
        notes = []
        for tensor in written(schema, args, kwargs):
            note = self._note_write(tensor, schema, site, own)
            if note is not None:
                notes.append((tensor, note))
        if schema.loses_bump:
            result = run_counting_versions(func, args, kwargs)
        else:
            result = func(*args, **kwargs)
        for tensor, note in notes:
            self._note_after(tensor, note, schema)
        return result

    def _note_after(self, tensor: torch.Tensor, note: Write, schema: Schema) -> None:
        if schema.loses_bump:
            note.bumped = version_of(tensor) != note.version
        if note.before is not None:
            note.after = digest(tensor)
        if schema.name == "set_":  # the tensor looks at another storage now
            storage = storage_id(tensor)
            if storage is not None:
                self.record.add_write(storage, note)

    def _note_write(
        self, tensor: torch.Tensor, schema: Schema, site: Site | None, own: int | None
    ) -> Write | None:
        storage = storage_id(tensor)
        if storage is None:
            return None
        version = version_of(tensor)
        note = Write(
            sequence=self._sequence,
            own=own,
            operator=schema.name,
            site=site,
            version=version,
            bumped=version is not None,
            geometry=geometry_of(tensor),
            in_backward=self.in_backward,
        )
        # A counter at 0 may be that of `.data`, which the check of backward does not look at; fused
        # optimizers count nothing.
        if (not version or schema.name.startswith("_fused_")) and not self.in_backward:
            note.before = digest(tensor)
        self.record.add_write(storage, note)
        return note

    def _note_origin(
        self,
        operator: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
        site: Site | None,
        made_node: bool,
    ) -> None:
        origin = self._origin(operator, args, kwargs, site)
        if not isinstance(result, (torch.Tensor, list, tuple)):
            if origin.cut is not None:
                self.record.numbers.append(origin)
            return
        for tensor in tensors_in(result if isinstance(result, (list, tuple)) else (result,)):
            if made_node and tensor.is_floating_point():
                continue  # of an operator with a node only the indices lead nowhere
            storage = storage_id(tensor)
            if storage is not None:
                self.record.add_origin(storage, origin)

    def _origin(
        self, operator: str, args: tuple[Any, ...], kwargs: dict[str, Any], site: Site | None
    ) -> Origin:
        enabled = torch.is_grad_enabled()
        cut: Origin | None = None
        for tensor in tensors_in([*args, *kwargs.values()]):
            if tensor.requires_grad:
                return Origin(operator, site, Origin(operator, site, None, enabled, True), enabled)
            if cut is None and self.record.origins:
                storage = storage_id(tensor)
                known = self.record.origins.get(storage) if storage is not None else None
                cut = known.cut if known else None
        return Origin(operator, site, cut, enabled)


def geometry_of(tensor: torch.Tensor) -> Geometry | None:
    """Which elements of its storage a tensor looks at; None for layouts without strides."""
    try:
        return Geometry(
            int(tensor.storage_offset()), tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype
        )
    except RuntimeError:
        return None
