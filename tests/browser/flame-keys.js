// The picture without a mouse: arrows walk, Enter zooms, / searches.
test(async (page) => {
  const nameOf = (element) => element.querySelector('title').textContent.split(' (')[0];
  const at = () => page.document.activeElement;
  const root = page.document.querySelector('#frames > g');
  root.focus();
  page.equal('the root can have the focus', at(), root);
  await page.key('ArrowDown');
  const child = at();
  page.check('down leads to a child', child !== root && child.getAttribute('aria-level') === '2', child.outerHTML.slice(0, 200));
  await page.key('ArrowUp');
  page.equal('up leads back', at(), root);
  await page.key('ArrowDown');
  await page.key('ArrowDown');
  const first = at();
  await page.key('ArrowRight');
  page.check('right leads to a neighbour', at() !== first && at().getAttribute('aria-level') === '3', nameOf(at()));
  await page.key('ArrowLeft');
  page.equal('left leads back', at(), first);
  await page.key('Enter');
  const width = (group) => group.querySelector('rect').getBoundingClientRect().width;
  page.check('Enter zooms', Math.abs(width(first) - width(root)) < 1);
  await page.key('Escape');
  await page.key('/');
  page.equal('/ goes to the search', at().id, 'search');
});
