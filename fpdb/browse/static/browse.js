"use strict";
if (document.querySelector("[data-reload]")) setTimeout(() => location.reload(), 1000);
(() => {
  const held = document.getElementById("data");
  if (!held) return;
  const data = JSON.parse(held.textContent), view = window.fpdb.makeView(data, (source) => data.texts[source] ?? null);
  document.getElementById("view").hidden = false;
  view.open(0);
  const keys = {
    j: () => document.querySelector("a[rel=next]")?.click(), k: () => document.querySelector("a[rel=prev]")?.click(),
    n: () => view.turn(1), p: () => view.turn(-1), d: view.difference,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    keys[event.key]?.();
  });
})();
(() => {
  const form = document.getElementById("search");
  if (!form) return;
  const file = document.getElementById("file"), text = document.getElementById("text"), problem = document.getElementById("problem");
  const limit = Number(form.dataset.max);

  /** Says what is wrong with what would be sent, if anything is. */
  const check = () => {
    const size = file.files[0]?.size ?? new Blob([text.value]).size;
    problem.hidden = size <= limit;
    problem.textContent = problem.hidden ? "" : `This is too large: a query may have ${limit.toLocaleString("en")} bytes. Use fpdb query FILE instead.`;
    return problem.hidden;
  };

  const send = () => { if (check()) form.requestSubmit(); };
  form.addEventListener("submit", (event) => { if (!check()) event.preventDefault(); });
  file.addEventListener("change", send);
  text.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(); });
  for (const kind of ["dragenter", "dragover"]) addEventListener(kind, (event) => { event.preventDefault(); form.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) addEventListener(kind, () => form.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault(); // else the browser would leave the page and show the file
    if (!event.dataTransfer.files.length) return;
    file.files = event.dataTransfer.files;
    send();
  });
})();
