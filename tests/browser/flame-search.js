// Searching marks frames and tells their share, each stack once; a bad expression is said to be one.
const named = (page, name) => page.find(`${name} (`);
const matches = (page) => [...page.document.querySelectorAll('#frames > g.match title')].map((title) => title.textContent.split(' (')[0]);

test(async (page) => {
  const field = page.document.querySelector('#search');
  const told = page.document.querySelector('#matched');

  await page.type(field, '^compareSync$');
  page.equal('one name is marked', [...new Set(matches(page))].join(), 'compareSync');
  page.check('the share', told.textContent.includes('25.00%'), told.textContent);

  await page.type(field, '^(readFileSync|openSync|readSync)$');
  page.check('nested matches count once', told.textContent.includes('35.00%'), told.textContent);

  await page.type(field, '(');
  page.check('a bad expression', told.textContent.includes('not a regular expression'), told.textContent);
  page.equal('marks nothing', matches(page).length, 0);

  await page.type(field, 'readFileSync');
  page.check('found again', matches(page).length > 0);
  field.focus();
  await page.key('Escape');
  page.equal('Escape clears', matches(page).length, 0);
  page.equal('and says nothing', told.textContent, '');
});
