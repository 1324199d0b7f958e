import { findSourceMap } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** A longer line of a stack is text: the message of an error may quote what a person wrote. */
const LONGEST_LINE = 1000
// A folder of commands may be called `(group)`.
const FRAME = /^(\s+at (?:async )?(?:.*? \()?)((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+)(?::(\d+))?(\)?)$/

const frameOf = (line: string): RegExpExecArray | null => (line.length > LONGEST_LINE ? null : FRAME.exec(line))

/**
 * Where in the bot's own code an error began: `commands/ping.ts:12`. Undefined when no line of the stack is the bot's. Middleware
 * that the error only came through is passed over.
 * `handler`: the file that ran; one of a plugin stands elsewhere, and is known by the end of its path.
 */
export function sourceLine(error: unknown, root: string, handler?: string): string | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined
  const passed = cameThrough(error)
  const folder = `${root.replace(/[\\/]+$/, '').replaceAll('\\', '/')}/`
  const foreign: { file: string; row: string }[] = []
  for (const line of authorStack(error.stack).split('\n')) {
    const frame = frameOf(line)
    if (!frame) continue
    const file = pathOf(frame[2] ?? '')
    const row = frame[3] ?? ''
    if (file.startsWith(folder) && !file.includes('/node_modules/')) {
      const own = file.slice(folder.length)
      if (passed.has(own)) continue
      return `${own}:${row}`
    }
    if (handler !== undefined && endings(handler).some((end) => file.endsWith(end)))
      return beside(handler, file, foreign) ?? `${handler}:${row}`
    foreign.push({ file, row })
  }
  return undefined
}

/** The first line of a stack that is of the plugin whose `handler` stands at `path`: of a file that its handler calls. */
function beside(handler: string, path: string, frames: readonly { file: string; row: string }[]): string | undefined {
  const [, name = '', own = ''] = /^((?:@[^/]+\/)?[^/]+\/)(.+)$/.exec(handler) ?? []
  if (own === '' || !path.endsWith(`/${own}`)) return undefined
  const folder = path.slice(0, -own.length)
  const first = frames.find(
    ({ file }) => file.startsWith(folder) && !file.includes('/node_modules/', folder.length - 1),
  )
  return first && `${name}${first.file.slice(folder.length)}:${first.row}`
}

/** `@shop/queues/commands/add.ts` stands in a folder of any name: `/queues/commands/add.ts`, `/commands/add.ts`. */
function endings(file: string): string[] {
  const parts = file.split('/')
  return [0, 1, 2].filter((i) => parts.length - i >= 2).map((i) => `/${parts.slice(i).join('/')}`)
}

/**
 * A stack with the lines that the author wrote. Node maps stacks by itself, unless something else in the process writes them: test
 * runners do.
 */
export function authorStack(stack: string): string {
  return stack
    .split('\n')
    .map((line) => {
      const [, before = '', file = '', row = '', column = '1', after = ''] = frameOf(line) ?? []
      const map = file === '' ? undefined : (findSourceMap(urlOf(file)) ?? findSourceMap(pathOf(file)))
      const origin = map?.findEntry(Number(row) - 1, Number(column) - 1)
      if (!origin || !('originalSource' in origin)) return line
      return `${before}${pathOf(origin.originalSource)}:${origin.originalLine + 1}:${origin.originalColumn + 1}${after}`
    })
    .join('\n')
}

const urlOf = (file: string): string => (file.startsWith('file://') ? file : pathToFileURL(file).href)

function pathOf(file: string): string {
  const path = file.startsWith('file://') ? fileURLToPath(file.replace(/\?.*$/, '')) : file
  return path.replaceAll('\\', '/')
}

/** Errors that came out of `next()`, with the files of the middleware that they came through. */
const through = new WeakMap<object, Set<string>>()

/**
 * What a middleware calls as `next()`. An error that comes out of it is not the middleware's, though its line is the first of the
 * bot's in the stack where the handler's own is in none: of a reply that was returned and refused, for one.
 */
export async function goOn(run: () => unknown, file: string): Promise<void> {
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

/** The files of the middleware that an error only came through. */
export const cameThrough = (error: object): ReadonlySet<string> => through.get(error) ?? none

const none: ReadonlySet<string> = new Set()
