/* The reader's review of pairs: seen, confirmed, dismissed, and a note; kept in this browser, and moved as JSON. */
window.fpdb.makeReview = (data, onChange) => {
  const { $, element } = window.fpdb;
  const STATES = ["seen", "confirmed", "dismissed"];
  const store = `fpdb-review-${data.report}`;
  const keyOf = (index) => JSON.stringify([data.rows[index].a, data.rows[index].b].map((source) => data.sources[source].name));
  let reviews = {}, shown = null;
  const read = () => { try { reviews = JSON.parse(localStorage.getItem(store)) ?? {}; } catch { /* not kept beyond this visit */ } };
  read();

  const of = (index) => reviews[keyOf(index)] ?? { state: "", note: "" };
  const keep = () => {
    try { localStorage.setItem(store, JSON.stringify(reviews)); } catch { $("said").textContent = "This browser keeps no reviews: export them before you leave."; }
    onChange();
    if (shown !== null) show(shown);
  };
  // Another window has changed the review, or had: what it wrote may arrive after this page was opened.
  addEventListener("storage", ({ key }) => {
    if (key !== store && key !== null) return;
    read();
    onChange();
    if (shown !== null && document.activeElement !== note) show(shown); // a note that is being written stays
  });
  const set = (index, changes) => {
    const review = { ...of(index), ...changes };
    if (review.state || review.note) reviews[keyOf(index)] = review; else delete reviews[keyOf(index)];
    keep();
  };
  /** Gives a pair a state, or takes it away if the pair has it. */
  const toggle = (index, state) => set(index, { state: of(index).state === state ? "" : state });

  const buttons = STATES.map((state) => {
    const button = element("button", { type: "button", "aria-pressed": "false", title: `${state} (${state === "dismissed" ? "x" : state[0]})` }, state);
    button.addEventListener("click", () => toggle(shown, state));
    return button;
  });
  const note = element("input", { type: "text", placeholder: "note", "aria-label": "note on this pair", maxlength: "2000" });
  note.addEventListener("change", () => set(shown, { note: note.value }));
  $("view").insertBefore(element("div", { class: "bar", role: "group", "aria-label": "Review" }, ...buttons, note), $("view").querySelector(".panes"));

  const show = (index) => {
    shown = index;
    const review = of(index);
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(STATES[at] === review.state)));
    note.value = review.note;
  };

  $("export").addEventListener("click", () => {
    const pairs = Object.entries(reviews).map(([key, review]) => ({ names: JSON.parse(key), ...review }));
    const text = JSON.stringify({ format: "fpdb-review", report: data.report, pairs }, null, 1);
    const link = element("a", { download: "review.json", href: URL.createObjectURL(new Blob([text], { type: "application/json" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  const merge = (text) => {
    const read = JSON.parse(text);
    if (read?.format !== "fpdb-review" || !Array.isArray(read.pairs)) throw new Error("this is not a review that a report exported");
    const known = new Set(data.rows.map((_, index) => keyOf(index)));
    let taken = 0;
    for (const { names, state, note: words } of read.pairs) {
      const key = JSON.stringify(names);
      if (!known.has(key)) continue;
      reviews[key] = { state: STATES.includes(state) ? state : "", note: String(words ?? "").slice(0, 2000) };
      taken++;
    }
    keep();
    return `${taken} of ${read.pairs.length} reviews are of pairs on this page, and were taken over.`;
  };
  const chooser = element("input", { type: "file", accept: "application/json,.json" });
  chooser.addEventListener("change", async () => {
    try { $("said").textContent = merge(await chooser.files[0].text()); } catch (error) { $("said").textContent = `Not imported: ${error.message}`; }
    chooser.value = "";
  });
  $("import").addEventListener("click", () => { if (navigator.userActivation?.isActive ?? true) chooser.click(); });
  return { of, show, toggle, merge, note };
};
