"""A linear fit and the distance to the nearest training row with scikit-learn: sklearn_load.py TRAIN.csv ASKED.csv.

Reads both files with NumPy, standardizes the inputs, fits LinearRegression and asks NearestNeighbors, by a k-d tree and
by brute force (a matrix product), for the distances of the rows of ASKED.csv. Prints one JSON object with wall seconds.
The k-d tree answers the first 100 rows only; its time is scaled up.
"""

import json
import sys
import time

import numpy as np
import sklearn
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import NearestNeighbors

FEW = 100


def main():
    figures = {"version": sklearn.__version__}

    def timed(name, action, scale=1.0):
        start = time.perf_counter()
        result = action()
        figures[name] = (time.perf_counter() - start) * scale
        return result

    train = timed("read_s", lambda: np.loadtxt(sys.argv[1], delimiter=",", skiprows=1))
    asked = np.loadtxt(sys.argv[2], delimiter=",", skiprows=1)
    x, y = train[:, :-1], train[:, -1]
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    x, q = (x - mean) / deviation, (asked[:, :-1] - mean) / deviation
    model = timed("fit_s", lambda: LinearRegression().fit(x, y))
    timed("predict_s", lambda: model.predict(q))
    brute = NearestNeighbors(n_neighbors=1, algorithm="brute", n_jobs=-1).fit(x)
    timed("brute_distances_s", lambda: brute.kneighbors(q))
    tree = timed("tree_build_s", lambda: NearestNeighbors(n_neighbors=1, algorithm="kd_tree", n_jobs=-1).fit(x))
    timed("tree_distances_s", lambda: tree.kneighbors(q[:FEW]), len(q) / FEW)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
