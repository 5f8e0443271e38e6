"""The models of the presets, each as a Traceable. Torch, timm and transformers are needed here only."""
