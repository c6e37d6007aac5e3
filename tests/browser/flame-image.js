// As an image in a page, where no script runs: it is drawn, in colours, and blocking calls differ
// by more than hue.
test(async (page) => {
  page.equal('no script', page.document.querySelectorAll('script').length, 0);
  page.check('nothing to press', page.document.querySelector('input, button') === null);
  const image = new Image();
  const loaded = new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject(new Error('the image does not load'));
  });
  image.src = 'page.svg';
  await loaded;
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  page.equal('its width', image.naturalWidth, 960);
  const colours = (rect) => {
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(rect.getAttribute(name)));
    const pixels = context.getImageData(x + 3, y + 3, width - 6, height - 6).data;
    const seen = new Map();
    for (let i = 0; i < pixels.length; i += 4) {
      const colour = `${pixels[i]},${pixels[i + 1]},${pixels[i + 2]}`;
      seen.set(colour, (seen.get(colour) ?? 0) + 4 / pixels.length);
    }
    return seen;
  };
  const all = new Set();
  for (const rect of page.document.querySelectorAll('#frames rect:first-of-type')) for (const colour of colours(rect).keys()) all.add(colour);
  page.check('many colours', all.size > 20, all.size);
  const plain = Math.max(...colours(page.find('tryReadSync').querySelector('rect')).values());
  const hatched = Math.max(...colours(page.find('readFileSync (30').querySelector('rect')).values());
  page.check('a blocking call is hatched', hatched < plain - 0.1, `${hatched} ${plain}`);
  page.check('and marked in its label', page.find('readFileSync (30').querySelector('text').textContent.startsWith('\u25c6 '));
  page.check('the verdict stands in words', page.document.querySelector('.verdict').textContent.includes('readFileSync holds the event loop for 30.0 % of busy time, called by handle /srv/app/s.js:3'));
  const title = page.find('readFileSync (30').querySelector('title').textContent;
  page.check('its title says so', title.includes('blocks the event loop'), title);
});
