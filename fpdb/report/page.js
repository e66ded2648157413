/* The page of a report: the list of pairs, and what opens from it. */
(() => {
  const { $, element, spelled, makeView, makeReview, makeCharts, makePrint } = window.fpdb;
  const data = JSON.parse($("data").textContent);
  const list = $("list");
  if (!list) return;
  const textOf = (source) => { const held = $(`t${source}`); return held && JSON.parse(held.textContent); };
  const rows = [...list.tBodies[0].rows];
  const parts = new Map(); // those of each row that is none itself
  for (const row of rows) row.classList.contains("part") ? [...parts.values()].at(-1).push(row) : parts.set(row, []);
  const names = data.rows.map((row) => [row.a, row.b].map((source) => spelled(data.sources[source].name).toLowerCase()));
  const unfolded = new Set(); // rows of owners whose files are listed
  let members = null, shown = null;

  const showStates = () => {
    for (const row of rows) {
      const { state, note } = review.of(row.dataset.row), cell = row.cells[row.cells.length - 1];
      cell.textContent = state + (note ? " *" : "");
      cell.title = note;
      cell.dataset.value = state;
      row.dataset.state = state;
    }
  };

  const filter = () => {
    const part = $("name").value.toLowerCase(), least = Number($("least").value) || 0, state = $("state").value;
    let count = 0;
    for (const [row, own] of parts) {
      const entry = data.rows[row.dataset.row];
      const isNamed = (one) => names[one.dataset.row].some((name) => name.includes(part));
      const inside = !members || (members.has(entry.a) && members.has(entry.b));
      const reviewed = !state || [row, ...own].some((one) => (one.dataset.state || "none") === state);
      row.hidden = !([row, ...own].some(isNamed) && inside && reviewed && entry.score >= least - 1e-6);
      for (const one of own) one.hidden = row.hidden || !(unfolded.has(row) || (part && !isNamed(row)));
      count += !row.hidden;
    }
    $("count").textContent = `${count.toLocaleString("en")} of ${parts.size.toLocaleString("en")}`
      + (members ? ", in one cluster" : "");
  };

  const sort = (head) => {
    const at = head.cellIndex, before = head.getAttribute("aria-sort");
    const text = at === 1 || at === 2, last = at === list.tHead.rows[0].cells.length - 1;
    const up = before ? before === "descending" : text || at === 0;
    for (const other of list.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => text ? names[row.dataset.row][at - 1] : last ? row.dataset.state : Number(row.cells[at].dataset.value);
    const keyed = [...parts.keys()].map((row) => [key(row), Number(row.dataset.row), row]);
    const order = (x, y) => (x < y ? -1 : x > y ? 1 : 0);
    keyed.sort((x, y) => (up ? order(x[0], y[0]) : order(y[0], x[0])) || x[1] - y[1]);
    list.tBodies[0].append(...keyed.flatMap((entry) => [entry[2], ...parts.get(entry[2])]));
  };

  for (const row of rows) row.classList.toggle("open", Boolean(row.querySelector("a")));
  for (const [row, own] of parts) {
    if (!own.length) continue;
    const button = element("button", { type: "button", class: "files", "aria-expanded": "false", "aria-label": `files of pair ${row.cells[0].textContent}` });
    button.addEventListener("click", () => {
      unfolded.has(row) ? unfolded.delete(row) : unfolded.add(row);
      button.setAttribute("aria-expanded", String(unfolded.has(row)));
      filter();
    });
    row.cells[0].prepend(button);
  }

  /** Shows a pair, or lists the pairs of some sources. */
  const choose = (what) => {
    if (what instanceof Set) { members = what; filter(); $("filter").scrollIntoView(); }
    else if (data.rows[what].open) location.hash = `r${what}`;
    else rows[what].querySelector("button.files")?.click();
  };
  const review = makeReview(data, () => { showStates(); filter(); });
  const view = makeView(data, textOf);
  makeCharts(data, choose);

  list.tHead.addEventListener("click", (event) => { const head = event.target.closest("th"); if (head) sort(head); });
  list.tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row && !event.target.closest("a, button") && !String(getSelection())) choose(Number(row.dataset.row));
  });
  $("filter").addEventListener("input", filter);
  $("filter").addEventListener("submit", (event) => event.preventDefault());
  $("filter").addEventListener("reset", () => { members = null; setTimeout(filter); });
  $("histogram").addEventListener("click", (event) => {
    const bin = event.target.closest(".bin");
    if (bin) { $("least").value = bin.dataset.low; filter(); }
  });

  /** The rows as listed, hidden ones left out. */
  const listed = () => [...list.tBodies[0].rows].filter((row) => !row.hidden);
  /** Those that can be opened; the parts of owners' pairs also while they are folded. */
  const visible = () => [...list.tBodies[0].rows].filter((row) => row.matches(".open") && (!row.hidden || Number(row.dataset.row) === shown || (row.matches(".part") && !headOf(row).hidden)));
  const headOf = (row) => { while (row.matches(".part")) row = row.previousElementSibling; return row; };
  const step = (by) => {
    const order = visible().map((row) => Number(row.dataset.row)), next = order[order.indexOf(shown) + by];
    if (next !== undefined) location.hash = `r${next}`;
  };
  for (const [name, value] of [["role", "heading"], ["aria-level", "1"]]) $("which").setAttribute(name, value);
  makePrint(data, textOf, { ...review, index: () => shown }, () => listed().map((row) => Number(row.dataset.row)));

  const open = (index) => {
    shown = index;
    view.open(index);
    review.show(index);
    $("which").textContent = `${data.rows[index].number} of ${parts.size.toLocaleString("en")}`;
    const order = visible().map((row) => Number(row.dataset.row)), at = order.indexOf(index);
    $("previous").disabled = at <= 0;
    $("next").disabled = at < 0 || at + 1 >= order.length;
  };
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));

  let scrolled = 0;
  const show = () => {
    const index = Number(/^#r(\d+)$/.exec(location.hash)?.[1] ?? -1);
    const opened = Boolean(data.rows[index]?.open), back = !opened && $("overview").hidden;
    if (opened && !$("overview").hidden) scrolled = scrollY;
    $("overview").hidden = opened;
    $("view").hidden = !opened;
    if (opened) open(index);
    if (!back) return;
    scrollTo(0, scrolled);
    rows[shown]?.querySelector("a")?.focus({ preventScroll: true });
  };
  addEventListener("hashchange", show);

  /** Moves the focus to the next row of the list. */
  const move = (by) => {
    const links = listed().map((row) => row.querySelector("a, button")).filter(Boolean);
    const at = links.findIndex((link) => link.closest("tr") === document.activeElement.closest("tr"));
    links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  const help = () => { if (!$("help").open) $("help").showModal(); };
  $("help-button").addEventListener("click", help);
  const ANYWHERE = { "?": help };
  const IN_LIST = { j: () => move(1), k: () => move(-1), "/": () => $("name").focus() };
  const IN_VIEW = {
    j: () => step(1), k: () => step(-1), n: () => view.turn(1), p: () => view.turn(-1), d: view.difference,
    s: () => review.toggle(shown, "seen"), c: () => review.toggle(shown, "confirmed"), x: () => review.toggle(shown, "dismissed"),
    Escape: () => { location.hash = ""; }, "/": () => { location.hash = ""; setTimeout(() => $("name").focus()); },
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    if (event.target.matches?.("input, select, textarea")) { if (event.key === "Escape") event.target.blur(); return; }
    const action = ($("view").hidden ? IN_LIST : IN_VIEW)[event.key] ?? ANYWHERE[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  showStates();
  filter();
  show();
})();
