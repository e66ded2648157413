"use strict";
(() => {
  const { $, makeView } = window.fpdb;
  const data = JSON.parse($("data").textContent);
  const list = $("list");
  if (!list) return;
  const rows = [...list.tBodies[0].rows];
  const parts = new Map(); // those of each row that is none itself
  for (const row of rows) row.classList.contains("part") ? [...parts.values()].at(-1).push(row) : parts.set(row, []);
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

  const textOf = (source) => { const held = $(`t${source}`); return held && JSON.parse(held.textContent); };
  const view = makeView(data, textOf);
  let shown = null;

  const open = (index) => {
    shown = index;
    view.open(index);
    $("which").textContent = `${data.rows[index].number} of ${parts.size.toLocaleString("en")}`;
    const order = visible(), at = order.indexOf(index);
    $("previous").disabled = at <= 0;
    $("next").disabled = at < 0 || at + 1 >= order.length;
  };

  /** The rows as listed, hidden ones left out. */
  const visible = () => [...list.tBodies[0].rows].filter((row) => !row.hidden && row.matches(".open")).map((row) => Number(row.dataset.row));
  const step = (by) => {
    const order = visible(), next = order[order.indexOf(shown) + by];
    if (next !== undefined) location.hash = `r${next}`;
  };
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));

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
