// A search says how much it found: each sample once, however often a match is in its stack.
test(async (page) => {
  const field = page.document.querySelector('#search');
  const matched = () => page.document.querySelector('#matched').textContent;
  const marked = () => page.document.querySelectorAll('#frames > g.match').length;
  const search = (text) => page.type(field, text);

  page.equal('nothing is marked at first', marked(), 0);
  await search('fib');
  page.equal('recursion counts once', matched(), 'matched: 64.29%');
  page.equal('all three boxes are marked', marked(), 3);
  await search('^visit$');
  page.equal('inner functions', matched(), 'matched: 28.57%');
  await search('walk|visit');
  page.equal('alternatives that hold each other', matched(), 'matched: 28.57%');
  await search('FIB');
  page.equal('case matters', matched(), 'matched: 0.00%');
  await search('main');
  page.equal('everything', matched(), 'matched: 100.00%');
  await search('samples');
  page.equal('the unit is no part of a name', marked(), 0);
  field.blur();
  await page.key('/');
  page.check('/ goes to the search', page.document.activeElement === field);
});
