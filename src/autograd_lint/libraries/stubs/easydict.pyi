"""Source: easydict/__init__.py."""

class EasyDict(dict):
    def __init__(self, d=None, **kwargs):
        for name, value in dict(d or {}, **kwargs).items():
            self[name] = EasyDict(value) if isinstance(value, dict) else value

    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, value):
        self[name] = EasyDict(value) if isinstance(value, dict) else value
