#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes the digits files and the tables of this folder from Debian's package python3-sklearn.

    apt-get download python3-sklearn && dpkg -x python3-sklearn_*.deb FOLDER
    python3 make_digits.py FOLDER/usr/lib/python3/dist-packages/sklearn/datasets/data OUT

Pixels of 0 to 16 become bytes of 0 to 255. The first 1,437 digits are for learning, the last 360
for testing. Needs nothing but Python.
"""
import csv
import gzip
import pathlib
import struct
import sys


def write_idx(path, sizes, values):
    header = bytes([0, 0, 8, len(sizes)]) + b"".join(struct.pack(">I", s) for s in sizes)
    path.write_bytes(header + bytes(values))


def digits(source, out):
    with gzip.open(source / "digits.csv.gz", "rt") as text:
        rows = [[int(float(v)) for v in row] for row in csv.reader(text)]
    for name, part in (("learn", rows[:1437]), ("test", rows[1437:])):
        pixels = [(v * 255 + 8) // 16 for row in part for v in row[:64]]
        write_idx(out / f"digits_{name}_images.idx", (len(part), 8, 8), pixels)
        write_idx(out / f"digits_{name}_labels.idx", (len(part),), [row[64] for row in part])


def table(source, out):
    with open(source) as text:
        rows = list(csv.reader(text))[1:]  # its own header has no names of columns
    with open(out, "w") as text:
        text.write(",".join([f"f{i}" for i in range(len(rows[0]) - 1)] + ["label"]) + "\n")
        for row in rows:
            text.write(",".join(row) + "\n")


def main():
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    digits(source, out)
    table(source / "iris.csv", out / "iris.csv")
    table(source / "wine_data.csv", out / "wine.csv")
    table(source / "breast_cancer.csv", out / "breast_cancer.csv")


if __name__ == "__main__":
    main()
