"""GPU Planner's domain: frozen dataclasses and pure functions. No Qt, no torch, no prose."""

__version__ = "0.1.0"
