// Where the words of a query stand in a text, whatever the case and the accents of its letters, and in scripts without
// blanks too. A mark never cuts a letter from its accent, nor an emoji in two.

// Accents of Latin, Greek and Cyrillic letters, points and vowel signs of Hebrew and Arabic, the Arabic stretcher, joiners,
// soft hyphens and emoji variants: what a word may be written with or without. Vowel signs of Indic scripts are letters.
const LOOSE = /[\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u200c-\u200f\ufe0e\ufe0f]/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const PREFIXED = /[\p{Script=Arabic}\p{Script=Hebrew}]/u; // articles and prepositions are written on to the word
const WORD = /[\p{L}\p{N}\p{M}\u200c\u200d]+(?:[.'’][\p{L}\p{N}\p{M}]+)*[+#]*/gu;
const EMOJI = /(?![©®™])\p{Extended_Pictographic}(?:[\p{M}\ufe0f\u{1f3fb}-\u{1f3ff}]|\u200d\p{Extended_Pictographic})*/gu;
const PARTICLE = /^[\p{Script=Hiragana}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}的了和与在是]$/u; // no word by itself
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const CLINGS = /[\p{M}\u200d\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]/u;

const known = new Map();

function foldLetter(letter) {
  let made = known.get(letter);
  if (made === undefined) {
    made = letter.normalize("NFKD").replace(LOOSE, "").toUpperCase().toLowerCase();
    known.set(letter, made);
  }
  return made;
}

// A text as it is compared, and where each of its letters stands in the text as it is written.
export function fold(text) {
  const at = [];
  let out = "";
  let i = 0;
  for (const letter of text) {
    const made = foldLetter(letter);
    for (let n = made.length; n > 0; n -= 1) at.push(i);
    out += made;
    i += letter.length;
  }
  at.push(i);
  return { out, at };
}

function pieces(run, language) {
  if (!UNSPACED.test(run) || !Intl.Segmenter) return [run];
  const cut = new Intl.Segmenter(language || "und", { granularity: "word" });
  return [...cut.segment(run)].filter((one) => one.isWordLike).map((one) => one.segment);
}

function kindOf(text) {
  if (UNSPACED.test(text)) return "inside";
  return PREFIXED.test(text) && text.length > 2 ? "inside" : text.length > 2 ? "begins" : "whole";
}

// The words of a query that are marked: { text, kind }. A word is marked where a word of the text begins with it, a short
// one where it is the whole word; in scripts without blanks, and where articles are written on to words, anywhere.
export function terms(query, language) {
  const words = (query.match(WORD) || []).flatMap((run) => pieces(run, language));
  const told = words.filter((word) => words.length === 1 || !PARTICLE.test(word));
  const made = new Map();
  for (const word of told) {
    const { out } = fold(word);
    if (!out) continue;
    made.set(out, kindOf(out));
    const one = out.slice(0, -1);
    if (/^[a-z]{4,}s$/.test(out) && !made.has(one)) made.set(one, "whole"); // jackets, and a jacket
  }
  for (const emoji of query.match(EMOJI) || []) made.set(fold(emoji).out, "inside");
  return [...made].map(([text, kind]) => ({ text, kind }));
}

function isEdge(text, i) {
  if (i === 0 || i >= text.length) return true;
  const next = String.fromCodePoint(text.codePointAt(i));
  return !CLINGS.test(next) && text[i - 1] !== "\u200d";
}

const before = (out, i) => (i > 0 ? [...out.slice(Math.max(0, i - 2), i)].pop() : "");
const after = (out, i) => (i < out.length ? String.fromCodePoint(out.codePointAt(i)) : "");

function fits(out, start, end, kind) {
  if (kind === "inside") return true;
  if (LETTER.test(before(out, start))) return false;
  const next = after(out, end);
  if (/\p{N}$/u.test(out.slice(start, end))) return !/\p{N}/u.test(next); // 28 is not in 2800, and is in 28-inch
  return kind === "begins" || !LETTER.test(next);
}

// Where terms stand in a text: [start, end] in order, none overlapping.
export function places(text, asked) {
  if (!asked.length || !text) return [];
  const { out, at } = fold(text);
  const found = [];
  for (const { text: word, kind } of asked) {
    for (let i = out.indexOf(word); i >= 0; i = out.indexOf(word, i + 1)) {
      const end = i + word.length;
      const isWhole = (i === 0 || at[i] !== at[i - 1]) && at[end] !== at[end - 1];
      if (isWhole && isEdge(text, at[i]) && isEdge(text, at[end]) && fits(out, i, end, kind)) found.push([at[i], at[end]]);
    }
  }
  found.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const made = [];
  for (const [start, end] of found) {
    const last = made[made.length - 1];
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else made.push([start, end]);
  }
  return made;
}

// Puts marks around the terms in a text, or in every text below a node; how many.
export function mark(node, asked) {
  if (!asked.length) return 0;
  const texts = node.nodeType === Node.TEXT_NODE ? [node] : [];
  const walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) texts.push(walk.currentNode);
  let n = 0;
  for (const text of texts) {
    const where = places(text.data, asked);
    if (!where.length) continue;
    const parts = [];
    let done = 0;
    for (const [start, end] of where) {
      const made = document.createElement("mark");
      made.textContent = text.data.slice(start, end);
      parts.push(text.data.slice(done, start), made);
      done = end;
    }
    parts.push(text.data.slice(done));
    text.replaceWith(...parts.filter((part) => part !== ""));
    n += where.length;
  }
  return n;
}
