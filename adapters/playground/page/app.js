import { call, make, moved, post, resources, sources, words } from "./parts.js";

const $ = (id) => document.getElementById(id);
const talks = new Map();
let current = "";
let last = null;

function begin() {
  current = crypto.randomUUID();
  talks.set(current, []);
  const name = `Conversation ${talks.size}`;
  $("conversations").append(make("option", { value: current }, name));
  $("conversations").value = current;
  show();
}

function show() {
  $("turns").replaceChildren(...talks.get(current).map(turn));
  const newest = $("turns").lastElementChild;
  $("log").scrollTop = newest ? newest.offsetTop - $("log").offsetTop : 0;
  $("examples").hidden = talks.get(current).length > 0;
}

const ENDED = {
  fact: "answered", ungrounded: "not in the documents", crisis: "help lines", refusal: "not answered", courtesy: "small talk", error: "failed",
};

function turn(one) {
  const { reply } = one;
  const item = make("li", {}, make("p", { class: "asked" }, one.question));
  const choose = (number) => {
    const source = item.querySelector(`[data-source="${number}"]`);
    source?.scrollIntoView({ block: "nearest" });
    source?.focus();
  };
  const kind = reply.kind === "crisis" ? "answer crisis" : "answer";
  item.append(make("div", { class: kind }, words(reply.text, reply.sources.length ? choose : null)));
  item.append(...[resources(reply), reply.sources.length ? sources(reply) : null].filter(Boolean));
  const confidence = reply.confidence == null ? "" : `${one.confidence} · `;
  const what = make("button", { type: "button", class: "link", onclick: () => { explain(one); $("turn").focus(); } }, "What happened");
  item.append(make("p", { class: "quiet" }, `${confidence}${ENDED[reply.kind] || reply.kind} · ${Math.round(one.trace.milliseconds)} ms `, what));
  return item;
}

function explain(one) {
  last = one;
  $("nothing").hidden = true;
  $("again").hidden = !one.standalone;
  $("beside").replaceChildren();
  const whole = Math.max(1, one.trace.milliseconds, ...one.trace.stages.map((stage) => stage.began + stage.milliseconds));
  $("timeline").replaceChildren(
    make("p", { class: "quiet" }, `Trace ${one.trace.trace_id}${one.trace.declined ? `, declined: ${one.trace.declined}` : ""}`),
    ...one.trace.stages.map((stage) => drawn(stage, whole, within(stage, one.trace.stages))));
}

// A stage that ran inside another one: the steps of a search.
const within = (stage, stages) => stages.some((other) =>
  other.stage === "retrieval" && stages.indexOf(stage) > stages.indexOf(other) &&
  stage.began + stage.milliseconds <= other.began + other.milliseconds + 0.05);

// What to see without opening it: that a stage fell back, failed, or dropped sentences.
function flags(told) {
  const dropped = told.dropped ? told.dropped.split(",").length : 0;
  return [
    told.degraded && `without its best: ${told.degraded}`,
    told.failed && `failed: ${told.failed}`,
    dropped && `${dropped} dropped`,
    told.grade && `evidence: ${told.grade}`,
  ].filter(Boolean).map((text) => make("span", { class: text.startsWith("evidence") ? "badge" : "badge down" }, text));
}

function drawn(stage, whole, inner) {
  const bar = make("div", { class: "bar" });
  bar.style.marginLeft = `${(100 * stage.began) / whole}%`;
  bar.style.width = `${(100 * stage.milliseconds) / whole}%`;
  const line = make("div", { class: inner ? "stage inner" : "stage" }, make("span", {}, stage.stage), make("div", { class: "track", "aria-hidden": "true" }, bar),
    make("span", { class: "number" }, `${stage.milliseconds.toFixed(1)} ms`), ...flags(stage.attributes || {}));
  return make("details", {}, make("summary", {}, line), make("div", {}, noted(stage.attributes || {}), ...said(stage.words || {})));
}

const noted = (attributes) =>
  make("dl", {}, ...Object.entries(attributes).filter(([, value]) => value !== "").flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]));

function said(told) {
  const parts = [];
  if (told.standalone) parts.push(make("p", {}, `Searched for: ${told.standalone}`));
  if (told.missing) parts.push(make("p", {}, `Missing: ${told.missing}`));
  if (told.hits) {
    parts.push(make("ol", {}, ...told.hits.map((hit) =>
      make("li", {}, `${hit.title} ${hit.locator} `, make("span", { class: "badge" }, hit.found_by.join(" and ") || "not ranked"), moved(hit),
        make("blockquote", {}, hit.text.slice(0, 400))))));
  }
  if (told.draft) {
    const kept = new Set(told.kept);
    parts.push(make("ul", {}, ...told.draft.map((sentence) => {
      const stands = kept.has(sentence.text);
      return make("li", { class: stands ? "kept" : "fell" }, `${stands ? "kept" : "dropped"}: ${sentence.text}`);
    })));
  }
  return parts;
}

