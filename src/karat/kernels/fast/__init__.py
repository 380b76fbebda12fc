"""The numba twins of the kernels: same names, same signatures. Imported on the first call of a kernel."""
