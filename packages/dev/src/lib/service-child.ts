import { spawn, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BotwrightError } from '@botwright/protocol/facts'

/** The local service, running in a process of its own. */
export interface ServiceChild {
  /** What the bot is given as `BOT_BASE_URL`. */
  baseUrl: string
  /** Where people chat. */
  page: string
  /** Set when its data file held a world already: the world that it was given is not used. */
  resumed?: boolean
  /** What its user should know, such as an event webhook that gets nothing. */
  warning?: string
  /** Resolves when the process ends, whoever ended it; `asked` tells whether it was `stop`. */
  ended: Promise<{ asked: boolean; code: number | null }>
  stop(): Promise<void>
}

const leash = (
  import.meta.url.endsWith('.ts')
    ? new URL('../../dist/lib/service-leash.js', import.meta.url)
    : new URL('./service-leash.js', import.meta.url)
).href

/** Gives up on a service that does not say that it listens. */
const readyMs = 15_000
/** A service that does not end by itself is killed. */
const stopMs = 3_000

/**
 * Starts the local service. One line of JSON tells that it listens: a program that starts it need not guess its port.
 * `arguments_` are those of `framework service`. Rejects with `ERR_CONFIG` and what it printed when it does not start.
 */
export async function startServiceChild(arguments_: readonly string[]): Promise<ServiceChild> {
  const main = join(dirname(fileURLToPath(import.meta.resolve('@botwright/service'))), 'main.js')
  const child = spawn(process.execPath, ['--import', leash, main, ...arguments_], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C in a terminal goes to every process of its group; this one ends after the bot, which still talks to it.
    detached: process.platform !== 'win32',
  })
  let errors = ''
  child.stderr.on('data', (text: Buffer) => (errors = (errors + text.toString()).slice(-4000)))
  let asked = false
  const ended = new Promise<{ asked: boolean; code: number | null }>((resolve) => {
    child.once('close', (code) => resolve({ asked, code }))
  })
  const stop = async () => {
    asked = true
    const kill = setTimeout(() => child.kill('SIGKILL'), stopMs)
    // A signal would kill it at once on Windows; `service-leash.ts` ends it as by SIGTERM when this pipe closes.
    child.stdin.end()
    await ended
    clearTimeout(kill)
  }
  // A process that dies without its goodbyes takes the service with it.
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
    // Its own words are the reason, where it has any.
    child.once('close', (code) => (clearTimeout(timer), fail(errors() === '' ? `it ended with code ${code}` : '')))
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (!line.startsWith('{"ready"')) return
      clearTimeout(timer)
      resolve(JSON.parse(line) as ReadyLine)
    })
  })
}

/** The wanted port, or the next one that nobody listens on. */
export async function freePort(wanted: number, tries = 50): Promise<number> {
  if (wanted === 0) return 0
  for (let port = wanted; port < wanted + tries; port++) if (await isFree(port)) return port
  throw new BotwrightError(
    'ERR_CONFIG',
    `ports ${wanted} to ${wanted + tries - 1} are all in use; choose another with --port`,
  )
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
