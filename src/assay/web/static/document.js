// A document as it was captured, beside a grade: title, picture, body, fields. What it holds came from elsewhere: markup
// was sanitised before it was stored, everything else is put in as text.

import { mark, places, terms } from "./mark.js";

const { base } = document.body.dataset;

// A captured page has a place below the headings of ours, and none of its landmarks.
const RENAMED = { H1: "h3", H2: "h3", H3: "h4", H4: "h5", H5: "h6" };
const BLOCKS = "p, li, dt, dd, td, th, h3, h4, h5, h6, blockquote, figcaption, caption, pre, div";
const FIRST = 6_000; // letters of a body that are drawn at once: more than its fold shows
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
  for (const image of read.body.querySelectorAll("img:not([src])")) image.replaceWith(`[picture${image.alt ? `: ${image.alt}` : ""}]`);
  if (doc.dir === "auto") for (const block of read.body.querySelectorAll(BLOCKS)) if (!block.dir) block.dir = "auto";
  return [...read.body.childNodes];
}

function paragraphs(doc) {
  const parts = (doc.text || "").split(/\n\s*\n/).filter((part) => part.trim());
  return parts.map((part) => put("p", part, { dir: doc.dir === "auto" ? "auto" : "" }));
}

// Takes what lies behind the first so many letters off the page, to be put back when it is asked for: drawing and marking
// a very long text would keep the next document waiting. Returns how many letters are left to show; off gets
// [where, what was there].
function cut(node, left, off) {
  const later = [];
  for (const child of [...node.childNodes]) {
    if (left <= 0) {
      later.push(child);
      continue;
    }
    const letters = child.textContent.length;
    left = letters > left && child.childNodes.length > 1 ? cut(child, left, off) : left - letters;
  }
  if (later.length) {
    for (const child of later) child.remove();
    off.push([node, later]);
  }
  return left;
}

function bodyOf(doc, words) {
  const body = put("div");
  body.className = "body";
  speak(body, doc);
  body.append(...(doc.html ? markup(doc) : paragraphs(doc)));
  const letters = body.textContent.length;
  const off = [];
  cut(body, FIRST, off);
  mark(body, words);
  return { body, letters, off };
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
  if (/^https?:\/\//i.test(doc.live || "")) {
    const link = put("a", "Open the live page", { href: doc.live, target: "_blank", rel: "noreferrer noopener" });
    link.dataset.live = "";
    link.title = "It may differ from the snapshot. That you opened it is noted, and its site sees that somebody comes.";
    stamp.append(link);
  }
  return stamp;
}

// Folds a long body, so that what stands below it and the rubric are in sight; the button shows the rest.
function fold({ body, letters, off }, words) {
  body.classList.add("folded");
  const height = body.clientHeight;
  if (!off.length && body.scrollHeight <= FOLDED * height) {
    body.classList.remove("folded");
    return;
  }
  let hidden = [...body.querySelectorAll("mark")].filter((one) => one.offsetTop >= height).length;
  const more = put("button");
  more.className = "more";
  more.setAttribute("aria-keyshortcuts", "m");
  more.append("", put("kbd", "m"));
  const say = () => {
    const isFolded = body.classList.contains("folded");
    const told = `Show all of it: ${letters.toLocaleString("en")} letters${hidden ? `, ${hidden} more marked` : ""} `;
    more.firstChild.data = isFolded ? told : "Fold it ";
    more.setAttribute("aria-expanded", String(!isFolded));
  };
  more.addEventListener("click", () => {
    for (const [where, what] of off.splice(0)) {
      where.append(...what);
      for (const node of what) mark(node, words);
    }
    body.classList.toggle("folded");
    say();
  });
  say();
  body.after(more);
  if (off.length && words.length) {
    (window.requestIdleCallback || setTimeout)(() => {
      for (const [, what] of off) for (const node of what) hidden += places(node.textContent, words).length;
      say();
    });
  }
}

// Draws a document into an article that stands on the page.
// words: those of the query, see `asked`; empty where nothing is marked.
export function draw(article, doc, words = []) {
  const title = put("h2", doc.title || doc.doc_id);
  title.className = "title";
  speak(title, doc);
  mark(title, words);
  const made = bodyOf(doc, words);
  article.dir = doc.dir === "rtl" ? "rtl" : "ltr"; // on which side picture and fields stand
  article.replaceChildren(...pictureOf(doc), title, made.body, ...fieldsOf(doc, words), stampOf(doc));
  fold(made, words);
}
