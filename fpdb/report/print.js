/* What is printed: a page for each owner or document of the list, and one for each pair, or the pair that is open. */
window.fpdb.makePrint = (data, textOf, review, listed) => {
  const { $, element, write, counted, readText, writeRegion } = window.fpdb;
  const PAGES = 100;
  const name = (source) => write(element("bdi"), data.sources[source].name);
  const cell = (tag, content) => element(tag, {}, content ?? "");

  const ownerPages = (rows) => {
    const pairs = new Map();
    for (const index of rows) for (const source of [data.rows[index].a, data.rows[index].b]) pairs.set(source, [...(pairs.get(source) ?? []), index]);
    return [...pairs].slice(0, PAGES).map(([source, own]) => element("section", { class: "sheet" }, element("h2", {}, name(source)),
      element("table", {}, element("thead", {}, element("tr", {}, ...["#", "with", data.score, ...data.columns, "review"].map((head) => cell("th", head)))),
        element("tbody", {}, ...own.map((index) => {
          const row = data.rows[index], { state, note } = review.of(index);
          return element("tr", {}, cell("td", row.number), cell("td", name(row.a === source ? row.b : row.a)), cell("td", row.score.toFixed(3)),
            ...data.columns.map((_, at) => cell("td", row.values[at])), cell("td", [state, note].filter(Boolean).join(": ")));
        })))));
  };

  const pairPage = (index) => {
    const row = data.rows[index], { state, note } = review.of(index);
    const texts = [row.a, row.b].map((source, side) => { const held = !row.symbols[side] && textOf(source); return held ? readText(held) : null; });
    const values = [[data.score, row.score.toFixed(3)], ...data.columns.map((head, at) => [head, row.values[at]])].filter(([, value]) => value);
    return element("section", { class: "sheet" }, element("h2", {}, `${row.number}  `, name(row.a), " and ", name(row.b)),
      element("p", {}, values.map((value) => value.join(" ")).join(" \u00b7 ")),
      ...(state || note ? [element("p", {}, [state, note].filter(Boolean).join(": "))] : []),
      element("table", { class: "sides" }, element("tbody", {}, ...row.regions.map((region) => element("tr", {}, ...[0, 1].map((side) =>
        writeRegion(element("td"), texts[side], region.slice(2 * side, 2 * side + 2), row.symbols[side])))))),
      ...(row.regions.length ? [] : [element("p", {}, "No region can be shown.")]));
  };

  addEventListener("beforeprint", () => {
    const rows = $("view").hidden ? listed() : [];
    const pairs = $("view").hidden ? rows.filter((index) => data.rows[index].open).slice(0, PAGES) : [review.index()];
    document.querySelector("#overview details").open = true; // what was compared
    const cut = rows.length > PAGES ? [element("p", { class: "note" }, `Of ${counted(rows.length, "pair")} in the list, the first ${PAGES} have a page: filter the list to print others.`)] : [];
    $("print").replaceChildren(...cut, ...ownerPages(rows.filter((index) => !data.rows[index].number.includes("."))), ...pairs.map(pairPage));
  });
  addEventListener("afterprint", () => $("print").replaceChildren());
};
