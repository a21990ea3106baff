"use strict";
document.documentElement.classList.add("scripted");
(() => {
  const table = document.getElementById("features"), body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const wordsOf = (row) => [...row.cells].filter((cell) => !cell.classList.contains("number"));
  const rows = [...body.rows].map((row) => (
    { row, text: wordsOf(row).map((cell) => cell.textContent).join(" ").toLowerCase() }
  ));

  const valueOf = (cell, isNumber) => {
    const text = cell.dataset.v ?? cell.textContent;
    return isNumber && text !== "" ? Number(text) : text;
  };
  const compare = (a, b, isNumber) => (isNumber ? a - b : collator.compare(a, b));

  headers.forEach((header, place) => header.querySelector("button").addEventListener("click", () => {
    const descending = header.getAttribute("aria-sort") === "ascending";
    const isNumber = header.classList.contains("number");
    const keyed = rows.map((entry) => ({ entry, value: valueOf(entry.row.cells[place], isNumber) }));
    // What has no value comes last, whichever the direction.
    keyed.sort((a, b) => (a.value === "") - (b.value === "")
      || (a.value === "" ? 0 : (descending ? -1 : 1) * compare(a.value, b.value, isNumber)));
    headers.forEach((other) => other.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    body.append(...keyed.map(({ entry }) => entry.row));
  }));

  const search = document.getElementById("search"), found = document.getElementById("found");
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const { row, text } of rows) {
      row.hidden = !text.includes(wanted);
      shown += !row.hidden;
    }
    const all = rows.length.toLocaleString("en");
    found.textContent = wanted ? `${shown.toLocaleString("en")} of ${all} features` : `${all} features`;
  };
  search.addEventListener("input", filter);
  if (search.value) filter();

  const select = (element) => getSelection().selectAllChildren(element);
  const copy = async (element) => {
    try {
      await navigator.clipboard.writeText(element.textContent);
      return true;
    } catch {
      select(element);
      return document.execCommand("copy");
    }
  };
  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", async () => {
      button.textContent = await copy(document.getElementById(button.dataset.copies)) ? "Copied" : "Press Ctrl+C";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }
})();
