"""Source: tensordict/base.py; without nested keys, batch sizes and devices."""

class TensorDict:
    def __init__(self, source=None, batch_size=None, device=None, names=None, **options):
        self._tensors = {}
        for name, value in (source or {}).items():
            self._tensors[name] = value

    def __getitem__(self, index):
        if isinstance(index, str):
            return self._tensors[index]
        return self._of({name: one[index] for name, one in self._tensors.items()})

    def __setitem__(self, name, value):
        self._tensors[name] = value

    def __contains__(self, name):
        return name in self._tensors

    def _of(self, tensors):
        return TensorDict(tensors)

    def get(self, name, default=None):
        return self._tensors.get(name, default)

    def set(self, name, value, inplace=False):
        self._tensors[name] = value
        return self

    def set_(self, name, value):
        self._tensors[name].copy_(value)
        return self

    def pop(self, name, default=None):
        return self._tensors.pop(name, default)

    def update(self, other):
        for name, value in other.items():
            self._tensors[name] = value
        return self

    def items(self):
        return self._tensors.items()

    def keys(self):
        return self._tensors.keys()

    def values(self):
        return self._tensors.values()

    def select(self, *names):
        return self._of({name: self._tensors[name] for name in names})

    def exclude(self, *names):
        return self._of({name: one for name, one in self._tensors.items() if name not in names})

    def detach(self):
        return self._of({name: one.detach() for name, one in self._tensors.items()})

    def clone(self, recurse=True):
        if not recurse:
            return self._of(dict(self._tensors))
        return self._of({name: one.clone() for name, one in self._tensors.items()})

    def to(self, *args, **kwargs):
        return self._of(dict(self._tensors))

TensorDictBase = TensorDict
