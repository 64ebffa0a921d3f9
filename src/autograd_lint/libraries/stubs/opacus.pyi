"""Source: `PrivacyEngine.make_private` in opacus/privacy_engine.py."""

class PrivacyEngine:
    def make_private(self, *, module, optimizer, data_loader, **options):
        return module, optimizer, data_loader

    def make_private_with_epsilon(self, *, module, optimizer, data_loader, **options):
        return module, optimizer, data_loader
