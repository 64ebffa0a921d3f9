"""Sources: mmengine/registry/registry.py, build_functions.py, root.py; without scopes."""

class Registry:
    def __init__(self, name, build_func=None, parent=None, scope=None, locations=()):
        self._name = name
        self._module_dict = {}
        self.parent = parent
        self.build_func = build_func

    @property
    def module_dict(self):
        return self._module_dict

    def __contains__(self, key):
        return self.get(key) is not None

    def get(self, key):
        if key in self._module_dict:
            return self._module_dict[key]
        return self.parent.get(key) if self.parent is not None else None

    def build(self, cfg, *args, **kwargs):
        if self.build_func is not None:
            return self.build_func(cfg, *args, registry=self, **kwargs)
        return build_from_cfg(cfg, self, *args, **kwargs)

    def _register(self, module, name):
        names = [name] if isinstance(name, str) else name or [module.__name__]
        for one in names:
            self._module_dict[one] = module

    def register_module(self, name=None, force=False, module=None):
        if module is not None:
            self._register(module, name)
            return module

        def register(module):
            self._register(module, name)
            return module

        return register

def build_from_cfg(cfg, registry, default_args=None):
    args = cfg.copy()
    for name, value in (default_args or {}).items():
        args.setdefault(name, value)
    kind = args.pop("type")
    made_by = registry.get(kind) if isinstance(kind, str) else kind
    return made_by(**args)

def build_model_from_cfg(cfg, registry, default_args=None):
    return build_from_cfg(cfg, registry, default_args)

MODELS = Registry("model")
LOOPS = Registry("loop")
HOOKS = Registry("hook")
DATASETS = Registry("dataset")
TRANSFORMS = Registry("transform")
METRICS = Registry("metric")
OPTIMIZERS = Registry("optimizer")
OPTIM_WRAPPERS = Registry("optim_wrapper")
