"""Numbers that compare answers with the truth, in plain Python. Answers and truth are lists of rows, a row a list of outputs."""

import math
import statistics


def rmse(predicted, truth):
    return math.sqrt(statistics.fmean((p - t) ** 2 for p, t in zip(predicted, truth, strict=True)))


def by_output(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def mean_absolute(predicted, truth):
    """Mean absolute error over rows and outputs."""
    return statistics.fmean(abs(p - t) for row, true in zip(predicted, truth, strict=True)
                            for p, t in zip(row, true, strict=True))


def relative_rmse(predicted, truth, scales):
    """Root mean square error over rows and outputs, each output divided by its scale."""
    return math.sqrt(statistics.fmean(((p - t) / scale) ** 2 for row, true in zip(predicted, truth, strict=True)
                                      for p, t, scale in zip(row, true, scales, strict=True)))


def distances(predicted, truth):
    """Of each row, over its outputs: what `expected_error` expects."""
    return [math.dist(row, true) for row, true in zip(predicted, truth, strict=True)]


def ranks(values):
    """From 1; equal values share the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for i in order[first:last + 1]:
            found[i] = (first + last) / 2 + 1
        first = last + 1
    return found


def rank_correlation(predicted, truth):
    """Spearman's, the mean over outputs; None where an output is constant."""
    found = []
    for p, t in zip(by_output(predicted), by_output(truth), strict=True):
        if min(len(set(p)), len(set(t))) < 2:
            return None
        found.append(statistics.correlation(ranks(p), ranks(t)))
    return statistics.fmean(found)


def chances(values, count):
    """Of each value to be among the `count` greatest, when equal values are drawn by lot."""
    limit = sorted(values, reverse=True)[count - 1]
    above, equal = sum(v > limit for v in values), values.count(limit)
    return [1.0 if v > limit else (count - above) / equal if v == limit else 0.0 for v in values]


def top_share(predicted, truth):
    """Of the tenth of the rows whose true output is greatest, the share that is in the predicted tenth too; the mean over
    outputs."""
    count = math.ceil(len(truth) / 10)
    return statistics.fmean(
        sum(p * t for p, t in zip(chances(own, count), chances(true, count), strict=True)) / count
        for own, true in zip(by_output(predicted), by_output(truth), strict=True))


def summary(values):
    return {"mean": statistics.fmean(values), "sd": statistics.pstdev(values), "n": len(values)}


def total(counts):
    summed = {}
    for count in counts:
        for key, value in count.items():
            summed[key] = summed.get(key, 0) + value
    return summed
