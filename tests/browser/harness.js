// What a browser case (NAME.js) works with. The case calls
//
//   test(async (page) => { ... })
//
// once; `page` is
//   page.window, page.document   of the page under test
//   page.errors                  messages of uncaught errors in it
//   page.find(text)              the first element whose <title> begins with the text, or null
//   page.click(element, init)    a mouse click there, with modifier keys in `init`
//   page.key(name, init)         a key press on the page, e.g. 'f', 'Escape', {ctrlKey: true}
//   page.type(input, text)       text typed into an input element
//   page.wait(ms)                a pause, e.g. for an animation
//   page.check(name, condition, detail)
//   page.equal(name, actual, expected)
'use strict';

const results = document.getElementById('results');
const frame = document.getElementById('page');

function line(passed, name, detail) {
  results.textContent += `${passed ? 'ok' : 'not ok'} ${name}${passed || detail === undefined ? '' : `: ${detail}`}\n`;
}

function makePage() {
  const window = frame.contentWindow;
  const document = frame.contentDocument;
  const errors = [];
  window.addEventListener('error', (event) => errors.push(event.message));
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  return {
    window,
    document,
    errors,
    wait,
    find(text) {
      const title = [...document.querySelectorAll('title')].find((one) => one.textContent.startsWith(text));
      return title ? title.parentNode : null;
    },
    async click(element, init = {}) {
      const box = element.getBoundingClientRect();
      const place = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
      for (const kind of ['mousedown', 'mouseup', 'click']) {
        element.dispatchEvent(new window.MouseEvent(kind, { bubbles: true, cancelable: true, view: window, ...place, ...init }));
      }
      await wait(50);
    },
    async key(name, init = {}) {
      const target = document.activeElement ?? document.documentElement;
      for (const kind of ['keydown', 'keyup']) {
        target.dispatchEvent(new window.KeyboardEvent(kind, { key: name, bubbles: true, cancelable: true, ...init }));
      }
      await wait(50);
    },
    async type(input, text) {
      input.value = text;
      input.dispatchEvent(new window.Event('input', { bubbles: true }));
      input.dispatchEvent(new window.Event('change', { bubbles: true }));
      await wait(50);
    },
    check: (name, condition, detail) => line(Boolean(condition), name, detail),
    equal: (name, actual, expected) =>
      line(Object.is(actual, expected), name, `${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`),
  };
}

function test(body) {
  const loaded = new Promise((resolve) => {
    if (frame.contentDocument && frame.contentDocument.readyState === 'complete' && frame.contentWindow.location.href !== 'about:blank') {
      resolve();
    } else {
      frame.addEventListener('load', resolve, { once: true });
    }
  });
  loaded
    .then(async () => {
      const page = makePage();
      await body(page);
      page.equal('no uncaught error in the page', page.errors.join('; '), '');
    })
    .catch((error) => line(false, 'the test script', error.stack))
    .finally(() => {
      document.title = 'finished';
    });
}
