import { captureIo, type ProgramIo } from '@botwright/framework/start'
import { isBotwrightError } from '@botwright/protocol/facts'
import type { Replay } from '@botwright/service/people'
import type { DevReport } from './dev-report.ts'
import { listenToService } from './dev-side.ts'
import type { ReplayHistoryOptions } from './history/replay-history.ts'
import { answers } from './history/replay-report.ts'
import type { LocalService } from './local-service.ts'

/** A replay builds the bot and runs one event, which may wait for `limits.handlerSeconds`. */
const LONGEST_MS = 60_000
/** The exit code of a replay that was stopped. */
const INTERRUPTED = 130
/** Bounds of a result; the service accepts no more. */
const MOST_LINES = 100
const LONGEST_LINE = 2000

interface Program {
  /** `framework replay`. */
  replay: (options: ReplayHistoryOptions) => Promise<number>
  io: ProgramIo
}

/**
 * Runs events through the current code when the owner of the bot asks for it in the page, as `framework replay --event ID --dry` does:
 * one after the other.
 */
export function answerReplays(
  service: Pick<LocalService, 'baseUrl' | 'token'>,
  program: Program & { report: Pick<DevReport, 'warning'> },
): AsyncDisposable {
  let last: Promise<void> = Promise.resolve()
  const listening = listenToService(service, async (call, signal) => {
    const { event_ids } = (await call('/replays')) as { event_ids: number[] }
    for (const id of event_ids)
      last = last
        .then(async () => {
          if (signal.aborted) return
          const body = JSON.stringify(await replayOf(program, id, signal))
          await call(`/replays/${id}`, { method: 'PUT', body })
        })
        .catch((error: unknown) => {
          if (!signal.aborted) program.report.warning(`an event cannot run again: ${(error as Error).message}`)
        })
  })
  return {
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]()
      await last
    },
  }
}

async function replayOf({ replay, io }: Program, id: number, signal: AbortSignal): Promise<Replay> {
  const captured = captureIo({ cwd: io.cwd, env: { ...io.env, NO_COLOR: '1' } })
  let result: Replay | undefined
  try {
    const code = await replay({
      ...{ io: captured, state: '.botwright', from: 'dev', sinceMs: 0, id, dry: true, json: true, check: false },
      signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
      each: ({ event, result: now, error, calls, file }, verdict) => {
        const elsewhere = file === event.file ? undefined : file
        result = {
          verdict,
          was: bounded(answers(event.result, event.error, event.calls, undefined)),
          now: bounded(answers(now, error, calls, elsewhere)),
        }
      },
    })
    if (code === INTERRUPTED) captured.stderr.write(`the replay did not end within ${LONGEST_MS / 1000} s`)
  } catch (error) {
    if (!isBotwrightError(error)) throw error
    captured.stderr.write(error.message)
  }
  const why = captured.stderr.text.trim()
  return (
    result ?? { verdict: 'failed', was: [], now: bounded((why || 'the event is not in the recording').split('\n')) }
  )
}

const bounded = (lines: readonly string[]): string[] =>
  lines.slice(0, MOST_LINES).map((line) => line.slice(0, LONGEST_LINE))
