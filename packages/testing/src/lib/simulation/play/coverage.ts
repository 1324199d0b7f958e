import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileCoverage } from '@botwright/dev/compile'

const MAP = 'sourceMappingURL=data:application/json;base64,'

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

/** Which lines of a bot's files have run, in all copies of its code. */
export class Coverage {
  readonly #session = new Session()
  readonly #root: string
  /** By the author's file. Copies of a file have the same offsets: they differ in names of the same length. */
  readonly #files = new Map<string, { code: string; ran: Uint8Array }>()

  constructor(root: string) {
    this.#root = root
  }

  async start(): Promise<void> {
    this.#session.connect()
    await this.#session.post('Profiler.enable')
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Adds what has run so far. Called before the copies of a play are removed. */
  async take(): Promise<void> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage')
    for (const { url, functions } of result) {
      const file = this.#fileOf(url)
      if (file === undefined) continue
      const path = fileURLToPath(url)
      let known = this.#files.get(file)
      if (!known) {
        const code = textOf(path)
        if (code === undefined) continue
        this.#files.set(file, (known = { code, ran: new Uint8Array(code.length) }))
      }
      const now = new Uint8Array(known.code.length)
      // Inner ranges follow the outer ones.
      const ranges: Range[] = functions.flatMap((one) => one.ranges)
      ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
      for (const { startOffset, endOffset, count } of ranges) now.fill(count > 0 ? 1 : 0, startOffset, endOffset)
      for (let i = 0; i < now.length; i++) if (now[i]) known.ran[i] = 1
    }
  }

  /** The coverage of each file, sorted. */
  report(): FileCoverage[] {
    return [...this.#files]
      .map(([file, { code, ran }]) => coverageOf(file, code, ran))
      .filter(({ lines }) => lines > 0)
      .sort((a, b) => (a.file < b.file ? -1 : 1))
  }

  stop(): void {
    this.#session.disconnect()
  }

  /** `commands/ping.ts` for a copy of it. */
  #fileOf(url: string): string | undefined {
    if (!url.startsWith('file:')) return undefined
    const path = relative(this.#root, fileURLToPath(url)).replaceAll('\\', '/')
    return /^\.botwright\/test\/[^/]+\/\d+\/(.+)\.[0-9a-z]{6}\.[cm]?js$/.exec(path)?.[1]
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // A copy of an earlier play.
    return undefined
  }
}

function coverageOf(file: string, code: string, ran: Uint8Array): FileCoverage {
  const none = { file, lines: 0, missed: [] }
  const at = code.lastIndexOf(MAP)
  if (at === -1) return none
  const encoded = code.slice(at + MAP.length).trim()
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMapPayload)
  const lines = new Map<number, boolean>()
  let offset = 0
  for (const [row, text] of code.split('\n').entries()) {
    if (text.startsWith('//# sourceMappingURL')) break
    for (let column = 0; column < text.length; column++) {
      if (!/[\w"'`([{]/.test(text[column]!)) continue
      const origin = map.findEntry(row, column)
      if (!('originalLine' in origin)) continue
      const line = origin.originalLine + 1
      // A line has run if a part of it has.
      lines.set(line, (lines.get(line) ?? false) || ran[offset + column] === 1)
    }
    offset += text.length + 1
  }
  const missed: [number, number][] = []
  for (const line of [...lines]
    .filter(([, has]) => !has)
    .map(([number]) => number)
    .sort((a, b) => a - b)) {
    const last = missed.at(-1)
    const joins = last && [...Array(line - last[1] - 1).keys()].every((i) => !lines.has(last[1] + 1 + i))
    if (joins) last[1] = line
    else missed.push([line, line])
  }
  return { file, lines: lines.size, missed }
}
