// The page: shows the gateway's snapshot as it changes, and does what the person says.
//
// It draws at most four times a second, whatever comes, and changes only what is different: with 500
// rows that keeps the focus, the selection and the processor where they were. All that comes from
// elsewhere is set as text, never as markup.

const DRAW_EVERY = 250; // milliseconds
const SPEAK_EVERY = 5000; // between two sentences of the live region
const LOOK_EVERY = 10000; // for the history
const SETTINGS_EVERY = 30000; // for providers and models, which change seldom
const RECENT_EVERY = 1000; // at least, between two looks at the requests that ended
const QUIET = 40000; // the events bring a comment every 15 seconds if nothing else
const RETRY_MOST = 8000;
const RECENT_SHOWN = 50;
const HOUR = 3600;
const ENDED = 'done,failed,cancelled,gone';
const TOKEN = 'holdgate-token';
const LOCKED = 'holdgate-locked-out';

// The document.

const $ = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function setClass(node, name) {
  if (node.className !== name) node.className = name;
}

// Words for numbers.

function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 48 * HOUR) return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / 60)} min`;
  return `${Math.floor(whole / (24 * HOUR))} days`;
}

const fraction = (seconds) => (seconds < 10 ? `${seconds.toFixed(1)} s` : duration(seconds));
const clock = (at) => new Date(at * 1000).toLocaleTimeString();
const nowSeconds = () => Date.now() / 1000;
const ofMost = (used, most) => (most ? `${used} of ${most}` : `${used}`);
const untilWords = (until, now) => (until === null ? 'until resumed' : `for ${duration(until - now)} more`);

// The gateway.

class Locked extends Error {}

class Gateway {
  constructor(token) {
    this.token = token;
  }

  async ask(path, options = {}) {
    const headers = { Authorization: `Bearer ${this.token}`, Accept: 'application/json' };
    const reply = await fetch(path, { ...options, headers, cache: 'no-store' });
    if (reply.status === 401) throw new Locked();
    if (!reply.ok) throw new Error(await messageOf(reply));
    return reply;
  }

  async get(path) {
    return (await this.ask(path)).json();
  }

  async post(path, body = {}) {
    return (await this.ask(path, { method: 'POST', body: JSON.stringify(body) })).json();
  }

  // Gives snapshots; of those that came together only the last.
  async *events() {
    const control = new AbortController();
    let timer = setTimeout(() => control.abort(), QUIET);
    try {
      const reply = await this.ask('/api/events', { signal: control.signal });
      const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(() => control.abort(), QUIET);
        const events = (rest + value).split('\n\n');
        rest = events.pop();
        const last = events.filter((event) => event.startsWith('data: ')).at(-1);
        if (last) yield JSON.parse(last.slice('data: '.length));
      }
    } finally {
      clearTimeout(timer);
      control.abort();
    }
  }
}

async function messageOf(reply) {
  try {
    return (await reply.json()).error.message;
  } catch {
    return `the gateway answered with HTTP ${reply.status}`;
  }
}

// A table whose rows stay the same nodes while they are listed. A column is {label, show, ticks,
// number}: `show(cell, item, now)` writes a cell, and again each second if it `ticks`.

class Table {
  constructor(place, name, columns, keyOf, fallback) {
    this.columns = columns;
    this.keyOf = keyOf;
    this.fallback = fallback;
    this.rows = new Map();
    this.body = make('tbody', { role: 'rowgroup' });
    const heads = columns.map(({ label }) => make('th', { role: 'columnheader', scope: 'col' }, label));
    const head = make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, ...heads));
    // The roles are said because a phone shows rows as cards, which takes them away.
    this.node = make('table', { role: 'table', 'aria-label': name }, head, this.body);
    this.node.hidden = true;
    place.append(this.node);
  }

  show(items, now) {
    const held = this.held();
    const keys = new Set(items.map(this.keyOf));
    for (const [key, row] of this.rows) {
      if (keys.has(key)) continue;
      row.node.remove();
      this.rows.delete(key);
    }
    let next = this.body.firstElementChild;
    for (const item of items) {
      const row = this.rows.get(this.keyOf(item)) ?? this.add(this.keyOf(item));
      row.item = item;
      this.fill(row, now, this.columns);
      if (row.node === next) next = next.nextElementSibling;
      else this.body.insertBefore(row.node, next);
    }
    this.node.hidden = items.length === 0;
    this.hold(held);
  }

  tick(now) {
    for (const row of this.rows.values()) this.fill(row, now, this.columns, true);
  }

  add(key) {
    const cells = this.columns.map(({ label, number }) =>
      make('td', { role: 'cell', 'data-label': label, ...(number ? { class: 'number' } : {}) }));
    const row = { node: make('tr', { role: 'row', 'data-key': key }, ...cells), cells, item: null };
    this.rows.set(key, row);
    return row;
  }

  fill(row, now, columns, onlyTicks = false) {
    columns.forEach((column, index) => {
      if (!onlyTicks || column.ticks) column.show(row.cells[index], row.item, now);
    });
  }

  // What has the focus, and where: a row that moves or goes would lose it.
  held() {
    const node = document.activeElement;
    if (!this.body.contains(node)) return null;
    const rows = [...this.body.children];
    return { node, at: rows.findIndex((row) => row.contains(node)), what: node.dataset.do };
  }

  hold(held) {
    if (!held || document.activeElement === held.node) return;
    if (held.node.isConnected) return held.node.focus({ preventScroll: true });
    const row = this.body.children[Math.min(held.at, this.body.children.length - 1)];
    (row?.querySelector(`[data-do="${held.what}"]`) ?? this.fallback)?.focus({ preventScroll: true });
  }
}

const column = (label, text, more = {}) =>
  ({ label, show: (cell, item, now) => setText(cell, text(item, now)), ...more });

// Gives a cell's buttons, made once; what they do is looked up in the row's present item.
function buttons(cell, item, wanted) {
  cell.item = item;
  if (!cell.firstChild) {
    const group = make('span', { class: 'actions' });
    for (const { name, act, link } of wanted) {
      const button = make('button', { type: 'button', 'data-do': name, ...(link ? { class: 'link' } : {}) });
      button.addEventListener('click', () => act(cell.item, button));
      group.append(button);
    }
    cell.append(group);
  }
  wanted.forEach(({ label, title, off = false }, index) => {
    const button = cell.firstChild.children[index];
    if (button.dataset.busy) return;
    setText(button, label);
    if (button.getAttribute('aria-label') !== title) button.setAttribute('aria-label', title);
    if (button.disabled !== off) button.disabled = off;
  });
}

function chip(cell, name, text) {
  if (!cell.firstChild) cell.append(make('span'), make('span'));
  setClass(cell.firstChild, `state ${name}`);
  setText(cell.firstChild, name);
  setText(cell.lastChild, text ? ` ${text}` : '');
}

// What the snapshot says.

function atOnce(snapshot) {
  const { waiting, held, passing } = snapshot.counts;
  const all = waiting + held + passing;
  const running = Math.min(all, snapshot.lanes.reduce((sum, lane) => sum + lane.running, 0));
  return { waiting: all - running, running, all };
}

function summaryOf(snapshot, now) {
  const { waiting, running } = atOnce(snapshot);
  const pause = snapshot.paused ? `, paused ${untilWords(snapshot.paused.until, now)}` : '';
  return { counts: `${waiting} waiting, ${running} running`, pause };
}

function laneState(lane, now) {
  if (lane.paused) return ['paused', ''];
  if (!lane.rest) return ['open', ''];
  const { until, why } = lane.rest;
  return ['resting', until === null ? why : `for ${duration(until - now)} more: ${why}`];
}

function minuteWords({ minute }, now) {
  const next = minute.next_at === null ? '' : `, next in ${duration(minute.next_at - now)}`;
  return ofMost(minute.used, minute.limit) + next;
}

// Gives what keeps a lane's line waiting.
function obstacle(lane, now) {
  const [state, why] = laneState(lane, now);
  if (state !== 'open') return why ? `${state} ${why}` : state;
  if (lane.concurrency && lane.running >= lane.concurrency) {
    return `${lane.running} of ${lane.concurrency} at once are taken`;
  }
  return lane.minute.next_at === null ? '' : `its minute is full, next in ${duration(lane.minute.next_at - now)}`;
}

function reasonOf(request, lanes, now) {
  if (request.state !== 'waiting') return request.reason;
  const named = lanes.filter((lane) => request.reason.split(/[ ,()]+/).includes(lane.provider));
  const words = [...new Set(named.map((lane) => obstacle(lane, now)).filter(Boolean))];
  return words.length ? `${request.reason}: ${words.join('; ')}` : request.reason;
}

// Gives what changes when a request ends, also one that came and went between two snapshots.
function signOf(snapshot) {
  const ids = snapshot.requests.map(({ id }) => id);
  return JSON.stringify([ids, snapshot.lanes.map(({ minute }) => minute.used), snapshot.last_error]);
}

function etaOf({ eta }, now) {
  if (eta === null) return '';
  return eta - now < 1 ? 'now' : `in ${duration(eta - now)}`;
}

function inOrder(requests) {
  const place = ({ state, position }) => (state === 'waiting' ? (position ?? 1e6) : 1e9);
  return [...requests].sort((one, other) => place(one) - place(other) || one.since - other.since);
}

// How to connect an agent: where the lines belong, and the lines.

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const IN_SHELL = 'In a terminal:';

// Each agent that the commands know, by the name that they take, and which of them it can be told by.
const KNOWN = [
  ['Claude Code', 'claude-code', 'run connect'],
  ['Codex', 'codex', 'run connect'],
  ['Gemini CLI', 'gemini-cli', 'connect'],
  ['opencode', 'opencode', 'run connect'],
  ['Qwen Code', 'qwen-code', 'run connect'],
  ['pi', 'pi', 'run connect'],
  ['Cline CLI', 'cline', 'connect'],
  ['Copilot CLI', 'copilot', 'run'],
  ['Kilo CLI', 'kilo', 'run connect'],
  ['Continue', 'continue', 'connect'],
  ['Crush', 'crush', 'connect'],
  ['Kimi Code', 'kimi-code', 'run connect'],
  ['kimi-cli', 'kimi-cli', 'run connect'],
  ['Droid', 'droid', 'connect'],
  ['Zed', 'zed', 'connect'],
  ['CodeBuddy Code', 'codebuddy', 'run connect'],
  ['WorkBuddy', 'workbuddy', 'connect'],
  ['goose', 'goose', 'run'],
  ['aider', 'aider', 'run connect'],
  ['llm', 'llm', 'connect'],
];

const WAYS = {
  run: (name, model) => ['# once, with nothing written', `gateway run ${name} -m ${model}`],
  connect: (name, model) => [
    `# for good, until gateway disconnect ${name}`, `gateway connect ${name} -m ${model}`],
};

