// SPDX-License-Identifier: MIT
// The life of a flame graph where scripts run: zoom, search, keyboard. It only moves and marks what
// the picture already shows, and reads names as text of the document, never as markup or code.
(function () {
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const XHTML = 'http://www.w3.org/1999/xhtml';
const MARK = '\u25c6 ';
const ELLIPSIS = '\u2026';

const picture = document.currentScript.closest('svg');
const standsAlone = document.documentElement === picture;
const frames = picture.querySelector('#frames');
const details = picture.querySelector('#details');
const matched = picture.querySelector('#matched');
const drawnMatch = matched.textContent; // of all frames, also of those that got no box
const rowHeight = Number(frames.dataset.row);
const columnWidth = Number(frames.dataset.column);
const leftOut = Number(frames.dataset.leftOut);

// ---- the boxes, in the order of the file: a parent before its children ----

const boxes = Array.from(frames.children, readBox);
const boxOfGroup = new Map(boxes.map((box) => [box.group, box]));
const whole = boxes[0];
link(boxes);
let zoomed = whole;
let current = whole;

function readBox(group) {
  const lines = group.querySelector('title').textContent.split('\n');
  const rect = group.querySelector('rect');
  const place = lines.find((line, index) => index > 0 && line.startsWith('at '));
  return {
    group,
    headline: lines[0],
    name: lines[0].slice(0, lines[0].lastIndexOf(' (')),
    place: place === undefined ? '' : place.slice(3),
    rects: group.querySelectorAll('rect'),
    text: group.querySelector('text'),
    x: Number(rect.getAttribute('fg:x')),
    weight: Number(rect.getAttribute('fg:w')),
    left: Number(rect.getAttribute('x')),
    width: Number(rect.getAttribute('width')),
    y: Number(rect.getAttribute('y')),
    sync: group.classList.contains('sync'),
    rest: group.classList.contains('rest'),
    markup: null,
  };
}

// Gives each box its depth, its parent, and the index behind its last descendant.
function link(list) {
  const open = [];
  list.forEach((box, index) => {
    box.index = index;
    box.depth = Math.round(Math.abs(box.y - list[0].y) / rowHeight);
    while (open.length > box.depth) open.pop().end = index;
    box.parent = open.length > 0 ? open[open.length - 1] : null;
    open.push(box);
    box.markup = box.text === null ? null : Array.from(box.text.childNodes, (node) => node.cloneNode(true));
  });
  for (const box of open) box.end = list.length;
}

function contains(outer, inner) {
  return outer.index <= inner.index && inner.index < outer.end;
}

// ---- labels: columns of a monospaced font are counted, as where the picture was drawn ----

function columnsOf(character) {
  if (/\p{M}/u.test(character)) return 0;
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(character) ? 2 : 1;
}

function columns(text) {
  let sum = 0;
  for (const character of text) sum += columnsOf(character);
  return sum;
}

function start(characters, room) {
  let taken = '';
  for (const character of characters) {
    room -= columnsOf(character);
    if (room < 0) break;
    taken += character;
  }
  return taken;
}

function end(characters, room) {
  let taken = '';
  for (const character of characters.reverse()) {
    room -= columnsOf(character);
    if (room < 0) break;
    taken = character + taken;
  }
  return taken;
}

function cut(text, room) {
  if (columns(text) <= room) return text;
  const tail = room < 12 ? 0 : Math.floor((room - 1) / 2);
  const characters = Array.from(text);
  return start(characters, room - 1 - tail) + ELLIPSIS + end(characters, tail);
}

function shortPlace(place, room) {
  const line = place.replace(/^(.*:\d+):\d+$/, '$1');
  const forms = [line, line.slice(line.lastIndexOf('node_modules/') + 13), line.slice(Math.max(line.lastIndexOf('/'), line.lastIndexOf('\\')) + 1)];
  return forms.find((form, index) => columns(form) <= room && (index !== 1 || line.includes('node_modules/'))) || '';
}

function writeLabel(box, left, width) {
  const room = Math.floor((width - 6) / columnWidth);
  if (box.text === null) {
    if (room < 3) return;
    box.text = document.createElementNS(SVG, 'text');
    box.text.setAttribute('y', box.y + rowHeight - Math.floor(rowHeight / 3));
    box.group.append(box.text);
  }
  box.text.replaceChildren();
  if (room < 3) return;
  const name = box.rest ? ELLIPSIS + ' ' + box.name : (box.sync ? MARK : '') + box.name;
  box.text.setAttribute('x', left + 3);
  box.text.append(cut(name, room));
  const place = box.place === '' ? '' : shortPlace(box.place, room - columns(name) - 2);
  if (place !== '') {
    const part = document.createElementNS(SVG, 'tspan');
    part.setAttribute('dx', '8');
    part.append(place);
    box.text.append(part);
  }
}

// ---- zoom ----

function placeBox(box, left, width) {
  for (const rect of box.rects) {
    rect.setAttribute('x', left.toFixed(2));
    rect.setAttribute('width', width.toFixed(2));
  }
}

function restore(box) {
  placeBox(box, box.left, box.width);
  if (box.text === null) return;
  if (box.markup === null) {
    box.text.remove();
    box.text = null;
    return;
  }
  box.text.setAttribute('x', box.left + 3);
  box.text.replaceChildren(...box.markup.map((node) => node.cloneNode(true)));
}

function zoom(target) {
  zoomed = target;
  const scale = whole.width / target.weight;
  for (const box of boxes) {
    const above = box !== target && contains(box, target);
    const shown = above || contains(target, box);
    box.group.classList.toggle('hide', !shown);
    box.group.classList.toggle('parent', above);
    if (target === whole) {
      restore(box);
    } else if (shown) {
      const left = above ? whole.left : whole.left + (box.x - target.x) * scale;
      const width = above ? whole.width : box.weight * scale;
      placeBox(box, left, width);
      writeLabel(box, left, width);
    }
  }
  resetButton.hidden = target === whole;
  if (!contains(zoomed, current) && !contains(current, zoomed)) makeCurrent(zoomed);
}

// ---- search ----

// Whole characters where the pattern allows it; `\\-` and the like are errors only then.
function compile(source) {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // The next, or none.
    }
  }
  return null;
}

