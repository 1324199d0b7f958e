// Rules for the requests to the routes of the third bot, and for its switches.

import type { Rule, SimFacts, SimHook } from '@botwright/testing/simulation'
import { forgets, rowsOf } from './bot-facts.test.fixture.ts'
import { FORGED_FROM } from './web-actors.test.fixture.ts'

/** By then, a process has stored what has ended. */
const LOOK_MS = 1000
/** A check in the bot's thread may take ten seconds. */
const ANSWER_MS = 15_000
/** A switch applies after a second, and a read of the store may take half a second. */
const SWITCH_MS = 2000
/** They change nothing for a request that arrives. */
const HARMLESS = ['clock', 'reload', 'webhook', 'forbid', 'ban', 'role', 'http'] as const

/** A request is set aside when so many attempts have failed. */
const ATTEMPTS = 4

interface Row {
  state: string
  againMs?: number
  failures?: number
  request: { text: string }
}

/** The requests in the store, by their numbers. */
function stored(facts: SimFacts, prefix: string): Map<number, Row> {
  const rows = rowsOf(facts).filter(({ key }) => key.startsWith(prefix))
  return new Map(
    rows.map(({ value }) => {
      const row = JSON.parse(value) as Row
      return [(JSON.parse(row.request.text) as { number: number }).number, row]
    }),
  )
}

const acceptedMs = ({ tries }: SimHook): number =>
  Math.min(...tries.map(({ status, gotAtMs = Infinity }) => (status === 202 ? gotAtMs : Infinity)))

interface Run {
  atMs: number
  process: number
  again: boolean
  /** It has exceeded the time limit of handlers. */
  late: boolean
}

function linesOf({ record }: SimFacts, text: 'hook begins' | 'hook ends'): Map<number, Run[]> {
  const found = new Map<number, Run[]>()
  for (const { msg, facts, atMs, process } of record.lines) {
    if (msg !== text) continue
    const number = Number(facts['hook'])
    const run = { atMs, process, again: facts['again'] === true, late: facts['late'] === true }
    found.set(number, [...(found.get(number) ?? []), run])
  }
  return found
}

const postsOf = ({ people, botId }: SimFacts, number: number): number =>
  people.textsOf(botId).filter(({ content }) => content === `hooked ${number}`).length

const isOff = ({ record }: SimFacts, name: string, atMs: number, forMs: number): boolean => {
  const last = record.switches.findLast((one) => one.name === name && one.atMs <= atMs)
  return last?.off === true && last.atMs + forMs <= atMs
}

const mayBeOff = ({ record }: SimFacts, name: string, atMs: number): boolean =>
  (record.switches.findLast((one) => one.name === name && one.atMs <= atMs)?.off ?? true) &&
  record.switches.some((one) => one.name === name && one.atMs <= atMs)

const files: Readonly<Record<string, string>> = {
  'commands/add.ts': '/add',
  'commands/list.ts': '/list',
  'buttons/list.ts': 'buttons/list',
}

