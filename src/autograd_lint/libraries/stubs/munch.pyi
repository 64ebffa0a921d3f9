"""Source: munch/__init__.py."""

class Munch(dict):
    def __init__(self, *args, **kwargs):
        self.update(*args, **kwargs)

    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value

    def copy(self):
        return Munch(self)

    def toDict(self):
        return dict(self)

def munchify(value):
    if isinstance(value, dict):
        return Munch({name: munchify(one) for name, one in value.items()})
    return value