const AGENTS = [
  ...KNOWN.map(([title, name, ways]) => [title, IN_SHELL, (url, model) =>
    ways.split(' ').flatMap((way) => WAYS[way](name, quoted(model)))]),
  ['OpenAI SDK (Python)', 'In your program:', (url, model) => [
    `client = OpenAI(base_url="${url}/v1", api_key="holdgate-script")`, `model = ${JSON.stringify(model)}`]],
  ['Anthropic SDK (Python)', 'In your program:', (url, model) => [
    `client = Anthropic(base_url="${url}", api_key="holdgate-script")`, `model = ${JSON.stringify(model)}`]],
  ['Google Gen AI SDK (Python)', 'In your program:', (url, model) => [
    `client = genai.Client(api_key="holdgate-script", http_options={"base_url": "${url}"})`,
    `model = ${JSON.stringify(model)}`]],
  ['curl', 'In a terminal:', (url, model) => [
    `curl -N ${url}/v1/chat/completions -d ${quoted(JSON.stringify({
      model, stream: true, messages: [{ role: 'user', content: 'hello' }] }))}`]],
];

// The page of one gateway.

class Page {
  constructor(gateway) {
    this.gateway = gateway;
    this.snapshot = null;
    this.connected = true;
    this.drawnAt = 0;
    this.drawing = false;
    this.spoken = { text: '', at: -SPEAK_EVERY };
    this.recent = { due: true, at: 0, busy: false, sign: '' };
    this.opened = { id: null, from: null };
    this.lanes = new Table($('lanes'), 'Lanes: the line before each key', this.laneColumns(), laneKey, $('now'));
    this.requests = new Table(
      $('requests'), 'Requests that wait or are answered', this.requestColumns(), ({ id }) => id, $('requests-title'));
    this.ended = new Table($('ended'), 'Requests that ended', this.endedColumns(), ({ id }) => id, $('recent'));
    this.providers = new Table(
      $('provider-table'), 'Providers', this.providerColumns(), ({ name }) => name, $('providers'));
    this.models = new Table($('model-table'), 'Models', MODEL_COLUMNS, ({ id }) => id, $('connect'));
    this.listen();
  }

