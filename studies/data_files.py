"""The data files of the studies, in a folder of the user's and recognised by their hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from infosift.arrays import FloatArray
from infosift.errors import InputError

Data = tuple[FloatArray, np.ndarray]
_SHIPPED = {"diabetes": load_diabetes, "breast cancer": load_breast_cancer, "wine": load_wine}


@dataclass(frozen=True)
class DataFile:
    """A file that may not be distributed with the repository, and where it can be had."""

    name: str
    sha256: str
    source: str

    def read(self, folder: Path | None) -> pl.DataFrame:
        """Read the file from a folder, after checking its SHA-256."""
        if folder is None:
            raise InputError(
                f"The study needs {self.name}: give its folder with --data or in INFOSIFT_DATA. {self.source}"
            )
        path = folder / self.name
        if not path.is_file():
            raise InputError(f"There is no {self.name} in {folder}. {self.source}")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise InputError(
                f"{path} is not the file that the study expects (its SHA-256 is another). {self.source}"
            )
        return pl.read_csv(content)


HOUSING = DataFile(
    "boston_housing.csv",
    "79ac716620024011b03c0c44d2bf99069b8173649181926d9109c25475a3804c",
    "It is the Boston housing table (506 rows, 14 columns, target MEDV) as it came with scikit-learn up to "
    "version 1.1, with a plain header row.",
)
NITROGEN = DataFile(
    "nitrogen_idrc1998.csv.gz",
    "55161652ca4965a0505ee50b65543e3d619ab45005221f2415788464708f813d",
    "It holds the 141 fescue spectra of the IDRC 1998 shoot-out with their nitrogen content, exported from "
    "data/shootout.RData of the R package plantspec (griffithdan/plantspec on GitHub) with columns wl400 to "
    "wl2498, C, N, S and FERT.",
)
TECATOR = DataFile(
    "tecator.csv.gz",
    "24b23edbed1beb7c4159893fbab0b7aed38513eecfb11359df5e6a110998bafe",
    "It holds the 215 spectra of meat recorded on a Tecator Infratec analyser, exported from data/tecator.RData "
    "of the R package caret with columns a001 to a100, moisture, fat and protein.",
)
SONAR = DataFile(
    "sonar.csv",
    "5efca8bece4f9197ef940cb4dc953d307fadc252032c1a71e4868944df6cad12",
    "It is the sonar table of the R package mlbench (208 rows, V1 to V60) with mine = 1 for mines, 0 for rocks.",
)
COLON = DataFile(
    "colon.csv.gz",
    "d46ca2aedf0055f407209f2fbaf5b54a47a361c48ceee0b15ea83a5d90df0cf0",
    "It holds the colon data of Alon et al. (1999) as in the R package plsgenomics: 62 rows, genes g0001 to g2000 "
    "and Y, 1 for normal and 2 for tumour.",
)
CENSUS = DataFile(
    "delve_census_house.csv.gz",
    "1c5cbbe04fd9c6aafee2885ec5e003befdfede8bf540055a43af4fee5b2817a8",
    "It holds the 22,784 rows and 138 attributes of Delve's census-house archive in Delve's random order (a copy "
    "is in mstrazar/mklaren on GitHub, datasets/delve/census-house).",
)


def load(name: str, folder: Path | None) -> Data:
    """Return the features and the target of a data set, from a file or from scikit-learn; classes are integers."""
    if name in _SHIPPED:
        return _SHIPPED[name](return_X_y=True)  # type: ignore[no-any-return]
    file, target, others = {
        "housing": (HOUSING, "MEDV", ()),
        "nitrogen": (NITROGEN, "N", ("C", "S", "FERT")),
        "tecator": (TECATOR, "fat", ("moisture", "protein")),
        "sonar": (SONAR, "mine", ()),
        "colon": (COLON, "Y", ()),
    }[name]
    frame = file.read(folder)
    X = frame.drop(target, *others).to_numpy().astype(np.float64)
    y = frame[target].to_numpy()
    return np.log(X) if file is COLON else X, y.astype(np.int64 if file in (SONAR, COLON) else np.float64)
