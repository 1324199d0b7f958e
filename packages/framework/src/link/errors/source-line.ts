import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { findSourceMap } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

// A longer line is not a frame: it belongs to a message that quotes user input.
const LONGEST_LINE = 1000
// A folder of commands may be named `(group)`.
const FRAME = /^(\s+at (?:async )?(?:.*? \()?)((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+)(?::(\d+))?(\)?)$/

const frameOf = (line: string): RegExpExecArray | null => (line.length > LONGEST_LINE ? null : FRAME.exec(line))

/**
 * The line of the bot's own code where an error was thrown: `commands/ping.ts:12`. Undefined if no frame of the stack is the bot's.
 * Skips middleware that the error only passed through.
 * `handler`: the file that ran. A plugin's handler is outside the bot's folder and is recognized by the end of its path.
 */
export function sourceLine(error: unknown, root: string, handler?: string): string | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined
  const passed = passedThrough(error)
  const folder = `${root.replace(/[\\/]+$/, '').replaceAll('\\', '/')}/`
  const foreign: { file: string; row: string }[] = []
  let missing: string | undefined
  for (const line of authorStack(error.stack).split('\n')) {
    const frame = frameOf(line)
    if (!frame) continue
    const file = pathOf(frame[2] ?? '')
    const row = frame[3] ?? ''
    if (file.startsWith(folder) && !file.includes('/node_modules/')) {
      const own = file.slice(folder.length)
      // A place without a source in a compiled file is a helper of the compiler, such as that of import() with a pattern.
      if (passed.has(own) || mapOf(frame[2] ?? '')) continue
      // The source map of a package may name files that the bot does not have. Without its sources, as in production, it has none of them.
      if (existsSync(file)) return `${own}:${row}`
      missing ??= `${own}:${row}`
      continue
    }
    if (handler !== undefined && endings(handler).some((end) => file.endsWith(end)))
      return missing ?? beside(handler, file, foreign) ?? `${handler}:${row}`
    foreign.push({ file, row })
  }
  return handler !== undefined && existsSync(folder + handler) ? undefined : missing
}

/** Maps the stacks of this thread to the author's sources. Packages keep their paths, except in Node before 22.14. */
export function mapStacks(): void {
  const { setSourceMapsSupport } = nodeModule as {
    setSourceMapsSupport?: (on: boolean, options: { nodeModules: boolean; generatedCode: boolean }) => void
  }
  if (setSourceMapsSupport) setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
  else process.setSourceMapsEnabled(true)
}

/** Enough for the framework's frames above the author's line. */
const FRAMES = 25

/** The lines of the stacks seen last. */
const lines = new Map<string, string | undefined>()
const MOST_LINES = 500

/** The innermost line of the bot's own code in the present stack, with the callers that wait. */
export function currentLine(root: string, handler: string): string | undefined {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = FRAMES
  const here = new Error()
  Error.stackTraceLimit = stackTraceLimit
  // A handler has few places, and looking one up in the source maps takes longer than a step.
  const key = `${root}\n${handler}\n${here.stack}`
  if (!lines.has(key)) {
    if (lines.size >= MOST_LINES) lines.clear()
    lines.set(key, sourceLine(here, root, handler))
  }
  return lines.get(key)
}

/** The first frame in the folder of the plugin whose `handler` is at `path`: the frame of a file that the handler calls. */
function beside(handler: string, path: string, frames: readonly { file: string; row: string }[]): string | undefined {
  const [, name = '', own = ''] = /^((?:@[^/]+\/)?[^/]+\/)(.+)$/.exec(handler) ?? []
  if (own === '' || !path.endsWith(`/${own}`)) return undefined
  const folder = path.slice(0, -own.length)
  const first = frames.find(
    ({ file }) => file.startsWith(folder) && !file.includes('/node_modules/', folder.length - 1),
  )
  return first && `${name}${first.file.slice(folder.length)}:${first.row}`
}

/** The folder of a plugin can have any name, so `@shop/queues/commands/add.ts` also matches `/queues/commands/add.ts` and `/commands/add.ts`. */
function endings(file: string): string[] {
  const parts = file.split('/')
  return [0, 1, 2].filter((i) => parts.length - i >= 2).map((i) => `/${parts.slice(i).join('/')}`)
}

/** Maps a stack to the author's source lines. Node does that itself, unless the process replaces stack traces, as test runners do. */
export function authorStack(stack: string): string {
  return stack
    .split('\n')
    .map((line) => {
      const [, before = '', file = '', row = '', column = '1', after = ''] = frameOf(line) ?? []
      const map = file === '' ? undefined : mapOf(file)
      const origin = map?.findEntry(Number(row) - 1, Number(column) - 1)
      if (!origin || !('originalSource' in origin)) return line
      return `${before}${pathOf(origin.originalSource)}:${origin.originalLine + 1}:${origin.originalColumn + 1}${after}`
    })
    .join('\n')
}

/** Also undefined in Workers, whose `findSourceMap` throws: the place of an error must not replace it. */
function mapOf(file: string) {
  try {
    return findSourceMap(urlOf(file)) ?? findSourceMap(pathOf(file))
  } catch {
    return undefined
  }
}

const urlOf = (file: string): string => (file.startsWith('file://') ? file : pathToFileURL(file).href)

function pathOf(file: string): string {
  if (!file.startsWith('file://')) return file.replaceAll('\\', '/')
  const url = file.replace(/\?.*$/, '')
  try {
    return fileURLToPath(url).replaceAll('\\', '/')
  } catch {
    // A message may quote a stack of another machine: `file://host/a.js`.
    return url
  }
}

/** Errors that `next()` threw, with the middleware files that they passed through. */
const through = new WeakMap<object, Set<string>>()

/**
 * Runs the `next()` of a middleware. An error that it throws is not the middleware's, but the middleware may be the only file of the
 * bot in the stack, for example when the service refuses a returned reply.
 */
export async function runNext(run: () => unknown, file: string): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (typeof error === 'object' && error !== null) {
      const files = through.get(error) ?? new Set()
      through.set(error, files.add(file))
    }
    throw error
  }
}

/** The middleware files that an error only passed through. */
const passedThrough = (error: object): ReadonlySet<string> => through.get(error) ?? none

const none: ReadonlySet<string> = new Set()
