"""The textbook's models, bare: what the studies fit. No preprocessing, features are on one scale there."""

from __future__ import annotations

from typing import Literal

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier


def lda() -> LinearDiscriminantAnalysis:
    """Linear discriminant analysis: normal classes with one covariance, plugged into Bayes' rule."""
    return LinearDiscriminantAnalysis()


def qda() -> QuadraticDiscriminantAnalysis:
    """Quadratic discriminant analysis: a covariance for each class."""
    return QuadraticDiscriminantAnalysis()


def nearest_neighbours(k: int = 1) -> KNeighborsClassifier:
    """k nearest neighbours."""
    return KNeighborsClassifier(n_neighbors=k)


def tree() -> DecisionTreeClassifier:
    """A decision tree grown until its leaves are pure."""
    return DecisionTreeClassifier()


def logistic() -> LogisticRegression:
    """Logistic regression by (almost) maximum likelihood: the penalty only keeps separable samples finite."""
    return LogisticRegression(C=100.0, max_iter=1000)


def maximum_margin(kernel: Literal["linear", "rbf"] = "linear") -> SVC:
    """A maximum margin classifier (support vector machine), linear or with a Gaussian kernel ("rbf")."""
    return SVC(kernel=kernel)
