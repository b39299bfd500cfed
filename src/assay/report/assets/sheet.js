// assay: a report that is worked with. The table of queries, two lists side by side, keys. Nothing is fetched or kept.
(() => {
  "use strict";
  const $ = (s, r = document) => r.querySelector(s), $$ = (s, r = document) => [...r.querySelectorAll(s)];
  const root = document.documentElement;

  // ---- words and numbers
  const num = (x, sign) => {
    if (x === null || x === undefined) return "n/a";
    const said = Math.abs(x).toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 });
    return (/[1-9]/.test(said) ? (x < 0 ? "−" : sign ? "+" : "") : "") + said;
  };
  const whole = x => x.toLocaleString("en");
  const el = (tag, attrs, ...inside) => {
    const made = document.createElement(tag);
    for (const name in attrs) if (attrs[name] !== null && attrs[name] !== false) made.setAttribute(name, attrs[name]);
    made.append(...inside.filter(x => x !== null));
    return made;
  };
  const svg = (text, label) => { // only our own markup and numbers come here, never a name from a file
    const held = document.createElement("template");
    held.innerHTML = text;
    const made = held.content.firstElementChild;
    if (label) { made.setAttribute("role", "img"); made.setAttribute("aria-label", label); } else made.setAttribute("aria-hidden", "true");
    return made;
  };

  // ---- the frame: theme, keys
  for (const b of $$("[data-theme-toggle]")) b.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  const help = $("#help");
  for (const b of $$("[data-help]")) b.addEventListener("click", () => help.showModal());
  for (const b of $$("[data-close]")) b.addEventListener("click", () => help.close());
  const isTyping = e => e.target.matches("input, select, textarea") || e.ctrlKey || e.metaKey || e.altKey || help?.open;
  addEventListener("keydown", e => { if (e.key === "?" && help && !isTyping(e)) help.showModal(); });

  const source = $("#data");
  if (!source) { root.dataset.ready = "yes"; return; }
  const D = JSON.parse(source.textContent), N = D.queries.length, TIE = 1e-9;
  const shapes = ['<circle cx="6" cy="6" r="4.6" class="f-head"/>', '<path d="M6 .7l5.1 9.2H.9z" class="f-torso"/>',
    '<rect x="1.9" y="1.9" width="8.3" height="8.3" class="f-tail"/>', '<path d="M6 .5L11.5 6 6 11.5.5 6z" class="f-known"/>'];
  const segment = place => place < 0 || place === null ? null
    : el("span", { class: "seg" }, svg(`<svg viewBox="0 0 12 12">${shapes[place % 4]}</svg>`), D.segs[place]);
  const words = i => D.texts ? D.texts[i] || D.queries[i] : D.queries[i];
  const hay = D.queries.map((id, i) => (D.texts ? `${D.texts[i] || ""} ${id}` : id).toLowerCase());

  // ---- one pair of systems: differences and what is counted in the two lists
  let P = null;
  const span = (run, i) => { const s = D.lists[run].start; return [s[i], s[i + 1]]; };
  const side = (run, i) => {
    const list = D.lists[run], [from, to] = span(run, i);
    let unjudged = 0, first = 0;
    for (let r = from; r < Math.min(to, from + D.k); r++) {
      const g = list.grade[r];
      if (g === null) unjudged++; else if (!first && g >= D.rel) first = r - from + 1;
    }
    return [unjudged, first];
  };
  const pick = place => {
    const pair = D.pairs[place], a = D.values[pair.a], b = D.values[pair.b];
    const diff = new Array(N), un = new Array(N), shared = new Array(N), first = new Array(N);
    for (let i = 0; i < N; i++) {
      diff[i] = a[i] === null || b[i] === null ? null : b[i] - a[i];
      if (!D.lists) continue;
      const left = side(pair.a, i), right = side(pair.b, i);
      un[i] = [left[0], right[0]]; first[i] = [left[1], right[1]];
      const [from, to] = span(pair.a, i), [start, end] = span(pair.b, i), seen = new Set();
      for (let r = from; r < Math.min(to, from + D.k); r++) seen.add(D.lists[pair.a].doc[r]);
      let both = 0;
      for (let r = start; r < Math.min(end, start + D.k); r++) if (seen.has(D.lists[pair.b].doc[r])) both++;
      shared[i] = both;
    }
    let reach = 0.01;
    for (let i = 0; i < N; i++) for (const x of [diff[i], pair.lo?.[i], pair.hi?.[i]]) if (x !== null && x !== undefined && Math.abs(x) > reach) reach = Math.abs(x);
    return { a, b, diff, un, shared, first, lost: pair.lost, lo: pair.lo, hi: pair.hi, reach, left: pair.a, right: pair.b };
  };
  const flips = i => !!P.lo && P.lo[i] !== null && P.lo[i] < -TIE && P.hi[i] > TIE;
  const kinds = {
    all: () => true, win: i => P.diff[i] !== null && P.diff[i] > TIE, loss: i => P.diff[i] !== null && P.diff[i] < -TIE,
    flip: flips, unjudged: i => !!P.un[i] && P.un[i][0] + P.un[i][1] > 0,
  };

  // ---- the table: rows are made for what is in the window only
  const box = $("#rows"), table = $("table", box), body = $("tbody", table), find = $("#find"), choose = $("#segment"), stage = $("#lost");
  const shown = $("#shown"), says = $("#says"), none = $("#none"), columns = $$("thead th", table).map(th => th.dataset.col);
  let kind = "all", order = [], sort = { by: "diff", up: true }, current = -1, height = 30, printing = 0;
  const keys = {
    query: i => hay[i], segment: i => D.segs[D.seg[i]] || "", traffic: i => D.traffic[i], baseline: i => P.a[i], candidate: i => P.b[i],
    diff: i => P.diff[i], lost: i => P.lost?.[i] || 9, unjudged: i => P.un[i][0] + P.un[i][1], shared: i => P.shared[i], first: i => P.first[i][1] || 1e9,
  };
  let ranked = null; // every query in the chosen order, so that a filter only picks from it
  const arrange = () => {
    const key = keys[sort.by], up = sort.up ? 1 : -1, held = D.queries.map((_, i) => key(i));
    ranked = D.queries.map((_, i) => i).sort((x, y) => {
      const a = held[x], b = held[y];
      if (a === b) return x - y;
      if (a === null) return 1;
      if (b === null) return -1;
      return a < b ? -up : up;
    });
  };
  const filter = () => {
    const text = find.value.trim().toLowerCase(), is = kinds[kind];
    const wanted = choose && choose.value !== "" ? Number(choose.value) : -1, by = stage && stage.value !== "" ? Number(stage.value) : 0;
    if (!ranked) arrange();
    order = ranked.filter(i => (wanted < 0 || D.seg[i] === wanted) && (!by || P.lost?.[i] === by) && (!text || hay[i].includes(text)) && is(i));
    shown.textContent = `${whole(order.length)} of ${whole(N)} queries`;
    none.hidden = order.length > 0;
    box.hidden = !order.length;
    table.setAttribute("aria-rowcount", order.length + 1);
    draw();
  };
  const bar = i => {
    const at = x => 75 + 73 * x / P.reach, d = P.diff[i];
    let marks = '<line x1="75" y1="0" x2="75" y2="20" class="s-strong"/>', label = d === null ? "no difference: a value is not defined" : `difference ${num(d, true)}`;
    if (P.lo && P.lo[i] !== null && P.hi[i] - P.lo[i] > TIE) {
      const x = at(P.lo[i]), w = Math.max(at(P.hi[i]) - x, 1);
      marks += `<rect x="${x}" y="4" width="${w}" height="12" fill="url(#hatch)"/><rect x="${x}" y="4" width="${w}" height="12" class="f-none s-hatch"/>`;
      label += `, ${num(P.lo[i], true)} to ${num(P.hi[i], true)} over the unjudged`;
    }
    if (d !== null && Math.abs(d) > TIE) marks += `<rect x="${Math.min(75, at(d))}" y="7" width="${Math.max(Math.abs(at(d) - 75), 1)}" height="6" class="f-${d > 0 ? "better" : "worse"}"/>`;
    return svg(`<svg width="150" height="20" viewBox="0 0 150 20" preserveAspectRatio="none">${marks}</svg>`, label);
  };
  const LOST = ["", "not retrieved", "ranked low", "both"];
  const cells = {
    query: i => el("th", { scope: "row" }, el("button", { class: "open", type: "button", tabindex: i === current ? "0" : "-1", title: words(i) }, words(i))),
    segment: i => el("td", { class: "opt-col" }, segment(D.seg[i])),
    traffic: i => el("td", { class: "num opt-col roomy" }, D.traffic[i] === null ? "n/a" : whole(D.traffic[i])),
    baseline: i => el("td", { class: "num opt-col" }, num(P.a[i])), candidate: i => el("td", { class: "num opt-col" }, num(P.b[i])),
    diff: i => el("td", { class: `num ${kinds.win(i) ? "up" : kinds.loss(i) ? "down" : "flat"}` }, el("b", {}, num(P.diff[i], true))),
    lost: i => el("td", { class: "opt-col" }, P.lost ? LOST[P.lost[i]] : "n/a"),
    drawn: i => el("td", {}, bar(i)),
    unjudged: i => el("td", { class: "num opt-col" }, `${P.un[i][0]} / ${P.un[i][1]}`), shared: i => el("td", { class: "num opt-col roomy" }, String(P.shared[i])),
    first: i => el("td", { class: "num opt-col" }, `${P.first[i][0] || "none"} → ${P.first[i][1] || "none"}`),
  };
  const row = (i, place) => {
    const made = el("tr", { "data-i": i, "aria-rowindex": place + 2, "aria-current": i === current ? "true" : null });
    for (const name of columns) made.append(cells[name](i));
    return made;
  };
  const gap = pixels => {
    const cell = el("td", { colspan: columns.length }), made = el("tr", { class: "gap", "aria-hidden": "true" }, cell);
    cell.style.height = `${pixels}px`;
    return made;
  };
  const draw = () => {
    const room = Math.ceil(box.clientHeight / height) || 20, from = printing ? 0 : Math.max(Math.floor(box.scrollTop / height) - 8, 0);
    const to = Math.min(printing || from + room + 16, order.length);
    const held = document.activeElement?.closest?.("#rows tr")?.dataset.i, rows = [];
    for (let place = from; place < to; place++) rows.push(row(order[place], place));
    body.replaceChildren(...(from ? [gap(from * height)] : []), ...rows, ...(to < order.length ? [gap((order.length - to) * height)] : []));
    if (held !== undefined) $(`tr[data-i="${held}"] button`, body)?.focus({ preventScroll: true });
    const real = rows[0]?.offsetHeight;
    if (real && Math.abs(real - height) > 0.5 && !printing) { height = real; draw(); }
  };
  let waits = false;
  box.addEventListener("scroll", () => { if (!waits) { waits = true; requestAnimationFrame(() => { waits = false; draw(); }); } });
  addEventListener("resize", draw);
  addEventListener("beforeprint", () => { printing = Math.min(order.length, 200); draw(); });
  addEventListener("afterprint", () => { printing = 0; draw(); });

  const into = place => {
    const head = $("thead", table).offsetHeight, top = place * height, room = box.clientHeight - head;
    if (top < box.scrollTop) box.scrollTop = top; else if (top + height > box.scrollTop + room) box.scrollTop = top + height - room;
  };
  const select = (i, quiet) => {
    current = i;
    const place = order.indexOf(i);
    if (place >= 0) into(place);
    draw();
    one(i);
    if (quiet) return;
    says.textContent = `${words(i)}, difference ${num(P.diff[i], true)}, ${whole(place + 1)} of ${whole(order.length)}`;
    try { history.replaceState(null, "", `#q=${encodeURIComponent(D.queries[i])}`); } catch { /* a page without an address has no permalink */ }
  };
  const go = (step, is) => {
    let place = order.indexOf(current);
    place = place < 0 ? (step > 0 ? -1 : order.length) : place;
    for (place += step; place >= 0 && place < order.length; place += step) if (!is || is(order[place])) return select(order[place]);
    says.textContent = step > 0 ? "no further query of that kind below" : "this is the first query";
  };
  const open = i => { select(i); $("#one").scrollIntoView({ block: "start" }); $("#one h2").focus({ preventScroll: true }); };
  body.addEventListener("click", e => { const tr = e.target.closest("tr[data-i]"); if (tr) e.target.closest("button") ? open(Number(tr.dataset.i)) : select(Number(tr.dataset.i)); });

  // ---- one query: the two lists, and what moved between them
  const mark = (text, i) => {
    if (!D.texts) return [text];
    const wanted = [...new Set((D.texts[i] || "").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(w => w.length > 2))];
    if (!wanted.length) return [text];
    return text.split(/([\p{L}\p{N}]+)/u).filter(Boolean).map(part => wanted.includes(part.toLowerCase()) ? el("mark", {}, part) : part);
  };
  const chip = g => g === null ? el("span", { class: "chip gu" }, el("span", { "aria-hidden": "true" }, "?"), el("span", { class: "hidden-text" }, "unjudged"))
    : el("span", { class: `chip g${g <= 0 ? 0 : Math.min(3, Math.max(1, Math.round(3 * g / D.best)))}` }, el("span", { class: "hidden-text" }, "grade "), String(g).replace("-", "−"));
  const list = (run, i) => {
    const [from, to] = span(run, i), held = D.lists[run];
    return Array.from({ length: Math.min(to - from, D.depth) }, (_, r) => ({ doc: held.doc[from + r], grade: held.grade[from + r], rank: r + 1 }));
  };
  // by what it did to the measure: a document that brings gain helps when it comes or rises; what brings none is grey
  const effect = (hit, step) => hit.grade === null || hit.grade < D.rel || !step ? "flat" : step > 0 ? "up" : "down";
  const tone = { up: "better", down: "worse", flat: "base" };
  const item = (hit, i, other, step, isLeft) => {
    const title = D.titles ? D.titles[hit.doc] : "", id = D.docs[hit.doc];
    const said = title ? el("span", { class: "title", title: `${title} (${id})` }, ...mark(title, i), el("span", { class: "id" }, id)) : el("span", { class: "title mono", title: id }, id);
    const kind = effect(hit, step), way = { up: ", helps", down: ", hurts", flat: "" }[kind];
    let move;
    if (!other) move = el("span", { class: `move ${kind}` }, isLeft ? "gone" : "new", el("span", { class: "hidden-text" }, way));
    else {
      const arrow = isLeft ? `→ ${other.rank}` : step > 0 ? `▲ ${step}` : step < 0 ? `▼ ${-step}` : "=";
      const where = isLeft ? `to rank ${other.rank} of ${D.runs[P.right]}` : `from rank ${other.rank} of ${D.runs[P.left]}`;
      move = el("button", { class: `move ${isLeft ? "flat" : kind}`, type: "button", "aria-label": `${arrow}, moved ${where}${way}; go there` }, arrow);
    }
    return el("li", { "data-doc": hit.doc, class: !other && isLeft ? "gone" : null }, el("span", { class: "rank" }, String(hit.rank)), chip(hit.grade), said, move);
  };
  const one = i => {
    const at = $("#one"), words_ = $("h2", at), facts = $("#one-facts");
    words_.textContent = words(i);
    const un = P.un[i], d = P.diff[i], bits = [];
    if (D.texts) bits.push(el("span", { class: "note" }, D.queries[i], " "));
    bits.push(`${D.measure} ${num(P.a[i])} → ${num(P.b[i])} `, el("b", { class: d > TIE ? "up" : d < -TIE ? "down" : "flat" }, num(d, true)));
    if (un && un[0] + un[1] && P.lo && P.lo[i] !== null) bits.push(`, range over ${un[0] + un[1]} unjudged ${num(P.lo[i], true)} to ${num(P.hi[i], true)}`);
    else if (un && un[0] + un[1]) bits.push(`, ${un[0]} and ${un[1]} of the first ${D.k} unjudged`);
    if (P.lost?.[i]) bits.push(`. Loss: ${P.lost[i] === 3 ? "both stages" : LOST[P.lost[i]]}`);
    facts.replaceChildren(...bits);
    $("#one-seg").replaceChildren(...[D.seg ? segment(D.seg[i]) : null].filter(Boolean));
    $("#stale").hidden = true;
    if (!D.lists) return;
    const left = list(P.left, i), right = list(P.right, i), was = new Map(left.map(h => [h.doc, h])), is = new Map(right.map(h => [h.doc, h]));
    const name = (run, what, v) => [D.runs[run], el("span", { class: "unit" }, `${what}, ${D.measure} ${num(v[i])}`)];
    $("#left h3").replaceChildren(...name(P.left, "baseline", P.a));
    $("#right h3").replaceChildren(...name(P.right, "candidate", P.b));
    $("#left ol").replaceChildren(...left.map(h => { const o = is.get(h.doc); return item(h, i, o, o ? h.rank - o.rank : -1, true); }));
    $("#right ol").replaceChildren(...right.map(h => { const o = was.get(h.doc); return item(h, i, o, o ? o.rank - h.rank : 1, false); }));
    for (const [id, hits] of [["#left", left], ["#right", right]]) if (!hits.length) $(`${id} ol`).append(el("li", {}, "", "", el("span", { class: "quiet" }, "no results")));
    const tall = Math.max(left.length, right.length, 1) * 40;
    let lines = "";
    for (const h of left) {
      const o = is.get(h.doc), y = h.rank * 40 - 20;
      if (!o) { lines += `<circle cx="9" cy="${y}" r="3.2" class="f-paper s-${tone[effect(h, -1)]}" stroke-width="1.6"/>`; continue; }
      const z = o.rank * 40 - 20, step = h.rank - o.rank;
      lines += `<path data-doc="${Number(h.doc)}" d="M0 ${y}C36 ${y} 52 ${z} 88 ${z}" class="f-none s-${tone[effect(h, step)]}" stroke-width="1.6"${step < 0 ? ' stroke-dasharray="5 3"' : ""}/>`;
    }
    for (const h of right) if (!was.has(h.doc)) lines += `<circle cx="80" cy="${h.rank * 40 - 20}" r="3.2" class="f-${tone[effect(h, 1)]}"/>`;
    const drawn = svg(`<svg viewBox="0 0 88 ${tall}" preserveAspectRatio="none">${lines}</svg>`);
    drawn.style.height = `${tall}px`;
    $("#lines").replaceChildren(drawn);
  };
  const same = doc => { for (const x of $$("#one [data-doc]")) x.classList.toggle("same", x.dataset.doc === doc); };
  $("#one")?.addEventListener("click", e => {
    const here = e.target.closest("button.move")?.closest("li");
    if (!here) return;
    const there = $$(`#one li[data-doc="${here.dataset.doc}"]`).find(x => x !== here);
    same(here.dataset.doc);
    $("button", there).focus();
    says.textContent = `now at rank ${$(".rank", there).textContent} of ${there.closest("#left") ? D.runs[P.left] : D.runs[P.right]}`;
  });
  $("#one")?.addEventListener("focusin", e => { const li = e.target.closest("li[data-doc]"); if (li) same(li.dataset.doc); });

  // ---- controls and keys
  const press = value => {
    kind = value;
    for (const b of $$("#kinds button")) b.setAttribute("aria-pressed", String(b.value === value));
    box.scrollTop = 0;
    filter();
  };
  for (const b of $$("#kinds button")) b.addEventListener("click", () => press(b.value));
  find.addEventListener("input", () => { box.scrollTop = 0; filter(); });
  for (const chosen of [choose, stage]) chosen?.addEventListener("change", () => { box.scrollTop = 0; filter(); });
  for (const b of $$(".sort", table)) b.addEventListener("click", () => {
    const by = b.closest("th").dataset.col;
    sort = { by, up: sort.by === by ? !sort.up : by === "query" || by === "segment" || by === "diff" || by === "lost" || by === "first" };
    for (const th of $$("thead th", table)) if (th.dataset.col === by) th.setAttribute("aria-sort", sort.up ? "ascending" : "descending"); else th.removeAttribute("aria-sort");
    box.scrollTop = 0;
    ranked = null;
    filter();
  });
  const counts = () => { for (const b of $$("#kinds button")) { let n = 0; for (let i = 0; i < N; i++) if (kinds[b.value](i)) n++; $(".count", b).textContent = whole(n); } };
  const pair = $("#pair");
  pair?.addEventListener("change", () => { P = pick(Number(pair.value)); ranked = null; counts(); filter(); if (current >= 0) select(current); });
  $("#copy")?.addEventListener("click", async e => {
    const link = location.href;
    try { await navigator.clipboard.writeText(link); e.target.firstChild.textContent = "Copied "; } catch { says.textContent = link; }
  });
  addEventListener("keydown", e => {
    if (e.key === "Escape" && e.target === find) { if (find.value) { find.value = ""; filter(); } else { box.focus(); } return; }
    if (e.key === "Enter" && e.target === find && order.length) { e.preventDefault(); find.blur(); select(order[0]); box.focus(); return; }
    if (isTyping(e)) return;
    if (e.key === "j") go(1); else if (e.key === "k") go(-1); else if (e.key === "w") go(1, kinds.win); else if (e.key === "l") go(1, kinds.loss);
    else if (e.key === "L") press(kind === "loss" ? "all" : "loss"); else if (e.key === "W") press(kind === "win" ? "all" : "win");
    else if (e.key === "u" && $("#kinds [value=flip]")) press(kind === "flip" ? "all" : "flip");
    else if (e.key === "/") { e.preventDefault(); find.focus(); find.select(); $("#queries").scrollIntoView({ block: "start" }); }
    else if (e.key === "y") $("#copy")?.click();
    else if (e.key === "m") { const at = $$("#one button.move"), here = at.indexOf(document.activeElement); if (at.length) { e.preventDefault(); at[(here + 1) % at.length].focus(); } }
    else if (e.key === "Enter" && !e.target.closest("a, button, summary") && current >= 0) { e.preventDefault(); open(current); }
  });

  P = pick(0);
  counts();
  filter();
  const linked = decodeURIComponent((location.hash.match(/^#q=(.*)$/) || [])[1] || ""), at = D.queries.indexOf(linked);
  if (at >= 0) open(at); else if (order.length) select(order[0], true);
  root.dataset.ready = "yes";
})();
