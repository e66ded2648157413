"use strict";
/* Two texts side by side: makes window.fpdb, which `page.js` and servers of pairs use. */
window.fpdb = (() => {
  const HUES = 8, AROUND = { code: 8, prose: 3 }, FOLDED = 300, PRINTED = 3000;
  const SYNTAX = ["comment", "keyword", "string", "number"];
  // What would not show as itself: controls but the tab, formats (bidi marks among them), lone surrogates.
  const ODD = /[^\P{C}\t]|[\u2028\u2029]/gu;
  const SAID = {
    changed: "This document's source has changed since it was added: there are positions only.",
    gone: "This document's source is gone, and its text was not kept: there are positions only.",
    not_kept: "This document did not come from a file on this computer, and its text was not kept: there are positions only.",
    outside: "This document's source is not below a folder that was named with --sources: there are positions only.",
    unavailable: "This document's source cannot be read: there are positions only.",
    omitted: "This document's text was left out to keep the page small: there are positions only.",
  };
  const $ = (id) => document.getElementById(id);

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
  const spelled = (text) => text.replace(ODD, code);

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

  /** The index of the last of ascending items whose key is at most a value; -1 for none. */
  const lastAt = (items, value, key = (item) => item) => {
    let low = -1, high = items.length;
    while (high - low > 1) { const middle = (low + high) >> 1; if (key(items[middle]) <= value) low = middle; else high = middle; }
    return low;
  };

  const pairsOf = (flat) => Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at], flat[2 * at + 1]]);

  /** A text that is held, with its lines {from, to, number, omitted}; omitted: the characters left out before it. */
  const readText = (held) => {
    const chunks = new Map(held.chunks.map(([at, ...about]) => [at, about]));
    const starts = new Set([0, ...chunks.keys()]);
    for (const found of held.text.matchAll(/\r\n|\r|\n/g)) starts.add(found.index + found[0].length);
    const cuts = [...starts].sort((x, y) => x - y), length = held.text.length;
    if (cuts.length > 1 && cuts.at(-1) === length) cuts.pop(); // behind the last line's end
    let number = 0, omitted;
    const lines = cuts.map((from, at) => {
      [number, omitted] = chunks.get(from) ?? [number + 1, 0];
      return { from, to: cuts[at + 1] ?? length, number, omitted };
    });
    const layers = [
      pairsOf(held.discarded).map(([from, to]) => [from, to, "discarded"]),
      pairsOf(held.syntax).map(([from, packed]) => [from, from + (packed >> 2), SYNTAX[packed & 3]]),
    ];
    return { ...held, lines, layers };
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

  /** Appends the characters [from, to) of a text, with what does not count greyed and the syntax coloured. */
  const writeStyled = (parent, text, from, to) => {
    const cuts = new Set([from, to]), inside = [];
    for (const layer of text.layers) {
      for (let at = Math.max(lastAt(layer, from, (span) => span[0]), 0); at < layer.length && layer[at][0] < to; at++) {
        const [start, end, name] = layer[at];
        if (end <= from) continue;
        cuts.add(Math.max(start, from)).add(Math.min(end, to));
        inside.push([start, end, name]);
      }
    }
    const order = [...cuts].sort((x, y) => x - y);
    for (let at = 0; at + 1 < order.length; at++) {
      const part = text.text.slice(order[at], order[at + 1]);
      const names = inside.filter(([start, end]) => start <= order[at] && end > order[at]).map((span) => span[2]);
      write(names.length ? parent.appendChild(element("span", { class: names.join(" ") })) : parent, part);
    }
  };

  /** The direction of a text: that of its first letters. */
  const directionOf = (text) => {
    const first = /[\p{L}]/u.exec(text);
    return first && /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(first[0]) ? "rtl" : "ltr";
  };

  /** Words for characters, or lines, that are left out. */
  const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  /** One side of the view: an element that shows a text with regions, which are spans [start, end). */
  class Pane {
    constructor(root) {
      this.root = root;
    }

    show(text, spans) {
      this.text = text;
      this.spans = spans;
      this.root.className = `pane ${text.flow}`;
      this.root.dir = text.flow === "prose" ? directionOf(text.text) : "ltr";
      this.marks = stretches(spans.filter(([start]) => start >= 0));
      this.order = spans.map((_, index) => index).filter((index) => spans[index][0] >= 0);
      this.named = new Set();
      this.root.replaceChildren(...this.paint(0, text.lines.length, text.lines.length > FOLDED || text.lines.some((line) => line.omitted)));
      if (text.after > 0) this.root.append(this.gap(text.after));
      if (!text.text) this.root.append(element("p", {}, "This document is empty."));
    }

    gap(omitted) {
      return element("div", { class: "gap" }, `${counted(omitted, "character")} left out of this page`);
    }

    /** The lines [first, behind); folded: lines that are far from all regions are left to a button. */
    paint(first, behind, folded) {
      const { lines, flow } = this.text, blocks = [], around = AROUND[flow];
      const isNear = folded ? this.nearLines(around) : () => true;
      let block = null;
      for (let at = first; at < behind; at++) {
        if (lines[at].omitted) { blocks.push(this.gap(lines[at].omitted)); block = null; }
        let far = at;
        while (far < behind && !isNear(far) && (far === at || !lines[far].omitted)) far++;
        if (far - at > 4) {
          blocks.push(this.fold(at, far));
          block = null;
          at = far - 1;
          continue;
        }
        if (!block || block.childElementCount >= 100) blocks.push(block = element("div", { class: "block" }));
        block.append(...this.line(at));
      }
      return blocks;
    }

    fold(first, behind) {
      const button = element("button", { type: "button", class: "fold" }, `show ${counted(behind - first, "line")}`);
      button.addEventListener("click", () => {
        const blocks = this.paint(first, behind, false);
        button.replaceWith(...blocks);
        this.lineElements = null;
      });
      button.lines = [first, behind];
      return button;
    }

    nearLines(around) {
      const near = new Set(), { lines } = this.text;
      const spans = this.marks.length ? this.marks : [[0, 1]];
      for (const [start, end] of spans) {
        const last = Math.min(lastAt(lines, Math.max(end - 1, start), (line) => line.from) + around, lines.length - 1);
        for (let at = Math.max(lastAt(lines, start, (line) => line.from) - around, 0); at <= last; at++) near.add(at);
      }
      return (at) => near.has(at);
    }

    /** The elements of a line: headings of parts that begin there, and the line. */
    line(index) {
      const { text, lines, parts, flow } = this.text, line = lines[index];
      const made = [];
      const last = lastAt(parts, line.from, (part) => part[0]);
      for (let at = last; at >= 0 && parts[at][0] === line.from; at--) made.unshift(element("div", { class: "part" }, spelled(parts[at][1])));
      const number = line.number - (last < 0 ? 0 : parts[last][2] - 1);
      const held = element("span", { class: "code", dir: flow === "prose" ? "auto" : "ltr" });
      const end = line.from + text.slice(line.from, line.to).replace(/\f?[\r\n]+$/, "").length;
      let at = line.from;
      for (let mark = Math.max(lastAt(this.marks, at, (one) => one[0]), 0); mark < this.marks.length && this.marks[mark][0] < end; mark++) {
        const [from, to, of] = this.marks[mark], start = Math.max(from, at), behind = Math.min(to, end);
        if (start >= behind) continue;
        writeStyled(held, this.text, at, start);
        writeStyled(held.appendChild(this.mark(of, start)), this.text, start, behind);
        at = behind;
      }
      writeStyled(held, this.text, at, end);
      const shown = element("div", { class: "line", "data-line": String(number) }, held);
      shown.from = line.from;
      return [...made, shown];
    }

    mark(of, at) {
      const made = element("mark", { class: `c${of[0] % HUES}`, "data-regions": of.join(" "), "data-at": String(at) });
      if (!this.named.has(of[0])) { // the keyboard stops once at each region
        this.named.add(of[0]);
        made.tabIndex = 0;
        made.setAttribute("role", "button");
      }
      return made;
    }

    /** Where a region is: `lines 3-9`. */
    place([first, behind], inSymbols) {
      if (inSymbols) return behind - first === 1 ? `symbol ${behind}` : `symbols ${first + 1}-${behind}`;
      if (first < 0) return "left out of this page";
      if (!this.text) return `characters ${first + 1}-${behind}`;
      const { lines, parts } = this.text;
      const [one, other] = [first, Math.max(behind - 1, first)].map((at) => {
        const part = parts[lastAt(parts, at, (each) => each[0])] ?? [0, "", 1];
        return { part: spelled(part[1]), line: lines[lastAt(lines, at, (line) => line.from)].number - part[2] + 1 };
      });
      if (one.part !== other.part) return `${one.part}, line ${one.line} to ${other.part}, line ${other.line}`;
      return `${one.part ? `${one.part}, ` : ""}${one.line === other.line ? `line ${one.line}` : `lines ${one.line}-${other.line}`}`;
    }

    /** Shows a line that a button holds back. */
    unfold(at) {
      const line = lastAt(this.text.lines, at, (one) => one.from);
      for (const button of this.root.querySelectorAll("button.fold")) {
        if (button.lines[0] <= line && line < button.lines[1]) button.click();
      }
    }

    lineElement(at) {
      this.lineElements ??= [...this.root.querySelectorAll(".line")];
      return this.lineElements[Math.max(lastAt(this.lineElements, at, (line) => line.from), 0)];
    }

    /** The character at the top third of what is visible. */
    visible() {
      this.lineElements ??= [...this.root.querySelectorAll(".line")];
      const y = this.root.getBoundingClientRect().top + this.root.clientHeight / 3;
      const index = lastAt(this.lineElements, y, (line) => line.getBoundingClientRect().top);
      return this.lineElements[Math.max(index, 0)]?.from ?? 0;
    }

    centre(target) {
      const move = () => {
        const outer = this.root.getBoundingClientRect(), inner = target.getBoundingClientRect();
        this.root.scrollTop += inner.top - outer.top - this.root.clientHeight / 3;
      };
      move();
      requestAnimationFrame(move); // what was not laid out before has its height now
    }
  }

  /**
   * The view of pairs of the page's data (see `script_data`), in the elements of view.html. textOf: returns the text of
   * a source, or null. Returns functions that open a pair, and go to its next region and difference.
   */
  const makeView = (data, textOf) => {
    const panes = [new Pane($("pane-a")), new Pane($("pane-b"))];
    const moved = [-Infinity, -Infinity]; // when the script scrolled each pane, which is no reason to move the other
    let regions = [], now = -1;
    const centre = (side, target) => { moved[side] = performance.now(); panes[side].centre(target); };

    /** Shows a region: from its start, or, for a mark that was clicked, what stands as far into the partner. */
    const choose = (index, clicked = null) => {
      now = index;
      const still = panes.findIndex((pane) => clicked && pane.root.contains(clicked)), region = regions[index];
      const into = clicked ? (clicked.dataset.at - region[2 * still]) / (region[2 * still + 1] - region[2 * still]) : 0;
      panes.forEach((pane, side) => {
        const aim = region[2 * side] + into * (region[2 * side + 1] - region[2 * side]);
        let target = null;
        for (const mark of pane.root.querySelectorAll("mark")) {
          const own = of(mark).includes(index);
          mark.classList.toggle("now", own);
          if (own && (!target || mark.dataset.at <= aim + 1)) target = mark;
        }
        if (target && side !== still) centre(side, target);
      });
      $("regions").value = String(index);
    };
    const of = (mark) => mark.dataset.regions.split(" ").map(Number);
    const turn = (by) => { if (regions.length) choose((now + by + regions.length) % regions.length); };

    const list = (row, side) => element("ol", {}, ...regions.map((region, at) => element("li", {},
      write(element("mark", { class: `c${at % HUES}`, "data-regions": String(at), "data-at": "0", tabindex: "0", role: "button" }),
        panes[side].place(region.slice(2 * side, 2 * side + 2), row.symbols[side])))));

    const open = (index) => {
      const row = data.rows[index];
      now = -1;
      regions = row.regions;
      [row.a, row.b].forEach((source, side) => {
        const about = data.sources[source], held = textOf(source), pane = panes[side];
        const name = $(`name-${"ab"[side]}`);
        name.replaceChildren(write(element("bdi"), about.name));
        name.title = spelled(about.name);
        pane.lineElements = null;
        pane.text = null;
        if (held) pane.show(readText(held), row.symbols[side] ? [] : regions.map((region) => region.slice(2 * side, 2 * side + 2)));
        else pane.root.replaceChildren(element("p", {}, SAID[about.state] ?? "This document is empty."), list(row, side));
        moved[side] = performance.now();
        pane.root.scrollTop = 0;
      });
      const score = [data.score, row.score.toFixed(3)];
      const values = [score, ...data.columns.map((name, at) => [name, row.values[at]])].filter(([, value]) => value !== undefined);
      if (row.evidence) values.push(["evidence", row.evidence]);
      $("measures").replaceChildren(...values.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value || "unknown"))));
      const words = regions.map((region, at) => `${at + 1} of ${regions.length}: `
        + [0, 1].map((side) => panes[side].place(region.slice(2 * side, 2 * side + 2), row.symbols[side])).join(" = ") + `, ${region[4]} matched`);
      $("regions").replaceChildren(...(regions.length ? words : ["No region can be shown."]).map((text, at) => element("option", { value: String(at) }, text)));
      for (const id of ["regions", "back-region", "next-region", "next-difference"]) $(id).disabled = !regions.length;
      if (regions.length) choose(0);
    };

    /** Shows what stands in A behind the current region, up to the next one, and what stands there in B. */
    const difference = () => {
      const [a, b] = panes;
      if (!regions.length || !a.text || !b.text) return;
      for (let step = 0; step < regions.length; step++) {
        const at = (now + step + regions.length) % regions.length, region = regions[at];
        const next = Math.min(...regions.filter((other) => other[0] >= region[1]).map((other) => other[0]), a.text.text.length);
        if (region[1] < 0 || !a.text.text.slice(region[1], next).trim()) continue;
        now = (at + 1) % regions.length;
        $("regions").value = String(at);
        panes.forEach((pane, side) => {
          const from = Math.min(region[2 * side + 1], pane.text.text.length - 1);
          pane.unfold(from);
          const line = pane.lineElement(from);
          pane.root.querySelectorAll(".different").forEach((other) => other.classList.remove("different"));
          line.classList.add("different");
          centre(side, line);
        });
        return;
      }
    };

    /** Scrolls the other pane to what stands beside the same region. */
    const follow = (side) => {
      const [pane, other] = [panes[side], panes[1 - side]];
      if (!$("linked").checked || !pane.text || !other.text || performance.now() - moved[side] < 250) return;
      const at = pane.visible();
      let best = null, distance = Infinity;
      for (const region of regions) {
        const [start, end, there, behind] = side ? [region[2], region[3], region[0], region[1]] : region;
        const away = at < start ? start - at : at >= end ? at - end : 0;
        if (start < 0 || there < 0 || away >= distance) continue;
        distance = away;
        best = at < start ? there - away : at >= end ? behind + away : there + (at - start) * (behind - there) / (end - start);
      }
      if (best === null) return;
      const line = other.lineElement(best);
      if (line) centre(1 - side, line);
    };

    panes.forEach((pane, side) => {
      const jump = (mark) => {
        const all = of(mark), at = all.indexOf(now);
        choose(all[(at + 1) % all.length], mark); // several here: one after the other
      };
      pane.root.addEventListener("click", (event) => { const mark = event.target.closest("mark"); if (mark) jump(mark); });
      pane.root.addEventListener("keydown", (event) => {
        if (event.target.matches("mark") && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); jump(event.target); }
      });
      let waits = false;
      pane.root.addEventListener("scroll", () => {
        if (waits) return;
        waits = true;
        requestAnimationFrame(() => { waits = false; follow(side); });
      });
    });
    $("regions").addEventListener("change", () => choose(Number($("regions").value)));
    $("back-region").addEventListener("click", () => turn(-1));
    $("next-region").addEventListener("click", () => turn(1));
    $("next-difference").addEventListener("click", difference);
    return { open, turn, difference };
  };

  /** Appends where a region is, and its text, for print. */
  const writeRegion = (parent, text, interval, inSymbols) => {
    const pane = new Pane(parent);
    pane.text = text;
    parent.append(element("p", { class: "about" }, pane.place(interval, inSymbols)));
    const [from, to] = [interval[0], Math.min(interval[1], interval[0] + PRINTED)];
    if (!text || inSymbols || from < 0) return parent;
    const block = parent.appendChild(element("div", { class: `printed ${text.flow}`, dir: text.flow === "prose" ? "auto" : "ltr" }));
    for (let at = Math.max(lastAt(text.lines, from, (line) => line.from), 0); at < text.lines.length && text.lines[at].from < to; at++) {
      const line = text.lines[at], start = Math.max(line.from, from);
      const end = line.from + text.text.slice(line.from, Math.min(line.to, to)).replace(/\f?[\r\n]+$/, "").length;
      writeStyled(block.appendChild(element("div")), text, Math.min(start, end), end);
    }
    if (to < interval[1]) block.append("...");
    return parent;
  };

  return { $, element, write, spelled, counted, readText, writeRegion, makeView };
})();
