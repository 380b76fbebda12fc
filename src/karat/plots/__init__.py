"""Plots: one file per figure, `draw(obj, ax)` as the one entry point."""
