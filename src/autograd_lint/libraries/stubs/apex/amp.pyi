"""Sources: apex/amp/frontend.py, apex/amp/handle.py."""

from contextlib import contextmanager

def initialize(models, optimizers=None, **options):
    return models if optimizers is None else (models, optimizers)

@contextmanager
def scale_loss(loss, optimizers, **options):
    yield loss * 65536.0

def master_params(optimizer):
    return [one for group in optimizer.param_groups for one in group["params"]]