// The weight of the outermost matches: one inside another counts once.
function search(source) {
  let pattern = null;
  field.removeAttribute('aria-invalid');
  if (source !== '') {
    pattern = compile(source);
    if (pattern === null) {
      field.setAttribute('aria-invalid', 'true');
      matched.textContent = 'not a regular expression';
    }
  }
  let sum = 0;
  let coveredTo = 0;
  for (const box of boxes) {
    const hit = pattern !== null && box !== whole && !box.rest && (pattern.test(box.name) || (box.place !== '' && pattern.test(box.place)));
    box.group.classList.toggle('match', hit);
    if (hit && box.index >= coveredTo) {
      sum += box.weight;
      coveredTo = box.end;
    }
  }
  frames.classList.toggle('searched', pattern !== null);
  if (source !== '' && source === picture.dataset.search) {
    matched.textContent = drawnMatch;
  } else if (pattern !== null) {
    matched.textContent = 'matched: ' + (leftOut > 0 ? '\u2265 ' : '') + (100 * sum / whole.weight).toFixed(2) + '%';
  } else if (source === '') {
    matched.textContent = '';
  }
}

// ---- focus and details ----

function describe(box) {
  details.textContent = box === null ? '' : cut(box.headline + (box.place === '' ? '' : '  ' + box.place), Math.floor(whole.width / columnWidth));
}

function makeCurrent(box) {
  current.group.setAttribute('tabindex', '-1');
  current = box;
  current.group.setAttribute('tabindex', '0');
}

function focusOn(box) {
  if (box === undefined || box === null) return;
  makeCurrent(box);
  box.group.focus();
}

function shownChildren(box) {
  const list = [];
  for (let i = box.index + 1; i < box.end; i = boxes[i].end) {
    if (!boxes[i].group.classList.contains('hide')) list.push(boxes[i]);
  }
  return list;
}

