from numpy import float64, int64
from numpy.typing import NDArray

def digamma_means(
    candidates: NDArray[float64],
    given: NDArray[float64],
    target: NDArray[float64],
    neighbors: NDArray[int64],
    digamma: NDArray[float64],
    variant: int,
    threads: int = 1,
    path: str = "best",
    instructions: str = "best",
) -> NDArray[float64]: ...
def fold_digamma_means(
    candidates: NDArray[float64],
    target: NDArray[float64],
    folds: NDArray[int64],
    neighbors: NDArray[int64],
    digamma: NDArray[float64],
    instructions: str = "best",
) -> NDArray[float64]: ...
def has_avx2() -> bool: ...

CATEGORY_GAP: float
