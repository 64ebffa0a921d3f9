"""Source: timm/models/_registry.py."""

_entrypoints = {}

def register_model(fn):
    _entrypoints[fn.__name__] = fn
    return fn

def is_model(model_name):
    return model_name in _entrypoints

def model_entrypoint(model_name):
    return _entrypoints[model_name]
