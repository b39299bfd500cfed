// A document as it was captured, beside a grade: title, picture, body, fields. What it holds came from elsewhere: markup
// was sanitised before it was stored, everything else is put in as text.

import { mark, terms } from "./mark.js";

const { base } = document.body.dataset;

// A captured page has a place below the headings of ours, and none of its landmarks.
const RENAMED = { H1: "h3", H2: "h3", H3: "h4", H4: "h5", H5: "h6" };
const BLOCKS = "p, li, dt, dd, td, th, h3, h4, h5, h6, blockquote, figcaption, caption, pre, div";
const FOLDED = 1.3; // a body that is hardly longer than its fold is shown whole

function put(name, text = "", more = {}) {
  const node = document.createElement(name);
  node.textContent = text;
  return Object.assign(node, more);
}

// Language and direction, as the server tells them: "auto" where only the letters can tell.
export function speak(node, { language, dir }) {
  if (language) node.lang = language;
  else node.removeAttribute("lang");
  node.dir = dir || "auto";
}

export function languageName(tag) {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(tag);
  } catch {
    return tag; // well-formed, and nobody's
  }
}

export const asked = (query) => terms(query.text || "", query.language);

function renamed(node) {
  for (const [from, to] of Object.entries(RENAMED)) {
    for (const old of node.querySelectorAll(from.toLowerCase() + ":not([data-new])")) {
      const made = put(to, "", { lang: old.lang, dir: old.dir });
      made.dataset.new = "";
      made.append(...old.childNodes);
      old.replaceWith(made);
    }
  }
}

function markup(doc) {
  const read = new DOMParser().parseFromString(doc.html, "text/html"); // inert until it stands on the page
  renamed(read.body);
  if (doc.dir === "auto") for (const block of read.body.querySelectorAll(BLOCKS)) if (!block.dir) block.dir = "auto";
  return [...read.body.childNodes];
}

function paragraphs(doc) {
  const parts = (doc.text || "").split(/\n\s*\n/).filter((part) => part.trim());
  return parts.map((part) => put("p", part, { dir: doc.dir === "auto" ? "auto" : "" }));
}

function bodyOf(doc, words) {
  const body = put("div");
  body.className = "body";
  speak(body, doc);
  body.append(...(doc.html ? markup(doc) : paragraphs(doc)));
  mark(body, words);
  return body;
}

function fieldsOf(doc, words) {
  const told = Object.entries(doc.fields || {});
  if (!told.length) return [];
  const table = put("table");
  table.className = "fields";
  for (const [name, value] of told) {
    const row = table.insertRow();
    const cell = put("td", value, { dir: "auto" });
    mark(cell, words);
    row.append(put("th", name, { scope: "row", dir: "auto" }), cell);
  }
  return [table];
}

const source = (doc) => `${base}/v1/images/${doc.image}`;

// Asks for the picture before the document is on the screen.
export function prefetch(doc) {
  if (doc && doc.image) new Image().src = source(doc);
}

function pictureOf(doc) {
  if (!doc.image) return [];
  const frame = put("div");
  frame.className = "picture";
  frame.append(Object.assign(new Image(), { src: source(doc), alt: `Picture: ${doc.title || doc.doc_id}`, decoding: "async" }));
  return [frame];
}

function day(at) {
  const found = /^(\d{4})-(\d\d)-(\d\d)/.exec(at);
  if (!found) return at;
  const [, year, month, date] = found.map(Number);
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(Date.UTC(year, month - 1, date));
}

function stampOf(doc) {
  const stamp = put("div");
  stamp.className = "stamp";
  stamp.dir = "ltr";
  if (!doc.doc_hash) {
    stamp.append(put("span", "nobody gave this document: its id is all there is"));
    return stamp;
  }
  stamp.append(put("span", doc.captured_at ? `snapshot ${day(doc.captured_at)}` : "as it was when the project was made"));
  stamp.append(put("span", `hash ${doc.doc_hash.slice(0, 8)}`));
  return stamp;
}

// Folds a long body, so that what stands below it and the rubric are in sight; the button shows the rest.
function fold(body, doc) {
  body.classList.add("folded");
  const height = body.clientHeight;
  if (body.scrollHeight <= FOLDED * height) {
    body.classList.remove("folded");
    return;
  }
  const hidden = [...body.querySelectorAll("mark")].filter((one) => one.offsetTop - body.offsetTop >= height).length;
  const letters = body.textContent.length.toLocaleString("en");
  const more = put("button", `Show all of it: ${letters} letters${hidden ? `, ${hidden} more marked` : ""} `);
  more.className = "more";
  more.setAttribute("aria-expanded", "false");
  more.setAttribute("aria-keyshortcuts", "m");
  more.append(put("kbd", "m"));
  more.addEventListener("click", () => {
    const isFolded = body.classList.toggle("folded");
    more.setAttribute("aria-expanded", String(!isFolded));
    more.firstChild.data = isFolded ? `Show all of it: ${letters} letters ` : "Fold it ";
  });
  body.after(more);
}

// Draws a document into an article that stands on the page.
// words: those of the query, see `asked`; empty where nothing is marked.
export function draw(article, doc, words = []) {
  const title = put("h2", doc.title || doc.doc_id);
  title.className = "title";
  speak(title, doc);
  mark(title, words);
  const body = bodyOf(doc, words);
  article.dir = doc.dir === "rtl" ? "rtl" : "ltr"; // on which side picture and fields stand
  article.replaceChildren(...pictureOf(doc), title, body, ...fieldsOf(doc, words), stampOf(doc));
  fold(body, doc);
}
