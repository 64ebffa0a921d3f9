from lightning_fabric import Fabric as Fabric
