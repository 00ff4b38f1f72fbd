"""stats.py — medians, intervals by the bootstrap, ratios, outliers, geometric means

Small samples of times: a few slow ones must not move the figure, so the middle is the median and
the spread is measured around it.  What is random here comes from a generator with a seed: the same
samples give the same interval.
"""

import math
import random
import statistics
from collections.abc import Sequence
from typing import NamedTuple

CONFIDENCE = 0.95
RESAMPLES = 1000    # more move the ends of the interval by a few hundredths of its length
FAR = 3.5           # an outlier is so many robust standard deviations from the median
MAD_TO_SIGMA = 1.4826   # of a normal distribution


class Interval(NamedTuple):
    """A figure, and where it lies with 95 % confidence."""
    middle: float
    low: float
    high: float


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def mad(values: Sequence[float]) -> float:
    """The median of the distances from the median."""
    middle = median(values)
    return median([abs(value - middle) for value in values])


def outliers(values: Sequence[float]) -> list[int]:
    """Indices of the values far from the others; they are told, never taken out.

    With fewer than four values nobody can say who is the odd one.  Where more than half are equal
    the MAD is 0 and any other value would be far: a hundredth of the median is then the yardstick.
    """
    if len(values) < 4:
        return []
    middle = median(values)
    sigma = max(MAD_TO_SIGMA * mad(values), abs(middle) / 100)
    return [i for i, value in enumerate(values) if abs(value - middle) > FAR * sigma]


def percentiles(figures: Sequence[float]) -> tuple[float, float]:
    """What 95 % of them lie between."""
    figures, tail = sorted(figures), (1 - CONFIDENCE) / 2
    last = len(figures) - 1
    return figures[math.floor(tail * last)], figures[math.ceil((1 - tail) * last)]


def resampled_medians(values: Sequence[float], seed: int = 0,
                      resamples: int = RESAMPLES) -> list[float]:
    """Medians of samples that are drawn from the sample, as large as it, with repetition."""
    if not values:
        raise ValueError("no values: there is no median")
    draw, count = random.Random(seed), len(values)
    return [median(draw.choices(values, k=count)) for _ in range(resamples)]


def bootstrap_median(values: Sequence[float], seed: int = 0) -> Interval:
    """The median, and the percentiles of the resampled ones."""
    return Interval(median(values), *percentiles(resampled_medians(values, seed)))


def ratio_of(above: Sequence[float], below: Sequence[float], above_medians: Sequence[float],
             below_medians: Sequence[float]) -> Interval | None:
    """The ratio of two medians by their resampled ones; None: the one below is 0, or may be."""
    if not above or not below or min(below) <= 0:
        return None
    ratios = [one / other for one, other in zip(above_medians, below_medians)]
    return Interval(median(above) / median(below), *percentiles(ratios))


def bootstrap_ratio(above: Sequence[float], below: Sequence[float],
                    seed: int = 0) -> Interval | None:
    """The same where nothing was resampled yet; the two are drawn independently."""
    if not above or not below:
        return None
    return ratio_of(above, below, resampled_medians(above, seed),
                    resampled_medians(below, seed + 1))


def geometric_mean(values: Sequence[float]) -> float | None:
    """The mean of ratios: two and a half cancel.  None: there is nothing to take it of."""
    known = [value for value in values if value > 0]
    return math.exp(math.fsum(map(math.log, known)) / len(known)) if known else None
