// Makes the pictures of docs/lessons.md live in the book. Each gets buttons, and a scene takes its place once it runs.
// Without this script they stay pictures.
import { drawing, startHost } from './drawing.js';

/** The scenarios, and the text of worker.js with the module: loaded once, when the first scene is needed. */
const DATA = new URL('lessons_data.js', document.currentScript.src);
const SPEEDS = [5, 20, 60, 200];
const isDark = () => /\b(coal|navy|ayu)\b/.test(document.documentElement.className);
const scenes = [];

let loading = null;
function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = DATA;
    script.onload = async () => {
      const { scenarios, session } = globalThis.wheelbaseLessons;
      resolve({ scenarios, host: await startHost(`(${session})()`) });
    };
    script.onerror = () => reject(new Error(`${DATA} is missing`));
    document.head.append(script);
  });
  return loading;
}

function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A scene in the place of a picture. */
function live(picture, name) {
  const state = {
    map: null, frame: null, shownAt: 0, selected: new Set(), isPlaying: false, ticksPerSecond: Number(name.slice(0, 2)) > 10 ? 60 : 20, camera: { x: 0, y: 0, scale: 1 },
  };
  const canvas = element('canvas', { hidden: true });
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', picture.alt);
  const [play, step, restart, edit, rerun, original] =
    ['Run', 'Step', 'Restart', 'Edit', 'Run this text', 'Original text'].map((textContent) => element('button', { type: 'button', textContent }));
  const speed = element('select', { ariaLabel: 'Ticks per second' }, SPEEDS.map((ticks) => new Option(`${ticks} ticks/s`, ticks, false, ticks === state.ticksPerSecond)));
  const facts = element('output');
  const text = element('textarea', { spellcheck: false, rows: 16, wrap: 'off', ariaLabel: `Text of ${name}.toml` });
  const editor = element('div', { className: 'scene-editor', hidden: true }, [text, rerun, original]);
  const failure = element('pre', { className: 'scene-failure', hidden: true });
  failure.setAttribute('role', 'alert');
  const controls = element('div', { className: 'scene' }, [play, step, restart, edit, speed, facts, editor, failure]);
  // The book wraps each picture, with a second one that a click enlarges.
  const still = picture.closest('label') ?? picture;
  still.after(canvas, controls);
  const view = drawing(canvas, state, isDark);

  let port = null;
  let scenario = null;
  let playsWhenOpen = false;
  let lastNote = '';
  // Whether it has paused because it is out of sight.
  let isAsleep = false;
  const ask = (type, message = {}) => port.postMessage({ type, ...message });
  const fail = (message) => {
    failure.textContent = message;
    failure.hidden = message === '';
  };

  const answers = {
    opened(map) {
      fail('');
      [still.hidden, canvas.hidden] = [true, false];
      view.open(map);
      const { width, height } = view.extent();
      Object.assign(canvas.style, { width: `${picture.naturalWidth}px`, aspectRatio: `${width} / ${height}` });
      view.whole();
      ask('speed', { ticks: state.ticksPerSecond });
      if (playsWhenOpen) ask('play', { on: true });
    },
    frame(frame) {
      view.show(frame);
      play.textContent = frame.isPlaying ? 'Pause' : 'Run';
      play.disabled = step.disabled = frame.isOver;
      facts.textContent = `tick ${frame.tick}${frame.isOver ? ', the end' : ''}${lastNote}`;
    },
    note({ text: note }) {
      lastNote = ` (${note})`;
    },
    failed: ({ text: message }) => fail(message),
  };

  /** Opens the session of the scene, for the first time. */
  async function need() {
    if (port !== null) return;
    play.disabled = true;
    facts.textContent = 'loading';
    try {
      const { scenarios, host } = await load();
      state.host = host.host;
      scenario = scenarios.find((one) => one.name === `${name}.toml`);
      if (port !== null) return;
      port = host.open();
      port.onmessage = ({ data }) => answers[data.type](data);
      text.value = scenario.text ?? '';
    } catch (error) {
      loading = null;
      fail(error.message);
      throw error;
    } finally {
      facts.textContent = '';
      play.disabled = false;
    }
  }

  async function open(plays) {
    await need();
    [playsWhenOpen, isAsleep, lastNote] = [plays, false, ''];
    ask('open', { ...scenario, text: text.value, lesson: true });
  }

  play.onclick = () => {
    if (state.frame === null) return open(true);
    isAsleep = false;
    ask('play', { on: !state.isPlaying });
  };
  step.onclick = async () => {
    if (state.frame === null) await open(false);
    ask('step');
  };
  restart.onclick = rerun.onclick = () => open(true);
  edit.onclick = async () => {
    await need();
    if (scenario.text === undefined) return fail('The browser module cannot read the map of this lesson. Edit the lesson with the program.');
    editor.hidden = !editor.hidden;
    edit.setAttribute('aria-expanded', !editor.hidden);
  };
  original.onclick = () => {
    text.value = scenario.text;
    open(false);
  };
  speed.onchange = () => {
    state.ticksPerSecond = Number(speed.value);
    if (port !== null) ask('speed', { ticks: state.ticksPerSecond });
  };
  // Keys of the controls turn no pages of the book.
  controls.onkeydown = (event) => {
    event.stopPropagation();
    if (event.target === text && event.key === 'Enter' && event.ctrlKey) open(true);
  };
  new IntersectionObserver(([{ isIntersecting }]) => {
    if (state.frame === null || isIntersecting !== isAsleep) return;
    if (isIntersecting || state.isPlaying) {
      isAsleep = !isIntersecting;
      ask('play', { on: isIntersecting });
    }
  }).observe(canvas);
  new ResizeObserver(() => state.map !== null && view.whole()).observe(canvas);
  scenes.push({ name, state, view, ask, play, step, restart, edit, rerun, text, canvas, failure });
}

function animate() {
  for (const { state, view } of scenes) if (state.isPlaying && state.ticksPerSecond <= 60) view.draw();
  requestAnimationFrame(animate);
}

function begin() {
  if (globalThis.WebAssembly === undefined) return;
  for (const picture of document.querySelectorAll('img[src^="lessons/"]:not(span > img)')) {
    live(picture, picture.getAttribute('src').match(/^lessons\/(.*)\.\w+$/)[1]);
  }
  if (scenes.length === 0) return;
  // For tests, and for the curious at the console.
  globalThis.lessons = scenes;
  new MutationObserver(() => {
    for (const { state, view } of scenes) {
      if (state.map === null) continue;
      view.paintTerrain();
      view.draw();
    }
  }).observe(document.documentElement, { attributeFilter: ['class'] });
  animate();
}
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
else begin();
