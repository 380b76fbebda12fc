"""Standard errors: influence functions of the bootstrap and of cross-validation, and the classical ones."""
