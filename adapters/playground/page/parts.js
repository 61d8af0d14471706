// Pieces of the page. Text from documents, models and people becomes text nodes, never markup.

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null && child !== ""));
  return element;
}

export async function call(path, options = {}) {
  const answer = await fetch(`api/${path}`, {
    ...options,
    headers: { "X-Citewell": "page", ...options.headers },
  });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.error || `The bot answered ${answer.status}.`);
  return body;
}

export const post = (path, body) =>
  call(path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });

// Bold and markers within a line; `onMarker` is told the number that was chosen.
function inline(text, onMarker) {
  return text.split(/(\*\*[^*]+\*\*|\[\d+\])/).filter(Boolean).map((part) => {
    if (/^\*\*.+\*\*$/.test(part)) return make("strong", {}, part.slice(2, -2));
    const marker = /^\[(\d+)\]$/.exec(part);
    if (marker && onMarker) {
      const label = `Source ${marker[1]}`;
      return make("button", { type: "button", class: "plain marker", "aria-label": label, onclick: () => onMarker(Number(marker[1])) }, part);
    }
    return document.createTextNode(part);
  });
}

const ROW = /^\s*\|.*\|\s*$/;

function grid(lines, onMarker) {
  const rows = lines.filter((line) => !/^[\s|:-]+$/.test(line)).map((line) => line.trim().slice(1, -1).split("|"));
  const cells = (name, row) => row.map((cell) => make(name, name === "th" ? { scope: "col" } : {}, ...inline(cell.trim(), onMarker)));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table" }, make("table", {},
    make("thead", {}, make("tr", {}, ...cells("th", rows[0]))),
    make("tbody", {}, ...rows.slice(1).map((row) => make("tr", {}, ...cells("td", row))))));
}

// Light Markdown as the bot writes it: paragraphs, lists, tables and bold. Whatever else there is stays as it stands.
export function words(text, onMarker) {
  const whole = document.createDocumentFragment();
  for (const block of text.split(/\n{2,}/)) {
    const lines = block.split("\n");
    if (lines.length > 1 && lines.every((line) => ROW.test(line)) && lines.some((line) => !/^[\s|:-]+$/.test(line))) {
      whole.append(grid(lines, onMarker));
      continue;
    }
    const listed = lines.length > 0 && lines.every((line) => /^(- |\d+\. )/.test(line));
    if (!listed) {
      whole.append(make("p", {}, ...inline(block, onMarker)));
      continue;
    }
    const items = lines.map((line) => make("li", {}, ...inline(line.replace(/^(- |\d+\. )/, ""), onMarker)));
    whole.append(make(/^\d/.test(lines[0]) ? "ol" : "ul", {}, ...items));
  }
  return whole;
}

const FOUND = { keyword: "found by words", vector: "found by meaning" };

export function found(source) {
  if (source.found_by.length === 2) return "found by words and meaning";
  return FOUND[source.found_by[0]] || "";
}

export function moved(source) {
  const by = source.rank_before_rerank - source.rank;
  if (!by) return make("span", { class: "badge" }, `#${source.rank}`);
  const said = by > 0 ? `+${by}` : String(by);
  const label = `rank ${source.rank}, before reranking ${source.rank_before_rerank}`;
  return make("span", { class: by > 0 ? "badge up" : "badge down", title: label }, `#${source.rank} (${said})`);
}

// Only web pages are opened, and none of them learns where the click came from.
export function link(url, text) {
  if (!/^https?:\/\//.test(url || "")) return document.createTextNode(text);
  return make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, text);
}

export function sources(reply) {
  return make("ul", { class: "sources" }, ...reply.sources.map((source) =>
    make("li", { "data-source": source.n, tabindex: "-1" },
      link(source.url, `[${source.n}] ${source.title}`), source.locator ? ` · ${source.locator} ` : " ",
      make("span", { class: "badge" }, found(source)), moved(source),
      make("blockquote", {}, source.quote))));
}

export function resources(reply) {
  if (!reply.resources.length) return null;
  return make("ul", { class: "resources" }, ...reply.resources.map((one) => {
    const call = one.links.call ? make("a", { href: one.links.call }, one.phone) : one.phone;
    return make("li", {}, link(one.url, one.name), " ", call || "", one.text ? ` · ${one.text}` : "", one.hours ? ` · ${one.hours}` : "");
  }));
}
