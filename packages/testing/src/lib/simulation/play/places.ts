// Where in the author's files something is.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A line of a file of the bot. */
export interface Place {
  file: string
  line?: number
}

/** `commands/ping.ts:12`, or the file alone. */
export function placeIn(at: string): Place {
  const [, file = at, line] = /^(.*?):(\d+)(?::\d+)?$/.exec(at) ?? []
  return { file, ...(line !== undefined && { line: Number(line) }) }
}

/** The files of a bot, read once. */
export class Places {
  readonly #root: string
  readonly #sources = new Map<string, string[]>()

  constructor(root: string) {
    this.#root = root
  }

  /** The innermost line of the bot's own code in a stack. */
  ofStack(stack: string): Place | undefined {
    const folders = [`${this.#root.replaceAll('\\', '/')}/`, `${pathToFileURL(this.#root).href}/`]
    for (const line of stack.split('\n')) {
      for (const folder of folders) {
        const at = line.indexOf(folder)
        if (at === -1 || !/^\s+at /.test(line)) continue
        const [, file = '', row] = /^(.*?):(\d+)(?::\d+)?\)?$/.exec(line.slice(at + folder.length)) ?? []
        if (row === undefined || /(?:^|\/)(?:node_modules|\.botwright)\//.test(file)) continue
        return { file, line: Number(row) }
      }
    }
    return undefined
  }

  lines(file: string): readonly string[] {
    let found = this.#sources.get(file)
    if (!found) {
      try {
        found = readFileSync(join(this.#root, file), 'utf8').split('\n')
      } catch {
        // A file of a plugin is elsewhere.
        found = []
      }
      this.#sources.set(file, found)
    }
    return found
  }

  /** The first line of a file that passes one of these tests, in their order; its first line if none does. */
  find(file: string, tests: readonly LineTest[]): Place {
    return this.findAny(file, tests) ?? { file, ...(this.lines(file).length > 0 && { line: 1 }) }
  }

  /** The same, or undefined. */
  findAny(file: string, tests: readonly LineTest[]): Place | undefined {
    for (const test of tests) {
      const line = this.lineOf(file, test)
      if (line !== undefined) return { file, line }
    }
    return undefined
  }

  /** The first line of a file that passes a test, besides comments and imports. */
  lineOf(file: string, test: LineTest): number | undefined {
    const index = this.lines(file).findIndex((line) => test(line) && !/^\s*(?:\/\/|\*|import\b)/.test(line))
    return index === -1 ? undefined : index + 1
  }

  /** The place with a line: if it has none, that of the handler's function. */
  withLine(place: Place): Place {
    return place.line === undefined ? this.find(place.file, handler) : place
  }

  /** Where a file, or a file that it imports, keeps something in a variable of its module. */
  ofVariable(file: string, seen = new Set<string>()): Place | undefined {
    if (seen.has(file)) return undefined
    seen.add(file)
    const index = this.lines(file).findIndex(isVariable)
    if (index !== -1) return { file, line: index + 1 }
    for (const line of this.lines(file)) {
      const [, path] = /\bfrom\s+['"](\.{1,2}\/[^'"]+)['"]/.exec(line) ?? []
      if (path === undefined) continue
      const beside = new URL(path, `file:///${file}`).pathname.slice(1)
      const names = [beside, ...['ts', 'mts', 'js', 'mjs'].map((ending) => beside.replace(/\.\w+$/, `.${ending}`))]
      for (const name of names) {
        const found = this.lines(name).length > 0 ? this.ofVariable(name, seen) : undefined
        if (found) return found
      }
    }
    return undefined
  }
}

/** Whether a line is the one that is looked for. */
export type LineTest = (line: string) => boolean

/** The line of a handler's function. */
const handler: readonly LineTest[] = [
  (line) => /\brun\b\s*[:(]/.test(line),
  (line) => /\brun\b/.test(line),
  (line) => line.includes('export default'),
]

const calls = [
  'update',
  'set',
  'delete',
  'send',
  'reply',
  'react',
  'ephemeral',
  'schedule',
  'broadcast',
  'add',
  'create',
]
const isCall = (line: string): boolean =>
  calls.some((name) => line.includes(`.${name}(`)) && !/\b(?:await|return)\b/.test(line)

/** A call whose promise no code awaits. */
export const notAwaited: readonly LineTest[] = [
  (line) => /\bvoid\b/.test(line),
  (line) => isCall(line) && !line.includes('=>'),
  isCall,
]

/** The line of a question. */
export const question: readonly LineTest[] = [
  (line) => line.includes('by:') && line.includes('anyone'),
  ...['.clicked(', '.choose(', '.ask('].map((call) => (line: string) => line.includes(call)),
  ...handler,
]

const changing = ['new Map', 'new Set', 'new WeakMap', 'new Array', '[]', '{']

/** Whether a line declares a variable of a module that can change. */
function isVariable(line: string): boolean {
  const text = line.startsWith('export ') ? line.slice('export '.length) : line
  if (/^(?:let|var) \w/.test(text)) return true
  if (!/^const \w/.test(text)) return false
  const value = text.slice(text.indexOf('=') + 1).trimStart()
  return changing.some((start) => value.startsWith(start))
}
