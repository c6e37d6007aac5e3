// Widths are shares, also within a zoomed box; every way back restores each box and label exactly.
test(async (page) => {
  // Numbers are written anew on the way back: 12 and 12.00 are the same place.
  const state = () =>
    [...page.document.querySelectorAll('#frames > g')]
      .map((group) => {
        const text = group.querySelector('text');
        const places = [...group.querySelectorAll('rect')].flatMap((rect) => [rect.getAttribute('x'), rect.getAttribute('width')].map(Number));
        return [...places, text ? text.textContent : '', group.getAttribute('class')].join(' ');
      })
      .join('\n');
  const rect = (text) => page.find(text).querySelector('rect');
  const width = (text) => Number(rect(text).getAttribute('width'));
  const left = (text) => Number(rect(text).getAttribute('x'));
  const near = (name, a, b) => page.check(name, Math.abs(a - b) < 0.03, `${a}, expected ${b}`);

  const before = state();
  const whole = width('all (');
  near('a box is as wide as its share', width('handle (89 samples, 89.00%)'), 0.89 * whole);
  near('a child begins where its parent does', left('readFileSync (30'), left('handle ('));
  near('brothers touch', left('compareSync (25'), left('readFileSync (30') + width('readFileSync (30'));

  await page.click(rect('compareSync (25'));
  near('its callers fill the width too', width('handle ('), whole);
  page.check('and are marked', page.find('handle (').classList.contains('parent'));
  const label = page.find('compareSync (25').querySelector('text').textContent;
  page.check('mark, name and now the whole place', label === '\u25c6 compareSync/srv/app/node_modules/bcrypt/bcrypt.js:198', label);
  await page.key('Escape');
  page.equal('Escape restores', state(), before);

  await page.click(rect('syncState'));
  page.check('zoomed again', state() !== before);
  await page.click(page.document.querySelector('#unzoom'));
  page.equal('the button restores', state(), before);

  await page.click(rect('handle ('));
  near('shares within the zoomed box', width('readFileSync (30'), (30 / 89) * whole);
  await page.click(rect('all ('));
  page.equal('the root restores', state(), before);
});