export const hookRules: readonly Rule[] = [
  {
    name: 'an accepted request runs',
    why: 'its sender has seen 202, and does not send it again',
    *check(facts) {
      const [waiting, aside] = [stored(facts, 'route:row:'), stored(facts, 'route:aside:')]
      const ended = linesOf(facts, 'hook ends')
      for (const hook of facts.record.hooks) {
        const { number } = hook
        if (acceptedMs(hook) === Infinity || waiting.has(number) || aside.has(number)) continue
        if (!ended.has(number)) yield `request ${number} was accepted at ${Math.round(acceptedMs(hook))} ms`
        else if (postsOf(facts, number) === 0) yield `request ${number} has ended without its message`
      }
    },
  },
  {
    name: 'a request with an id works once',
    why: 'senders repeat a request without a response, and ctx.once works for all its runs',
    *check(facts) {
      if (forgets(facts)) return
      for (const { number, id, tries } of facts.record.hooks) {
        const count = postsOf(facts, number)
        if (count > (id === undefined ? tries.length : 1)) yield `request ${number} was posted ${count} times`
      }
    },
  },
  {
    name: 'a request that has ended does not run again',
    why: 'its effects would come twice, and its id is known',
    *check(facts) {
      const { record } = facts
      if (record.happened('disk') || record.lostPower) return
      const begun = linesOf(facts, 'hook begins')
      const ids = new Map(record.hooks.map(({ number, id }) => [number, id]))
      for (const [number, ends] of linesOf(facts, 'hook ends')) {
        if (ids.get(number) === undefined) continue
        // A run that exceeds its time limit has failed, also if it ends later.
        const end = ends.find(({ late }) => !late)
        if (!end) continue
        const isStored =
          end.atMs + LOOK_MS < record.endOf(end.process) && !record.happened('suspend', end.atMs, end.atMs + LOOK_MS)
        const later = begun.get(number)!.find(({ atMs }) => atMs > end.atMs)
        if (later && isStored)
          yield `request ${number} ended at ${Math.round(end.atMs)} ms, and began again at ${Math.round(later.atMs)} ms`
      }
    },
  },
  {
    name: 'a request runs twice only if it is marked',
    why: 'a handler that must not repeat its effects has no other way to know',
    *check(facts) {
      const { record } = facts
      const aside = stored(facts, 'route:aside:')
      const ids = new Map(record.hooks.map(({ number, id }) => [number, id]))
      for (const [number, runs] of linesOf(facts, 'hook begins')) {
        // Its sender may repeat a request that was set aside.
        if (ids.get(number) === undefined || aside.has(number) || forgets(facts)) continue
        for (const { again, atMs } of runs.slice(1))
          if (!again)
            yield `request ${number} began at ${Math.round(runs[0]!.atMs)} ms, and at ${Math.round(atMs)} ms without a mark`
      }
    },
  },
  {
    name: 'requests of one key run one after the other, in the order of their arrival',
    why: 'a later request may depend on an earlier one, also if that is tried again',
    *check(facts) {
      const [begun, ended] = [linesOf(facts, 'hook begins'), linesOf(facts, 'hook ends')]
      const aside = stored(facts, 'route:aside:')
      const posts = facts.record.hooks.filter(({ path, isForged }) => path === '/hook' && !isForged)
      for (const later of posts) {
        const began = begun.get(later.number)?.[0]?.atMs
        const sentMs = Math.min(...later.tries.map(({ atMs }) => atMs))
        if (began === undefined) continue
        for (const { number, key, ...earlier } of posts) {
          if (key !== later.key || acceptedMs({ number, key, ...earlier }) >= sentMs || aside.has(number)) continue
          const endMs = ended.get(number)?.[0]?.atMs ?? Infinity
          if (endMs > began) yield `request ${later.number} began before ${number} had ended, which was accepted before`
        }
      }
    },
  },
  {
    name: 'a request is set aside only after its attempts',
    why: 'its route has retry, and the next attempt may succeed',
    *check(facts) {
      for (const [number, { failures = 1 }] of stored(facts, 'route:aside:'))
        if (failures < ATTEMPTS) yield `request ${number} was set aside after ${failures} attempts`
    },
  },
  {
    name: 'no forged request runs',
    why: 'anyone can send one to the address of a route',
    *check(facts) {
      for (const number of linesOf(facts, 'hook begins').keys()) if (number > FORGED_FROM) yield `request ${number}`
      for (const { number, isForged, path, tries } of facts.record.hooks)
        for (const { status } of tries)
          if (isForged && path === '/hook' && status !== undefined && status < 401) yield `${number} got ${status}`
    },
  },
  {
    name: 'a request is answered',
    why: 'its sender waits for the response, and repeats it without one',
    *check(facts) {
      const { record } = facts
      for (const { number, path, isForged, tries } of record.hooks)
        for (const { atMs, process, status } of tries) {
          const at = `request ${number} at ${Math.round(atMs)} ms`
          if (status === undefined) {
            if (record.endOf(process) > atMs + ANSWER_MS && !record.happened('suspend', atMs, atMs + ANSWER_MS))
              yield `${at} has no response`
            continue
          }
          const expected = isForged && path === '/hook' ? 401 : path === '/hook' ? 202 : 200
          const name = 'POST /hook'
          const wasOff = mayBeOff(facts, name, atMs) || mayBeOff(facts, name, atMs - SWITCH_MS)
          if (status !== expected && !(wasOff && status === 503) && record.isCalm(atMs, atMs + LOOK_MS, HARMLESS))
            yield `${at} got ${status}`
        }
    },
  },
  {
    name: 'no request is left',
    why: 'a stored request runs, or waits for its next attempt',
    *check(facts) {
      for (const [number, { state, againMs = 0 }] of stored(facts, 'route:row:'))
        if (state === 'running' || againMs < facts.process!.now()) yield `request ${number} is left: ${state}`
    },
  },
  {
    name: 'handlers that are switched off do not begin',
    why: 'an operator stops something that does harm',
    *check(facts) {
      const { record } = facts
      for (const {
        msg,
        atMs,
        facts: { file, again },
      } of record.lines) {
        const name = files[String(file)]
        if (msg !== 'begins' || again === true || name === undefined || !isOff(facts, name, atMs, SWITCH_MS)) continue
        // Without the store, what was off before the start is not known.
        if (!record.happened('disk', atMs - 60_000, atMs)) yield `${String(file)} began at ${Math.round(atMs)} ms`
      }
      for (const { number, tries } of record.hooks)
        for (const { atMs, status, gotAtMs = atMs } of tries)
          if (
            status === 202 &&
            isOff(facts, 'POST /hook', atMs, SWITCH_MS) &&
            // It may be switched on while the request waits for the switches.
            isOff(facts, 'POST /hook', gotAtMs, SWITCH_MS) &&
            !record.happened('disk', atMs - 60_000, atMs)
          )
            yield `request ${number} was accepted at ${Math.round(atMs)} ms`
    },
  },
]
