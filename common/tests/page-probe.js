// Put into a copy of the report by test_report.sh: looks at the page as it is laid
// out and tells the page around it what it found.
window.problems = [];
window.addEventListener('error', e => window.problems.push('error: ' + e.message));
window.addEventListener('load', () => {
  const root = document.documentElement;
  const texts = [...document.querySelectorAll('body *')].filter(
    e => !e.closest('svg') && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()));

  // Cut off: reaches beyond the window, and stands in no box that moves by itself.
  const cut = [...document.querySelectorAll('body *')].filter(
    e => !e.closest('svg *') && !e.matches('.skip') && e.getBoundingClientRect().right > innerWidth + 0.5
         && !(e.parentElement.closest('.scroll')));

  // A table of figures fits the page whatever its width; only the long data may move.
  const sideways = [...document.querySelectorAll('.scroll')].filter(
    e => e.querySelector('table') && !e.closest('details') && e.scrollWidth > e.clientWidth + 1);

  // What is hidden in a closed <details> is looked at as well.
  const channels = c => c.match(/[\d.]+/g).map(Number);
  const luminance = c => {
    const [r, g, b] = channels(c).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = e => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if ((channels(c)[3] ?? 1) === 1) return c;
    }
    return 'rgb(255, 255, 255)';
  };
  const contrast = e => {
    const [a, b] = [luminance(getComputedStyle(e).color), luminance(background(e))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const faint = texts.filter(e => contrast(e) < 4.5);

  const headings = [...document.querySelectorAll('h1, h2, h3, h4, h5')].map(h => Number(h.tagName[1]));
  const leap = headings.some((level, i) => level > (i ? headings[i - 1] : 0) + 1);
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  const lost = [...document.querySelectorAll('a[href^="#"], use')].map(e => e.getAttribute('href') ?? e.getAttribute('xlink:href'))
    .filter(h => h && !document.getElementById(h.slice(1)));
  const small = [...document.querySelectorAll('main svg')].filter(e => e.getBoundingClientRect().width < 300);

  const say = (name, list) => list.length && window.problems.push(name + ': ' + list.slice(0, 3).map(
    e => e.outerHTML ? e.outerHTML.slice(0, 80).replace(/\s+/g, ' ') : e).join(' | '));
  say('cut off', cut);
  say('moves sideways', sideways);
  say('faint', faint);
  say('leads nowhere', lost);
  say('too small a chart', small);
  if (root.scrollWidth > innerWidth) window.problems.push('the page is ' + root.scrollWidth + ' wide');
  if (leap) window.problems.push('a heading leaves out a level');
  if (new Set(ids).size !== ids.length) window.problems.push('an id is there twice');
  if (texts.length < 100) window.problems.push('only ' + texts.length + ' texts');
  const scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  parent.postMessage(innerWidth + ' ' + scheme + ': ' + (window.problems.join('; ') || 'none'), '*');
});
