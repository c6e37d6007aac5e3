// A click zooms to a frame, the button and the Escape key lead back.
const box = (page, name) => page.find(`${name} (`);
const widthOf = (group) => group.querySelector('rect').getBoundingClientRect().width;
const shown = (page, group) => page.window.getComputedStyle(group).display !== 'none';

test(async (page) => {
  const root = page.document.querySelector('#frames > g');
  const frame = box(page, 'compareSync');
  const before = widthOf(frame);
  page.check('a quarter of the whole', Math.abs(before / widthOf(root) - 0.25) < 0.01, before / widthOf(root));
  page.check('no button before a zoom', page.document.querySelector('#unzoom').hidden);

  await page.click(frame);
  page.check('the frame takes the whole width', Math.abs(widthOf(frame) - widthOf(root)) < 1, widthOf(frame));
  page.check('the root stays in sight', shown(page, root));
  page.check('another branch is out of sight', !shown(page, box(page, 'pbkdf2Sync')));
  page.check('the button is there', !page.document.querySelector('#unzoom').hidden);
  page.check('the label is written', frame.querySelector('text').textContent.includes('compareSync'));

  await page.click(page.document.querySelector('#unzoom'));
  page.check('as before after the button', Math.abs(widthOf(frame) - before) < 0.5, widthOf(frame));
  page.check('the other branch is back', shown(page, box(page, 'pbkdf2Sync')));

  await page.click(frame);
  await page.key('Escape');
  page.check('as before after Escape', Math.abs(widthOf(frame) - before) < 0.5, widthOf(frame));
});