  listen() {
    const pause = (seconds) => () => this.act(
      '/api/pause', { provider: null, for: seconds },
      seconds ? `paused for ${duration(seconds)}` : 'paused until resumed');
    $('pause').addEventListener('click', pause(null));
    $('pause-short').addEventListener('click', pause(15 * 60));
    $('pause-long').addEventListener('click', pause(HOUR));
    $('resume').addEventListener('click', () => this.act('/api/resume', { provider: null }, 'resumed'));
    $('detail-close').addEventListener('click', () => this.closeDetail());
    $('detail').addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.closeDetail();
    });
    for (const [name] of AGENTS) $('agent').append(make('option', {}, name));
    $('agent').addEventListener('change', () => this.showLines());
    $('model').addEventListener('change', () => this.showLines());
    $('copy').addEventListener('click', () => this.copy());
  }

  // The columns.

  laneColumns() {
    return [
      column('Lane', laneKey),
      column('At once', (lane) => ofMost(lane.running, lane.concurrency), { number: true }),
      column('Waiting', (lane) => `${lane.waiting}`, { number: true }),
      column('Minute', minuteWords, { ticks: true, number: true }),
      { label: 'State', ticks: true, show: (cell, lane, now) => chip(cell, ...laneState(lane, now)) },
      { label: 'Actions', show: (cell, lane) => buttons(cell, lane, [this.laneButton(lane)]) },
    ];
  }

  laneButton(lane) {
    const word = lane.paused ? 'Resume' : 'Pause';
    const act = ({ provider, paused }) => this.act(
      paused ? '/api/resume' : '/api/pause', { provider, ...(paused ? {} : { for: null }) },
      paused ? `resumed ${provider}` : `paused ${provider} until resumed`);
    return { name: 'pause', label: word, title: `${word} ${lane.provider}`, act };
  }

  requestColumns() {
    const told = (item) => `${item.id} of ${item.agent}`;
    const steer = (what, words) => ({ id }) =>
      this.act(`/api/requests/${encodeURIComponent(id)}/${what}`, {}, `${words} ${id}`);
    const look = (item, button) => this.openDetail(item.id, button);
    const cancel = steer('cancel', 'cancelled');
    const first = steer('first', 'moved to the front:');
    return [
      column('Place', ({ position }) => (position ? `${position}` : ''), { number: true }),
      { label: 'Agent', show: (cell, item) => buttons(cell, item, [
        { name: 'look', label: item.agent, title: `${item.agent}: details of ${item.id}`, act: look, link: true }]) },
      column('Model', ({ model }) => model),
      { label: 'State', show: (cell, item) => chip(cell, item.state, '') },
      column('Since', ({ since }, now) => duration(now - since), { ticks: true, number: true }),
      column('Why', (item, now) => reasonOf(item, this.snapshot.lanes, now), { ticks: true }),
      column('Goes', etaOf, { ticks: true, number: true }),
      { label: 'Actions', show: (cell, item) => buttons(cell, item, [
        { name: 'first', label: 'To the front', title: `To the front: ${told(item)}`, act: first,
          off: item.state !== 'waiting' },
        { name: 'cancel', label: 'Cancel', title: `Cancel ${told(item)}`, act: cancel }]) },
    ];
  }

  endedColumns() {
    const look = (item, button) => this.openDetail(item.id, button);
    return [
      column('At', ({ arrived }) => clock(arrived), { number: true }),
      { label: 'Agent', show: (cell, item) => buttons(cell, item, [
        { name: 'look', label: item.agent, title: `${item.agent}: details of ${item.id}`, act: look, link: true }]) },
      column('Model', ({ model }) => model),
      { label: 'End', show: (cell, item) => chip(cell, item.state, endWords(item)) },
      column('Waited', ({ waited }) => fraction(waited), { number: true }),
      column('Took', ({ arrived, ended }) => fraction((ended ?? arrived) - arrived), { number: true }),
      column('Tokens in, out', ({ usage }) => (usage ? `${tokensIn(usage)}, ${usage.output}` : ''), { number: true }),
      column('Losses', ({ losses }) => (losses.length ? `${losses.length}` : ''), { number: true }),
    ];
  }

  providerColumns() {
    const test = (provider, button) => this.test(provider, button);
    return [
      column('Provider', ({ name, preset }) => (preset && preset !== name ? `${name} (${preset})` : name)),
      column('Speaks', ({ dialects }) => dialects.join(', ')),
      column('Keys and limits', (provider) => provider.keys.map((key) => limitWords(key, provider)).join('; ')),
      column('Rests', ({ name }, now) => this.restWords(name, now), { ticks: true }),
      { label: 'Actions', show: (cell, provider) => buttons(cell, provider, [
        { name: 'test', label: 'Test', title: `Test ${provider.name}`, act: test }]) },
    ];
  }

  restWords(provider, now) {
    const lanes = (this.snapshot?.lanes ?? []).filter((lane) => lane.provider === provider);
    const words = lanes.map((lane) => [lane.key, ...laneState(lane, now)]).filter(([, state]) => state !== 'open');
    return words.map(([key, state, why]) => `${key}: ${state}${why ? ` ${why}` : ''}`).join('; ');
  }

  // What happens now.

  take(snapshot) {
    this.snapshot = snapshot;
    this.connected = true;
    const sign = signOf(snapshot);
    if (sign !== this.recent.sign) this.recent = { ...this.recent, due: true, sign };
    const { waiting } = atOnce(snapshot);
    document.title = waiting ? `${waiting} waiting · Holdgate` : 'Holdgate';
    this.drawSoon();
  }

  lose(why) {
    this.connected = false;
    setText($('lost'), `${why}; trying again. What you see is old.`);
    $('lost').hidden = false;
  }

  drawSoon() {
    if (this.drawing) return;
    this.drawing = true;
    const wait = Math.max(0, this.drawnAt + DRAW_EVERY - performance.now());
    setTimeout(() => requestAnimationFrame(() => this.draw()), wait);
  }

  draw() {
    this.drawing = false;
    this.drawnAt = performance.now();
    const { snapshot } = this;
    const now = nowSeconds();
    if (this.connected) $('lost').hidden = true;
    this.drawPauses(snapshot);
    this.lanes.show(snapshot.lanes, now);
    this.requests.show(inOrder(snapshot.requests), now);
    this.providers.tick(now);
    const more = atOnce(snapshot).all - snapshot.requests.length;
    $('no-lanes').hidden = snapshot.lanes.length > 0;
    $('no-requests').hidden = snapshot.requests.length > 0;
    $('more-requests').hidden = more <= 0;
    setText($('more-requests'), `The first ${snapshot.requests.length} are shown, ${more} more are not.`);
    $('last-error').hidden = !snapshot.last_error;
    setText($('last-error'), `Last error: ${snapshot.last_error}`);
    this.sum(now);
    this.look();
  }

  drawPauses(snapshot) {
    const paused = snapshot.paused !== null;
    const held = document.activeElement;
    for (const id of ['pause', 'pause-short', 'pause-long']) $(id).hidden = paused;
    $('resume').hidden = !paused;
    // The button that was pressed is gone: the focus goes where the way back is.
    if (held?.hidden && held.closest('header')) $(paused ? 'resume' : 'pause').focus();
  }

  // Sums up what happens, for the eye as it is, for the ear seldom enough to be borne.
  sum(now) {
    const { counts, pause } = summaryOf(this.snapshot, now);
    setText($('summary'), `${counts}${pause} · ${this.snapshot.address} · ${this.snapshot.version}`);
    const text = pause ? `${counts}, paused` : counts;
    const moment = performance.now();
    if (text === this.spoken.text || moment - this.spoken.at < SPEAK_EVERY) return;
    this.spoken = { text, at: moment };
    setText($('live'), text);
  }

  tick() {
    if (!this.snapshot || document.hidden) return;
    const now = nowSeconds();
    for (const table of [this.lanes, this.requests, this.providers]) table.tick(now);
    this.sum(now);
    this.look();
  }

  // Looks at what has ended, once something did.
  async look() {
    const now = performance.now();
    const watched = this.opened.id !== null && !this.opened.ended;
    if (!(this.recent.due || watched) || this.recent.busy || now - this.recent.at < RECENT_EVERY) return;
    this.recent = { ...this.recent, due: false, busy: true, at: now };
    await this.quietly(async () => {
      const found = await this.gateway.get(`/api/requests?state=${ENDED}&limit=${RECENT_SHOWN}`);
      this.ended.show(found.requests, nowSeconds());
      $('no-recent').hidden = found.requests.length > 0;
      if (watched) await this.fillDetail(this.opened.id);
    });
    this.recent.busy = false;
  }

  // One request.

  openDetail(id, from) {
    this.opened = { id, from, ended: false };
    return this.attempt(async () => {
      await this.fillDetail(id);
      $('detail').hidden = false;
      $('detail').scrollIntoView({ block: 'nearest' });
      $('detail').focus({ preventScroll: true });
    });
  }

  closeDetail() {
    $('detail').hidden = true;
    const { from } = this.opened;
    this.opened = { id: null, from: null };
    (from?.isConnected ? from : $('recent')).focus();
  }

  async fillDetail(id) {
    const request = await this.gateway.get(`/api/requests/${encodeURIComponent(id)}`);
    if (this.opened.id !== id) return;
    this.opened.ended = request.ended !== null;
    setText($('detail-title'), `${request.agent} asked for ${request.model}`);
    $('detail-facts').replaceChildren(...factsOf(request).flatMap(([name, value]) =>
      [make('dt', {}, name), make('dd', {}, value)]));
    $('detail-line').replaceChildren(...request.timeline.map(({ at, what, detail }) =>
      make('li', {}, `+${fraction(at - request.arrived)} ${what}${detail ? `: ${detail}` : ''}`)));
    const losses = request.losses.map(({ path, why }) => make('li', {}, make('code', {}, path), ` ${why}`));
    $('detail-losses').replaceChildren(...(losses.length ? losses : [make('li', {}, 'nothing was lost')]));
  }

  // What changes seldom.

  async showHistory() {
    const { every, samples } = await this.gateway.get('/api/history');
    const end = nowSeconds();
    const most = Math.max(1, ...samples.flatMap(([, waiting, running]) => [waiting, running]));
    const graph = $('graph');
    graph.querySelector('.waiting').setAttribute('d', steps(samples, 1, every, end, most));
    graph.querySelector('.running').setAttribute('d', steps(samples, 2, every, end, most));
    const highest = (index) => Math.max(0, ...samples.map((sample) => sample[index]));
    const words = `at most ${highest(1)} waiting, ${highest(2)} running`;
    setText($('graph-most'), words);
    graph.setAttribute('aria-label', `Waiting and running requests in the last hour: ${words}`);
  }

  async showSettings() {
    const [{ providers }, { models }] = await Promise.all(
      [this.gateway.get('/api/providers'), this.gateway.get('/api/models')]);
    const now = nowSeconds();
    this.providers.show(providers, now);
    $('no-providers').hidden = providers.length > 0;
    this.models.show(models, now);
    $('no-models').hidden = models.length > 0;
    const names = models.map(({ id }) => id);
    if ([...$('model').options].map(({ value }) => value).join('\n') !== names.join('\n')) {
      const chosen = $('model').value;
      $('model').replaceChildren(...names.map((name) => make('option', { value: name }, name)));
      if (names.includes(chosen)) $('model').value = chosen;
    }
    this.showLines();
  }

  showLines() {
    const [, where, lines] = AGENTS[$('agent').selectedIndex];
    setText($('connect-where'), where);
    const address = this.snapshot?.address ?? location.origin;
    setText($('connect-lines'), lines(address, $('model').value || 'MODEL').join('\n'));
  }

  async copy() {
    try {
      await navigator.clipboard.writeText($('connect-lines').textContent);
      this.tell('copied');
    } catch {
      getSelection().selectAllChildren($('connect-lines'));
      this.tell('the browser does not let the page copy; the lines are selected');
    }
  }

  // What the person does.

  act(path, body, words) {
    return this.attempt(async () => {
      await this.gateway.post(path, body);
      this.tell(words);
    });
  }

  async test(provider, button) {
    if (button.dataset.busy) return;
    button.dataset.busy = 'yes'; // not disabled: that would take the focus away
    setText(button, 'Testing…');
    await this.attempt(async () => {
      const found = await this.gateway.post(`/api/providers/${encodeURIComponent(provider.name)}/test`);
      this.tell(testWords(found), !found.passed);
    });
    delete button.dataset.busy;
    setText(button, 'Test');
  }

  // Does what the person asked for, and tells what went wrong.
  async attempt(work) {
    try {
      await work();
    } catch (error) {
      if (error instanceof Locked) lockedOut();
      else this.tell(error instanceof TypeError ? 'no gateway answers' : error.message, true);
    }
  }

  tell(words, bad = false) {
    setClass($('told'), bad ? 'bad' : '');
    setText($('told'), words);
  }

  // Does what may fail while the gateway is away: the events tell of that.
  async quietly(work) {
    try {
      await work();
    } catch (error) {
      if (error instanceof Locked) lockedOut();
    }
  }

  // Follows the events until the token is not good any more.
  async follow() {
    for (let pause = 500; ; pause = Math.min(2 * pause, RETRY_MOST)) {
      let why = 'the gateway ended the connection';
      try {
        for await (const snapshot of this.gateway.events()) {
          if (!this.snapshot || !this.connected) this.begin();
          pause = 500;
          this.take(snapshot);
        }
      } catch (error) {
        if (error instanceof Locked) return lockedOut();
        why = error instanceof TypeError || error.name === 'AbortError' ? 'no gateway answers' : error.message;
      }
      this.lose(why);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  // Reads all that the events do not bring.
  begin() {
    this.recent.due = true;
    this.quietly(() => this.showSettings());
    this.quietly(() => this.showHistory());
  }

  repeat(work, every) {
    setInterval(() => {
      if (this.connected && !document.hidden) this.quietly(work);
    }, every);
  }

  run() {
    setInterval(() => this.tick(), 1000);
    this.repeat(() => {
      this.recent.due = true;
      return this.showHistory();
    }, LOOK_EVERY);
    this.repeat(() => this.showSettings(), SETTINGS_EVERY);
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.snapshot) this.begin();
    });
    return this.follow();
  }
}

