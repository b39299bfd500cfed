// Keys of the disputes: a digit chooses, Enter saves or goes on. Without this file forms and links do the same.

import { mark as underline, terms } from "./mark.js";

const form = document.getElementById("answer");
const change = document.getElementById("change");
const cannot = document.getElementById("cannot");
const help = document.getElementById("help");
let sent = false; // the page leaves: a second key would be about what nobody has seen

const $ = (id) => document.getElementById(id);
const isOpen = () => form && (!change || change.open);
const fields = [...document.querySelectorAll("[data-dimension]")];
const isSaid = (field) =>
  [...field.querySelectorAll("input")].some((one) => (one.type === "radio" ? one.checked : one.value !== ""));
const active = () => fields.find((field) => !isSaid(field));

function mark() {
  for (const field of fields) field.toggleAttribute("data-active", isOpen() && field === active());
}

function choose(within, value) {
  const found = [...within.querySelectorAll("input[type=radio]")].find((one) => one.value === value);
  if (found) found.checked = true;
  mark();
}

function digit(key) {
  if (!isOpen()) return;
  if (cannot.open) cannot.querySelectorAll("button")[Number(key) - 1]?.click();
  else if (!fields.length) choose(form, key);
  else if (active()) choose(active(), key);
}

function again() {
  const said = fields.filter(isSaid);
  for (const one of said.length ? said.at(-1).querySelectorAll("input") : []) {
    if (one.type === "radio") one.checked = false;
    else one.value = "";
  }
  mark();
}

function step(by) {
  const links = [...document.querySelectorAll(".queue a")];
  const at = links.findIndex((one) => one.hasAttribute("aria-current"));
  links[(Math.max(at, by < 0 ? 0 : at) + by + links.length) % links.length]?.click();
}

function enter() {
  if (!isOpen()) $("next")?.click();
  else form.requestSubmit($("save"));
}

const CHOICES = { ArrowLeft: "left", ArrowRight: "right", "=": "tie", e: "tie", b: "both-bad" };

const KEYS = {
  Enter: enter, Backspace: again, s: () => $("skip")?.requestSubmit(), u: () => $("undo")?.requestSubmit(),
  n: () => isOpen() && $("note").focus(), j: () => step(1), k: () => step(-1), "?": () => help.showModal(),
  x: () => {
    if (!isOpen()) return;
    cannot.open = !cannot.open;
    const summary = cannot.querySelector("summary");
    cannot.open ? summary.focus() : summary.blur(); // Enter saves again
  },
  r: () => { const text = $("rubric-text"); if (text) text.open = !text.open; },
  m: () => {
    const folds = [...document.querySelectorAll("details.whole")];
    const open = folds.some((one) => !one.open);
    for (const one of folds) one.open = open;
  },
  c: () => { if (change) { change.open = !change.open; mark(); } },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || sent || help.open) return;
  const { key, target } = event;
  if (target.matches("textarea, input:not([type=radio])")) {
    if (key === "Escape") target.blur();
    return;
  }
  // A closed dialog keeps the focus a moment.
  if (key === "Enter" && target.closest("button, a, summary") && !target.closest("dialog")) return;
  const side = form?.querySelector("[data-choices]") && isOpen() && CHOICES[key];
  const act = side ? () => choose(form, side) : /^[0-9]$/.test(key) ? () => digit(key) : KEYS[key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("click", (event) => {
  const node = event.target.closest("button");
  if (node?.dataset.help !== undefined) help.showModal();
  else if (node?.dataset.close !== undefined) help.close();
});

const query = document.querySelector(".query");
const words = query ? terms(query.textContent, query.lang) : [];
for (const node of document.querySelectorAll(".documents .title, .documents .body, .documents td")) underline(node, words);

document.addEventListener("change", mark);
document.addEventListener("submit", () => { sent = true; });
addEventListener("pageshow", () => {
  sent = false;
  mark();
});

document.body.dataset.ready = ""; // keys are heard from now on
