#!/usr/bin/env python3
"""Remake the SIFT descriptor set of this folder from photographs in three Debian 12 packages.

    make_sift.py [--out DIR]            download the packages, write the data files to DIR
    make_sift.py --report [--out DIR]   only read the files of DIR and print figures about them

DIR is this script's folder unless given.  images.tsv, beside the script, says which picture
goes to which split and how many of its descriptors are used.  README.md has the rest.

Needs Debian's own python3, python3-numpy, python3-opencv, apt-get, dpkg-deb, 600 MB in TMPDIR.
"""
import argparse
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

# OpenCV picks code by processor, and its wider vector code rounds a few bytes differently.
# Keeping to the baseline makes the result the same on all of them.  To be set before the import.
os.environ["OPENCV_CPU_DISABLE"] = "SSE4.1,SSE4.2,AVX,FP16,AVX2,FMA3,AVX512-SKX"
import cv2  # noqa: E402
import numpy as np  # noqa: E402

cv2.setNumThreads(1)
HERE = Path(__file__).resolve().parent
ROWS = {"base": 10000, "learn": 10000, "query": 400}
NEIGHBOURS, SEED = 100, 2015
FILES = ["sift_learn.bvecs", "sift_base.bvecs", "sift_query.bvecs", "sift_groundtruth.ivecs"]


def read_image_list():
    """Tuples (role, cap, package, sha256, file)."""
    lines = (HERE / "images.tsv").read_text().splitlines()
    return [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def unpack(package, folder):
    """Download a Debian package and unpack it below `folder`, without installing it."""
    subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True)
    (deb,) = folder.glob(package + "_*.deb")
    subprocess.run(["dpkg-deb", "-x", deb, folder / package], check=True)
    deb.unlink()


def descriptors(path, cap):
    """The SIFT descriptors of the `cap` strongest keypoints of a picture (0: of all), as bytes."""
    grey = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    sift = cv2.SIFT_create(contrastThreshold=0.02)  # the rest as OpenCV has it
    points, values = sift.detectAndCompute(grey, None)
    strength = [(-p.response, p.pt[1], p.pt[0], p.size, p.angle) for p in points]
    order = sorted(range(len(points)), key=strength.__getitem__)
    return values[order[:cap or None]].astype(np.uint8)


def make_splits(images, folder):
    """Descriptors of each role, shuffled and cut to ROWS; of equal ones only the first is kept."""
    seen, splits = set(), {}
    for role, rows in ROWS.items():
        kept = []
        for _, cap, package, digest, name in (image for image in images if image[0] == role):
            picture = folder / package / name
            if sha256(picture) != digest:
                raise SystemExit(f"{package}: {name} is not the picture of images.tsv")
            for vector in descriptors(picture, int(cap)):
                if vector.tobytes() not in seen:
                    seen.add(vector.tobytes())
                    kept.append(vector)
        order = np.random.RandomState(SEED).permutation(len(kept))
        splits[role] = np.array(kept)[order[:rows]]
        print(f"{role}: {len(splits[role])} of {len(kept)} descriptors")
    return splits


def square_distances(query, base):
    """All squared Euclidean distances; exact, since every sum is an integer below 2^53."""
    query, base = query.astype(float), base.astype(float)
    return (query**2).sum(1)[:, None] - 2 * query @ base.T + (base**2).sum(1)


def nearest(distance, count):
    """For each row, the columns of its `count` least values; equal ones in column order."""
    return np.argsort(distance, axis=1, kind="stable")[:, :count]


def write_vectors(path, values):
    """.bvecs (uint8) or .ivecs (int32): every row is its length as an int32, then its values."""
    values = values.astype(values.dtype.newbyteorder("<"))
    length = np.array(values.shape[1], "<i4").tobytes()
    path.write_bytes(b"".join(length + row.tobytes() for row in values))


def read_vectors(path):
    kind = np.dtype("u1" if path.suffix == ".bvecs" else "<i4")
    raw = path.read_bytes()
    row = 4 + int.from_bytes(raw[:4], "little") * kind.itemsize
    return np.ascontiguousarray(np.frombuffer(raw, "u1").reshape(-1, row)[:, 4:]).view(kind)


def report(out):
    """How near the nearest rows are, and the recall of codes from truncated PCA (tPCA)."""
    learn, base, query, truth = (read_vectors(out / name) for name in FILES)
    distance = square_distances(query, base)
    assert (truth == nearest(distance, NEIGHBOURS)).all()
    near = np.sqrt(np.take_along_axis(distance, truth[:, [0, 1, NEIGHBOURS - 1]], 1))
    print("median distance of neighbour 1, 2, 100:", np.median(near, 0).round(1))
    for limit in (0.5, 0.7, 0.8):
        to_last, to_second = ((near[:, 0] < limit * near[:, i]).mean() for i in (2, 1))
        print(f"queries with d1 < {limit} d100: {to_last:.1%}, d1 < {limit} d2: {to_second:.1%}")
    mean = learn.astype(float).mean(0)
    spread, axes = np.linalg.eigh(np.cov(learn, rowvar=False, dtype=float))
    for bits in (16, 32, 64):
        lead = axes[:, ::-1][:, :bits]
        code_b, code_q = ((x - mean) @ lead > 0 for x in (base, query))
        hamming = (code_q[:, None, :] != code_b[None, :, :]).sum(2)
        rank = nearest(hamming, NEIGHBOURS)
        recall = [(rank[:, :r] == truth[:, :1]).any(1).mean() for r in (1, 10, 100)]
        share = spread[::-1][:bits].sum() / spread.sum()
        print(f"tPCA, {bits} bits, {share:.0%} of the variance: recall@1/10/100", *recall)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the data files")
    parser.add_argument("--report", action="store_true", help="print figures only")
    args = parser.parse_args()
    if args.report:
        return report(args.out)
    args.out.mkdir(parents=True, exist_ok=True)
    images = read_image_list()
    with tempfile.TemporaryDirectory() as folder:
        for package in sorted({image[2] for image in images}):
            unpack(package, Path(folder))
        splits = make_splits(images, Path(folder))
    distance = square_distances(splits["query"], splits["base"])
    splits["groundtruth"] = nearest(distance, NEIGHBOURS).astype(np.int32)
    sums = ""
    for name in FILES:
        write_vectors(args.out / name, splits[Path(name).stem.removeprefix("sift_")])
        sums += f"{sha256(args.out / name)}  {name}\n"
    (args.out / "SHA256SUMS").write_text(sums)


if __name__ == "__main__":
    main()
