"""Sources: mmengine/runner/runner.py, loops.py; one epoch, then a validation."""

import torch
from mmengine.optim import OptimWrapper
from mmengine.registry import MODELS

class Runner:
    def __init__(
        self,
        model,
        work_dir,
        train_dataloader=None,
        val_dataloader=None,
        test_dataloader=None,
        train_cfg=None,
        val_cfg=None,
        test_cfg=None,
        optim_wrapper=None,
        **options,
    ):
        self.model = MODELS.build(model) if isinstance(model, dict) else model
        self.train_dataloader = train_dataloader
        self.val_dataloader = val_dataloader
        self.optim_wrapper = self.build_optim_wrapper(optim_wrapper)

    def build_optim_wrapper(self, optim_wrapper):
        if not isinstance(optim_wrapper, dict):
            return optim_wrapper
        trained = [one for one in self.model.parameters() if one.requires_grad]
        return OptimWrapper(torch.optim.SGD(trained, lr=0.01))

    def train(self):
        self.model.train()
        for batch in self.train_dataloader:
            self.model.train_step(batch, optim_wrapper=self.optim_wrapper)
        return self.model

    @torch.no_grad()
    def val(self):
        self.model.eval()
        for batch in self.val_dataloader:
            self.model.val_step(batch)
        return {}
