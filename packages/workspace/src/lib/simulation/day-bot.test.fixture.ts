// A second bot that the repository simulates, with what a bot does by itself: it holds messages, gathers events, and retries tasks.

import { fileURLToPath } from 'node:url'
import type { Rule, SimBot, SimFacts } from '@botwright/testing/simulation'
import { byNumber, compiled, forgets, isReported, onlyCrashes, postedTwice } from './bot-facts.test.fixture.ts'

const folder = fileURLToPath(new URL('../../../tests/simulated-day-bot', import.meta.url))
/** Every fourth seed begins at noon. */
const UNTIL = '12:01'

/** Compiles the bot once. */
export const dayBot = async (): Promise<SimBot> => ({
  ...(await compiled(folder, { quietHours: { from: '11:00', until: UNTIL } })),
  says: ['/later {n}', '/note {n}', '/job {n}', '/note {n}'],
  answers: ['/note {n}', '/later {n}'],
  rules,
})

const MINUTE_MS = 60_000
const iso = (ms: number): string => new Date(ms).toISOString()

const twice = (facts: SimFacts, pattern: RegExp): Iterable<string> =>
  forgets(facts) ? [] : postedTwice(facts, pattern)

const rules: readonly Rule[] = [
  {
    name: 'a held message is sent at most once',
    why: 'it is marked before its request leaves, and reported if its outcome is unknown',
    check: (facts) => twice(facts, /^later (\d+)$/),
  },
  {
    name: 'after a crash, a held message is sent or reported',
    why: 'its author was promised that it waits',
    *check(facts) {
      if (!onlyCrashes(facts) || isReported(facts, 'is not sent again')) return
      const sent = byNumber(facts, /^later (\d+)$/)
      for (const [number] of byNumber(facts, /^accepted (\d+) /))
        if (!sent.has(number)) yield `message ${number} was accepted, but not sent`
    },
  },
  {
    name: 'a held message counts as unsure only if a process has ended',
    why: 'its author would look for a message that has arrived',
    *check({ record }) {
      for (const { msg, atMs } of record.lines)
        if (msg.includes('the process ended during the send') && !record.ended(0, atMs))
          yield `no process has ended, but at ${Math.round(atMs)} ms it logged: ${msg}`
    },
  },
  {
    name: 'quiet hours are kept',
    why: 'people sleep',
    *check(facts) {
      const { record, world } = facts
      const from = new Date(world.startMs)
      const untilMs = Date.parse(`${from.toISOString().slice(0, 10)}T${UNTIL}:00Z`) - world.startMs
      // They follow the clock of the host.
      if (from.getUTCHours() !== 12 || record.happened('clock')) return
      for (const [number, messages] of byNumber(facts, /^later (\d+)$/))
        for (const { atMs } of messages)
          if (atMs < untilMs)
            yield `message ${number} was posted at ${Math.round(atMs)} ms, but had to wait until ${untilMs} ms`
    },
  },
  {
    name: 'a burst has its events in order, and each of them once',
    why: 'its handler reads them as one text',
    *check(facts) {
      const seen = new Set<string>()
      for (const { content } of facts.people.textsOf(facts.botId)) {
        const numbers = /^noted ([\d ]+)$/.exec(content)?.[1]!.split(' ').map(Number) ?? []
        if (new Set(numbers).size < numbers.length) yield `"${content}" has an event twice`
        if (facts.record.incidents.length > 0) continue
        for (const number of numbers) {
          if (seen.has(String(number))) yield `"${content}" repeats ${number}`
          seen.add(String(number))
        }
      }
    },
  },
  {
    name: 'after a crash, each gathered event is in a burst',
    why: 'it stays open until its burst has ended',
    *check(facts) {
      if (!onlyCrashes(facts)) return
      const { people, botId } = facts
      const noted = new Set(
        people.textsOf(botId).flatMap(({ content }) => /^noted (.*)$/.exec(content)?.[1]!.split(' ') ?? []),
      )
      for (const { author_id, content } of people.messages.values()) {
        const number = /^\/note (\d+)$/.exec(content)?.[1]
        if (author_id !== botId && number !== undefined && !noted.has(number)) yield `note ${number} is in no burst`
      }
    },
  },
  {
    name: 'a job posts at most once',
    why: 'ctx.once works for all attempts of a task',
    check: (facts) => twice(facts, /^job (\d+)$/),
  },
  {
    name: 'after a crash, a job is done or set aside',
    why: 'it is tried again until then',
    *check(facts) {
      if (!onlyCrashes(facts) || isReported(facts, 'is set aside after')) return
      const done = byNumber(facts, /^job (\d+)$/)
      for (const [number] of byNumber(facts, /^scheduled (\d+)$/))
        if (!done.has(number)) yield `job ${number} was not done`
    },
  },
  {
    name: 'a task runs once in each minute',
    why: "each of its times counts with missed: 'all', also when clocks change",
    *check({ record }) {
      // They follow the clock of the host, and a run that cannot be stored may come again.
      if (record.happened('clock') || record.happened('disk')) return
      const ticks = record.lines.flatMap(({ msg, facts }) =>
        msg === 'tick' ? [Date.parse(String(facts['tick']))] : [],
      )
      const interrupted = record.lines.flatMap(
        ({ msg }) => /tick\.ts: its run of (\S+) was interrupted/.exec(msg)?.[1] ?? [],
      )
      const all = new Set([...ticks, ...interrupted.map((at) => Date.parse(at))])
      if (new Set(ticks).size < ticks.length) yield `${ticks.length} runs for ${new Set(ticks).size} minutes`
      const sorted = [...all].sort((a, b) => a - b)
      for (const [i, atMs] of sorted.entries())
        if (i > 0 && atMs - sorted[i - 1]! !== MINUTE_MS) yield `no run between ${iso(sorted[i - 1]!)} and ${iso(atMs)}`
    },
  },
]
