from lightning_fabric import Fabric as Fabric
from pytorch_lightning import LightningModule as LightningModule
from pytorch_lightning import Trainer as Trainer