const MODEL_COLUMNS = [
  column('Model', ({ id }) => id),
  column('Of', ({ owner }) => owner),
  column('Dialects', ({ dialects }) => dialects.join(', ')),
  column('Context', ({ context }) => (context ? context.toLocaleString() : ''), { number: true }),
  column('Output', ({ output }) => (output ? output.toLocaleString() : ''), { number: true }),
];

function laneKey({ provider, key }) {
  return `${provider}/${key}`;
}

function limitWords(key, { window }) {
  const limits = [
    key.concurrency && `${key.concurrency} at once`,
    key.rpm && `${key.rpm} requests in ${duration(window)}`,
    key.tpm && `${key.tpm} tokens in ${duration(window)}`,
  ].filter(Boolean);
  return `${key.name}${key.on ? '' : ' (off)'}: ${limits.join(', ') || 'no limits'}`;
}

function testWords({ provider, passed, tests, lifted }) {
  const rests = lifted.length ? `; no longer resting: ${lifted.join(', ')}` : '';
  if (passed) return `${provider} answers${rests}`;
  const failed = tests.filter(({ status }) => status !== 200);
  const told = failed.length ? failed : tests;
  return `${provider} fails: ${told.map((each) => `${each.key}, ${each.dialect}: ${each.reason}`).join('; ')}${rests}`;
}

