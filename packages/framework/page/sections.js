// The sections of the control room.

import { channelSections, serverSection, unavailable } from './channels.js'
import { clock, duration, element, facts, milliseconds, number, table, time } from './elements.js'

/** @import { ControlState } from '../src/features/health/control/control-state.ts' */
/** @import { Child } from './elements.js' */
/** A button that sends a request, with the answer to a question as its reason. @typedef {(text: string, label: string, path: string, question?: string) => Node} ActionButton */
/** @typedef {{ title: string, key: string, content: (state: ControlState, button: ActionButton) => Child[] }} Section */

const SVG = 'http://www.w3.org/2000/svg'
const HEIGHT = 64
const BAR = 8
const MINUTES = 60

/** One bar for each minute of the last hour. @param {ControlState} state */
function chart({ at, budget }) {
  const { limit, minutes } = budget
  const most = Math.max(limit ?? 1, ...minutes.map(({ sent }) => sent))
  const svg = document.createElementNS(SVG, 'svg')
  const sent = minutes.reduce((sum, minute) => sum + minute.sent, 0)
  const full = minutes.filter(({ waiting }) => waiting > 0).length
  const label = `Messages per minute in the last hour: ${sent} in total, and messages waited in ${full} minutes`
  for (const [key, value] of Object.entries({
    preserveAspectRatio: 'none',
    viewBox: `0 0 ${MINUTES * BAR} ${HEIGHT}`,
    role: 'img',
    'aria-label': label,
  }))
    svg.setAttribute(key, value)
  const lastMs = Math.floor(Date.parse(at) / 60_000) * 60_000
  for (const minute of minutes) {
    const place = MINUTES - 1 - (lastMs - Date.parse(minute.at)) / 60_000
    const height = Math.max(minute.sent > 0 || minute.waiting > 0 ? 2 : 0, (minute.sent / most) * HEIGHT)
    const bar = document.createElementNS(SVG, 'rect')
    const box = { x: place * BAR + 1, y: HEIGHT - height, width: BAR - 2, height }
    for (const [key, value] of Object.entries(box)) bar.setAttribute(key, `${value}`)
    if (minute.waiting > 0) bar.setAttribute('class', 'full')
    const title = document.createElementNS(SVG, 'title')
    title.textContent = `${clock.format(new Date(minute.at))}: ${minute.sent} sent, up to ${minute.waiting} waiting`
    bar.append(title)
    svg.append(bar)
  }
  return svg
}

/** @typedef {NonNullable<ControlState['problems'][number]['errors']>} Errors */

/**
 * The first and the last error, with one text if it is the same, and the events that failed.
 * @param {Errors} errors
 * @param {string} now
 */
function errorsOf({ first, last }, now) {
  const isOnce = first.at === last.at && first.reference === last.reference
  const isAlike = first.message === last.message && first.line === last.line
  /** @param {Child[]} head @param {Errors['last']} error */
  const block = (head, { line, message, reference }) =>
    element(
      'div',
      { class: 'error' },
      element('p', {}, ...head, ` at ${line}${reference === '' ? '' : `, reference ${reference}`}`),
      element('p', { class: 'message' }, message),
    )
  return isOnce
    ? [block(['Error, ', time(last.at, now)], last)]
    : isAlike
      ? [block(['First error, ', time(first.at, now), ', last error, ', time(last.at, now)], last)]
      : [block(['First error, ', time(first.at, now)], first), block(['Last error, ', time(last.at, now)], last)]
}

/** @param {NonNullable<ControlState['problems'][number]['events']>} events */
const failedEvents = (events) =>
  element(
    'p',
    { class: 'failed-events' },
    `Failed event${events.length === 1 ? '' : 's'} to replay: `,
    ...events.map((id) => element('code', {}, `#${id}`)),
  )

/** The sections that have more about a problem. @type {Readonly<Record<string, { key: string, title: string }>>} */
const more = {
  dead_letters: { key: 'dead_letters', title: 'Dead letters' },
  handlers_slow: { key: 'queues', title: 'Channels' },
  budget_used_up: { key: 'budget', title: 'Message budget' },
  rate_limited: { key: 'files', title: 'Files' },
  access_lost: { key: 'servers', title: 'Servers' },
}

/** @param {ControlState['problems'][number]} problem @param {string} now */
function problemOf({ code, text, fix, errors, events = [] }, now) {
  const section = more[code]
  // The errors below name the line.
  const title = errors ? text.replace(/; the last error was at [^;]*$/, '') : text
  return element(
    'li',
    {},
    element('div', { class: 'problem-head' }, element('strong', {}, title), element('code', {}, code)),
    ...(errors ? errorsOf(errors, now) : []),
    events.length > 0 ? failedEvents(events) : null,
    element(
      'p',
      { class: 'fix' },
      element('b', {}, 'Fix: '),
      fix.replace('--event ID', `--event ${events[0] ?? 'ID'}`),
      ...(section ? [' ', element('a', { href: `#title-${section.key}` }, section.title)] : []),
    ),
  )
}

