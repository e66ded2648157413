/* What is printed: a page for each owner or document of the list, and one for each of its pairs; or the pair that is open. */
window.fpdb.makePrint = (data, textOf, review, listed) => {
  const { $, element, write, counted, readText, writeRegion } = window.fpdb;
  const CHARACTERS = 8_000_000, HEADING = 200; // of all regions on paper, and for which the heading of one counts
  const name = (source) => write(element("bdi"), data.sources[source].name);
  const cell = (tag, content) => element(tag, {}, content ?? "");

  const ownerPages = (rows) => {
    const pairs = new Map();
    for (const index of rows) for (const source of [data.rows[index].a, data.rows[index].b]) pairs.set(source, [...(pairs.get(source) ?? []), index]);
    return [...pairs].map(([source, own]) => element("section", { class: "sheet" }, element("h2", {}, name(source)),
      element("table", {}, element("thead", {}, element("tr", {}, ...["#", "with", data.score, ...data.columns, "review"].map((head) => cell("th", head)))),
        element("tbody", {}, ...own.map((index) => {
          const row = data.rows[index], { state, note } = review.of(index);
          return element("tr", {}, cell("td", row.number), cell("td", name(row.a === source ? row.b : row.a)), cell("td", row.score.toFixed(3)),
            ...data.columns.map((_, at) => cell("td", row.values[at])), cell("td", [state, note].filter(Boolean).join(": ")));
        })))));
  };

  /** Returns a function that makes the parts of a page for a pair. The texts are shared out among the pairs to come. */
  const pairWriter = (pairs) => {
    const read = new Map();
    const textIn = (source) => { if (!read.has(source)) { const held = textOf(source); read.set(source, held && readText(held)); } return read.get(source); };
    let left = CHARACTERS, waiting = pairs;

    const regionTable = (row) => {
      const end = left - left / waiting--, texts = [row.a, row.b].map((source, side) => (row.symbols[side] ? null : textIn(source)));
      const body = element("tbody");
      for (const region of row.regions) {
        if (left < end) break;
        const cells = [0, 1].map((side) => writeRegion(element("td"), texts[side], region.slice(2 * side, 2 * side + 2), row.symbols[side]));
        body.append(element("tr", {}, ...cells));
        left -= HEADING + cells[0].textContent.length + cells[1].textContent.length;
      }
      const more = row.regions.length - body.rows.length;
      const notes = row.regions.length ? (more ? [`${counted(more, "more region")}: open the pair, or list fewer, to print all.`] : []) : ["No region can be shown."];
      return [element("table", { class: "sides" }, body), ...notes.map((text) => element("p", { class: "about" }, text))];
    };

    return (index, heading) => {
      const row = data.rows[index], { state, note } = review.of(index);
      const values = [[data.score, row.score.toFixed(3)], ...data.columns.map((head, at) => [head, row.values[at]])].filter(([, value]) => value);
      return [element(heading, {}, `${row.number}  `, name(row.a), " and ", name(row.b)),
        element("p", {}, values.map((value) => value.join(" ")).join(" \u00b7 ")),
        ...(state || note ? [element("p", {}, [state, note].filter(Boolean).join(": "))] : []),
        ...(row.open ? regionTable(row) : [])];
    };
  };

  const isPart = (index) => data.rows[index]?.number.includes(".");
  const partsOf = (index) => { const parts = []; while (isPart(index + parts.length + 1)) parts.push(index + parts.length + 1); return parts; };

  addEventListener("beforeprint", () => {
    const rows = $("view").hidden ? listed().filter((index) => !isPart(index)) : [];
    const pages = $("view").hidden ? rows.map((index) => [index, ...partsOf(index)]) : [[review.index()]];
    const written = pairWriter(pages.flat().filter((index) => data.rows[index].open).length);
    document.querySelector("#overview details").open = true; // what was compared
    $("print").replaceChildren(...ownerPages(rows), ...pages.map(([index, ...parts]) =>
      element("section", { class: "sheet" }, ...written(index, "h2"), ...parts.flatMap((part) => written(part, "h3")))));
  });
  addEventListener("afterprint", () => $("print").replaceChildren());
};
