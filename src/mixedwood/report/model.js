"use strict";
(() => {
  const make = (tag, kind, text) => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // Rows: one at a time, chosen from a list.
  for (const explorer of document.querySelectorAll(".explorer")) {
    const rows = [...explorer.children], bar = make("div", "picker"), list = make("select");
    list.setAttribute("aria-label", "Row");
    rows.forEach((row, i) => {
      const option = make("option", "", row.dataset.title);
      option.value = i;
      list.append(option);
    });
    const show = (place) => {
      list.value = (place + rows.length) % rows.length;
      rows.forEach((row, i) => row.classList.toggle("hidden", i !== Number(list.value)));
    };
    const step = (text, label, by) => {
      const button = make("button", "", text);
      button.type = "button";
      button.setAttribute("aria-label", label);
      button.addEventListener("click", () => show(Number(list.value) + by));
      return button;
    };
    list.addEventListener("change", () => show(Number(list.value)));
    bar.append(step("\u2190", "Previous row", -1), list, step("\u2192", "Next row", 1));
    explorer.prepend(bar);
    show(0);
  }

  // The threshold: a slider in place of the table.
  for (const chooser of document.querySelectorAll(".chooser")) {
    const data = JSON.parse(chooser.dataset.thresholds);
    const label = make("label", "", "Threshold "), slider = make("input"), shown = make("output");
    Object.assign(slider, { type: "range", min: 0, max: data.levels.length - 1, step: 1, value: 49 });
    label.append(slider, shown);
    const grid = make("dl", "cards");
    const cells = ["Precision", "Recall", "F1 score", "Accuracy", `Predicted ${data.classes[1]}`, "Mistakes"].map((name) => {
      const box = make("div"), value = make("dd"), note = make("dd");
      box.append(make("dt", "", name), value, note);
      grid.append(box);
      return [value, note];
    });
    const fraction = (a, b) => (b ? (a / b).toFixed(4) : "\u2013");
    const show = () => {
      const [right, wrong] = data.hits[slider.value], missed = data.positive - right;
      const total = data.positive + data.negative;
      shown.textContent = data.levels[slider.value].toFixed(2);
      slider.setAttribute("aria-valuetext", shown.textContent);
      [
        [fraction(right, right + wrong), `${right} of ${right + wrong} predicted`],
        [fraction(right, data.positive), `${right} of ${data.positive} found`],
        [fraction(2 * right, 2 * right + wrong + missed), ""],
        [fraction(total - wrong - missed, total), `${total - wrong - missed} of ${total}`],
        [String(right + wrong), `${((100 * (right + wrong)) / total).toFixed(1)} % of the rows`],
        [String(wrong + missed), `${wrong} false alarms, ${missed} missed`],
      ].forEach((texts, i) => texts.forEach((text, k) => (cells[i][k].textContent = text)));
    };
    slider.addEventListener("input", show);
    const all = make("details"), head = make("summary", "", "Table of thresholds");
    all.append(head, ...chooser.childNodes);
    chooser.append(label, grid, all);
    show();
  }
})();
