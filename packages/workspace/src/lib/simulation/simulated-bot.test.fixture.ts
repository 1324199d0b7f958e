// The bot that the repository simulates, and what must hold for it besides the rules for all bots.

import { fileURLToPath } from 'node:url'
import type { Rule, SimBot, SimMessage } from '@botwright/testing/simulation'
import { byNumber, compiled, forgets, values } from './bot-facts.test.fixture.ts'
import { crashRules } from './crash-rules.test.fixture.ts'

const commands = ['ping', 'count', 'ask', 'order', 'vote', 'news', 'remind', 'calm', 'fail', 'many', 'staff']
const folder = fileURLToPath(new URL('../../../tests/simulated-bot', import.meta.url))

/** Compiles the bot once. */
export async function simulatedBot(): Promise<SimBot> {
  return {
    ...(await compiled(folder)),
    says: [...commands, 'order', 'order', 'ask', 'vote', 'news', 'news']
      .map((name) => `/${name} {n}`)
      .concat('hello {n}', '/ping'),
    answers: ['7', '3', '12', 'blue {n}', 'cancel'],
    durable: ['commands/order.ts'],
    waits: ['commands/ask.ts'],
    rules: [...rules, ...crashRules],
  }
}

/** How long an order waits for an answer, and how soon a person answers who leaves it enough time to try again. */
const QUESTION_MS = 180_000
const ANSWER_MS = 60_000
const WAY_MS = 1000
/** By then, the bot has tried again what it could not store. */
const AGAIN_MS = 40_000
const asks = /^\/(ask|order) /
/** A message that waits for the message budget has passed its guard long before. */
const ROLE_MS = 150_000
const HARMLESS = ['role', 'ban', 'reload', 'webhook'] as const
/** After these faults, the bot tries again. */
const delays = ['disk', 'reload'] as const

/** The cooldown of `calm`, without the time of two answers under way and of a wait for the message budget. */
const COOLDOWN_MS = 10_000