const ask = (question, conversation, off, compare = false) =>
  post("ask", { question, conversation, off, compare, guest: $("guest").checked });

const switchedOff = () => [...document.querySelectorAll("#stages input:not(:checked)")].map((box) => box.value);

function tell(said, how = "") {
  $("status").textContent = said;
  $("status").className = how;
}

async function busy(form, said, work) {
  const button = form.querySelector("button:not([type=button])");
  button.disabled = true;
  tell(said);
  try {
    await work();
    tell("");
  } catch (error) {
    tell(error.message, "fault");
  } finally {
    button.disabled = false;
  }
}

async function question(text) {
  const where = current;
  await busy($("ask"), "Looking in the documents…", async () => {
    const one = { question: text, ...(await ask(text, where, switchedOff())) };
    talks.get(where).push(one);
    if (where === current) show();
    explain(one);
    $("question").value = "";
  });
  $("question").focus();
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("question").value.trim();
  if (text) question(text);
});
$("question").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("ask").requestSubmit();
  }
});
$("settings").addEventListener("submit", (event) => event.preventDefault());
$("new").addEventListener("click", () => { begin(); $("question").focus(); });
$("conversations").addEventListener("change", (event) => { current = event.target.value; show(); });
$("forget").addEventListener("click", async () => {
  try {
    const done = await post("forget", { conversation: current });
    talks.set(current, []);
    show();
    $("timeline").replaceChildren();
    tell(done.said);
  } catch (error) {
    tell(error.message, "fault");
  }
});
$("again").addEventListener("submit", (event) => {
  event.preventDefault();
  const before = last;
  busy($("again"), "Asking again…", async () => {
    const stage = $("without").value;
    const other = await ask(before.standalone, current, [stage], true);
    const column = (title, one) => make("div", {}, make("h3", {}, title), make("div", { class: "answer" }, words(one.reply.text)), sources(one.reply));
    $("beside").replaceChildren(column("As asked", before), column(`Without ${stage}`, other));
  });
});
let mostBytes = Infinity;

$("upload").addEventListener("submit", (event) => {
  event.preventDefault();
  const file = $("file").files[0];
  if (!file) {
    $("taken").textContent = "Choose a file first.";
    return;
  }
  if (file.size > mostBytes) {
    $("taken").textContent = `${file.name} is larger than ${Math.floor(mostBytes / 1e6)} MB. Please split it up.`;
    return;
  }
  busy($("upload"), `Reading ${file.name}…`, async () => {
    $("taken").textContent = "";
    const query = new URLSearchParams({ name: file.name, collection: $("into").value });
    const done = await call(`documents?${query}`, { method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" } });
    reported(done.said, done.undo);
    $("file").value = "";
    await state();
  });
});
$("undo").addEventListener("click", (event) =>
  busy($("upload"), "Taking it out…", async () => {
    reported((await post("documents/undo", { undo: event.target.value })).said, "");
    await state();
  }));

function reported(said, undo) {
  $("taken").replaceChildren(words(said));
  $("undo").value = undo;
  $("undo").hidden = !undo;
}

async function state() {
  const now = await call("state");
  const collections = Object.entries(now.collections).map(([name, count]) => `${name}: ${count}`).join(", ");
  mostBytes = now.most_bytes;
  const chosen = $("into").value || now.into;
  const names = [...new Set([now.into, ...Object.keys(now.collections)])].sort();
  $("into").replaceChildren(...names.map((name) => make("option", { value: name, selected: name === chosen }, name)));
  $("holdings").textContent = collections ? `Documents: ${collections}` : "No documents yet";
  $("faults").replaceChildren(...now.faults.map((fault) => make("li", {}, fault)));
  $("backends").textContent = now.backends;
  return now;
}

state().then((now) => {
  for (const stage of now.stages) {
    const on = !now.off.includes(stage);
    $("stages").append(make("label", {}, make("input", { type: "checkbox", value: stage, checked: on }), ` ${stage}`));
    $("without").append(make("option", { value: stage }, stage));
  }
  for (const text of now.examples) {
    $("examples").append(make("button", { type: "button", class: "plain", onclick: () => question(text) }, text));
  }
}).catch((error) => tell(error.message, "fault"));
begin();
