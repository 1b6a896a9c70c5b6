"use strict";
(() => {
  const all = (what, inside = document) => [...inside.querySelectorAll(what)];

  // Tables: the name of a column becomes a button that sorts by it; missing values stay last.
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (!("v" in cell.dataset)) return cell.textContent.trim();
    return cell.dataset.v === "" ? null : Number(cell.dataset.v);
  };
  const sort = (table, head) => {
    const column = head.cellIndex;
    const up = head.getAttribute("aria-sort") !== "ascending";
    all("th[aria-sort]", table.tHead).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, column), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      const order = typeof a === "number" ? a - b : a.localeCompare(b);
      return up ? order : -order;
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  for (const table of all("table.sortable")) {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, head));
      head.append(button);
    }
  }

  // The method below the pointer is highlighted everywhere.
  let highlighted = null;
  const highlight = (key) => {
    if (key === highlighted) return;
    highlighted = key;
    all(".highlight").forEach((element) => element.classList.remove("highlight"));
    document.documentElement.classList.toggle("dim", key !== null);
    if (key !== null) {
      all(`[data-key="${CSS.escape(key)}"]`).forEach((element) => element.classList.add("highlight"));
    }
  };
  document.addEventListener("pointerover", (event) => {
    highlight(event.target.closest("[data-key]")?.dataset.key ?? null);
  });
  document.documentElement.addEventListener("pointerleave", () => highlight(null));

  // Print everything.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open])");
    opened.forEach((details) => (details.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((details) => (details.open = false)));
})();
