// The elements and formats of the control room. Everything is set as text, never as HTML.

/** @typedef {Node | string | number | null} Child */

/**
 * @param {string} name
 * @param {Record<string, string | (() => void)>} attributes strings, and listeners by their event
 * @param {Child[]} children
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'string') made.setAttribute(key, value)
    else made.addEventListener(key, value)
  }
  made.append(
    ...children.filter((child) => child !== null).map((child) => (child instanceof Node ? child : `${child}`)),
  )
  return made
}

// Formats.

export const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })
/** @param {string} iso */
export const timeOf = (iso) => day.format(new Date(iso))
export const number = new Intl.NumberFormat()

/**
 * @param {string | null | undefined} iso
 * @param {string} now the time of the bot, which the browser's clock may not have
 */
export function time(iso, now) {
  if (!iso) return '–'
  const date = new Date(iso)
  const format = date.toDateString() === new Date(now).toDateString() ? clock : day
  return element('time', { datetime: iso, title: day.format(date) }, format.format(date))
}
/** @param {number | null} seconds */
export function duration(seconds) {
  if (seconds === null) return '–'
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 120) return `${number.format(Math.round(seconds * 10) / 10)} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
/** @param {number | null} ms */
export const milliseconds = (ms) => (ms === null ? '–' : duration(ms / 1000))

/** A longer text has a line of its own on narrow screens, and on others breaks into lines if it is longer than the second one. */
const [SHORT, LINE] = [12, 40]

/**
 * A table, or a text if it has no rows. If it is too wide it scrolls, which the keyboard can do too. On narrow screens each row is a block,
 * with the head of a column beside its cell; the roles keep it a table for screen readers.
 * @param {string} name
 * @param {string[]} heads
 * @param {Child[][]} rows
 * @param {string} empty
 */
export function table(name, heads, rows, empty) {
  if (rows.length === 0) return element('p', { class: 'empty' }, empty)
  const head = element(
    'tr',
    { role: 'row' },
    ...heads.map((text) => element('th', { role: 'columnheader', scope: 'col' }, text)),
  )
  const body = rows.map(([first = '', ...rest]) =>
    element(
      'tr',
      { role: 'row' },
      element('th', { role: 'rowheader', scope: 'row' }, first),
      ...rest.map((cell, column) => {
        const isNothing = cell === null || cell === 0 || cell === '0' || cell === '–' || cell === ''
        const isLong = typeof cell === 'string' && cell.length > SHORT
        const isWide = isLong && cell.length > LINE
        const kind = isNothing ? { class: 'nothing' } : isLong ? { class: isWide ? 'long wide' : 'long' } : {}
        return element('td', { role: 'cell', 'data-head': heads[column + 1] ?? '', ...kind }, cell)
      }),
    ),
  )
  return element(
    'div',
    { class: 'scroll', role: 'group', 'aria-label': name, tabindex: '0' },
    element(
      'table',
      { role: 'table', 'aria-label': name },
      element('thead', { role: 'rowgroup' }, head),
      element('tbody', { role: 'rowgroup' }, ...body),
    ),
  )
}

/** @param {[name: string, value: Child][]} pairs */
export const facts = (pairs) =>
  element(
    'dl',
    {},
    ...pairs.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  )
