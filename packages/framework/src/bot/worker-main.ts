// The entry of a worker thread: loads a bot's code and runs its handlers. Feed, journal and calls stay in the main thread.

import { parentPort, workerData } from 'node:worker_threads'
import { AdvanceableClock, aheadOf, systemClock } from '@botwright/clock'
import { mapStacks } from '../link/errors/source-line.ts'
import type { Frame } from '../link/link.ts'
import type { WorkerData } from '../link/messages.ts'
import { forwardSecrets } from '../link/redaction.ts'
import { BotSide } from './bot-side.ts'
import { reportUnawaited } from './unawaited.ts'

// So that errors name the author's lines. It must be on before the first module of the bot is loaded.
mapStacks()

if (!parentPort) throw new Error('worker-main runs as a worker thread only')
const port = parentPort
const { current: shared, movable } = workerData as WorkerData
const current = new Float64Array(shared)

/** The bot's files import the framework with their first event. Load it earlier, but not while the bot is starting. */
const WARM_AFTER_MS = 300

const clock = movable ? new AdvanceableClock(systemClock) : undefined
const side = new BotSide({
  post: (frames) => port.postMessage(frames),
  clock: clock ?? aheadOf(systemClock, () => current[2]!),
  ...(clock && {
    moveClock: (aheadMs) => {
      clock.advance(Math.max(aheadMs - clock.aheadMs, 0))
      return clock.nextMs
    },
  }),
  onTurn: ({ id, era = 0 }) => current.set([id, era]),
})
const { link } = side

port.on('message', (frames: readonly Frame[]) => link.receive(frames))
// Sends what a handler asked for in the turn in which it ends the thread.
process.on('exit', () => side.flush())
forwardSecrets((secret) => {
  link.notify.reports.secret(secret)
  link.flush()
})

process.on('unhandledRejection', (reason) => reportUnawaited(reason, side))

systemClock.after(WARM_AFTER_MS, () => void import('../index.ts'))
