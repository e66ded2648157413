/* Clusters as graphs, and the heat map of owners or documents, by the rows of the page. */
window.fpdb.makeCharts = (data, choose) => {
  const { $, spelled, counted, element } = window.fpdb;
  const DRAWN = 120, MAPPED = 200, STEP = 18;
  const whole = data.rows.map((row, index) => ({ ...row, index })).filter((row) => !row.number.includes("."));
  const nameOf = (source) => spelled(data.sources[source].short);

  const svg = (name, attributes = {}, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const pairTitle = (row) => `${nameOf(row.a)} and ${nameOf(row.b)}: ${row.score.toFixed(3)}`;

  /** Groups of sources that rows of enough score connect: [sources, rows], the largest first. */
  const clustersFrom = (least) => {
    const root = new Map(), rows = whole.filter((row) => row.score >= least);
    const find = (source) => { while (root.get(source) !== source) source = root.get(source); return source; };
    for (const { a, b } of rows) {
      for (const source of [a, b]) if (!root.has(source)) root.set(source, source);
      root.set(find(a), find(b));
    }
    const groups = new Map();
    for (const source of root.keys()) {
      const own = find(source);
      if (!groups.has(own)) groups.set(own, [[], []]);
      groups.get(own)[0].push(source);
    }
    for (const row of rows) groups.get(find(row.a))[1].push(row);
    return [...groups.values()].sort((x, y) => y[0].length - x[0].length);
  };

  /** Shows all of a drawing, whatever its names take. */
  const fit = (drawing) => {
    const box = drawing.getBBox(), margin = 6;
    const size = [box.width + 2 * margin, box.height + 2 * margin].map(Math.ceil);
    drawing.setAttribute("viewBox", `${box.x - margin} ${box.y - margin} ${size[0]} ${size[1]}`);
    drawing.setAttribute("width", size[0]);
    drawing.setAttribute("height", size[1]);
  };

  /** A graph: sources on an ellipse, as far apart as their names need. */
  const graph = ([sources, rows]) => {
    const drawing = svg("svg", { class: "graph", role: "img", "aria-label": `graph of ${sources.length} members` });
    const half = Math.ceil(sources.length / 2), height = Math.max(half * STEP, 60), width = Math.max(height * 0.8, 120);
    const place = new Map(sources.map((source, at) => {
      const right = at < half, count = right ? half : sources.length - half, order = right ? at : sources.length - 1 - at;
      const y = count === 1 ? 0 : (order / (count - 1) - 0.5) * height;
      return [source, { right, y, x: (right ? 1 : -1) * width / 2 * Math.sqrt(Math.max(1 - (y / height) ** 2 * 2.4, 0.15)) }];
    }));
    for (const row of [...rows].reverse()) {
      const a = place.get(row.a), b = place.get(row.b);
      const line = svg("line", { class: "edge", x1: a.x, y1: a.y, x2: b.x, y2: b.y, "stroke-width": 0.8 + 3 * row.score, "stroke-opacity": 0.25 + 0.75 * row.score }, svg("title", {}, pairTitle(row)));
      line.addEventListener("click", () => choose(row.index));
      drawing.append(line);
    }
    for (const [source, { x, y, right }] of place) {
      drawing.append(svg("circle", { class: "node", cx: x, cy: y, r: 4.5 }),
        svg("text", { x: x + (right ? 9 : -9), y, class: right ? "first" : "last" }, nameOf(source)));
    }
    return drawing;
  };

  const drawClusters = () => {
    const least = Number($("threshold").value), groups = clustersFrom(least), larger = groups.filter(([sources]) => sources.length > 2);
    $("threshold-value").textContent = `${least.toFixed(2)}: ${counted(groups.length, "cluster")}`;
    const cards = larger.map((group) => {
      const button = element("button", { type: "button" }, "list its pairs");
      button.addEventListener("click", () => choose(new Set(group[0])));
      const box = element("section", { class: "cluster" }, element("p", {}, `${counted(group[0].length, "member")}, ${counted(group[1].length, "pair")} `, button));
      if (group[0].length <= DRAWN) box.append(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `graph of ${group[0].length} members` }, graph(group)));
      else box.append(element("p", { class: "names" }, group[0].map(nameOf).join(", ")));
      return box;
    });
    const couples = groups.filter(([sources]) => sources.length === 2).map(([, rows]) => {
      const { index } = rows[0], item = element("li"), row = rows[0];
      item.append(data.rows[index].open ? element("a", { href: `#r${index}` }, pairTitle(row)) : pairTitle(row));
      return item;
    });
    if (couples.length) cards.push(element("section", { class: "cluster" }, element("p", {}, `${counted(couples.length, "pair")} apart from all others`), element("ul", {}, ...couples)));
    $("graphs").replaceChildren(...cards);
    for (const drawing of $("graphs").querySelectorAll("svg")) fit(drawing);
  };

  const drawMap = () => {
    const order = [...new Set(whole.flatMap((row) => [row.a, row.b]))].slice(0, MAPPED);
    const at = new Map(order.map((source, index) => [source, index])), cell = Math.max(5, Math.min(20, Math.floor(1000 / order.length)));
    const letters = Math.min(cell * 0.7, 11);
    const drawing = svg("svg", { class: "map", "font-size": letters, role: "img", "aria-label": `heat map of ${order.length} names: the list has the same numbers` });
    const end = order.length * cell;
    drawing.append(svg("rect", { class: "room", width: end, height: end }));
    for (const row of whole) {
      if (!at.has(row.a) || !at.has(row.b)) continue;
      for (const [x, y] of [[row.a, row.b], [row.b, row.a]]) {
        const square = svg("rect", { class: "heat", x: at.get(x) * cell, y: at.get(y) * cell, width: cell - 1, height: cell - 1, "fill-opacity": Math.max(row.score, 0.05) }, svg("title", {}, pairTitle(row)));
        square.addEventListener("click", () => choose(row.index));
        drawing.append(square);
      }
    }
    order.forEach((source, index) => {
      const middle = index * cell + cell / 2;
      if (letters < 6) return;
      drawing.append(svg("text", { class: "last", x: -4, y: middle }, nameOf(source)),
        svg("text", { class: "first", transform: `translate(${middle} -4) rotate(-60)` }, nameOf(source)));
    });
    const more = whole.flatMap((row) => [row.a, row.b]).some((source) => !at.has(source));
    $("heat").replaceChildren(element("p", { class: "about" }, `Each square is a pair on this page; the stronger, the more alike.${more ? ` The first ${MAPPED} names of the list.` : ""}`), drawing);
    fit(drawing);
  };

  if (!$("clusters")) return;
  $("clusters").querySelector("summary").textContent = `Clusters (${clustersFrom(Number($("threshold").value)).length} from ${Number($("threshold").value)} on)`;
  $("clusters").addEventListener("toggle", () => { if ($("clusters").open) drawClusters(); });
  $("threshold").addEventListener("input", drawClusters);
  $("map").addEventListener("toggle", () => { if ($("map").open && !$("heat").firstChild) drawMap(); });
};
