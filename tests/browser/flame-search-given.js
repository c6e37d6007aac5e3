// A search given on the command line is drawn already, and the script agrees with it.
test(async (page) => {
  page.equal('the field holds it', page.document.querySelector('#search').value, 'Sync$|/state\\.js:9');
  const drawn = (await (await fetch('page.svg')).text()).match(/id="matched"[^>]*>([^<]*)</)[1];
  page.equal('share as drawn', drawn, 'matched: 82.00%');
  page.equal('share by the script', page.document.querySelector('#matched').textContent, drawn);
  page.check('found by its place', page.find('syncState').classList.contains('match'));
  page.check('others are not', !page.find('asyncMap').classList.contains('match'));
  await page.click(page.document.querySelector('.hot[data-name="asyncMap"]'));
  page.equal('a row of the hot strip searches its function', page.document.querySelector('#matched').textContent, 'matched: 8.00%');
});
