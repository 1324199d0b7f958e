import { join, resolve } from 'node:path'
import { type Clock, sleep, systemClock } from '@botwright/clock'
import type { SetAside, SetAsideFeed } from '@botwright/events'
import { BotwrightError, printableLine } from '@botwright/protocol/facts'
import { durationText } from '../../../author/time/duration.ts'
import type { ProgramIo } from '../../../program/program-io.ts'
import { openBotSetAside } from '../../host-files/state-files.ts'

export interface ReplayCommandOptions {
  io: Pick<ProgramIo, 'cwd' | 'env' | 'stdout'>
  /** The events to rerun. Without ids and `all`, the events are listed. */
  ids: readonly number[]
  all: boolean
  json: boolean
  /** The folder of the journal. */
  stateDir: string
  /** How long to wait for a running bot to accept the requests. */
  waitMs?: number
  clock?: Clock
}

interface Entry extends SetAside {
  feed: SetAsideFeed
}

/** How long a running bot has to accept a request. It looks for them every second. */
export const WAIT_MS = 3000

/**
 * `framework replay`: lists the events that were set aside, or requests reruns. A running bot reruns them at once, a stopped one at its
 * next start. Resolves with the exit code. Throws `ERR_CONFIG` if there is no journal or no such event.
 */
export async function replayCommand(options: ReplayCommandOptions): Promise<number> {
  const { ids, all, json, io, clock = systemClock } = options
  const print = (line: string) => void io.stdout.write(`${line}\n`)
  const file = join(resolve(io.cwd, options.stateDir), 'journal.db')
  using opened = openBotSetAside(file, clock)
  if (!opened) throw await noJournal(file, io)
  const entries = opened.feeds.flatMap((feed) => feed.list().map((entry): Entry => ({ ...entry, feed })))
  if (!all && ids.length === 0) {
    list(entries, { json, print, nowMs: clock.now() })
    return 0
  }
  const chosen = all ? entries : entries.filter(({ event }) => ids.includes(event.id))
  const missing = ids.filter((id) => !entries.some(({ event }) => event.id === id))
  if (missing.length > 0) {
    const known = entries.map(({ event }) => event.id).join(', ')
    throw new BotwrightError(
      'ERR_CONFIG',
      `${missing.join(', ')}: not set aside; ${known === '' ? 'no events are' : `these events are: ${known}`}`,
    )
  }
  for (const feed of opened.feeds)
    feed.request(chosen.filter((entry) => entry.feed === feed).map(({ event }) => event.id))
  const wanted = chosen.map(({ event }) => event.id)
  const open = () => opened.feeds.flatMap((feed) => feed.requests()).filter((id) => wanted.includes(id))
  await until(() => open().length === 0, options.waitMs, clock)
  const waiting = new Set(open())
  const taken = wanted.filter((id) => !waiting.has(id))
  if (json) print(JSON.stringify({ replayed: taken, waiting: [...waiting] }))
  else if (wanted.length === 0) print('no event is set aside')
  else {
    if (taken.length > 0) print(`the running bot reruns: ${taken.join(', ')}`)
    if (waiting.size > 0)
      print(`the bot is not running here: ${[...waiting].join(', ')} will run again when it starts (framework start)`)
  }
  return 0
}

async function noJournal(file: string, io: Pick<ProgramIo, 'cwd' | 'env'>): Promise<BotwrightError> {
  const { isClustered } = await import('../../stored-state/reach-cluster.ts')
  const fix = (await isClustered(io.cwd, io.env))
    ? 'this bot runs as a cluster: use framework cluster status to list the events that were set aside, and framework cluster replay to run them again'
    : "run this in the bot's folder, or pass the folder of its state with --state"
  return new BotwrightError('ERR_CONFIG', `${file}: there is no journal; ${fix}`)
}

/** Whether it became true in time. */
export async function until(
  holds: () => Promise<boolean> | boolean,
  waitMs = WAIT_MS,
  clock: Clock = systemClock,
): Promise<boolean> {
  const endMs = clock.monotonic() + waitMs
  for (;;) {
    if (await holds()) return true
    if (clock.monotonic() >= endMs) return false
    await sleep(clock, 50)
  }
}

function list(
  entries: readonly Entry[],
  { json, print, nowMs }: { json: boolean; print: (line: string) => void; nowMs: number },
) {
  if (json) {
    const rows = entries.map(({ event, reason, atMs, feed }) => {
      const { id, type, created_at } = event
      const { server_id, channel_id } = event.data
      // Without the event's data: a click's contains its token.
      const at = new Date(atMs).toISOString()
      return { id, type, server_id, channel_id, created_at, set_aside_at: at, reason, base_url: feed.baseUrl }
    })
    return print(JSON.stringify({ set_aside: rows }))
  }
  if (entries.length === 0) return print('no event is set aside')
  for (const { event, reason, atMs } of entries)
    print(
      `${event.id}  ${printableLine(event.type)}  ${durationText(Math.max(nowMs - atMs, 1000))} ago: ${printableLine(reason)}`,
    )
  print(
    `\nTo run them again once the cause is fixed: framework replay ${entries[0]!.event.id}, or framework replay --all`,
  )
}
