import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The result of a bot's process. */
interface Ending {
  code: number | null
  /** Its output on both streams. */
  output: string
}

/** The program `framework` in its own process. */
export interface BotProcess extends AsyncDisposable {
  /** Null while it runs. */
  readonly exitCode: number | null
  /** Sends SIGTERM, like a container, and waits for the exit. */
  stop(): Promise<Ending>
}

/** Starts `framework <args>` in a bot's folder, with a running service. */
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
