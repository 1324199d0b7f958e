import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** How a bot's program ended. */
export interface Ending {
  code: number | null
  /** What it had printed, both streams. */
  output: string
}

/** The program `framework` in a process of its own. */
export interface BotProcess extends AsyncDisposable {
  /** Null while it runs. */
  readonly exitCode: number | null
  /** As a container would: SIGTERM, and the wait for its end. */
  stop(): Promise<Ending>
}

/** Starts `framework <args>` in a bot's folder, on a service that runs elsewhere. */
export function startBotProcess(
  program: string,
  args: readonly string[],
  { cwd, token, base_url, node = process.execPath }: { cwd: string; token: string; base_url: string; node?: string },
): BotProcess {
  const child = spawn(node, [program, ...args], {
    cwd,
    env: { ...process.env, BOT_TOKEN: token, BOT_BASE_URL: base_url, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const ended = once(child, 'close')
  const stop = async (): Promise<Ending> => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await ended
    return { code: child.exitCode, output }
  }
  return {
    get exitCode() {
      return child.exitCode
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}
