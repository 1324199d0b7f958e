// The entry of a worker thread: loads a bot's code and runs its handlers. Feed, journal and calls stay in the main thread.

import { parentPort, workerData } from 'node:worker_threads'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { sourceLine } from '../link/errors/source-line.ts'
import { wholeMessage } from '../link/errors/whole-error.ts'
import type { Frame } from '../link/link.ts'
import type { WorkerData } from '../link/messages.ts'
import { forwardSecrets } from '../link/redaction.ts'
import { BotSide } from './bot-side.ts'

// So that errors name the author's lines. It must be on before the first module of the bot is loaded.
process.setSourceMapsEnabled(true)

if (!parentPort) throw new Error('worker-main runs as a worker thread only')
const port = parentPort
const { current: shared, movable } = workerData as WorkerData
const current = new Float64Array(shared)

/** The bot's files import the framework with their first event. Load it earlier, but not while the bot is starting. */
const WARM_AFTER_MS = 300

const clock = movable ? new AdvanceableClock(systemClock) : undefined
const side = new BotSide({
  post: (frames) => port.postMessage(frames),
  clock: clock ?? systemClock,
  ...(clock && {
    moveClock: (aheadMs) => {
      clock.advance(Math.max(aheadMs - clock.aheadMs, 0))
      return clock.nextMs
    },
  }),
  onTurn: (eventId) => (current[0] = eventId),
})
const { link, log } = side

port.on('message', (frames: readonly Frame[]) => link.receive(frames))
// Sends what a handler asked for in the turn in which it ends the thread.
process.on('exit', () => side.flush())
forwardSecrets((secret) => {
  link.notify.reports.secret(secret)
  link.flush()
})

/** The bot's file and line in an error's stack: in a module as it was loaded, or, where stacks are mapped, in its source. */
function placeOf(error: unknown): string | undefined {
  const { modules, root } = side.source
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const [file, path] = Object.entries(modules).find(([, one]) => stack.includes(one)) ?? []
  if (file === undefined || path === undefined) return sourceLine(error, root)
  const row = /^:\d+/.exec(stack.slice(stack.indexOf(path) + path.length))
  return file + (row?.[0] ?? '')
}

// A rejected promise that no code awaits harms no other handler: it is logged with its file, and the worker goes on.
process.on('unhandledRejection', (reason) => {
  const at = placeOf(reason) ?? 'the bot'
  log.error(
    { code: 'ERR_HANDLER', file: at.replace(/:\d+$/, ''), error: reason },
    `${at}: a promise that no code awaits was rejected: ${wholeMessage(reason)}`,
  )
})

systemClock.after(WARM_AFTER_MS, () => void import('../index.ts'))