function neighbour(box, step) {
  if (box.parent === null) return null;
  const siblings = shownChildren(box.parent);
  return siblings[siblings.indexOf(box) + step];
}

function onBoxKey(event) {
  const box = boxOf(event.target);
  if (box === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const upright = boxes.length > 1 && boxes[1].y < whole.y;
  const moves = {
    ArrowLeft: () => neighbour(box, -1),
    ArrowRight: () => neighbour(box, 1),
    [upright ? 'ArrowDown' : 'ArrowUp']: () => box.parent,
    [upright ? 'ArrowUp' : 'ArrowDown']: () => shownChildren(box)[0],
  };
  if (event.key === 'Enter' || event.key === ' ') {
    if (!box.rest) zoom(box);
  } else if (Object.hasOwn(moves, event.key)) {
    focusOn(moves[event.key]());
  } else {
    return;
  }
  event.preventDefault();
}

function boxOf(element) {
  const group = element.closest('#frames > g');
  return group === null ? null : boxOfGroup.get(group);
}

function onKey(event) {
  const asksForSearch = event.key === '/' || (standsAlone && (event.ctrlKey || event.metaKey) && event.key === 'f');
  if (event.key === 'Escape') {
    if (event.target === field) {
      field.value = '';
      search('');
      field.blur();
    } else {
      zoom(whole);
    }
  } else if (asksForSearch && event.target !== field) {
    event.preventDefault();
    field.focus();
    field.select();
  }
}

// ---- the controls, which would be of no use without this script ----

function makeControls() {
  const holder = document.createElementNS(SVG, 'foreignObject');
  const height = rowHeight + 10;
  const width = Math.min(330, whole.width / 2);
  holder.setAttribute('x', whole.left + whole.width - width);
  holder.setAttribute('y', 6);
  holder.setAttribute('width', width);
  holder.setAttribute('height', height);
  const bar = document.createElementNS(XHTML, 'div');
  bar.className = 'controls';
  const reset = document.createElementNS(XHTML, 'button');
  reset.id = 'unzoom';
  reset.type = 'button';
  reset.textContent = 'Reset zoom';
  reset.hidden = true;
  const input = document.createElementNS(XHTML, 'input');
  input.id = 'search';
  input.type = 'search';
  input.placeholder = 'Search (regex)  /';
  input.setAttribute('aria-label', 'Search frames by regular expression');
  input.spellcheck = false;
  bar.append(reset, input);
  holder.append(bar);
  picture.append(holder);
  matched.setAttribute('x', whole.left + whole.width - width - 10);
  return [reset, input];
}

const [resetButton, field] = makeControls();
frames.setAttribute('role', 'tree');
frames.setAttribute('aria-label', 'Flame graph');
matched.setAttribute('aria-live', 'polite');
for (const box of boxes) {
  box.group.setAttribute('role', 'treeitem');
  box.group.setAttribute('aria-level', box.depth + 1);
  box.group.setAttribute('tabindex', box === whole ? '0' : '-1');
}
picture.classList.add('live');
frames.addEventListener('click', (event) => {
  const box = boxOf(event.target);
  if (box === null || box.rest) return;
  makeCurrent(box);
  zoom(box);
});
frames.addEventListener('mouseover', (event) => describe(boxOf(event.target)));
frames.addEventListener('mouseleave', () => describe(null));
frames.addEventListener('focusin', (event) => describe(boxOf(event.target)));
frames.addEventListener('keydown', onBoxKey);
(standsAlone ? document : picture).addEventListener('keydown', onKey);
resetButton.addEventListener('click', () => zoom(whole));
field.addEventListener('input', () => search(field.value));
for (const row of picture.querySelectorAll('.hot[data-name]')) {
  row.addEventListener('click', () => {
    field.value = '^' + row.dataset.name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') + '$';
    search(field.value);
  });
}
if (picture.dataset.search) {
  field.value = picture.dataset.search;
  search(field.value);
}
})();
