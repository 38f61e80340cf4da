"""Slopes of curves: the fit that `slope(log(y), log(x))` makes in claims (src/theory/power_fit.hpp), to the last digits."""

import typing

import numpy as np


class Fit(typing.NamedTuple):
    """The least-squares slope of ln y against ln x with its 95 % interval (Student, n - 2 degrees of freedom), the least and the largest
    x, the number of points, and ln y of the fit at x = 1. The slope of fewer than 3 points is NaN."""

    slope: float
    low: float
    high: float
    start: float
    end: float
    points: int
    level: float

    def at(self, x):
        return np.exp(self.level + self.slope * np.log(x))

    def text(self):
        return f"{self.slope:.3f} ± {(self.high - self.low) / 2:.2g}".replace("-", "−") if self.points > 2 else "–"


def student_t(freedom):
    """The t with P(|T| <= t) = 0.95 for Student's T with a whole number of degrees of freedom: its law is a finite sum in the angle of
    t/√freedom (Abramowitz and Stegun 26.7.3 and 26.7.4), inverted by bisection."""
    orders = np.arange(2 + freedom % 2, freedom - 1, 2)
    ratios = np.cumprod(np.concatenate([[1.0], (orders - 1) / orders]))

    def within(angle):
        cosine = np.cos(angle)
        if freedom % 2 == 0:
            return np.sin(angle) * np.sum(ratios * cosine ** (2 * np.arange(len(ratios))))
        series = np.sum(ratios * cosine ** (1 + 2 * np.arange(len(ratios)))) if freedom > 1 else 0.0
        return 2 / np.pi * (angle + np.sin(angle) * series)

    low, high = 0.0, np.pi / 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < 0.95 else (low, middle)
    return np.sqrt(freedom) * np.tan(low)


def fit_power(x, y):
    """The Fit of positive numbers."""
    count, ends = len(x), (x.min(), x.max()) if len(x) else (np.nan, np.nan)
    if count < 3:
        return Fit(np.nan, np.nan, np.nan, *ends, count, np.nan)
    means = np.log(x).mean(), np.log(y).mean()
    x, y = (np.log(values) - mean for values, mean in zip((x, y), means))
    slope = np.sum(x * y) / np.sum(x * x)
    half = student_t(count - 2) * np.sqrt(np.sum((y - slope * x) ** 2) / (count - 2) / np.sum(x * x))
    return Fit(slope, slope - half, slope + half, *ends, count, means[1] - slope * means[0])
