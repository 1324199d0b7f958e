// The sections of the control room about channels and servers.

import { duration, element, number, table, time } from './elements.js'

/** @import { ControlState } from '../src/features/health/control/control-state.ts' */
/** @import { Section } from './sections.js' */

/** @param {ControlState} state @param {string} section @param {string} reason */
export const unavailable = ({ unavailable: sections }, section, reason = sections[section] ?? '') =>
  element('p', { class: 'empty' }, `Not available: ${reason}`)

/** @param {string | null} name @param {string | null} id */
const nameOf = (name, id) => (name === null ? (id ?? '–') : `#${name}`)

/** The queues of events, and the messages that wait for the end of quiet hours. @type {Section[]} */
export const channelSections = [
  {
    title: 'Channels',
    key: 'queues',
    content: ({ queues, at, cluster }) => [
      table(
        'Channels',
        ['Channel', 'Waiting', 'Oldest event', 'Runs for', 'File', 'Of all'],
        queues.map(({ channel, channel_id, waiting, oldest_at, running_seconds, file, most }) => [
          nameOf(channel, channel_id),
          waiting > 0 ? element('b', { class: 'many' }, number.format(waiting)) : 0,
          time(oldest_at, at),
          duration(running_seconds),
          file ?? '–',
          most.join(', ') || '–',
        ]),
        cluster ? 'In a cluster, events wait in partitions: see the instances.' : 'No event runs or waits.',
      ),
    ],
  },
  {
    title: 'Messages in quiet hours',
    key: 'held',
    content: (state) => {
      const { at, held } = state
      if (!held) return [unavailable(state, 'held')]
      const shown = held.channels.reduce((sum, { messages }) => sum + messages, 0)
      return [
        held.total > shown ? element('p', {}, `${shown} of ${number.format(held.total)} messages.`) : null,
        table(
          'Messages in quiet hours',
          ['Channel', 'Messages', 'Held since', 'Sent from'],
          held.channels.map(({ channel, channel_id, messages, since, until }) => [
            nameOf(channel, channel_id),
            number.format(messages),
            time(since, at),
            until === null ? 'now' : time(until, at),
          ]),
          'No message is held.',
        ),
      ]
    },
  },
]

/** So many servers are shown at once. */
const MOST = 10

/** @type {Section} */
export const serverSection = {
  title: 'Servers',
  key: 'servers',
  content: ({ servers, at }) => {
    if (!servers) return [element('p', { class: 'empty' }, 'Not compared yet.')]
    /** @param {typeof servers} some @param {string} name */
    const list = (some, name) =>
      table(
        name,
        ['Server', 'Channels', 'Roles', 'Permissions', 'Lost within a day'],
        some.map(({ name: server, channels, roles, permissions, lost, lost_at }) => [
          server,
          number.format(channels),
          roles.join(', ') || '–',
          permissions.join(', ') || '–',
          lost.length === 0
            ? '–'
            : element('span', {}, element('b', { class: 'not-ready' }, lost.join(', ')), ' ', time(lost_at, at)),
        ]),
        'The bot is not in any server.',
      )
    const others = servers.slice(MOST)
    const more = `${number.format(others.length)} more`
    return [
      list(servers.slice(0, MOST), 'Servers'),
      others.length === 0 ? null : element('details', {}, element('summary', {}, more), list(others, 'More servers')),
    ]
  },
}
