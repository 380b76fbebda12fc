"""Plots: one Display a file, its data as a frame first, matplotlib axes in and out second."""
