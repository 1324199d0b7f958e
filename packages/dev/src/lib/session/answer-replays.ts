import { execFile, type ExecFileException } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cut } from '@botwright/protocol/facts'
import type { RecordedCall, RecordedEvent } from '@botwright/framework/replay'
import type { ProgramIo } from '@botwright/framework/start'
import type { Replay } from '@botwright/service/people'
import type { DevReport } from './dev-report.ts'
import { listenToService } from '../local-service/listen-to-service.ts'
import { answers } from '../history/replay-report.ts'
import type { LocalService } from '../local-service/local-service.ts'

/** A replay builds the bot and runs one event, which may wait for `limits.handlerSeconds`. */
const LONGEST_MS = 60_000
/** A replay that does not end after SIGINT is killed after this time. */
const STOP_MS = 3000
const MOST_OUTPUT = 4 * 1024 * 1024
/** Bounds of a result; the service accepts no more. */
const MOST_LINES = 100
const LONGEST_LINE = 2000

/** The line of one event that `framework replay --json` prints. */
interface Line {
  verdict: Replay['verdict']
  was: Side
  now: Side
}

interface Side {
  file?: string
  result: RecordedEvent['result']
  error?: string
  at?: string
  calls: RecordedCall[]
}

/**
 * Runs events through the current code when the owner of the bot asks for it in the page, as `framework replay --event ID --dry` does:
 * in a process of its own, one after the other. The timers and connections of the bot's code end with it.
 */
export function answerReplays(
  service: Pick<LocalService, 'baseUrl' | 'token'>,
  { io, report }: { io: Pick<ProgramIo, 'cwd' | 'env'>; report: Pick<DevReport, 'warning'> },
): AsyncDisposable {
  let last: Promise<void> = Promise.resolve()
  const running = new Set<number>()
  const listening = listenToService(service, async (call, signal) => {
    // The service then knows which requests were lost, such as those before a restart.
    const { event_ids } = (await call(`/replays?running=${[...running].join()}`)) as { event_ids: number[] }
    for (const id of event_ids) {
      running.add(id)
      last = last
        .then(async () => {
          if (signal.aborted) return
          const body = JSON.stringify(await replayOf(io, id, signal))
          await call(`/replays/${id}`, { method: 'PUT', body })
        })
        .catch((error: unknown) => {
          if (!signal.aborted) report.warning(`an event cannot run again: ${(error as Error).message}`)
        })
        .finally(() => running.delete(id))
    }
  })
  return {
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]()
      await last
    },
  }
}

async function replayOf(io: Pick<ProgramIo, 'cwd' | 'env'>, id: number, signal: AbortSignal): Promise<Replay> {
  try {
    const { line, why } = await runReplay(io, id, signal)
    if (line === undefined) return failed(why)
    const { verdict, was, now } = JSON.parse(line) as Line
    return {
      verdict,
      was: bounded(answers(was, undefined)),
      now: bounded(answers(now, now.file === was.file ? undefined : now.file)),
    }
  } catch (error) {
    return failed((error as Error).message)
  }
}

/** Resolves when the process has ended, with the line of the event, or why there is none. */
function runReplay(
  { cwd, env }: Pick<ProgramIo, 'cwd' | 'env'>,
  id: number,
  signal: AbortSignal,
): Promise<{ line: string | undefined; why: string }> {
  const program = join(
    dirname(fileURLToPath(import.meta.resolve('@botwright/framework/package.json'))),
    'bin/framework.cjs',
  )
  const given = ['replay', '--event', String(id), '--dry', '--json', '--from', 'dev']
  // Both variables together are a warning of Node.
  const options = { cwd, maxBuffer: MOST_OUTPUT, env: { ...env, NO_COLOR: '1', FORCE_COLOR: undefined } }
  return new Promise((resolve) => {
    let isLate = false
    const child = execFile(process.execPath, [program, ...given], options, (error, stdout, stderr) => {
      clearTimeout(late)
      clearTimeout(kill)
      signal.removeEventListener('abort', stop)
      process.off('exit', killNow)
      // The text after the last line break is not a whole line.
      const lines = stdout.split('\n').slice(0, -1)
      resolve({
        line: lines.find((one) => one.startsWith('{"verdict"')),
        why: isLate
          ? `the replay did not end within ${LONGEST_MS / 1000} s`
          : stderr.trim() || whyNothing(error, stdout),
      })
    })
    let kill: NodeJS.Timeout | undefined
    const killNow = () => void child.kill('SIGKILL')
    // It deletes its build at SIGINT, unless the code of the bot blocks it.
    const stop = () => {
      child.kill('SIGINT')
      kill ??= setTimeout(killNow, STOP_MS)
    }
    const late = setTimeout(() => {
      isLate = true
      stop()
    }, LONGEST_MS)
    signal.addEventListener('abort', stop)
    process.once('exit', killNow)
  })
}

function whyNothing(error: ExecFileException | null, stdout: string): string {
  if (error)
    return typeof error.code === 'number' ? `the process of the replay ended with code ${error.code}` : error.message
  return stdout === '' ? 'the process of the replay ended without a result' : 'the event is not in the recording'
}

const failed = (why: string): Replay => ({ verdict: 'failed', was: [], now: bounded(why.split('\n')) })

const bounded = (lines: readonly string[]): string[] =>
  lines.slice(0, MOST_LINES).map((line) => cut(line, LONGEST_LINE))