/** @param {ControlState['files'][number]['results']} results */
function failedOf({ error = 0, timed_out = 0, crashed = 0, dead_lettered = 0 }) {
  const failed = error + timed_out + crashed + dead_lettered
  return failed > 0 ? element('b', { class: 'not-ready' }, number.format(failed)) : 0
}

/** @type {Section[]} */
export const sections = [
  {
    title: 'Problems',
    key: 'problems',
    content: ({ problems, at }) =>
      problems.length === 0
        ? [element('p', { class: 'good' }, 'No problems found.')]
        : [element('ul', { class: 'problems' }, ...problems.map((problem) => problemOf(problem, at)))],
  },
  {
    title: 'Events',
    key: 'events',
    content: ({ events, workers }) => [
      facts([
        ['Lag', duration(events.lag_seconds)],
        ['Last poll', events.last_poll_seconds === null ? '–' : `${duration(events.last_poll_seconds)} ago`],
        ['Waiting to run', number.format(events.waiting)],
        ['Running', number.format(events.running)],
        ['Received', number.format(events.received)],
        ['Finished or set aside', number.format(events.finished)],
        ['Worker restarts', number.format(workers.restarts)],
      ]),
    ],
  },
  {
    title: 'Message budget',
    key: 'budget',
    content: (state) => {
      const { limit, used, waiting, free_in_seconds, sender } = state.budget
      return [
        facts([
          ['Used', limit === null ? number.format(used) : `${used} of ${limit}`],
          ['Messages waiting', number.format(waiting)],
          ['Next slot', free_in_seconds > 0 ? `in ${duration(free_in_seconds)}` : 'free'],
          ['Most messages', sender ? `${sender.file ?? 'broadcasts'}: ${sender.sent} in a minute` : '–'],
        ]),
        chart(state),
      ]
    },
  },
  ...channelSections,
  {
    title: 'Dead letters',
    key: 'dead_letters',
    content: (state, button) => {
      const { dead_letters: dead, actions } = state
      if (!dead) return [unavailable(state, 'dead_letters')]
      const shown = dead.newest.length
      return [
        dead.total > shown ? element('p', {}, `The newest ${shown} of ${number.format(dead.total)}.`) : null,
        table(
          'Dead letters',
          ['Event', 'Type', 'Created', 'Set aside', 'Reason', ...(actions ? ['Action'] : [])],
          dead.newest.map(({ id, type, created_at, set_aside_at, reason }) => [
            id,
            type,
            time(created_at, state.at),
            time(set_aside_at, state.at),
            reason,
            ...(actions ? [button('Replay', `replay event ${id}`, `events/${id}/replay`)] : []),
          ]),
          'No events are set aside.',
        ),
      ]
    },
  },
  {
    title: 'Files',
    key: 'files',
    content: (state) => [
      table(
        'Files',
        ['File', 'Runs', 'Failed', 'Refused', 'Blocked', 'p50', 'p99', 'Last failure'],
        state.files.map(({ file, runs, results, blocked, p50_ms, p99_ms, last_failure: last }) => [
          file,
          number.format(runs),
          failedOf(results),
          results.refused ?? 0,
          blocked,
          milliseconds(p50_ms),
          milliseconds(p99_ms),
          last &&
            element(
              'span',
              {},
              time(last.at, state.at),
              // Without a line, it is the file again.
              last.line === file ? ' ' : ` ${last.line} `,
              element('span', { class: 'message' }, last.message),
            ),
        ]),
        'No handler has run since the start.',
      ),
    ],
  },
  {
    title: 'Tasks',
    key: 'tasks',
    content: (state) => [
      state.tasks
        ? table(
            'Tasks',
            ['File', 'Schedule', 'Last run', 'State', 'Next run', 'Scheduled by handlers', 'Set aside'],
            state.tasks.map(({ file, schedule, timezone, last, last_error, next_at, reason, scheduled, set_aside }) => [
              file,
              [schedule ?? '–', timezone].filter((part) => part !== null).join(' '),
              time(last?.at, state.at),
              [last?.state, reason, last_error && `last error: ${last_error}`].filter((part) => part).join(', ') || '–',
              time(next_at, state.at),
              scheduled,
              set_aside,
            ]),
            'This bot has no tasks.',
          )
        : unavailable(state, 'tasks'),
    ],
  },
  {
    title: 'Waiting durable runs',
    key: 'runs',
    content: (state, button) => {
      const { runs, actions } = state
      if (!runs) return [unavailable(state, 'runs')]
      return [
        runs.more ? element('p', {}, 'There are more; framework runs lists all of them.') : null,
        table(
          'Waiting durable runs',
          ['Run', 'File', 'Started', 'Waits for', 'Since', 'Continues', ...(actions ? ['Action'] : [])],
          runs.waiting.map(({ id, file, started_at, since, waits_for, answer, due_at }) => [
            // The id of an event's handler has the file, which is in the next column.
            id.replace(`:${file}`, ''),
            file,
            time(started_at, state.at),
            answer ?? waits_for,
            time(since, state.at),
            time(due_at, state.at),
            ...(actions ? [button('Cancel', `cancel run ${id}`, `runs/${encodeURIComponent(id)}/cancel`)] : []),
          ]),
          'No durable run is waiting.',
        ),
      ]
    },
  },
  {
    title: 'Switched off',
    key: 'switches',
    content: (state, button) => {
      const { switches, actions } = state
      if (!switches) return [unavailable(state, 'switches')]
      const everywhere = new Set(switches.off.filter((one) => one.server_id === null).map(({ name }) => name))
      const others = actions ? switches.names.filter((name) => !everywhere.has(name)) : []
      return [
        table(
          'Switched off',
          ['Name', 'Server', 'Since', 'Reason', ...(actions ? ['Action'] : [])],
          switches.off.map(({ name, server_id, server, since, reason }) => {
            const query = `name=${encodeURIComponent(name)}${server_id === null ? '' : `&server_id=${server_id}`}`
            const where = server === null ? '' : ` in ${server}`
            return [
              name,
              server ?? 'everywhere',
              time(since, state.at),
              reason,
              ...(actions ? [button('Switch on', `switch on ${name}${where}`, `switches/on?${query}`)] : []),
            ]
          }),
          'Nothing is switched off.',
        ),
        others.length === 0
          ? null
          : element(
              'details',
              {},
              element('summary', {}, 'Switch off…'),
              table(
                'Can be switched off',
                ['Name', 'Action'],
                others.map((name) => [
                  name,
                  button(
                    'Switch off',
                    `switch off ${name}`,
                    `switches/off?name=${encodeURIComponent(name)}`,
                    `Why is ${name} off? People who use it read the reason; it may be empty.`,
                  ),
                ]),
                '',
              ),
            ),
      ]
    },
  },
  serverSection,
  {
    title: 'Cluster',
    key: 'cluster',
    content: (state) => {
      const { cluster } = state
      if (!cluster) return [element('p', { class: 'empty' }, 'This bot runs as a single instance.')]
      const { id, leader, has_lease, away_seconds, engine, term, lag_seconds, waiting, instances } = cluster
      return [
        facts([
          ['This instance', id],
          ['Leader', leader ?? '–'],
          ['Lease', has_lease ? 'held' : 'lost'],
          [engine, away_seconds === null ? 'responds' : `silent for ${duration(away_seconds)}`],
          ['Term', term],
          ['Events waiting in the cluster', waiting],
          ['Lag of the cluster', duration(lag_seconds)],
        ]),
        instances
          ? table(
              'Instances',
              ['Instance', 'Role', 'Running', 'Waiting', 'Partitions', 'Version', 'Joined', 'Seen'],
              instances.map((one) => [
                one.id,
                one.leads ? 'leader' : 'follower',
                one.running,
                one.waiting,
                one.partitions,
                one.version,
                time(one.joined_at, state.at),
                time(one.seen_at, state.at),
              ]),
              'No instance holds a lease.',
            )
          : element('p', { class: 'empty' }, `Not available: ${engine} does not respond`),
      ]
    },
  },
  {
    title: 'Requests to routes',
    key: 'requests',
    content: (state) => [
      state.requests
        ? state.requests.set_aside === 0
          ? element('p', { class: 'empty' }, 'No request is set aside.')
          : element(
              'p',
              {},
              `${number.format(state.requests.set_aside)} set aside. `,
              element('code', {}, 'framework requests'),
              ' lists them.',
            )
        : unavailable(state, 'requests'),
    ],
  },
  {
    title: 'Versions',
    key: 'versions',
    content: ({ versions: { framework, node, bot, config } }) => [
      facts([
        ['Bot', bot === 'unknown' ? 'unknown: no version in package.json' : bot],
        ['Framework', framework],
        ['Node.js', node],
        ['Configuration', element('code', {}, config)],
      ]),
    ],
  },
]
