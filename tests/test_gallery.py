"""The gallery: what builds it works on small examples, and the examples have the form that it needs."""

import ast
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "docs" / "gallery").glob("*.py"))

spec = importlib.util.spec_from_file_location("gallery", ROOT / "docs" / "hooks" / "gallery.py")
gallery = importlib.util.module_from_spec(spec)
sys.modules["gallery"] = gallery
spec.loader.exec_module(gallery)

SMALL = '''"""What is six times seven?

A product, and a line.

It is often asked; see [the method](../method.md) and [another example](other.py).
"""

import matplotlib.pyplot as plt

answer = 6 * 7

# %%
# The answer is printed,
# with a [link](https://example.org).
print(answer)

# %%
# and drawn.
figure, ax = plt.subplots(figsize=(5, 3))
ax.plot([0, answer])
ax.set_title("A line")
plt.show()

# %%
# That is all.
'''


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "small.py"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_cells_are_texts_with_the_code_that_follows(example):
    found = gallery.read_example(example)
    assert (found.title, found.sentence) == ("What is six times seven?", "A product, and a line.")
    assert [cell.text.splitlines()[0] for cell in found.cells] == [
        "# What is six times seven?",
        "The answer is printed,",
        "and drawn.",
        "That is all.",
    ]
    assert found.cells[1].code == "print(answer)"
    assert found.cells[3].code == ""
    lines = SMALL.splitlines()
    for cell in found.cells[:3]:
        assert lines[cell.line - 1] == cell.code.splitlines()[0]


@pytest.mark.docs
def test_what_is_printed_and_drawn_is_on_the_page(example, tmp_path):
    shown = gallery.run_example(example, tmp_path / "results")
    assert [found.printed for found in shown] == ["", "42\n", "", ""]
    ((figure,),) = (found.figures for found in shown if found.figures)
    assert (figure.width, figure.title) == (500, "A line")
    assert (tmp_path / "results" / figure.file).read_bytes().startswith(b"\x89PNG")
    page = gallery.as_page(gallery.read_example(example), shown)
    assert "```python\nprint(answer)\n```\n\n```text\n42\n```" in page
    assert f"![A line]({figure.file})" in page
    assert "[another example](other.md)" in page
    assert "(small.py)" in page
    assert "(small.ipynb)" in page


@pytest.mark.docs
def test_a_result_is_used_again_until_the_script_changes(example, tmp_path):
    first = gallery.run_example(example, tmp_path)
    kept = tmp_path / "small.json"
    result = json.loads(kept.read_text(encoding="utf-8"))
    result["shown"][1]["printed"] = "43\n"
    kept.write_text(json.dumps(result), encoding="utf-8")
    assert gallery.run_example(example, tmp_path)[1].printed == "43\n"
    example.write_text(SMALL + "# Now it is.\n", encoding="utf-8")
    assert gallery.run_example(example, tmp_path) == first


@pytest.mark.docs
def test_all_that_failed_are_named(example, tmp_path):
    other = tmp_path / "other.py"
    other.write_text(SMALL + "1 / 0\n", encoding="utf-8")
    example.write_text(SMALL + "int('x')\n", encoding="utf-8")
    with pytest.raises(gallery.ExampleError, match=r"(?s)other\.py failed.*small\.py failed"):
        gallery.run_all([other, example], tmp_path / "results")


@pytest.mark.docs
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("raise ValueError('no')", "ValueError: no"),
        ("import warnings; warnings.warn('careful')", "UserWarning: careful"),
        ("import warnings; warnings.warn('soon', FutureWarning)", "FutureWarning: soon"),
    ],
)
def test_errors_and_warnings_fail(example, tmp_path, line, reason):
    example.write_text(SMALL + line + "\n", encoding="utf-8")
    number = len((SMALL + line).splitlines())
    with pytest.raises(gallery.ExampleError, match=rf"small\.py failed:(?s:.*)line {number}(?s:.*){reason}"):
        gallery.run_all([example], tmp_path / "results")


def test_a_script_without_a_title_is_refused(example):
    example.write_text("print(42)\n", encoding="utf-8")
    with pytest.raises(gallery.ExampleError, match=r"small\.py needs a docstring"):
        gallery.read_example(example)


def test_a_notebook_has_the_cells_in_their_order(example):
    notebook = json.loads(gallery.as_notebook(gallery.read_example(example)))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    kinds = [cell["cell_type"] for cell in notebook["cells"]]
    assert kinds == ["markdown", "code", "markdown", "code", "markdown", "code", "markdown"]
    assert len({cell["id"] for cell in notebook["cells"]}) == len(kinds)
    for cell in notebook["cells"]:
        of_code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | of_code
    texts = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert texts[1].startswith("import matplotlib")
    assert "see the method and another example." in texts[0]
    assert "[link](https://example.org)" in texts[2]


@pytest.mark.docs
def test_cards_have_a_figure_a_title_and_a_sentence(example, tmp_path):
    shown = {"small": gallery.run_example(example, tmp_path)}
    cards = gallery.as_cards([gallery.read_example(example)], shown)
    assert "[![](small-2-0.png)](small.md)" in cards
    assert "**[What is six times seven?](small.md)**\n\n    A product, and a line.\n" in cards


def test_examples_are_in_the_order_of_the_navigation(example, tmp_path):
    other = tmp_path / "other.py"
    other.write_text(SMALL, encoding="utf-8")
    examples = [gallery.read_example(path) for path in (other, example)]
    ordered = gallery.in_order(examples, "- gallery/small.md\n- gallery/other.md")
    assert [found.name for found in ordered] == ["small", "other"]
    with pytest.raises(gallery.ExampleError, match=r"does not list gallery/other\.md"):
        gallery.in_order(examples, "- gallery/small.md")


def test_every_example_is_in_the_navigation():
    listed = re.findall(r"- gallery/(\w+)\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert listed[0] == "index"
    assert sorted(listed[1:]) == [path.stem for path in EXAMPLES]
    overview = (ROOT / "docs" / "gallery" / "index.md").read_text(encoding="utf-8")
    examples = [gallery.read_example(ROOT / "docs" / "gallery" / f"{name}.py") for name in listed[1:]]
    lines = [f"- [{example.title}]({example.name}.py) {example.sentence}\n" for example in examples]
    assert gallery.PLACE_OF_CARDS.search(overview)[1] == "".join(lines)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_ask_a_question_and_draw_a_figure(path):
    example = gallery.read_example(path)
    assert "?" in example.title
    assert re.search(
        r"simulated|come with scikit-(learn|survival)", example.cells[0].text
    )  # where the data come from
    assert all(cell.text for cell in example.cells)
    assert any("plt.show()" in cell.code for cell in example.cells)
    assert "random_state" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_links_of_examples_lead_somewhere(path):
    for cell in gallery.read_example(path).cells:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", cell.text):
            assert (path.parent / link).exists(), link


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_linked_from_the_guide(path):
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md")]
    assert any(f"(gallery/{path.name})" in page for page in pages)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_read_no_file_that_they_did_not_write(path):
    # Data of others are not there for people who build the pages, and there may be no network.
    strings = [
        node.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert not [text for text in strings if text.startswith(("/", "~", "http", "../"))]
