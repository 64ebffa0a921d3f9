"""Memory of tensors that others can write: numpy arrays and storages.

Writes through them pass no operator, so that neither the engine nor the dispatch mode sees them.
The methods that hand memory out are watched, and tensors that are made of it; what an array holds
is looked at whenever an operator touches its storage, and before each backward.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from autograd_lint.live.contents import Digest, differ
from autograd_lint.live.contents import digest as digest_of
from autograd_lint.live.lines import write_between
from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.patching import Patches, named_like
from autograd_lint.live.private import (
    WeakStorage,
    sequence_number,
    storage_id,
    unobserved,
    without_grad,
)
from autograd_lint.live.record import Record
from autograd_lint.live.sites import Site, Sites
from autograd_lint.live.writes import Held, Manner

_SAMPLES = 1 << 16
_MAKERS = ("frombuffer", "from_dlpack")  # those that pass no operator, as others do
_FEWEST = 256  # storages that are known in any case
_WRITERS = ("__setitem__", "fill_", "copy_")
_UNDISPATCHED = ("detach_", "apply_", "map_")


@dataclass(slots=True)
class Exposure:
    """A storage and the array that shares its memory; neither is kept alive.

    `digest` is what it held when it was last looked at, `written` whether a write was seen since.
    Memory that was just made is `fresh` until an operator may save it: until then it may change.
    """

    storage: WeakStorage
    array: Callable[[], Any]
    site: Site | None
    digest: Digest | None
    written: bool = False
    fresh: bool = False


class Exposures:
    """Watches the ways by which memory leaves torch, while open."""

    __slots__ = ("_most", "_patches", "_record", "_sites", "_watched", "known")

    def __init__(self, record: Record, sites: Sites) -> None:
        self.known: dict[int, Exposure] = {}
        self._most = _FEWEST
        self._record = record
        self._sites = sites
        self._patches = Patches()
        self._watched: set[int] = set()  # those that are not fresh

    def open(self) -> None:
        """Start to watch."""
        self._replace(torch.Tensor, "numpy", self._from_tensor)
        for name in _MAKERS:
            self._replace(torch, name, self._from_memory)
        for name in _WRITERS:
            self._replace(torch.UntypedStorage, name, self._storage_write)
        self._replace(torch.Tensor, "__dlpack__", self._from_tensor)
        modules: tuple[Any, ...] = (torch, torch.utils.dlpack)
        to_dlpack = self._from_tensor(modules[0].to_dlpack)
        for module in modules:
            self._patches.replace(module, "to_dlpack", to_dlpack)
        self._replace(torch.Tensor, "data", self._data)
        for name in _UNDISPATCHED:
            self._replace(torch.Tensor, name, self._tensor_write)

    def close(self) -> None:
        """Put everything back."""
        self._patches.close()

    def look(self, storage: int, sequence: int, site: Site | None, is_saved: bool = False) -> None:
        """Note a write to `storage` if its array holds something else than before.

        `is_saved` says that a node was made that may save it.
        """
        exposure = self.known.get(storage)
        if exposure is not None and exposure.fresh and not is_saved:
            return
        memory = exposure.storage.get() if exposure else None
        if exposure is None or memory is None:
            self._drop(storage)
            return
        exposure.fresh = False
        self._watched.add(storage)
        last_time = exposure.array() is None
        digest = _sampled(memory)
        if differ(exposure.digest, digest) and not exposure.written:
            manner = Manner("numpy", write_between(exposure.site, site), bumped=False)
            self._note(memory, manner, exposure.digest, digest, sequence)
        exposure.digest, exposure.site, exposure.written = digest, site, False
        if last_time:
            self._drop(storage)

    def _drop(self, storage: int) -> None:
        self.known.pop(storage, None)
        self._watched.discard(storage)

    def look_at_all(self, site: Site | None) -> None:
        """The same for every storage that may have been saved."""
        for storage in list(self._watched):
            self.look(storage, sequence_number(), site)

    def refresh(self) -> None:
        """Operators ran that nobody has seen: what memory holds now is what it is known to hold."""
        self._forget()
        for storage in self._watched:
            exposure = self.known[storage]
            memory = exposure.storage.get()
            exposure.digest = None if memory is None else _sampled(memory)
            exposure.written = False

    def wrote(self, storage: int) -> None:
        """An operator was seen to write to `storage`."""
        exposure = self.known.get(storage)
        if exposure is not None:
            exposure.written = True

    def _note(
        self,
        memory: torch.UntypedStorage,
        manner: Manner,
        before: Digest | None,
        after: Digest | None,
        sequence: int | None = None,
    ) -> None:
        at = sequence_number() if sequence is None else sequence
        held = None if before is None else Held(None, before, after)
        storage = int(memory._cdata)
        self._record.add_write(storage, at, None, manner, held)
        self.wrote(storage)

    def lent(self, tensor: torch.Tensor, site: Site | None) -> None:
        """A tensor was made; memory that cannot be resized is that of an array."""
        if storage_id(tensor) is not None and not tensor.untyped_storage().resizable():
            self._expose(tensor, _never_gone, site, fresh=True)

    def _expose(
        self, tensor: Any, array: Callable[[], Any], site: Site | None, fresh: bool = False
    ) -> None:
        storage = storage_id(tensor)
        if storage is None or torch.compiler.is_compiling():
            return  # what is compiled is not called now, but read
        if len(self.known) >= self._most:
            self._forget()
        memory = tensor.untyped_storage()
        held = None if fresh else _sampled(memory)
        self.known[storage] = Exposure(WeakStorage(memory), array, site, held, fresh=fresh)
        if not fresh:
            self._watched.add(storage)

    def _forget(self) -> None:
        """Forget the memory that is gone."""
        alive = self.known.items()
        self.known = {at: one for at, one in alive if one.storage.get() is not None}
        self._watched.intersection_update(self.known)
        self._most = max(_FEWEST, 2 * len(self.known))

    def _from_tensor(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @passes_on
        @named_like(original)
        def numpy(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            array = original(tensor, *args, **kwargs)
            with self._record.looking("memory that was handed out"):
                self._expose(tensor, _reference(array), self._sites.here(1))
            return array

        return numpy

    def _from_memory(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @passes_on
        @named_like(original)
        def make(data: Any, *args: Any, **kwargs: Any) -> Any:
            tensor = original(data, *args, **kwargs)
            with self._record.looking("memory that a tensor was made of"):
                if not isinstance(data, torch.Tensor):
                    self._expose(tensor, _never_gone, self._sites.here(1))
            return tensor

        return make

    def _storage_write(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @passes_on
        @named_like(original)
        def write(storage: torch.UntypedStorage, *args: Any, **kwargs: Any) -> Any:
            before = None
            with self._record.looking("a write to a storage"):
                before = _sampled(storage)
            result = original(storage, *args, **kwargs)
            with self._record.looking("a write to a storage"):
                manner = Manner("storage", self._sites.here(1), bumped=False)
                self._note(storage, manner, before, _sampled(storage))
            return result

        return write

    def _tensor_write(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @passes_on
        @named_like(original)
        def write(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            before = digest_of(tensor)
            result = original(tensor, *args, **kwargs)
            with self._record.looking("a write that passes no operator"):
                name = original.__name__
                # The engine notices that one.
                manner = Manner(name, self._sites.here(1), bumped=name == "detach_")
                if storage_id(tensor) is not None:
                    self._note(tensor.untyped_storage(), manner, before, digest_of(tensor))
            return result

        return write

    def _data(self, original: Any) -> Any:
        @passes_on
        def set_data(tensor: torch.Tensor, value: torch.Tensor) -> None:
            before, left = digest_of(tensor), None
            with self._record.looking("what `.data` was"):
                left = tensor.untyped_storage() if storage_id(tensor) is not None else None
                self._tell(tensor, value, self._sites.here(1))
            original.__set__(tensor, value)
            with self._record.looking("what `.data` was set to"):
                self._note_data(tensor, left, before, self._sites.here(1))

        return property(original.__get__, set_data, original.__delete__)

    def _tell(self, tensor: torch.Tensor, value: object, site: Site | None) -> None:
        watcher = self._record.watcher
        if watcher is not None and site is not None and isinstance(value, torch.Tensor):
            watcher.replaced(site, tensor, value)

    def _note_data(
        self,
        tensor: torch.Tensor,
        left: torch.UntypedStorage | None,
        before: Digest | None,
        site: Site | None,
    ) -> None:
        """A tensor that held `before` looks at other memory than that which it has left."""
        manner, storage = Manner("data", site, bumped=False), storage_id(tensor)
        if left is not None and int(left._cdata) != storage:
            self._note(left, manner, before, before)  # which the tensor may come back to
        if storage is not None:
            self._note(tensor.untyped_storage(), manner, before, digest_of(tensor))
            self._record.several_counters.add(storage)

    def _replace(self, owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        self._patches.replace(owner, name, wrap(getattr(owner, name)))


def _reference(array: Any) -> Callable[[], Any]:
    """A weak reference; what does not allow one (a capsule) counts as never gone."""
    try:
        return weakref.ref(array)
    except TypeError:
        return _never_gone


def _never_gone() -> bool:
    """In the place of a weak reference: the memory keeps what it was made of alive."""
    return True


def _sampled(storage: torch.UntypedStorage) -> Digest | None:
    """A digest of a storage; of a large one every n-th byte counts."""
    if storage.device.type == "meta":
        return None
    with unobserved(), without_grad():
        octets = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
        return digest_of(octets[:: max(1, octets.numel() // _SAMPLES)])
