import { spawn, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BotwrightError } from '@botwright/protocol/facts'

interface Ended {
  asked: boolean
  /** Null if a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
}

/** The local service, running in a process of its own. */
export interface ServiceChild {
  /** The bot's `BOT_BASE_URL`. */
  baseUrl: string
  /** The address of the page. */
  page: string
  /** Set if its data file already contained a world: the given world is not used. */
  resumed?: boolean
  /** Notes for the user, such as an event webhook that receives nothing. */
  warning?: string
  /** Resolves when the process ends, for any reason; `asked` is whether `stop` was called. */
  ended: Promise<Ended>
  stop(): Promise<void>
}

const endWithParent = (
  import.meta.url.endsWith('.ts')
    ? new URL('../../../dist/lib/local-service/end-with-parent.js', import.meta.url)
    : new URL('./end-with-parent.js', import.meta.url)
).href

/** How long to wait for the line that the service is listening. */
const readyMs = 15_000
/** A service that does not end by itself is killed after this time. */
const stopMs = 3_000

/**
 * Starts the local service. It prints one line of JSON when it listens, so the caller need not guess the port.
 * `arguments_` are those of `framework service`. Rejects with `ERR_CONFIG` and its output if it does not start.
 */
export async function startServiceChild(arguments_: readonly string[]): Promise<ServiceChild> {
  const main = join(dirname(fileURLToPath(import.meta.resolve('@botwright/service'))), 'main.js')
  const child = spawn(process.execPath, ['--import', endWithParent, main, ...arguments_], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C in a terminal reaches every process of the group; this one ends after the bot, which still calls it.
    detached: process.platform !== 'win32',
  })
  let errors = ''
  child.stderr.on('data', (text: Buffer) => (errors = (errors + text.toString()).slice(-4000)))
  let asked = false
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ asked, code, signal }))
  })
  const stop = async () => {
    asked = true
    const kill = setTimeout(() => child.kill('SIGKILL'), stopMs)
    // On Windows a signal would kill it at once; `end-with-parent.ts` ends it like SIGTERM when this pipe closes.
    child.stdin.end()
    await ended
    clearTimeout(kill)
  }
  // If this process dies without cleanup, the service ends too.
  const killNow = () => void child.kill('SIGKILL')
  process.once('exit', killNow)
  void ended.then(() => process.off('exit', killNow))
  try {
    const { base_url, page, resumed, warning } = await readyLine(child, () => errors)
    return {
      baseUrl: base_url,
      page,
      ended,
      stop,
      ...(resumed && { resumed }),
      ...(warning !== undefined && { warning }),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

interface ReadyLine {
  base_url: string
  page: string
  resumed?: boolean
  warning?: string
}

function readyLine(child: ChildProcess, errors: () => string): Promise<ReadyLine> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(
        new BotwrightError(
          'ERR_CONFIG',
          `the local service did not start: ${[why, errors()].filter(Boolean).join('\n')}`.trim(),
        ),
      )
    const timer = setTimeout(() => fail(`it did not listen within ${readyMs / 1000} s`), readyMs)
    child.once('error', (error) => fail(error.message))
    // Its own output is the reason, if there is any.
    child.once('close', (code) => (clearTimeout(timer), fail(errors() === '' ? `it exited with code ${code}` : '')))
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (!line.startsWith('{"ready"')) return
      clearTimeout(timer)
      resolve(JSON.parse(line) as ReadyLine)
    })
  })
}

const PORTS = 50

/**
 * Starts on this port, or on the next free one. Another program, such as the `framework dev` of another bot, may take the port in the
 * meantime: then it starts on a later one. Rejects with the error of `start`, or with `ERR_CONFIG` if no port is free.
 */
export async function startOnFreePort(
  first: number,
  start: (port: number) => Promise<ServiceChild>,
): Promise<{ child: ServiceChild; port: number }> {
  const last = first + PORTS - 1
  for (let port = first; port <= last; port++) {
    if (!(await isFree(port))) continue
    try {
      return { child: await start(port), port }
    } catch (error) {
      if (await isFree(port)) throw error
    }
  }
  throw new BotwrightError('ERR_CONFIG', `ports ${first} to ${last} are all in use; choose another with --port`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