function endWords({ state, status, fault }) {
  if (state === 'done') return status && status !== 200 ? `HTTP ${status}` : '';
  return [fault, status && `HTTP ${status}`].filter(Boolean).join(', ');
}

const tokensIn = ({ input, cache_read: read, cache_write: written }) => input + read + written;

function factsOf(request) {
  const { usage } = request;
  return [
    ['Request', request.id],
    ['State', [request.state, endWords(request)].filter(Boolean).join(', ')],
    ['Dialect', `${request.dialect}${request.stream ? ', streamed' : ''}`],
    ['Arrived', clock(request.arrived)],
    ['Waited', fraction(request.waited)],
    ['Took', request.ended === null ? 'not ended' : fraction(request.ended - request.arrived)],
    ['Kept alive', `${request.kept_alive} times`],
    ['Tokens', usage ? `${tokensIn(usage)} in (${usage.cache_read} from the cache), ${usage.output} out` : 'not told'],
    ...request.tries.map((each, index) => [`Try ${index + 1}`, tryWords(each)]),
  ];
}

function tryWords(each) {
  const rest = each.rest && `the key rests until ${clock(each.rest.until)}: ${each.rest.why}`;
  return [
    `${each.provider} with key ${each.key}, ${each.model} (${each.dialect})`,
    each.status && `HTTP ${each.status}`,
    each.first_byte !== null && `first byte after ${fraction(each.first_byte - each.started)}`,
    each.ended !== null && `${fraction(each.ended - each.started)} in all`,
    each.fault,
    rest,
  ].filter(Boolean).join(', ');
}

