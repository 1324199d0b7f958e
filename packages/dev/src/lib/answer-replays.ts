import { execFile } from 'node:child_process'
import type { RecordedCall, RecordedEvent } from '@botwright/framework/replay'
import type { Replay } from '@botwright/service/people'
import type { DevReport } from './dev-report.ts'
import { listenToService } from './dev-side.ts'
import { answers } from './history/replay-report.ts'
import type { LocalService } from './local-service.ts'

/** A replay builds the bot and runs one event, which may wait for `limits.handlerSeconds`. */
const LONGEST_MS = 60_000
const MOST_OUTPUT = 4 * 1024 * 1024
/** Bounds of a result; the service accepts no more. */
const MOST_LINES = 100
const LONGEST_LINE = 2000

interface Side {
  file?: string
  result: RecordedEvent['result']
  error?: string
  calls: RecordedCall[]
}

/**
 * Runs events through the current code when the owner of the bot asks for it in the page, as `framework replay --event ID --dry` does:
 * in a process of its own, one after the other.
 */
export function answerReplays(
  root: string,
  service: Pick<LocalService, 'baseUrl' | 'token'>,
  report: Pick<DevReport, 'warning'>,
): AsyncDisposable {
  let last: Promise<void> = Promise.resolve()
  const listening = listenToService(service, async (call, signal) => {
    const { event_ids } = (await call('/replays')) as { event_ids: number[] }
    for (const id of event_ids)
      last = last
        .then(async () => {
          if (signal.aborted) return
          const body = JSON.stringify(await replay(root, id, signal))
          await call(`/replays/${id}`, { method: 'PUT', body })
        })
        .catch((error: unknown) => {
          if (!signal.aborted) report.warning(`an event cannot run again: ${(error as Error).message}`)
        })
  })
  return {
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]()
      await last
    },
  }
}

function replay(root: string, id: number, signal: AbortSignal): Promise<Replay> {
  const [, program = ''] = process.argv
  const given = ['replay', '--event', String(id), '--dry', '--json', '--from', 'dev']
  const options = {
    cwd: root,
    signal,
    timeout: LONGEST_MS,
    maxBuffer: MOST_OUTPUT,
    env: { ...process.env, NO_COLOR: '1' },
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...given], options, (error, stdout, stderr) => {
      const found = stdout.split('\n').find((line) => line.startsWith('{"verdict"'))
      if (found !== undefined) return resolve(resultOf(JSON.parse(found) as Parameters<typeof resultOf>[0]))
      const why = stderr.trim() === '' ? (error?.message ?? 'the event is not in the recording') : stderr.trim()
      resolve({ verdict: 'failed', was: [], now: bounded(why.split('\n')) })
    })
  })
}

const resultOf = ({ verdict, was, now }: { verdict: Replay['verdict']; was: Side; now: Side }): Replay => ({
  verdict,
  was: bounded(answers(was.result, was.error, was.calls, undefined)),
  now: bounded(answers(now.result, now.error, now.calls, now.file === was.file ? undefined : now.file)),
})

const bounded = (lines: readonly string[]): string[] =>
  lines.slice(0, MOST_LINES).map((line) => line.slice(0, LONGEST_LINE))
