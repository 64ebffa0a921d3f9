"""Source: fastai/learner.py, with the events around predictions, backward and steps."""

import torch
from fastai.optimizer import Adam

def trainable_params(m):
    return [one for one in m.parameters() if one.requires_grad]

class Learner:
    def __init__(
        self,
        dls,
        model,
        loss_func=None,
        opt_func=Adam,
        lr=1e-3,
        splitter=trainable_params,
        cbs=None,
        **options,
    ):
        self.dls, self.model, self.loss_func = dls, model, loss_func
        self.opt_func, self.lr, self.splitter = opt_func, lr, splitter
        self.training, self.opt, self.cbs = False, None, []
        self.add_cbs(cbs)

    def add_cbs(self, cbs):
        for one in cbs if isinstance(cbs, (list, tuple)) else [cbs]:
            if one is not None:
                self.add_cb(one)
        return self

    def add_cb(self, cb):
        cb = cb() if isinstance(cb, type) else cb
        cb.learn = self
        self.cbs.append(cb)
        return self

    def __call__(self, event_name):
        for cb in self.cbs:
            cb(event_name)

    def create_opt(self):
        self.opt = self.opt_func(self.splitter(self.model), lr=self.lr)

    def one_batch(self, i, b):
        self.iter, self.xb, self.yb = i, b[:-1], b[-1:]
        self("before_batch")
        self.pred = self.model(*self.xb)
        self("after_pred")
        self.loss_grad = self.loss_func(self.pred, *self.yb)
        self.loss = self.loss_grad.clone()
        self("after_loss")
        if self.training:
            self("before_backward")
            self.loss_grad.backward()
            self("after_backward")
            self("before_step")
            self.opt.step()
            self("after_step")
            self.opt.zero_grad()
        self("after_batch")

    def all_batches(self):
        for i, b in enumerate(self.dl):
            self.one_batch(i, b)

    def _do_epoch_train(self):
        self.dl, self.training = self.dls.train, True
        self.model.train()
        self("before_train")
        self.all_batches()
        self("after_train")

    def _do_epoch_validate(self, ds_idx=1, dl=None):
        self.dl, self.training = self.dls[ds_idx] if dl is None else dl, False
        self.model.eval()
        self("before_validate")
        with torch.no_grad():
            self.all_batches()
        self("after_validate")

    def fit(self, n_epoch, lr=None, wd=None, cbs=None, reset_opt=False, start_epoch=0):
        self.add_cbs(cbs)
        if reset_opt or self.opt is None:
            self.create_opt()
        self("before_fit")
        for epoch in range(n_epoch):
            self.epoch = epoch
            self("before_epoch")
            self._do_epoch_train()
            self._do_epoch_validate()
            self("after_epoch")
        self("after_fit")

    def fit_one_cycle(self, n_epoch, lr_max=None, cbs=None, **options):
        self.fit(n_epoch, cbs=cbs)

    def fit_flat_cos(self, n_epoch, lr=None, cbs=None, **options):
        self.fit(n_epoch, cbs=cbs)

    def fine_tune(self, epochs, base_lr=2e-3, freeze_epochs=1, **options):
        self.fit(epochs)

    def validate(self, ds_idx=1, dl=None, cbs=None):
        self._do_epoch_validate(ds_idx, dl)

    def get_preds(self, ds_idx=1, dl=None, **options): ...
    def predict(self, item, **options): ...
