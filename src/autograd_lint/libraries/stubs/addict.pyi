"""Source: addict/addict.py."""

class Dict(dict):
    def __init__(self, *args, **kwargs):
        for name, value in dict(*args, **kwargs).items():
            self[name] = Dict(value) if isinstance(value, dict) else value

    def __getattr__(self, name):
        if name not in self:
            self[name] = Dict()
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value

    def to_dict(self):
        return dict(self)