// Gives the outline of one line of the graph; a gap is where no gateway ran.
function steps(samples, index, every, end, most) {
  const x = (at) => Math.max(0, Math.min(720, 720 * (1 - (end - at) / HOUR))).toFixed(1);
  const y = (count) => (155 - (145 * count) / most).toFixed(1);
  let path = '';
  let last = null;
  for (const sample of samples) {
    if (last === null || sample[0] > last + 1.5 * every) {
      path += `${last === null ? '' : `L${x(last + every)} 158`}M${x(sample[0])} 158`;
    }
    path += `L${x(sample[0])} ${y(sample[index])}L${x(sample[0] + every)} ${y(sample[index])}`;
    [last] = sample;
  }
  return last === null ? '' : `${path}L${x(last + every)} 158`;
}

// The door.

// Gives what the address says after `#`, and takes it out of the address.
function takeFragment() {
  const said = new URLSearchParams(location.hash.slice(1));
  if (!said.has('token')) return said;
  history.replaceState(null, '', location.pathname);
  sessionStorage.setItem(TOKEN, said.get('token'));
  return said;
}

function showDoor() {
  if (sessionStorage.getItem(LOCKED)) {
    sessionStorage.removeItem(LOCKED);
    setText($('door-why'), 'The token of this page is not good any more: the gateway was started anew.');
  }
  $('door').hidden = false;
}

// Begins anew without the token, so that nothing stays of what was shown.
function lockedOut() {
  sessionStorage.removeItem(TOKEN);
  sessionStorage.setItem(LOCKED, 'yes');
  location.reload();
}

function enter() {
  const said = takeFragment();
  addEventListener('hashchange', () => {
    if (takeFragment().has('token')) location.reload();
  });
  const token = sessionStorage.getItem(TOKEN);
  if (!token) return showDoor();
  $('house').hidden = false;
  const page = new Page(new Gateway(token));
  page.run();
  if (said.get('request')) page.openDetail(said.get('request'), null);
}

enter();
