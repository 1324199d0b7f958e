import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { History, historyNames, timelineHtml, timelineOf, withLinks } from '@botwright/framework/replay'
import { BotwrightError, printableLine } from '@botwright/protocol/facts'
import type { Timeline } from '@botwright/protocol/timeline'
import type * as vitest from 'vitest'

/** The recorder writes what it has received within this time. */
const WRITTEN_MS = 400
const LONGEST_NAME = 80

/** Where the files are written, in the bot's folder. */
const traceFolder = '.botwright/timelines'

type Vitest = typeof vitest

/** Writes an HTML file with the timelines of a bot's events for each test that fails. */
export class Trace {
  readonly #root: string
  readonly #stateDir: string
  readonly #vitest: Vitest
  readonly #watched = new Set<string>()
  /** Set once the bot has stopped: a test fails after its bot was disposed. */
  #kept: readonly Timeline[] | undefined

  private constructor(root: string, stateDir: string, vitest: Vitest) {
    this.#root = root
    this.#stateDir = stateDir
    this.#vitest = vitest
  }

  /** Throws `ERR_INVALID_REQUEST` outside of vitest: other runners do not report that a test has failed. */
  static async open(root: string, stateDir: string): Promise<Trace> {
    if (process.env['VITEST'] === undefined)
      throw new BotwrightError(
        'ERR_INVALID_REQUEST',
        "trace: 'on-failure' works in vitest only; in other runners, leave it out",
      )
    return new Trace(root, stateDir, await import('vitest'))
  }

  /** Called by each action: a bot that was started in `beforeAll` belongs to several tests. */
  watch(): void {
    const { currentTestName: name, testPath } = this.#vitest.expect.getState()
    if (name === undefined || this.#watched.has(name)) return
    try {
      this.#vitest.onTestFailed(() => this.#write(name, testPath ?? ''))
      this.#watched.add(name)
    } catch {
      // Not in a test, but in one of its hooks.
    }
  }

  /** Called when the bot has stopped, before its files are removed. */
  keep(): void {
    this.#kept = this.#read()
  }

  #read(): readonly Timeline[] {
    const file = join(this.#stateDir, historyNames.start)
    if (!existsSync(file)) return []
    using history = new History(file)
    return history
      .events({ limit: 1000 })
      .map((event) => withLinks(timelineOf(event), this.#root, process.env['BOT_EDITOR_LINK']))
  }

  async #write(name: string, testPath: string): Promise<void> {
    if (!this.#kept) await sleep(WRITTEN_MS)
    const timelines = this.#kept ?? this.#read()
    const folder = join(this.#root, traceFolder)
    mkdirSync(folder, { recursive: true })
    const file = join(folder, fileName(basename(testPath).replace(/(\.test|\.spec)?\.\w+$/, ''), name))
    writeFileSync(file, timelineHtml(timelines, { title: name }))
    console.error(printableLine(`timeline of the bot: ${file}`))
  }
}

/** Two long titles may begin alike, and titles of symbols have no words, so these file names end in a hash. */
function fileName(test: string, title: string): string {
  const words = wordsOf(`${test} ${title}`)
  if (words.length <= LONGEST_NAME && wordsOf(title) !== '') return `${words}.html`
  const hash = createHash('sha256').update(`${test} ${title}`).digest('hex').slice(0, 8)
  return `${words.slice(0, LONGEST_NAME)}-${hash}.html`
}

const wordsOf = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '')
