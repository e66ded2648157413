"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const list = $("list");
  if (!list) return;
  const rows = [...list.tBodies[0].rows];
  const parts = new Map(); // those of each row that is none itself
  for (const row of rows) row.classList.contains("part") ? [...parts.values()].at(-1).push(row) : parts.set(row, []);
  const HUES = 8, LINES = 200;
  // What would not show as itself: controls but the tab, formats (bidi marks among them), lone surrogates.
  const ODD = /[^\P{C}\t]|[\u2028\u2029]/gu;

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const code = (char) => {
    const point = char.codePointAt(0); // of a file's name that is not UTF-8, or of a character
    if (point >= 0xdc80 && point <= 0xdcff) return "\\x" + (point - 0xdc00).toString(16);
    return "U+" + point.toString(16).toUpperCase().padStart(4, "0");
  };

  /** Appends text, odd characters spelled out. */
  const write = (parent, text) => {
    let done = 0;
    for (const found of text.matchAll(ODD)) {
      parent.append(text.slice(done, found.index), element("span", { class: "odd" }, code(found[0])));
      done = found.index + found[0].length;
    }
    parent.append(text.slice(done));
    return parent;
  };

  // ---------------------------------------------------------------- the list

  const names = rows.map((row) => [1, 2].map((at) => row.cells[at].textContent.toLowerCase()));
  const scores = data.rows.map((row) => row.score);
  let members = null;

  const filter = () => {
    const part = $("name").value.toLowerCase(), least = Number($("least").value) || 0;
    let count = 0;
    for (const [row, own] of parts) {
      const index = Number(row.dataset.row), entry = data.rows[index];
      const named = !part || [row, ...own].some((one) => names[one.dataset.row].some((name) => name.includes(part)));
      const inside = !members || (members.has(entry.a) && members.has(entry.b));
      row.hidden = !(named && inside && scores[index] >= least - 1e-6);
      for (const one of own) one.hidden = row.hidden;
      count += !row.hidden;
    }
    $("count").textContent = `${count.toLocaleString("en")} of ${parts.size.toLocaleString("en")}`
      + (members ? ", in one cluster" : "");
  };

  const sort = (head) => {
    const at = head.cellIndex, before = head.getAttribute("aria-sort");
    const text = at === 1 || at === 2;
    const up = before ? before === "descending" : text || at === 0;
    for (const other of list.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => text ? names[row.dataset.row][at - 1] : Number(row.cells[at].dataset.value);
    const keyed = [...parts.keys()].map((row) => [key(row), Number(row.dataset.row), row]);
    const order = (x, y) => (x < y ? -1 : x > y ? 1 : 0);
    keyed.sort((x, y) => (up ? order(x[0], y[0]) : order(y[0], x[0])) || x[1] - y[1]);
    list.tBodies[0].append(...keyed.flatMap((entry) => [entry[2], ...parts.get(entry[2])]));
  };

  list.tHead.addEventListener("click", (event) => {
    const head = event.target.closest("th");
    if (head) sort(head);
  });
  for (const row of rows) row.classList.toggle("open", Boolean(row.querySelector("a")));
  list.tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr.open");
    if (row && !event.target.closest("a") && !String(getSelection())) location.hash = `r${row.dataset.row}`;
  });
  $("filter").addEventListener("input", filter);
  $("filter").addEventListener("submit", (event) => event.preventDefault());
  $("filter").addEventListener("reset", () => { members = null; setTimeout(filter); });
  $("histogram").addEventListener("click", (event) => {
    const bin = event.target.closest(".bin");
    if (bin) { $("least").value = bin.dataset.low; filter(); }
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.members"), edge = event.target.closest("line.edge");
    if (button) { members = new Set(button.dataset.members.split(" ").map(Number)); filter(); $("filter").scrollIntoView(); }
    if (edge && rows.find((row) => row.dataset.row === edge.dataset.row).matches(".open")) location.hash = `r${edge.dataset.row}`;
  });

  // ---------------------------------------------------------------- one pair, side by side

  const SAID = {
    changed: "This document's source has changed since it was added: there are positions only.",
    gone: "This document's source is gone, and its text was not kept: there are positions only.",
    not_kept: "This document did not come from a file here, and its text was not kept: there are positions only.",
    outside: "This document's source is not below a folder that was named with --sources: there are positions only.",
    unavailable: "This document's source cannot be read: there are positions only.",
    omitted: "This document's text was left out to keep the page small: there are positions only.",
  };
  let shown = null, regions = [], now = -1;
  const panes = [$("pane-a"), $("pane-b")];
  const textOf = (source) => { const held = $(`t${source}`); return held && JSON.parse(held.textContent); };

  /** Where the lines of a text start, and its end. */
  const startsOf = (text) => {
    const starts = [0];
    for (const found of text.matchAll(/\r\n|\r|\n/g)) starts.push(found.index + found[0].length);
    return starts;
  };

  const lineAt = (starts, offset) => {
    let low = 0, high = starts.length;
    while (high - low > 1) { const middle = (low + high) >> 1; if (starts[middle] <= offset) low = middle; else high = middle; }
    return low;
  };

  /** The stretches of a text with the same regions: [start, end, [region, ...]], ascending. */
  const stretches = (spans) => {
    const edges = [...new Set(spans.flat())].sort((x, y) => x - y);
    const order = spans.map((_, index) => index).sort((x, y) => spans[x][0] - spans[y][0]);
    const found = [];
    let open = [], next = 0;
    for (let at = 0; at + 1 < edges.length; at++) {
      open = open.filter((index) => spans[index][1] > edges[at]);
      while (next < order.length && spans[order[next]][0] <= edges[at]) open.push(order[next++]);
      if (open.length) found.push([edges[at], edges[at + 1], [...open].sort((x, y) => x - y)]);
    }
    return found;
  };

  const markOf = (of, text, at = 0) => write(element("mark",
    { class: `c${of[0] % HUES}`, "data-regions": of.join(" "), "data-at": String(at), tabindex: "0", role: "button" }), text);

  /** The index of the last part that begins at or before an offset, -1 for none, and the number of its first line. */
  const partAt = (parts, starts, offset) => {
    let index = -1;
    while (index + 1 < parts.length && parts[index + 1][0] <= offset) index++;
    return [index, index < 0 ? 0 : lineAt(starts, parts[index][0])];
  };

  const paint = (pane, text, starts, spans, parts) => {
    const marks = stretches(spans);
    let mark = 0, block = null, part = -1, before = 0;
    pane.replaceChildren();
    starts.forEach((start, number) => {
      if (number === starts.length - 1 && number && start === text.length) return; // behind the last line's end
      if (number % LINES === 0) pane.append(block = element("div", { class: "block" }));
      while (part + 1 < parts.length && parts[part + 1][0] <= start) {
        block.append(write(element("div", { class: "part" }), parts[++part][1]));
        before = number;
      }
      const behind = number + 1 < starts.length ? starts[number + 1] : text.length;
      const end = start + text.slice(start, behind).replace(/\f?[\r\n]+$/, "").length;
      const line = element("span", { class: "code" });
      let at = start;
      while (mark < marks.length && marks[mark][1] <= start) mark++;
      for (let index = mark; index < marks.length && marks[index][0] < end; index++) {
        const [from, to, of] = marks[index], first = Math.max(from, start), last = Math.min(to, end);
        if (first >= last) continue;
        write(line, text.slice(at, first));
        line.append(markOf(of, text.slice(first, last), first));
        at = last;
      }
      write(line, text.slice(at, end));
      block.append(element("div", { class: "line", "data-line": String(number + 1 - before) }, line));
    });
  };

  const place = (row, side, starts, region) => {
    const [first, behind] = region.slice(2 * side, 2 * side + 2);
    if (row.symbols[side]) return `symbols ${first + 1}-${behind}`;
    if (!starts) return `characters ${first + 1}-${behind}`;
    const last = Math.max(behind - 1, first), parts = data.sources[side ? row.b : row.a].parts ?? [];
    const [from, before] = partAt(parts, starts, first), [to, passed] = partAt(parts, starts, last);
    const one = lineAt(starts, first) + 1 - before, other = lineAt(starts, last) + 1 - passed;
    if (from !== to) return `${from < 0 ? "" : `${parts[from][1]}, `}line ${one} to ${parts[to][1]}, line ${other}`;
    return `${from < 0 ? "" : `${parts[from][1]}, `}${one === other ? `line ${one}` : `lines ${one}-${other}`}`;
  };

  const centre = (pane, target) => {
    const move = () => {
      const outer = pane.getBoundingClientRect(), inner = target.getBoundingClientRect();
      pane.scrollTop += inner.top - outer.top - pane.clientHeight / 3;
    };
    move();
    requestAnimationFrame(move); // what was not laid out before has its height now
  };

  const of = (mark) => mark.dataset.regions.split(" ").map(Number);

  /** Shows a region: from its start, or, for a mark that was clicked, what stands as far into the partner. */
  const choose = (index, clicked = null) => {
    now = index;
    const still = clicked?.closest(".pane"), from = panes.indexOf(still), region = regions[index];
    const into = clicked ? (clicked.dataset.at - region[2 * from]) / (region[2 * from + 1] - region[2 * from]) : 0;
    panes.forEach((pane, side) => {
      const aim = region[2 * side] + into * (region[2 * side + 1] - region[2 * side]);
      let target = null;
      for (const mark of pane.querySelectorAll("mark")) {
        const own = of(mark).includes(index);
        mark.classList.toggle("now", own);
        if (own && (!target || mark.dataset.at <= aim + 1)) target = mark;
      }
      if (target && pane !== still) centre(pane, target);
    });
    [...$("regions").children].forEach((button, at) => button.classList.toggle("now", at === index));
    $("regions").children[index]?.scrollIntoView({ block: "nearest" });
  };

  const open = (index) => {
    shown = index;
    now = -1;
    const row = data.rows[index], sources = [row.a, row.b];
    regions = row.regions;
    const starts = sources.map((source, side) => {
      const about = data.sources[source], title = $(`name-${"ab"[side]}`), text = textOf(source);
      title.replaceChildren(write(element("bdi"), about.name));
      if (text === null) {
        panes[side].replaceChildren(element("p", {}, SAID[about.state] ?? "This document is empty."),
          element("ol", {}, ...regions.map((region, at) => element("li", {}, markOf([at], place(row, side, null, region))))));
        return null;
      }
      const found = startsOf(text);
      paint(panes[side], text, found, row.symbols[side] ? [] : regions.map((region) => region.slice(2 * side, 2 * side + 2)), about.parts ?? []);
      return found;
    });
    const head = [...list.tHead.rows[0].cells], cells = rows.find((one) => Number(one.dataset.row) === index).cells;
    $("which").textContent = `${cells[0].textContent.trim()} of ${parts.size.toLocaleString("en")}`;
    $("scores").textContent = head.slice(3).map((cell, at) => `${cell.textContent.trim()} ${cells[at + 3].textContent.trim()}`).join(" \u00b7 ");
    $("regions").replaceChildren(...regions.map((region, at) => element("button", { type: "button", class: `c${at % HUES}`, title: `${region[4]} shared fingerprints` },
      `${place(row, 0, starts[0], region)} = ${place(row, 1, starts[1], region)}`)));
    if (!regions.length) $("regions").textContent = "No region can be shown.";
    $("back-region").disabled = $("next-region").disabled = !regions.length;
    const order = visible(), at = order.indexOf(index);
    $("previous").disabled = at <= 0;
    $("next").disabled = at < 0 || at + 1 >= order.length;
    if (regions.length) choose(0);
  };

  /** The rows as listed, hidden ones left out. */
  const visible = () => [...list.tBodies[0].rows].filter((row) => !row.hidden && row.matches(".open")).map((row) => Number(row.dataset.row));
  const step = (by) => { const order = visible(); location.hash = `r${order[order.indexOf(shown) + by]}`; };
  const turn = (by) => choose((now + by + regions.length) % regions.length);

  const jump = (mark) => {
    const all = of(mark), at = all.indexOf(now);
    choose(all[(at + 1) % all.length], mark); // several here: one after the other
  };

  for (const pane of panes) {
    pane.addEventListener("click", (event) => { const mark = event.target.closest("mark"); if (mark) jump(mark); });
    pane.addEventListener("keydown", (event) => {
      if (event.target.matches("mark") && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); jump(event.target); }
    });
  }
  $("regions").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) choose([...$("regions").children].indexOf(button));
  });
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("back-region").addEventListener("click", () => turn(-1));
  $("next-region").addEventListener("click", () => turn(1));

  let scrolled = 0;
  const show = () => {
    const index = /^#r(\d+)$/.exec(location.hash)?.[1];
    const row = index !== undefined && rows.find((one) => one.dataset.row === index);
    const opened = Boolean(row && row.matches(".open"));
    if (opened && !$("overview").hidden) scrolled = scrollY;
    const back = !opened && $("overview").hidden;
    $("overview").hidden = opened;
    $("view").hidden = !opened;
    if (opened) open(Number(index));
    if (back) scrollTo(0, scrolled);
  };
  addEventListener("hashchange", show);
  filter();
  show();
})();
