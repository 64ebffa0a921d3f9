"""Source: transformers/configuration_utils.py."""

class PretrainedConfig:
    def __init__(self, **options):
        for name, value in options.items():
            setattr(self, name, value)

PreTrainedConfig = PretrainedConfig
