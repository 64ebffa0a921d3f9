"""Source: transformers/trainer.py, with two steps of an epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader

class Trainer:
    def __init__(
        self,
        model: nn.Module = None,
        args=None,
        data_collator=None,
        train_dataset=None,
        eval_dataset=None,
        processing_class=None,
        model_init=None,
        compute_loss_func=None,
        compute_metrics=None,
        callbacks=None,
        optimizers=(None, None),
        **options,
    ):
        self.model = model if model is not None else model_init()
        self.args = args
        self.train_dataset = train_dataset
        self.eval_dataset = eval_dataset
        self.compute_loss_func = compute_loss_func
        self.optimizer, self.lr_scheduler = optimizers

    def create_optimizer(self):
        if self.optimizer is None:
            trained = [one for one in self.model.parameters() if one.requires_grad]
            self.optimizer = torch.optim.AdamW(trained)
        return self.optimizer

    def create_optimizer_and_scheduler(self, num_training_steps):
        self.create_optimizer()

    def get_train_dataloader(self) -> DataLoader: ...
    def get_eval_dataloader(self, eval_dataset=None) -> DataLoader: ...
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        if self.compute_loss_func is not None:
            loss = self.compute_loss_func(outputs, inputs["labels"])
        else:
            loss = outputs["loss"] if isinstance(outputs, dict) else outputs[0]
        return (loss, outputs) if return_outputs else loss

    def training_step(self, model, inputs, num_items_in_batch=None):
        model.train()
        loss = self.compute_loss(model, inputs)
        if isinstance(loss, (int, float)):
            raise AttributeError
        loss.backward()
        return loss.detach()

    def train(self, *args, **kwargs):
        self.create_optimizer_and_scheduler(2)
        for inputs in self.get_train_dataloader():
            self.training_step(self.model, inputs)
            self.optimizer.step()
            self.model.zero_grad()

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        with torch.no_grad():
            loss, outputs = self.compute_loss(model, inputs, return_outputs=True)
        return loss, outputs, inputs.get("labels")

    def evaluate(self, eval_dataset=None, *args, **kwargs):
        self.model.eval()
        for inputs in self.get_eval_dataloader(eval_dataset):
            self.prediction_step(self.model, inputs, False)
        return {}

class Seq2SeqTrainer(Trainer): ...