const rules: readonly Rule[] = [
  {
    name: 'an order is placed once',
    why: 'each step of a durable handler has its effect once, whatever fails',
    *check(facts) {
      for (const [number, messages] of byNumber(facts, /^ordered (\d+):/)) {
        if (messages.length > 1) yield `order ${number} was confirmed ${messages.length} times`
        const amount = Number(/: (\d+) /.exec(messages[0]!.content)?.[1])
        const stored = values(facts, `order ${number}:`)
        if (stored.length !== 1 || stored[0]!.value !== amount)
          yield `order ${number} has the amount ${amount}, but the stored values are ${JSON.stringify(stored)}`
      }
      const numbers = byNumber(facts, /^how many for (\d+)\?/)
      for (const [number, messages] of numbers)
        if (messages.length > 1) yield `order ${number} was asked ${messages.length} times`
    },
  },
  {
    name: 'the first answer to an order counts',
    why: 'its person sees the question, answers it in time, and must not have to answer again',
    *check(facts) {
      const { people, record } = facts
      const messages = [...people.messages.values()]
      const sizes = byNumber(facts, /^which size of \d+ for (\d+)\?/)
      for (const [number, [question]] of byNumber(facts, /^how many for (\d+)\?/)) {
        const { channel_id, atMs } = question!
        const order = messages.find(({ content }) => content === `/order ${number}`)
        if (!order) continue
        const own = messages.filter((one) => one.author_id === order.author_id && one.channel_id === channel_id)
        const near = own.filter((one) => one.atMs > order.atMs - QUESTION_MS && one.atMs < atMs + ANSWER_MS)
        // No command is an answer. A message on its way may be one.
        const answer = near.find((one) => one.atMs > atMs - WAY_MS && !one.content.startsWith('/'))
        if (!answer || answer.atMs < atMs || !/^\d+$/.test(answer.content)) continue
        // Another question of the same person may receive it.
        if (near.some((one) => one !== order && one.atMs < answer.atMs + WAY_MS && asks.test(one.content))) continue
        const endMs = atMs + QUESTION_MS
        if (!record.isCalm(order.atMs, endMs, delays) || record.happened('disk', endMs - AGAIN_MS, endMs)) continue
        const size = sizes.get(number)?.[0]?.content ?? 'not at all'
        if (!size.startsWith(`which size of ${answer.content} `))
          yield `the answer to order ${number} at ${Math.round(answer.atMs)} ms was ${answer.content}, but it continued with: ${size}`
      }
    },
  },
  {
    name: 'a broadcast reaches each channel at most once',
    why: 'its progress is stored before and after each message, and a message of unknown outcome is reported instead of repeated',
    *check(facts) {
      for (const [number, messages] of byNumber(facts, /^news (\d+)$/)) {
        const channels = new Set(messages.map(({ channel_id }) => channel_id))
        if (channels.size < messages.length) yield `news ${number} was posted twice to a channel`
      }
    },
  },
  {
    name: 'a broadcast reaches each channel',
    why: 'it continues until each channel has the message or is reported',
    *check(facts) {
      const { record, people } = facts
      if (record.incidents.length > 0) return
      for (const [number, messages] of byNumber(facts, /^news (\d+)$/))
        if (messages.length !== people.channels.length) yield `news ${number} was posted ${messages.length} times`
    },
  },
  {
    name: 'ctx.once works at most once',
    why: 'its beginning is stored before its work',
    *check(facts) {
      if (forgets(facts)) return
      for (const { key, value } of values(facts, 'count '))
        if (!key.startsWith('once:') && value !== 1) yield `${key} is ${JSON.stringify(value)}`
    },
  },
  {
    name: 'a cooldown is kept',
    why: 'it protects the bot from one person, and its uses are stored',
    *check(facts) {
      const { record } = facts
      // Answers that arrive late come closer to each other, and a cooldown follows the clock of the host.
      if (record.happened('http') || record.happened('clock') || record.happened('suspend')) return
      const last = new Map<string, SimMessage>()
      for (const message of facts.people.textsOf(facts.botId)) {
        const [, , person] = /^calm (\d+) for (\S+)$/.exec(message.content) ?? []
        if (person === undefined) continue
        const former = last.get(person)
        if (former && former.content !== message.content && message.atMs - former.atMs < COOLDOWN_MS)
          yield `"${former.content}" and "${message.content}" are ${Math.round(message.atMs - former.atMs)} ms apart`
        last.set(person, message)
      }
    },
  },
  {
    name: 'a guard for a role is kept',
    why: 'roles are cached for a short time only',
    *check({ people, botId, record }) {
      for (const { content, atMs } of people.textsOf(botId)) {
        const person = /^staff \d+ for (\S+)$/.exec(content)?.[1]
        if (person === undefined) continue
        const changes = people.staff.filter((one) => one.person_id === person && one.atMs < atMs)
        const last = changes.at(-1)
        if (!last || last.has || atMs - last.atMs < ROLE_MS || !record.isCalm(last.atMs, atMs, HARMLESS)) continue
        yield `"${content}" was posted at ${Math.round(atMs)} ms, but the role was lost at ${Math.round(last.atMs)} ms`
      }
    },
  },
  {
    name: 'a reminder comes',
    why: 'a scheduled task runs at its time, or the log has its failure',
    *check({ people, botId, record }) {
      // They delay or refuse it.
      if ((['http', 'forbid', 'disk', 'clock'] as const).some((kind) => record.happened(kind))) return
      const posted = new Set(people.textsOf(botId).map(({ content }) => content))
      const failed = record.lines.filter(({ text }) => text.includes('tasks/reminder.ts')).length
      const missing = new Set<string>()
      for (const { msg, facts } of record.lines) {
        const number = /^\/remind (\d+)$/.exec(String(facts['text']))?.[1]
        if (msg === 'begins' && number !== undefined && !posted.has(`reminder ${number}`)) missing.add(number)
      }
      for (const { event, outcomes } of record.events.values())
        if (outcomes.some(({ result }) => result !== 'ok'))
          missing.delete(/\d+$/.exec(String(event.data['content']))?.[0] ?? '')
      if (missing.size > failed) yield `no reminder of ${[...missing].join(', ')}, but ${failed} failures`
    },
  },
  {
    name: 'a reminder comes once',
    why: 'a scheduled task runs once, also after a restart',
    *check(facts) {
      if (forgets(facts)) return
      const posted = byNumber(facts, /^reminder (\d+)$/)
      for (const [number, messages] of posted)
        if (messages.length > 1) yield `reminder ${number} came ${messages.length} times`
    },
  },
]
