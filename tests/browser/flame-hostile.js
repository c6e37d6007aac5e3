// Names that try to be markup or script stay names.
test(async (page) => {
  let alerts = 0;
  page.window.alert = () => alerts++;
  const attributes = [...page.document.querySelectorAll('*')].flatMap((one) => [...one.attributes].map((attribute) => attribute.name));
  page.equal('no on... attribute', attributes.filter((name) => /^on/i.test(name)).join(), '');
  const frame = page.find('<script>alert(1)</script> (10 samples, 13.33%)');
  page.check('markup is text', frame !== null);
  page.check('the label', frame.querySelector('text').textContent.startsWith('<script>al'), frame.querySelector('text').textContent);
  page.check('the end of CDATA', page.find(']]><svg onload=alert(2)> (7 samples') !== null);
  page.check('ESC in visible form', page.find('esc\\x1b[31mred (6 samples') !== null);
  page.check('U+202E in visible form', page.find('rtl\\u{202e}gnp.js (4 samples') !== null);
  page.check('the title', page.document.querySelector('#title').textContent.startsWith('<b onclick='));
  frame.dispatchEvent(new page.window.MouseEvent('mouseover', { bubbles: true }));
  page.check('the details', page.document.querySelector('#details').textContent.includes('<script>alert(1)</script>'));
  for (const group of page.document.querySelectorAll('#frames > g, .hot')) await page.click(group.querySelector('rect'));
  await page.key('Escape');
  page.check('no half characters', !page.document.documentElement.textContent.includes('\ufffd'));
  page.equal('nothing ran', alerts, 0);
  page.equal('one script, the picture\'s own', page.document.querySelectorAll('script').length, 1);
  page.equal('no element was made of a name', page.document.querySelectorAll('img, b, a, iframe').length, 0);
});
