import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@botwright/clock'
import { endsWithin } from '@botwright/clock/timers'
import type { BotSource } from '../../link/ports.ts'
import type { Log } from '../../author/ports.ts'
import { isThenable } from '../../author/outgoing.ts'
import { sourceLine } from '../../link/errors/source-line.ts'
import { DISPOSE_MS } from '../../link/messages.ts'

export type OnNext = (at: string, what: string) => void

interface Disposer {
  undo: () => unknown
  /** Its stack is the place of registration. It is formatted only on access. For a resource, its file. */
  from: Error | string
  what: string
}

/** Shared by all copies of this package in a thread: the bot's files may import another copy than the running one. */
const registry = Symbol.for('botwright.disposals')

/** The loaded bots of this thread, oldest first. */
export function disposals(): Disposal[] {
  const shared = globalThis as { [registry]?: Disposal[] }
  return (shared[registry] ??= [])
}

/** The functions that the files of one loaded bot registered with `onDispose`. */
export class Disposal {
  readonly #log: Log
  readonly #root: string
  readonly #folders: ReadonlySet<string>
  readonly #disposers = new Set<Disposer>()
  #disposed: Promise<void> | undefined

  /** Created before the bot's files are loaded, because they register functions while they load. */
  constructor(source: Pick<BotSource, 'root' | 'modules'>, log: Log) {
    this.#log = log
    this.#root = source.root
    this.#folders = new Set(Object.entries(source.modules).map(([file, path]) => folderOf(file, slashed(path))))
    disposals().push(this)
  }

  owns(file: string): boolean {
    const path = slashed(file.startsWith('file:') ? fileURLToPath(file.replace(/[?#].*$/, '')) : file)
    return [...this.#folders].some((folder) => path.startsWith(folder))
  }

  add(undo: () => unknown, from: Error | string, what = 'onDispose'): () => void {
    const disposer = { undo, from, what }
    // Registered after disposal: dispose it right away.
    if (this.#disposed) void this.#disposed.then(() => this.#undo(disposer))
    else this.#disposers.add(disposer)
    return () => void this.#disposers.delete(disposer)
  }

  /** Calls all functions, newest first. Never rejects: errors are logged with their file. `onNext` receives each place of registration. */
  dispose(onNext?: OnNext): Promise<void> {
    return (this.#disposed ??= this.#undoAll(onNext))
  }

  async #undoAll(onNext: OnNext | undefined): Promise<void> {
    for (const one of [...this.#disposers].reverse()) {
      if (!this.#disposers.delete(one)) continue
      onNext?.(this.#placeOf(one), one.what)
      await this.#undo(one)
    }
    const all = disposals()
    if (all.includes(this)) all.splice(all.indexOf(this), 1)
  }

  async #undo(one: Disposer): Promise<void> {
    try {
      const result = one.undo()
      // In real time even if the bot's clock is stopped, because real sockets take real time.
      if (isThenable(result) && (await endsWithin(systemClock, DISPOSE_MS, result))) return
      if (isThenable(result))
        this.#report(one, `did not end within ${DISPOSE_MS / 1000} s; the bot continues without it`)
    } catch (error) {
      this.#report(one, `failed: ${error instanceof Error ? error.message : String(error)}`, error)
    }
  }

  #report(one: Disposer, what: string, error?: unknown): void {
    const at = sourceLine(error, this.#root) ?? this.#placeOf(one)
    this.#log.error(
      { code: 'ERR_HANDLER', file: at.replace(/:\d+$/, ''), at, ...(error !== undefined && { error }) },
      `${at}: ${one.what} ${what}`,
    )
  }

  #placeOf({ from }: Disposer): string {
    return typeof from === 'string' ? from : (sourceLine(from, this.#root) ?? 'the bot')
  }
}

/** The output folder of a bot's modules: a module's path without the path of its source file. */
function folderOf(file: string, path: string): string {
  const at = path.lastIndexOf(`/${file.replace(/\.\w+$/, '')}.`)
  return at < 0 ? `${slashed(dirname(path))}/` : path.slice(0, at + 1)
}

const slashed = (path: string): string => path.replaceAll('\\', '/')
