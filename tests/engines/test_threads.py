"""Blocks and threads change no bit, work is returned and not written, and an error is raised once."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config

from infosift.criteria.ksg import KSG
from infosift.data.types import encode_categories
from infosift.engines.base import Question, ThreadEngine, join_columns
from infosift.errors import InputError


def question(n_candidates=17, n_given=2, n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n_candidates + n_given + 1, n_rows))
    columns[0] = encode_categories(rng.integers(3, size=n_rows).astype(float))
    columns.setflags(write=False)  # who writes into what it is passed is found out
    return Question(columns[:n_candidates], columns[n_candidates:-1], columns[-1:])


def several():
    """Questions of unlike size: some rows only, shuffled candidates, picked ones, with a subset and without."""
    whole = question()
    rows = np.arange(0, 60, 2)
    order = np.random.default_rng(1).permutation(rows)
    return [
        whole,
        replace(whole, rows=rows),
        replace(whole, rows=rows, candidate_rows=order),
        replace(whole, picked=[5, 0, 11]),
        question(n_candidates=1, n_given=0, n_rows=40),
    ]


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("block_size", [None, 1, 4, 1000])
def test_neither_blocks_nor_threads_change_a_score(n_jobs, block_size):
    engine = ThreadEngine(n_jobs, block_size)
    for questions in (several(), several()[:1], several()[3:4], several()[4:]):
        expected = [KSG().score([asked], (2, 5), ThreadEngine(1))[0] for asked in questions]
        scores = KSG().score(questions, (2, 5), engine)
        assert len(scores) == len(questions)
        for ours, reference, asked in zip(scores, expected, questions, strict=True):
            assert ours.shape == (asked.n_candidates, 2)
            np.testing.assert_array_equal(ours, reference)


def test_a_question_takes_the_rows_and_candidates_it_is_about():
    whole = question()
    rows, order = np.array([3, 1, 8]), np.array([8, 3, 1])
    asked = replace(whole, rows=rows, candidate_rows=order, picked=[4, 2, 9])
    assert (asked.n_candidates, asked.n_rows) == (3, 3)
    candidates, given, target = asked.block(slice(1, 3))
    np.testing.assert_array_equal(candidates, whole.candidates[[2, 9]][:, order])
    np.testing.assert_array_equal(given, whole.given[:, rows])
    np.testing.assert_array_equal(target, whole.target[:, rows])
    assert all(part.flags.c_contiguous for part in (candidates, given, target))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_answers_come_in_the_order_of_the_items(n_jobs):
    def answer(item):
        if item == 0 and n_jobs > 1:
            later.wait(10)  # the first is the last to be done
        elif item == 5:
            later.set()
        return item**2

    later = threading.Event()
    assert list(ThreadEngine(n_jobs).map(answer, range(20))) == [item**2 for item in range(20)]
    assert list(ThreadEngine(n_jobs).map(answer, [])) == []


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_answers_come_as_soon_as_they_are_there(n_jobs):
    def answer(item):
        assert item < 5 or first_was_seen.wait(10)
        return item

    first_was_seen = threading.Event()
    answers = ThreadEngine(n_jobs).map(answer, range(20))
    assert next(answers) == 0
    first_was_seen.set()
    assert list(answers) == list(range(1, 20))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_what_items_share_follows_each_of_them(n_jobs):
    engine = ThreadEngine(n_jobs)
    expected = [(item, "all", "of them") for item in range(7)]
    assert list(engine.map(lambda *asked: asked, range(7), "all", "of them")) == expected
    handles = engine.persist(lambda *asked: asked, range(7), "all", "of them")
    assert list(engine.map(lambda kept: kept, handles)) == expected


def test_columns_are_spread_without_a_copy():
    columns = np.random.default_rng(0).normal(size=(5, 4))
    spread = ThreadEngine(2).distribute(columns)
    assert all(block is columns for block in spread.blocks)
    np.testing.assert_array_equal(join_columns(spread.locate([3, 0, 3])), columns[[3, 0, 3]])


@given(st.integers(0, 300), st.integers(1, 100), st.integers(1, 5))
def test_parts_have_all_items_once_and_none_is_larger_than_asked(n_items, most, n_jobs):
    parts = ThreadEngine(n_jobs).parts(n_items, most)
    assert [item for part in parts for item in range(part.start, part.stop)] == list(range(n_items))
    assert all(1 <= part.stop - part.start <= most for part in parts)
    assert len(parts) >= min(n_jobs, n_items)  # no thread waits for nothing
    if n_jobs == 1:
        assert len(parts) == -(-n_items // most)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_exception_in_a_worker_is_raised_once_and_ends_the_work(n_jobs):
    asked = []

    def answer(item):
        asked.append(item)
        if item >= 5:
            raise RuntimeError(f"item {item}")

    with pytest.raises(RuntimeError, match=r"^item 5$") as raised:
        list(ThreadEngine(n_jobs).map(answer, range(5000)))
    assert raised.value.__context__ is None
    assert asked.count(5) == 1
    if n_jobs == 1:
        assert asked == list(range(6))


def test_an_exception_cancels_what_has_not_begun():
    gate = threading.Event()
    asked = []

    def answer(item):
        asked.append(item)
        if item == 0:
            gate.wait(10)
            raise RuntimeError("enough")
        if item == 10:
            gate.set()
        threading.Event().wait(0.01)

    with pytest.raises(RuntimeError, match="enough"):
        list(ThreadEngine(2).map(answer, range(1000)))
    assert len(asked) < 500


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_every_block_is_counted_and_may_end_the_work(n_jobs):
    counted = []
    ThreadEngine(n_jobs, block_size=4, on_block=counted.append).score(
        lambda candidates, given, target, n_threads: candidates, [question(), question(n_candidates=5)]
    )
    assert counted == [4, 4, 4, 4, 1, 4, 1]

    def stop(n_candidates):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        KSG().score(several(), (3,), ThreadEngine(n_jobs, block_size=1, on_block=stop))


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("way", ["map", "persist"])
def test_all_other_work_is_counted_as_no_candidates_and_may_end_too(n_jobs, way):
    counted, asked = [], []
    engine = ThreadEngine(n_jobs, on_block=counted.append)
    assert list(getattr(engine, way)(str, range(7))) == list("0123456")
    assert counted == [0] * 7

    def answer(item):
        asked.append(item)
        threading.Event().wait(0.001)

    def stop(n_candidates):
        counted.append(n_candidates)
        if len(counted) == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(getattr(ThreadEngine(n_jobs, on_block=stop), way)(answer, range(1000)))
    assert counted == [0] * 10
    assert len(asked) == 3 if n_jobs == 1 else len(asked) < 500


def test_threads_share_the_rows_of_few_questions_or_take_blocks_of_many():
    seen = []

    def score_block(candidates, given, target, n_threads):
        seen.append(n_threads)
        return candidates[:, :1]

    engine = ThreadEngine(3)
    engine.score(score_block, [question(n_given=2)])
    assert set(seen) == {3}
    engine.score(score_block, [question(n_given=2)] * 11)
    assert set(seen) == {3}
    seen.clear()
    engine.score(score_block, [question(n_given=2)] * 12)
    engine.score(score_block, [question(n_given=2), question(n_given=0)])
    engine.score(score_block, [question(n_given=0)])
    assert set(seen) == {1}


def test_the_number_of_threads_is_that_of_joblib():
    assert ThreadEngine().n_threads == 1
    assert ThreadEngine(2).n_threads == 2
    assert ThreadEngine(-1).n_threads >= 1
    with parallel_config(backend="threading", n_jobs=2):
        assert ThreadEngine().n_threads == 2
    with parallel_config(backend="threading", n_jobs=100_000):
        assert ThreadEngine().n_threads == 4096


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", 100_000])
def test_refuses_what_is_no_number_of_threads(n_jobs):
    with pytest.raises(InputError, match="n_jobs must be a number of threads, -1 for one per core, or None, not"):
        ThreadEngine(n_jobs)
