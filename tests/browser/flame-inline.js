// Two pictures inside one HTML page: each works for itself, the page keeps its own look.
test(async (page) => {
  const [one, two] = page.document.querySelectorAll('svg.tickflame');
  const width = (picture, row) => Number(picture.querySelectorAll('#frames > g')[row].querySelector('rect').getAttribute('width'));
  page.check('both have a search', one.querySelector('input') !== null && two.querySelector('input') !== null);
  await page.type(two.querySelector('input'), 'fib');
  page.equal('the second finds', two.querySelector('#matched').textContent, 'matched: 64.29%');
  page.equal('the first is not touched', one.querySelector('#matched').textContent, '');
  const before = width(one, 3);
  const handle = one.querySelectorAll('#frames > g')[3];
  await page.click(handle.querySelector('rect'));
  page.check('a zoom in the first', width(one, 3) > before, width(one, 3));
  page.check('not in the second', two.querySelectorAll('#frames > .hide').length === 0);
  const style = page.window.getComputedStyle(page.document.querySelector('p.dim'));
  page.equal('text of the page keeps its size', style.fontSize, '16px');
  page.equal('and its colour', style.color, 'rgb(0, 0, 0)');
});
