import { call, make } from "./parts.js";

function table(caption, heads, rows) {
  const body = rows.length ? rows : [["nothing yet", ...heads.slice(1).map(() => "")]];
  return make("section", {}, make("table", {}, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...heads.map((head) => (head ? make("th", { scope: "col" }, head) : make("td"))))),
    make("tbody", {}, ...body.map((row) => make("tr", {}, ...row.map((cell, at) =>
      at ? make("td", {}, String(cell)) : make("th", { scope: "row" }, String(cell))))))));
}

const moment = (text) => text.slice(0, 16).replace("T", " ");

const counts = (caption, head, found) => table(caption, [head, "times"], Object.entries(found || {}));

call("dashboard").then((now) => {
  const unread = now.unread.length ? ` Could not be read: ${now.unread.join(", ")}.` : "";
  document.getElementById("about").textContent = `${now.turns} turns in ${now.days} days, ${now.dollars} dollars at list prices.${unread}`;
  const kinds = [...new Set(Object.values(now.kinds).flatMap(Object.keys))].sort();
  document.getElementById("numbers").append(
    table("Turns by kind", ["day", ...kinds], Object.entries(now.kinds).map(([day, found]) => [day, ...kinds.map((kind) => found[kind] || 0)])),
    counts("Declined, by reason", "reason", now.declined),
    counts("Verdicts of the safety gate", "verdict", now.verdicts),
    table("Times in milliseconds", ["stage", "runs", "p50", "p95"], Object.entries(now.stages).map(([name, one]) => [name, one.runs, one.p50, one.p95])),
    counts("Backends in use", "stage: backend", now.backends),
    counts("Fallbacks", "stage: why", now.fallbacks),
    counts("Feedback", "mark", now.feedback),
    table("Asked, and not in the documents", ["question", "times", "last"], (now.gaps || []).map((gap) => [gap.question, gap.times, gap.last])),
    table("Documents taken in", ["when", "collection", "by", "files"], (now.ingests || []).map((one) =>
      [moment(one.at), one.collection, one.through, Object.entries(one.files).map(([what, count]) => `${count} ${what}`).join(", ") || "none"])),
    table("Index", ["holds", ""], Object.entries(now.index || {}).map(([what, value]) => [what, what === "last changed" ? moment(value) : value])));
}).catch((error) => { document.getElementById("about").textContent = error.message; });
