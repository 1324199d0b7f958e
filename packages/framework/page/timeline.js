// The page of a file with timelines. Everything is set as text, never as HTML. An event is drawn when it is opened.

/** @import { Timeline, TimelineStep, TimelineResult } from '@botwright/protocol/timeline' */

const MOST_SHOWN = 1000

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id))

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
function element(name, attributes, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** @returns {Promise<Timeline[]>} */
async function read() {
  const bytes = Uint8Array.from(atob(byId('data').textContent ?? ''), (sign) => sign.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return /** @type {Promise<Timeline[]>} */ (new Response(stream).json())
}

/** @param {number} ms */
const msText = (ms) =>
  ms < 1000
    ? `${ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`
    : ms < 60_000
      ? `${(ms / 1000).toFixed(2)} s`
      : `${Math.round(ms / 6000) / 10} min`

/** @type {Readonly<Record<TimelineResult, [text: string, look: string]>>} */
const results = {
  ok: ['ok', 'good'],
  error: ['failed', 'bad'],
  refused: ['refused', 'warn'],
  timed_out: ['timed out', 'bad'],
  crashed: ['crashed', 'bad'],
  dead_lettered: ['set aside', 'bad'],
  skipped: ['skipped', 'warn'],
  none: ['no file', 'weak'],
  passed: ['passed on', 'weak'],
  unfinished: ['not finished', 'warn'],
}

/** @param {Timeline} timeline */
const isFailed = ({ result }) => results[result]?.[1] === 'bad'

/** @param {TimelineStep} step */
function lookOf(step) {
  if (step.kind === 'call') return step.ok ? '' : 'bad'
  if (step.kind === 'guard') return step.passed ? '' : 'warn'
  if (step.kind === 'unmatched') return step.to || step.reason === 'gathered' ? '' : 'warn'
  if (step.kind !== 'finished') return ''
  const look = results[step.result]?.[1] ?? ''
  return look === 'weak' || look === 'good' ? '' : look
}

/** @param {string} text @param {string | undefined} link */
const linked = (text, link) => (link === undefined ? text : element('a', { href: link }, text))

/** @param {TimelineStep} step @param {number} endMs */
function stepRow(step, endMs) {
  const bar = element('span', {})
  bar.style.insetInlineStart = `${(100 * step.atMs) / endMs}%`
  bar.style.width = `${Math.min(100 - (100 * step.atMs) / endMs, (100 * (step.ms ?? 0)) / endMs)}%`
  const text = element('span', { class: 'text' }, linked(step.text, step.link))
  if (step.ms !== undefined) text.append(' ', element('span', { class: 'weak' }, msText(step.ms)))
  return element(
    'li',
    { class: lookOf(step) },
    element('span', { class: 'when' }, msText(step.atMs)),
    element('span', { class: 'track', 'aria-hidden': 'true' }, bar),
    text,
  )
}

/** @param {NonNullable<Timeline['failure']>} failure */
function failureBox({ message, name, code, at, link, reference, frame, causes, stack }) {
  const kind = [name, code].filter((one) => one !== undefined).join(' ')
  const box = element('div', { class: 'failure' })
  if (at !== undefined) box.append(element('p', {}, linked(at, link)))
  box.append(element('p', { class: 'what' }, kind === '' ? message : `${kind}: ${message}`))
  if (frame) {
    const width = String(frame.lines.at(-1)?.number ?? 0).length
    const code = element('pre', {})
    for (const { number, text } of frame.lines) {
      const row = `${number === frame.line ? '▸' : ' '} ${String(number).padStart(width)} │ ${text}\n`
      code.append(number === frame.line ? element('b', {}, row) : row)
    }
    box.append(code)
  }
  for (const cause of causes) {
    const text = cause.name === undefined ? cause.message : `${cause.name}: ${cause.message}`
    box.append(element('p', {}, `caused by ${text}${cause.at === undefined ? '' : ` (${cause.at})`}`))
  }
  if (reference !== undefined)
    box.append(element('p', { class: 'weak' }, `The user was given the reference ${reference}.`))
  if (stack !== undefined) box.append(more('Stack', stack))
  return box
}

/** @param {string} title @param {string} text */
const more = (title, text) =>
  element('details', { class: 'more' }, element('summary', {}, title), element('pre', {}, text))

/** @param {Timeline} timeline */
function body({ event, bot, steps, failure, brief }) {
  const endMs = Math.max(0.001, ...steps.map(({ atMs, ms = 0 }) => atMs + ms))
  const made = element(
    'div',
    { class: 'body' },
    element('div', { class: 'weak' }, `event ${event.id} (${event.type}), ${bot.username} at ${bot.baseUrl}`),
  )
  if (brief)
    made.append(
      element(
        'div',
        { class: 'weak' },
        'An older release recorded it: most steps are missing, and times are estimated.',
      ),
    )
  if (failure) made.append(failureBox(failure))
  made.append(element('ol', {}, ...steps.map((step) => stepRow(step, endMs))))
  if (event.data) made.append(more('Data of the event', JSON.stringify(event.data, null, 2)))
  const calls = steps.filter(({ kind }) => kind === 'call')
  if (calls.length > 0)
    made.append(
      more(
        'Calls',
        JSON.stringify(
          calls.map(({ atMs: _atMs, text: _text, ...call }) => call),
          null,
          2,
        ),
      ),
    )
  return made
}

/** @param {Timeline} timeline */
function eventRow(timeline) {
  const { event, file, ms, result } = timeline
  const [word, look] = results[result] ?? [result, '']
  const row = /** @type {HTMLDetailsElement} */ (
    element(
      'details',
      { class: 'event' },
      element(
        'summary',
        {},
        element('time', { class: 'when', datetime: event.received_at }, event.received_at.slice(11, 23)),
        element('span', { class: 'what' }, event.title),
        element('span', { class: 'weak' }, event.who ?? ''),
        element('span', { class: 'weak' }, file ?? ''),
        element('span', { class: `result ${look}` }, ms === undefined ? word : `${word}, ${msText(ms)}`),
      ),
    )
  )
  row.addEventListener('toggle', () => {
    if (row.open && row.children.length === 1) row.append(body(timeline))
  })
  return row
}

const timelines = await read()
const rows = timelines.map((timeline) => ({
  timeline,
  row: eventRow(timeline),
  words: JSON.stringify([timeline.event, timeline.file, timeline.steps.map(({ text }) => text)]).toLowerCase(),
}))
const filter = /** @type {HTMLInputElement} */ (byId('filter'))
const failed = /** @type {HTMLInputElement} */ (byId('failed'))

function show() {
  const wanted = filter.value.trim().toLowerCase()
  const found = rows.filter(({ timeline, words }) => (!failed.checked || isFailed(timeline)) && words.includes(wanted))
  byId('events').replaceChildren(...found.slice(-MOST_SHOWN).map(({ row }) => row))
  const all = rows.length === 1 ? '1 event' : `${rows.length} events`
  const failures = rows.filter(({ timeline }) => isFailed(timeline)).length
  byId('count').textContent = `${found.length === rows.length ? all : `${found.length} of ${all}`}, ${failures} failed`
}

filter.addEventListener('input', show)
failed.addEventListener('change', show)
show()
const first = rows.length === 1 ? rows[0] : rows.findLast(({ timeline }) => isFailed(timeline))
if (first) {
  first.row.open = true
  first.row.scrollIntoView({ block: 'center' })
}
document.body.dataset['ready'] = 'true'
