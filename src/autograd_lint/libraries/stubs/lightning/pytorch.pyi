from pytorch_lightning import LightningModule as LightningModule
from pytorch_lightning import Trainer as Trainer
