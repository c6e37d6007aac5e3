// Names that try to be markup or script stay names.
test(async (page) => {
  page.equal('no dialog, no script of a name', page.document.querySelectorAll('script').length, 1);
  const frame = page.find('<script>alert(1)</script> (');
  page.check('the name is text', frame !== null);
  await page.click(frame);
  page.equal('still after a zoom', page.document.querySelectorAll('script').length, 1);
  page.check('the label', frame.querySelector('text').textContent.startsWith('<script>alert(1)'), frame.querySelector('text').textContent);
  frame.dispatchEvent(new page.window.MouseEvent('mouseover', { bubbles: true }));
  page.check('the details', page.document.querySelector('#details').textContent.includes('<script>alert(1)</script>'));
  page.equal('no element was made of a name', page.document.querySelectorAll('img, b, a, iframe').length, 0);
});
