// A thread that watches the one that plays: a handler that blocks cannot report itself. `simulate-process.ts` starts it.

import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import { LOOK_MS, ProgressOfThread, REPORT_FD, type StuckReason, type StuckReport } from './progress-of-thread.ts'

/** Longer than a thread needs to pause in a loop. */
const PAUSE_LOOKS = 10
const FRAMES = 50

const { counts } = workerData as { counts: Int32Array }
const progress = new ProgressOfThread()
let reason: StuckReason | undefined
let looks = 0
const report = (stack: string) => {
  clearInterval(timer)
  writeSync(REPORT_FD, `${JSON.stringify({ reason: reason!, stack } satisfies StuckReport)}\n`)
}
const timer = setInterval(() => {
  if (reason !== undefined) return ++looks > PAUSE_LOOKS ? report('') : undefined
  const { user, system } = process.cpuUsage()
  reason = progress.look({
    ...{ turns: Atomics.load(counts, 0), messages: Atomics.load(counts, 1) },
    cpuMs: (user + system) / 1000,
  })
  if (reason !== undefined) pause()
}, LOOK_MS)

/** Pauses the thread that plays, and never lets it go on. */
function pause(): void {
  const session = new Session()
  session.connectToMainThread()
  session.once('Debugger.paused', ({ params }) => {
    const [top] = params.callFrames
    if (!top) return report('')
    const expression = `(Error.stackTraceLimit = ${FRAMES}, new Error().stack)`
    session.post('Debugger.evaluateOnCallFrame', { callFrameId: top.callFrameId, expression }, (_, answer) =>
      report((answer as { result?: { value?: string } } | undefined)?.result?.value ?? ''),
    )
  })
  session.post('Debugger.enable')
  session.post('Debugger.pause')
}
