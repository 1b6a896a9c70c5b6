"use strict";
// Interactive trees. An element .mw-walk has its trees as JSON in data-walk; nodes are in the order
// of a walk from left to right, each with the place of its parent (p). Texts come from users' data
// and are only ever set as text. Only nodes that are open and in view are elements of the page.
(() => {
  const WIDTH = 216, HEIGHT = 62, GAP_X = 60, GAP_Y = 12, BAND = 30, READABLE = 0.42, FIRST = 15;
  const RULE_VALUES = 1000;

  const make = (tag, kind, text) => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const count = (x) => x.toLocaleString("en", { maximumFractionDigits: 1 });
  const percent = (x) => (x > 0 && x < 0.005 ? "< 1 %" : x < 1 && x > 0.995 ? "> 99 %" : `${Math.round(100 * x)} %`);
  const number = (x, digits) => String(digits ? Number(x.toPrecision(digits)) : x);

  // Conditions: of one branch, merged along a path, and as text.

  const branch = (tree, node) => {
    const parent = tree.nodes[node.p], side = node.side;
    const others = { missing: parent.m === side, unknown: parent.u === side };
    if (parent.linear) {
      return { key: `sum ${parent.n}`, text: parent.linear[side], full: parent.full[side], ...others };
    }
    const found = { key: parent.col, column: tree.columns[parent.col], ...others };
    if (parent.cut) {
      const [low, high] = parent.cut;
      found.pieces = [[low, high]];
      if (side) found.pieces = [[null, low], [high, null]].filter((end, i) => parent.cut[i] !== null);
    } else {
      found.codes = parent.sets[side];
      found.cut = parent.cut_sets?.[side] ?? 0;
    }
    return found;
  };
  const larger = (a, b) => (a === null ? b : b === null ? a : Math.max(a, b));
  const smaller = (a, b) => (a === null ? b : b === null ? a : Math.min(a, b));
  const merge = (a, b) => {
    const both = { ...b, missing: a.missing && b.missing, unknown: a.unknown && b.unknown };
    if (b.pieces && a.pieces) {
      both.pieces = a.pieces.flatMap(([l, h]) => b.pieces.map(([ll, hh]) => [larger(l, ll), smaller(h, hh)]))
        .filter(([l, h]) => l === null || h === null || l < h);
    } else if (b.codes && a.codes) {
      const known = new Set(a.codes);
      both.codes = a.cut ? b.codes : b.codes.filter((code) => known.has(code));
    }
    return both;
  };
  const pathTo = (tree, node) => {
    const path = [];
    for (let at = node; at.p >= 0; at = tree.nodes[at.p]) path.unshift(at);
    return path;
  };
  const conditionsOf = (tree, node) => {
    const merged = new Map();
    for (const at of pathTo(tree, node)) {
      const one = branch(tree, at);
      merged.set(one.key, merged.has(one.key) ? merge(merged.get(one.key), one) : one);
    }
    return [...merged.values()];
  };
  const write = (one, limit, digits) => {
    let text = limit < RULE_VALUES ? one.text : one.full;
    if (one.pieces) {
      const name = one.column.name;
      text = one.pieces.map(([low, high]) => {
        if (low === null) return high === null ? `any ${name}` : `${name} <= ${number(high, digits)}`;
        if (high === null) return `${name} > ${number(low, digits)}`;
        return `${number(low, digits)} < ${name} <= ${number(high, digits)}`;
      }).join(" or ");
    } else if (one.codes) {
      const names = one.codes.slice(0, limit).map((code) => one.column.values[code]);
      const more = one.codes.length - names.length + one.cut;
      if (more) names.push(`... ${more} more`);
      text = names.length === 1 ? `${one.column.name} = ${names[0]}` : `${one.column.name} in {${names.join(", ")}}`;
      if (!names.length) text = "";
    }
    const others = ["missing", "unknown"].filter((which) => one[which] && !(one.pieces && which === "unknown"));
    if (!text) return others.length ? `${one.column.name} ${others.join(" or ")}` : `no ${one.column.name}`;
    return others.length ? `${text} (or ${others.join(" or ")})` : text;
  };

  const start = (root) => {
    const data = JSON.parse(root.dataset.walk);
    root.dataset.ready = "";
    delete root.dataset.walk;
    root.textContent = "";
    let tree = null, shown = [], focus = 0, marked = null, hits = [], hit = -1;
    let scale = 1, left = 0, top = 0, waiting = false;
    const elements = new Map();

    // The frame: a bar of controls, the view with its canvas and layer of nodes, and details.

    const bar = make("div", "mw-bar"), view = make("div", "mw-view"), side = make("div", "mw-side");
    const canvas = make("canvas"), layer = make("div", "mw-layer"), pen = canvas.getContext("2d");
    layer.setAttribute("role", "tree");
    layer.setAttribute("aria-label", `${data.label}. Arrow keys move, open and close; Enter marks a path.`);
    canvas.setAttribute("aria-hidden", "true");
    const button = (text, label, action) => {
      const made = make("button", "", text);
      made.type = "button";
      if (text.length < 2) made.setAttribute("aria-label", label);
      made.title = label;
      made.addEventListener("click", action);
      bar.append(made);
      return made;
    };
    const choice = make("select");
    choice.setAttribute("aria-label", "Tree");
    data.trees.forEach((one, i) => {
      const option = make("option", "", one.note ? `${one.title}: ${one.note}` : one.title);
      option.value = i;
      option.disabled = !one.nodes;
      choice.append(option);
    });
    if (data.trees.length > 1) bar.append(choice);
    const search = make("input"), found = make("span", "mw-found");
    search.type = "search";
    search.placeholder = "Search for a column";
    search.setAttribute("aria-label", "Search for a column");
    found.setAttribute("role", "status");
    bar.append(search);
    const previous = button("\u2191", "Previous split on the column", () => goTo(hit - 1));
    const next = button("\u2193", "Next split on the column", () => goTo(hit + 1));
    bar.append(found, make("span", "mw-gap"));
    button("\u2212", "Zoom out", () => zoom(1 / 1.35));
    button("+", "Zoom in", () => zoom(1.35));
    button("Fit", "Show all open nodes", () => fit(0.03));
    button("Open all", "Open all nodes", () => openAll(true));
    button("Close", "Close all nodes but the largest", () => openAll(false));
    side.setAttribute("role", "region");
    side.setAttribute("aria-label", `Node of ${data.label}`);
    side.tabIndex = 0;
    view.append(canvas, layer);
    const legend = make("div", "mw-legend"), body = make("div", "mw-body");
    body.append(view, side);
    root.append(bar, legend, body);

    // What is open, and where it is.

    const lines = (node) => ({ x: node.depth * (WIDTH + GAP_X), y: node.y });
    const prepare = (one) => {
      one.nodes.forEach((node, i) => {
        node.id = i;
        node.kids = [];
        node.open = false;
        const parent = one.nodes[node.p];
        node.depth = parent ? parent.depth + 1 : 0;
        if (parent) node.side = parent.kids.push(node) - 1;
      });
      one.prepared = true;
    };
    const openLargest = () => {
      tree.nodes.forEach((node) => (node.open = false));
      let n = 1;
      const queue = [tree.nodes[0]];
      while (queue.length && n < FIRST) {
        queue.sort((a, b) => b.w - a.w || a.id - b.id);
        const node = queue.shift();
        if (!node.kids.length) continue;
        node.open = true;
        n += node.kids.length;
        queue.push(...node.kids);
      }
    };
    const layOut = () => {
      shown = [];
      let row = 0;
      const isShown = new Uint8Array(tree.nodes.length);
      tree.nodes.forEach((node) => {
        if (node.p >= 0 && !(isShown[node.p] && tree.nodes[node.p].open)) return;
        isShown[node.id] = 1;
        shown.push(node);
        if (!node.open || !node.kids.length) node.y = row++ * (HEIGHT + GAP_Y);
      });
      for (let i = shown.length - 1; i >= 0; i--) {
        const node = shown[i];
        if (!node.open || !node.kids.length) continue;
        node.y = (node.kids[0].y + node.kids[node.kids.length - 1].y) / 2;
        // Bands of the children are as wide as their rows are many, and fill that of the parent.
        let before = 0;
        for (const kid of node.kids) {
          kid.from = (before + kid.w / 2 - node.w / 2) * (BAND / (tree.nodes[0].w || 1));
          before += kid.w;
        }
      }
      if (!isShown[focus]) focus = nearestShown(tree.nodes[focus]).id;
      schedule();
    };
    const nearestShown = (node) => {
      let at = node;
      for (let up = node; up.p >= 0; up = tree.nodes[up.p]) if (!tree.nodes[up.p].open) at = tree.nodes[up.p];
      return at;
    };
    const openAll = (all) => {
      if (all) tree.nodes.forEach((node) => (node.open = node.kids.length > 0));
      else openLargest();
      layOut();
      fit(all ? 0.03 : 0.72);
    };

    // Drawing: bands on the canvas, cards of readable size as elements.

    const schedule = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; draw(); });
    };
    const colorOf = (node) => (tree.classes ? tree.colors[node.k] : node.c);
    const draw = () => {
      const { clientWidth: width, clientHeight: height } = view, ratio = devicePixelRatio || 1;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      const style = getComputedStyle(root);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      pen.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * left, ratio * top);
      const x0 = -left / scale - WIDTH, x1 = (width - left) / scale;
      const y0 = -top / scale - HEIGHT, y1 = (height - top) / scale;
      const onPath = new Set(marked === null ? [] : pathTo(tree, tree.nodes[marked]).map((node) => node.id));
      const wanted = new Set([focus]);
      for (const node of shown) {
        const { x, y } = lines(node), parent = tree.nodes[node.p];
        if (parent && x > x0 - GAP_X && x - GAP_X < x1 && Math.min(y, parent.y) < y1 && Math.max(y, parent.y) > y0) {
          const from = lines(parent).x + WIDTH, begin = parent.y + HEIGHT / 2 + node.from, end = y + HEIGHT / 2;
          pen.strokeStyle = style.getPropertyValue(onPath.has(node.id) ? "--mw-accent" : "--mw-band");
          pen.lineWidth = Math.max(1.2, (BAND * node.w) / (tree.nodes[0].w || 1));
          pen.beginPath();
          pen.moveTo(from, begin);
          pen.bezierCurveTo(from + GAP_X / 2, begin, x - GAP_X / 2, end, x, end);
          pen.stroke();
        }
        if (x < x0 || x > x1 || y < y0 || y > y1) continue;
        if (scale >= READABLE) wanted.add(node.id);
        else {
          pen.fillStyle = colorOf(node);
          pen.fillRect(x, y, WIDTH, HEIGHT);
        }
      }
      const refocus = layer.contains(document.activeElement);
      for (const [id, element] of elements) {
        if (!wanted.has(id)) { element.remove(); elements.delete(id); }
      }
      for (const node of shown) {
        if (!wanted.has(node.id)) continue;
        let element = elements.get(node.id);
        if (!element) {
          element = card(node);
          elements.set(node.id, element);
          layer.append(element);
        }
        element.style.transform = `translate(${lines(node).x}px, ${node.y}px)`;
        element.tabIndex = node.id === focus ? 0 : -1;
        if (node.kids.length) element.setAttribute("aria-expanded", node.open);
        element.setAttribute("aria-selected", node.id === marked);
        element.classList.toggle("mw-path", onPath.has(node.id) || (marked !== null && node.id === 0));
        element.classList.toggle("mw-hit", hits.includes(node.id));
        element.classList.toggle("mw-here", node.id === hits[hit]);
        if (node.toggle) node.toggle.textContent = node.open ? "\u2212" : "+";
      }
      layer.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
      if (refocus && !layer.contains(document.activeElement)) elements.get(focus)?.focus({ preventScroll: true });
    };
    const prediction = (node) => (tree.classes
      ? [tree.classes[node.k], `${percent(node.f)} of ${count(node.w)}`]
      : [node.t, `${node.sd}, ${count(node.w)} rows`]);
    const splitName = (node) => (node.linear ? "a weighted sum" : node.col === undefined ? "" : tree.columns[node.col].name);
    const card = (node) => {
      const element = make("div", "mw-node"), [what, how] = prediction(node);
      const reason = node.p < 0 ? "all rows" : write(branch(tree, node), 6, 6);
      const siblings = node.p < 0 ? [node] : tree.nodes[node.p].kids;
      element.setAttribute("role", "treeitem");
      element.setAttribute("aria-level", node.depth + 1);
      element.setAttribute("aria-setsize", siblings.length);
      element.setAttribute("aria-posinset", siblings.indexOf(node) + 1);
      const leads = splitName(node) ? `; splits on ${splitName(node)}` : "";
      element.setAttribute("aria-label", `${reason} ${what} ${how}${leads}`);
      element.dataset.id = node.id;
      const then = make("div", "mw-then");
      then.append(make("b", "", what), " ", make("span", "", how));
      const share = make("div", "mw-share");
      if (tree.classes) {
        const total = node.d.reduce((sum, x, i) => (i % 2 ? sum + x : sum), 0) || 1;
        for (let i = 0; i < node.d.length && i < 60; i += 2) {
          const part = make("i");
          part.style.width = `${(100 * node.d[i + 1]) / total}%`;
          part.style.background = tree.colors[node.d[i]];
          share.append(part);
        }
      } else {
        const part = make("i");
        part.style.width = "100%";
        part.style.background = node.c;
        share.append(part);
      }
      element.append(make("div", "mw-if", reason), " ", then, share);
      if (node.kids.length) {
        node.toggle = make("span", "mw-toggle");
        node.toggle.setAttribute("aria-hidden", "true");
        element.append(node.toggle);
      } else if (node.more) element.append(make("span", "mw-more", `${node.more} more`));
      return element;
    };

    // Details: counts, all values, and the path as a rule.

    const detail = (node) => {
      side.textContent = "";
      const whole = tree.nodes[0].w || 1;
      const head = make("p", "mw-head", `Node ${node.n}`);
      head.append(make("small", "", ` ${count(node.w)} rows, ${percent(node.w / whole)} of all`));
      side.append(head);
      if (tree.classes) {
        const list = make("ul", "mw-counts");
        for (let i = 0; i < node.d.length && i < 60; i += 2) {
          const item = make("li"), swatch = make("i");
          swatch.style.background = tree.colors[node.d[i]];
          item.append(swatch, make("span", "", tree.classes[node.d[i]]), make("b", "", count(node.d[i + 1])),
            make("small", "", percent(node.d[i + 1] / (node.w || 1))));
          list.append(item);
        }
        if (node.d.length > 60) list.append(make("li", "", `and ${node.d.length / 2 - 30} more classes`));
        side.append(list);
      } else side.append(make("p", "", `${tree.center} ${node.t}, ${node.sd}`));
      const note = tree.notes?.[node.n];
      if (note) side.append(make("p", "mw-rule", note));
      const rule = make("p", "mw-rule"), [what, how] = prediction(node);
      const parts = conditionsOf(tree, node).map((one) => {
        const text = write(one, RULE_VALUES, 0);
        return one.pieces?.length > 1 ? `(${text})` : text;
      });
      rule.textContent = parts.length ? `If ${parts.join(" and ")} then ${what} (${how})` : `Always ${what} (${how})`;
      side.append(make("p", "mw-title", node.id === marked ? "Rule of the marked path" : "Rule"), rule);
      if (node.kids.length) {
        side.append(make("p", "mw-title", `Then splits on ${splitName(node)}`));
        const list = make("ul");
        node.kids.forEach((kid) => list.append(make("li", "", write(branch(tree, kid), RULE_VALUES, 0))));
        side.append(list);
      }
      if (node.id === marked && navigator.clipboard) {
        const copy = make("button", "", "Copy rule");
        copy.type = "button";
        copy.addEventListener("click", () => navigator.clipboard.writeText(rule.textContent).then(
          () => (copy.textContent = "Copied"), () => (copy.textContent = "Select the text to copy it")));
        side.append(copy);
      }
      data.facts.forEach(([name, value]) => side.append(make("p", "mw-title", name), make("p", "", value)));
    };

    // Moving around.

    const moveInto = (node) => {
      const { x, y } = lines(node), pad = 24;
      const { clientWidth: width, clientHeight: height } = view;
      if (scale < READABLE) scale = 0.8;
      left = Math.min(Math.max(left, pad - x * scale), width - pad - (x + WIDTH) * scale);
      top = Math.min(Math.max(top, pad - y * scale), height - pad - (y + HEIGHT) * scale);
      if (x * scale + left < 0) left = pad - x * scale;
    };
    const setFocus = (node, keyboard) => {
      focus = node.id;
      moveInto(node);
      detail(node);
      draw();
      if (keyboard) elements.get(focus)?.focus({ preventScroll: true });
    };
    const setOpen = (node, open) => {
      const before = node.y * scale + top;
      node.open = open;
      layOut();
      top = before - node.y * scale; // the node stays where it is
      focus = node.id;
      draw();
    };
    const mark = (node) => {
      marked = marked === node.id ? null : node.id;
      setFocus(node, false);
    };
    const zoom = (factor, x = view.clientWidth / 2, y = view.clientHeight / 2) => {
      const wanted = Math.min(2.5, Math.max(0.02, scale * factor));
      left = x - ((x - left) * wanted) / scale;
      top = y - ((y - top) * wanted) / scale;
      scale = wanted;
      schedule();
    };
    const fit = (least) => {
      let [right, bottom, first] = [0, 0, Infinity];
      for (const node of shown) {
        right = Math.max(right, lines(node).x + WIDTH);
        bottom = Math.max(bottom, node.y + HEIGHT);
        first = Math.min(first, node.y);
      }
      const { clientWidth: width, clientHeight: height } = view;
      if (!width || !height) return;
      scale = Math.max(least, Math.min(1, (width - 32) / right, (height - 32) / (bottom - first)));
      left = Math.max(16, (width - right * scale) / 2);
      top = bottom * scale + 32 > height ? height / 2 - (tree.nodes[0].y + HEIGHT / 2) * scale : (height - bottom * scale) / 2;
      schedule();
    };
    const goTo = (place) => {
      if (!hits.length) return;
      hit = (place + hits.length) % hits.length;
      const node = tree.nodes[hits[hit]];
      for (let at = tree.nodes[node.p]; at; at = tree.nodes[at.p]) at.open = true;
      layOut();
      setFocus(node, false);
      found.textContent = `${hit + 1} of ${hits.length} splits`;
    };
    const look = () => {
      const text = search.value.trim().toLowerCase();
      hits = [];
      hit = -1;
      if (text) {
        for (const node of tree.nodes) {
          const uses = node.uses ?? (node.col === undefined ? [] : [node.col]);
          if (uses.some((column) => tree.columns[column].name.toLowerCase().includes(text))) hits.push(node.id);
        }
      }
      previous.disabled = next.disabled = !hits.length;
      found.textContent = text && !hits.length ? "no split" : "";
      if (hits.length) goTo(0);
      else schedule();
    };

    layer.addEventListener("keydown", (event) => {
      const node = tree.nodes[focus], at = shown.indexOf(node);
      const steps = {
        ArrowDown: () => shown[at + 1],
        ArrowUp: () => shown[at - 1],
        Home: () => shown[0],
        End: () => shown[shown.length - 1],
        ArrowRight: () => (node.kids.length && !node.open ? void setOpen(node, true) : node.kids[0]),
        ArrowLeft: () => (node.open && node.kids.length ? void setOpen(node, false) : tree.nodes[node.p]),
        Enter: () => void mark(node),
        " ": () => void (node.kids.length && setOpen(node, !node.open)),
        "+": () => void zoom(1.35),
        "-": () => void zoom(1 / 1.35),
      };
      if (!steps[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const target = steps[event.key]();
      setFocus(target ?? tree.nodes[focus], true);
    });
    layer.addEventListener("focusin", (event) => {
      const id = event.target.closest(".mw-node")?.dataset.id;
      if (id !== undefined) { focus = Number(id); detail(tree.nodes[focus]); }
    });

    // Pointers: one drags, two pinch, the wheel zooms while Ctrl is held.

    const pointers = new Map();
    let moved = 0, spread = 0;
    view.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, event);
      moved = 0;
      spread = 0;
    });
    view.addEventListener("pointermove", (event) => {
      const last = pointers.get(event.pointerId);
      if (!last) {
        const id = event.target.closest(".mw-node")?.dataset.id;
        if (id !== undefined && event.pointerType === "mouse" && Number(id) !== hovered) detail(tree.nodes[(hovered = Number(id))]);
        return;
      }
      pointers.set(event.pointerId, event);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()], box = view.getBoundingClientRect();
        const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
        if (spread) zoom(now / spread, (a.clientX + b.clientX) / 2 - box.x, (a.clientY + b.clientY) / 2 - box.y);
        spread = now;
        moved = 99;
        return;
      }
      moved += Math.abs(event.clientX - last.clientX) + Math.abs(event.clientY - last.clientY);
      if (moved < 5) return;
      if (!view.hasPointerCapture(event.pointerId)) view.setPointerCapture(event.pointerId);
      left += event.clientX - last.clientX;
      top += event.clientY - last.clientY;
      schedule();
    });
    let hovered = -1;
    for (const kind of ["pointerup", "pointercancel"]) view.addEventListener(kind, (event) => pointers.delete(event.pointerId));
    view.addEventListener("pointerleave", () => {
      if (hovered >= 0) detail(tree.nodes[marked ?? focus]);
      hovered = -1;
    });
    view.addEventListener("click", (event) => {
      const id = event.target.closest(".mw-node")?.dataset.id;
      if (id === undefined || moved >= 5) return;
      const node = tree.nodes[Number(id)];
      if (event.target.closest(".mw-toggle")) setOpen(node, !node.open);
      else mark(node);
      elements.get(node.id)?.focus({ preventScroll: true });
    });
    view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = view.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 300), event.clientX - box.x, event.clientY - box.y);
    }, { passive: false });
    search.addEventListener("input", look);
    search.addEventListener("keydown", (event) => event.key === "Enter" && goTo(hit + (event.shiftKey ? -1 : 1)));
    choice.addEventListener("change", () => choose(Number(choice.value)));

    const choose = (place) => {
      tree = data.trees[place];
      if (!tree.prepared) prepare(tree);
      for (const element of elements.values()) element.remove();
      elements.clear();
      [focus, marked, hits, hit] = [0, null, [], -1];
      legend.textContent = "";
      tree.classes?.slice(0, 30).forEach((name, k) => {
        const item = make("span"), swatch = make("i");
        swatch.style.background = tree.colors[k];
        item.append(swatch, name);
        legend.append(item);
      });
      if (tree.classes?.length > 30) legend.append(make("span", "", `and ${tree.classes.length - 30} more classes`));
      openLargest();
      layOut();
      fit(0.72);
      detail(tree.nodes[0]);
      look();
    };
    choose(Math.max(0, data.trees.findIndex((one) => one.nodes)));
    new ResizeObserver(() => schedule()).observe(view);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", schedule);
    addEventListener("beforeprint", () => { fit(0.2); draw(); });
  };

  for (const root of document.querySelectorAll(".mw-walk[data-walk]")) start(root);
})();
