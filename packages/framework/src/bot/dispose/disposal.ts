import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@botwright/clock'
import type { BotSource } from '../../link/ports.ts'
import type { Log } from '../../author/ports.ts'
import { isThenable } from '../../author/outgoing.ts'
import { sourceLine } from '../../link/errors/source-line.ts'
import { DISPOSE_MS } from '../../link/messages.ts'

interface Wanted {
  undo: () => unknown
  /** Where it was asked for. Read only when it is to be told: stacks are made lazily. */
  asked: Error
}

/** Shared by every copy of this package in one thread: the bot's files may import another than the one that runs them. */
const registry = Symbol.for('botwright.disposals')

/** What was loaded in this thread and has not ended, oldest first. */
export function disposals(): Disposal[] {
  const shared = globalThis as { [registry]?: Disposal[] }
  return (shared[registry] ??= [])
}

/** What the files of one loaded bot want to be undone when its code ends. */
export class Disposal {
  readonly #log: Log
  readonly #root: string
  readonly #folders: ReadonlySet<string>
  readonly #wanted = new Set<Wanted>()
  #over: Promise<void> | undefined

  /** Made before the bot's files are loaded: they ask while they load. */
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

  add(undo: () => unknown, asked: Error): () => void {
    const wanted = { undo, asked }
    // Whoever begins something now would leave it behind.
    if (this.#over) void this.#over.then(() => this.#undo(wanted))
    else this.#wanted.add(wanted)
    return () => void this.#wanted.delete(wanted)
  }

  /** Undoes all of it, the newest first. Never rejects: what goes wrong is told with its file. `onNext` hears where each was asked for. */
  dispose(onNext?: (at: string) => void): Promise<void> {
    return (this.#over ??= this.#undoAll(onNext))
  }

  async #undoAll(onNext: ((at: string) => void) | undefined): Promise<void> {
    for (const one of [...this.#wanted].reverse()) {
      if (!this.#wanted.delete(one)) continue
      onNext?.(this.#placeOf(one))
      await this.#undo(one)
    }
    const all = disposals()
    all.splice(all.indexOf(this), 1)
  }

  async #undo(one: Wanted): Promise<void> {
    try {
      const result = one.undo()
      if (isThenable(result) && (await endsInTime(result))) return
      if (isThenable(result)) this.#tell(one, `did not end within ${DISPOSE_MS / 1000} s; the bot continues without it`)
    } catch (error) {
      this.#tell(one, `failed: ${error instanceof Error ? error.message : String(error)}`, error)
    }
  }

  #tell(one: Wanted, what: string, error?: unknown): void {
    const at = sourceLine(error, this.#root) ?? this.#placeOf(one)
    this.#log.error(
      { code: 'ERR_HANDLER', file: at.replace(/:\d+$/, ''), at, ...(error !== undefined && { error }) },
      `${at}: onDispose ${what}`,
    )
  }

  #placeOf({ asked }: Wanted): string {
    return sourceLine(asked, this.#root) ?? 'the bot'
  }
}

/** In real time, also where the bot's clock stands still: it is real sockets that are waited for. */
async function endsInTime(result: PromiseLike<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof systemClock.after> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = systemClock.after(DISPOSE_MS, () => resolve(false), { keepAlive: true })
  })
  try {
    return await Promise.race([Promise.resolve(result).then(() => true), late])
  } finally {
    timer?.cancel()
  }
}

/** The folder that a bot's modules were put into: what is left of a module's path without the file's own. */
function folderOf(file: string, path: string): string {
  const at = path.lastIndexOf(`/${file.replace(/\.\w+$/, '')}.`)
  return at < 0 ? `${slashed(dirname(path))}/` : path.slice(0, at + 1)
}

const slashed = (path: string): string => path.replaceAll('\\', '/')
