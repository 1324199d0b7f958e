// The page of the control room: asks for the token, and shows /control/state every two seconds.

import { clock, element, timeOf } from './elements.js'
import { sections } from './sections.js'

/** @import { ControlState } from '../src/features/health/control/control-state.ts' */

const REFRESH_MS = 2000
const KEY = 'botwright-control-token'

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const form = /** @type {HTMLFormElement} */ (byId('sign-in'))
const field = /** @type {HTMLInputElement} */ (byId('token'))

/** @type {Map<string, { at: HTMLElement, text: string }>} */
const shown = new Map()

/** @param {string} text */
const capital = (text) => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`

/** The state in a word, and the number of problems. @param {string} word @param {boolean} isGood @param {string} problems */
function showStatus(word, isGood, problems) {
  const status = byId('status')
  const text = problems === '' ? word : `${word}, ${problems}`
  if (status.textContent === text) return
  const state = element('span', { class: isGood ? 'ready' : 'not-ready' }, word)
  const comma = element('span', { class: 'hidden' }, ', ')
  status.replaceChildren(...(problems === '' ? [state] : [state, comma, element('strong', {}, problems)]))
}

/** Replaces the sections that have changed, and keeps the focus. @param {ControlState} state */
function show(state) {
  byId('name').textContent = state.bot?.username ?? 'Control room'
  document.title = `${state.problems.length > 0 ? `(${state.problems.length}) ` : ''}${state.bot?.username ?? 'Bot'} – Control room`
  const count = state.problems.length
  const readiness = state.ready ? 'Ready' : state.state === 'running' ? 'Not ready' : capital(state.state)
  showStatus(readiness, state.ready, count === 0 ? '' : `${count} problem${count === 1 ? '' : 's'}`)
  byId('updated').textContent = `Updated ${clock.format(new Date(state.at))}`
  for (const section of sections) {
    const { title, key, content } = section
    const made = element('div', { class: 'content' }, ...content(state, actionButton))
    const text = made.innerHTML
    const old = shown.get(key)
    if (old?.text === text) continue
    const focused = document.activeElement
    const label = old?.at.contains(focused) && focused?.getAttribute('aria-label')
    if (old) old.at.replaceWith(made)
    else {
      const local = state.local.some((name) => name.split('.')[0] === key)
      const heading = element(
        'h2',
        { id: `title-${key}` },
        title,
        local ? element('small', {}, ' this instance') : null,
      )
      byId('state').append(element('section', { 'aria-labelledby': `title-${key}` }, heading, made))
    }
    shown.set(key, { at: made, text })
    // Only buttons and scrolling tables have a label and the focus.
    const labelled = /** @type {NodeListOf<HTMLElement>} */ (made.querySelectorAll('[aria-label]'))
    if (label) [...labelled].find((one) => one.getAttribute('aria-label') === label)?.focus()
  }
  byId('state').hidden = false
}

// Requests.

const token = () => sessionStorage.getItem(KEY)

/** @param {string} path @param {string} method */
async function call(path, method = 'GET') {
  const headers = { authorization: `Bearer ${token()}` }
  return fetch(`control/${path}`, { method, headers, signal: AbortSignal.timeout(10_000) })
}

/** @param {string} text */
function announce(text) {
  const notice = byId('notice')
  notice.textContent = text
  notice.hidden = text === ''
}

/** @param {string} text @param {string} label @param {string} path @param {string} [question] */
function actionButton(text, label, path, question) {
  const press = async () => {
    const answer = question === undefined ? '' : prompt(question)
    if (answer === null) return
    const reason = answer.trim() === '' ? '' : `&reason=${encodeURIComponent(answer)}`
    try {
      const response = await call(`${path}${reason}`, 'POST')
      const { error } = await response.json()
      announce(response.ok ? `Done: ${label}.` : `Could not ${label}: ${error}`)
    } catch (error) {
      announce(`Could not ${label}: ${/** @type {Error} */ (error).message}`)
    }
    await refresh()
  }
  return element('button', { type: 'button', 'aria-label': label, click: () => void press() }, text)
}

/** The time of the last state, or undefined while the instance responds. @type {string | undefined} */
let lost
let lastAt = ''
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

async function refresh() {
  clearTimeout(timer)
  if (token() === null) return signIn('')
  try {
    const response = await call('state')
    if (response.status === 401) {
      sessionStorage.removeItem(KEY)
      return signIn('This token is not correct.')
    }
    const state = /** @type {ControlState & { error?: string }} */ (await response.json())
    if (!response.ok) throw new Error(state.error)
    form.hidden = true
    byId('leave').hidden = false
    if (lost !== undefined) announce('')
    lost = undefined
    lastAt = state.at
    show(state)
  } catch {
    if (lost === undefined && lastAt !== '') {
      announce(`This instance has not responded since ${timeOf(lastAt)}. Below is its last state.`)
      showStatus('No response', false, '')
    } else if (lastAt === '') announce('This instance does not respond.')
    lost = lastAt
  }
  timer = setTimeout(() => void refresh(), document.hidden ? REFRESH_MS * 15 : REFRESH_MS)
}

/** @param {string} why */
function signIn(why) {
  announce(why)
  form.hidden = false
  byId('state').hidden = true
  byId('leave').hidden = true
  byId('status').textContent = byId('updated').textContent = ''
  field.value = ''
  field.focus()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  sessionStorage.setItem(KEY, field.value.trim())
  announce('')
  void refresh()
})
byId('leave').addEventListener('click', () => {
  sessionStorage.removeItem(KEY)
  void refresh()
})
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void refresh()
})
void refresh()
