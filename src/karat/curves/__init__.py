"""ROC and PR curves, their error bars, and their operating points for two classes and more."""
