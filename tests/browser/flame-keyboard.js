// The graph is one stop of the Tab key; arrows walk it, Enter zooms, the focus can be seen.
test(async (page) => {
  const frames = page.document.querySelector('#frames');
  const stops = () => frames.querySelectorAll('[tabindex="0"]');
  const focused = () => page.document.activeElement.querySelector('title').textContent.split(' (')[0];
  page.equal('one stop', stops().length, 1);
  page.equal('role', frames.getAttribute('role'), 'tree');

  page.window.focus();
  stops()[0].focus();
  page.equal('it is the root', focused(), 'all');
  const walk = [
    ['ArrowDown', 'main'],
    ['ArrowDown', 'handle'],
    ['ArrowDown', 'readFileSync'],
    ['ArrowRight', 'compareSync'],
    ['ArrowRight', 'syncState'],
    ['ArrowLeft', 'compareSync'],
    ['ArrowUp', 'handle'],
    ['ArrowRight', '(garbage collector)'],
    ['ArrowRight', 'Module._load'],
    ['ArrowRight', 'Module._load'],
  ];
  for (const [key, name] of walk) {
    await page.key(key);
    page.equal(`${key} to ${name}`, focused(), name);
  }
  page.equal('still one stop', stops().length, 1);
  page.check('the details tell of it', page.document.querySelector('#details').textContent.startsWith('Module._load (5 samples, 5.00%)'));

  const rect = page.document.activeElement.querySelector('rect');
  const narrow = Number(rect.getAttribute('width'));
  await page.key('Enter');
  page.check('Enter zooms', Number(rect.getAttribute('width')) > 10 * narrow, rect.getAttribute('width'));
  const stroke = Number.parseFloat(page.window.getComputedStyle(rect).strokeWidth);
  page.check('the focus has a ring', stroke >= 2, stroke);
  await page.key('Escape');
  page.check('Escape zooms out', Math.abs(Number(rect.getAttribute('width')) - narrow) < 0.02);
});
