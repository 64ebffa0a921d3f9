"""Sources: `LightningModule` in lightning/pytorch/core/module.py, the hooks in
lightning/pytorch/core/hooks.py, `_configure_optimizers` in lightning/pytorch/core/optimizer.py,
`save_hyperparameters` in lightning/pytorch/utilities/parsing.py, the order of an iteration in
lightning/pytorch/loops/training_epoch_loop.py and loops/optimization/automatic.py; several
optimizers in automatic optimization as before version 2.
"""

import inspect

from torch import nn
from torch.optim import Optimizer
from torch.utils.data import DataLoader

class LightningModule(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self._optimizers = None
        self.automatic_optimization = True

    def save_hyperparameters(self, *args, ignore=None, frame=None, logger=True):
        if len(args) == 1 and not isinstance(args[0], str):
            self.hparams = AttributeDict(args[0]) if isinstance(args[0], dict) else args[0]
            return
        given = _given_to(self, inspect.currentframe().f_back)
        self.hparams = AttributeDict(
            {name: value for name, value in given.items() if not args or name in args}
        )

    def configure_optimizers(self): ...
    def log(self, name, value, *args, **kwargs): ...
    def log_dict(self, dictionary, *args, **kwargs): ...
    def manual_backward(self, loss, *args, **kwargs):
        loss.backward(*args, **kwargs)

    def backward(self, loss, *args, **kwargs):
        loss.backward(*args, **kwargs)

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure=None):
        optimizer.step(optimizer_closure)

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        optimizer.zero_grad()

    def on_fit_start(self): ...
    def on_train_start(self): ...
    def on_train_epoch_start(self): ...
    def on_train_batch_start(self, batch, batch_idx): ...
    def on_before_zero_grad(self, optimizer): ...
    def on_before_backward(self, loss): ...
    def on_after_backward(self): ...
    def on_before_optimizer_step(self, optimizer): ...
    def on_train_batch_end(self, outputs, batch, batch_idx): ...
    def on_train_epoch_end(self): ...
    def _fit(self, batches):
        optimizers = self._configured()
        self.train()
        self.on_fit_start()
        self.on_train_start()
        self.on_train_epoch_start()
        for batch_idx, batch in enumerate(batches):
            self.on_train_batch_start(batch, batch_idx)
            for index, optimizer in enumerate(optimizers if self.automatic_optimization else []):
                given = (batch_idx, index) if len(optimizers) > 1 else _index_of_batch()
                others = _others(optimizer, optimizers)

                def closure(batch=batch, batch_idx=batch_idx, given=given, optimizer=optimizer):
                    outputs = self.training_step(batch, *given)
                    loss = outputs["loss"] if isinstance(outputs, dict) else outputs
                    if isinstance(loss, (int, float)):
                        raise TypeError
                    if loss is not None:
                        self.on_before_zero_grad(optimizer)
                        self.optimizer_zero_grad(0, batch_idx, optimizer)
                        self.on_before_backward(loss)
                        self.backward(loss)
                        self.on_after_backward()
                        self.on_before_optimizer_step(optimizer)
                    return loss

                for one in others:
                    one.requires_grad = False
                self.optimizer_step(0, batch_idx, optimizer, closure)
                for one in others:
                    one.requires_grad = True
            if not self.automatic_optimization:
                self.training_step(batch, *_index_of_batch())
            self.on_train_batch_end(None, batch, batch_idx)
        self.on_train_epoch_end()

    def optimizers(self, use_pl_optimizer=True):
        found = self._configured()
        return found[0] if len(found) == 1 else found

    def _configured(self):
        if self._optimizers is None:
            self._optimizers = _listed(self.configure_optimizers())
        return self._optimizers

    def toggle_optimizer(self, optimizer):
        self._toggled = _others(optimizer, self._configured())
        for parameter in self._toggled:
            parameter.requires_grad = False

    def untoggle_optimizer(self, optimizer):
        for parameter in self._toggled:
            parameter.requires_grad = True

class Trainer:
    def __init__(self, *args, **options): ...
    def fit(self, model, train_dataloaders=None, *args, **kwargs):
        given = isinstance(train_dataloaders, DataLoader)
        model._fit(train_dataloaders if given else _batches())

class AttributeDict(dict):
    def __getattr__(self, name):
        return self[name] if name in self else _from_elsewhere(name)

    def __setattr__(self, name, value):
        self[name] = value

def _given_to(module, frame):
    given = {}
    while frame is not None and frame.f_locals.get("self") is module:
        given = {**frame.f_locals, **frame.f_locals.get("kwargs", {}), **given}
        frame = frame.f_back
    return given

def _batches() -> DataLoader: ...
def _index_of_batch() -> tuple: ...
def _from_elsewhere(name): ...
def _others(optimizer, optimizers):
    kept = _parameters([optimizer])
    others = [one for one in _parameters(optimizers) if all(one is not own for own in kept)]
    return [one for one in others if one.requires_grad]

def _parameters(optimizers):
    return [one for opt in optimizers for group in opt.param_groups for one in group["params"]]

def _listed(configured):
    if configured is None:
        return []
    if isinstance(configured, Optimizer):
        return [configured]
    if isinstance(configured, dict):
        return [configured["optimizer"]]
    if isinstance(configured[0], (list, tuple)):
        return list(configured[0])
    return [one["optimizer"] if isinstance(one, dict) else one for one in configured]
