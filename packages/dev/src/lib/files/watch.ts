import { watch, type FSWatcher } from 'chokidar'
import { type Stats, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { isListed, isSkipped, leadsBack } from './bot-files.ts'
import { countIn, namesIn, statOf, unlessUnseen } from './look.ts'
import { pathBelow, slashed } from './path-below.ts'

/** Changes in a bot's folder since the last call. Paths are relative to it. */
export interface Changes {
  saved: Iterable<string>
  added: Iterable<string>
  removed: Iterable<string>
}

/** Absolute paths to watch besides the modules in the bot's folder. */
export interface WatchedPaths {
  /** Folders and files outside the bot's folder, and imported texts in it, also missing ones. */
  paths: readonly string[]
  /** Folders outside of it without their subfolders. */
  flat?: readonly string[]
  /** Files and folders in it that its code reads. */
  read?: readonly string[]
}

export interface WatchOptions {
  root: string
  /** Called once per burst of saves. Calls never overlap: changes during a call are part of the next one. */
  onChanges: (changes: Changes) => Promise<void>
  onError: (error: Error) => void
  /** How long a burst may pause, in milliseconds. */
  quietMs?: number
}

/** An editor is still writing an empty file; after this time it counts as intended. */
const emptyMs = 250
/** chokidar ignores a second change of a file within 50 ms, so each file is checked once more after that. */
const lookAgainMs = 70

/** How often all folders are checked, unless that takes long: another folder may have replaced one. */
const lookForMs = 100
/** The part of the time that these checks may take. */
const lookShare = 0.05

/** Most saves are of one file: after `calmMs` without one, a save is reported after this time, and later ones are a burst. */
const firstMs = 1
const calmMs = 200

/** After a rename, the new name is reported at once, and the old one when chokidar is sure that it is deleted: 100 ms later. */
const removalMs = 130

/**
 * A change of `.env` restarts the bot, and a half-written file lacks variables: it is reported after this time without a change. Programs
 * that write a file in two steps, or delete it before they rename another one to it, take less.
 */
const envMs = 150

/** A system lets a process watch a limited number of files, and a folder of images may have more. */
const mostRead = 1000

/** Copies, locks and temporary files of editors: Vim, Emacs, the JetBrains editors and Sublime. */
const editorFile = /~$|^\.?#|^4913$|\.sw[a-p]$|___jb_(?:tmp|old)___$|\.tmp(?:\.\d+)*$|\.bak$/

/** Extensions of a bot's files. */
const isBotFile = (name: string): boolean => /\.(?:[cm]?[jt]sx?|json)$/.test(name) || name === '.env'

/** The state of a folder when it was last checked. */
interface Seen {
  /** Distinguishes a folder from a replacement at the same path; an inode number may be reused. */
  identity: string
  /** Changes with the names in it. */
  mtimeNs: bigint
}

/** Undefined if there is no folder, or none that this process may see. */
function lookAt(folder: string): Seen | undefined {
  const found = unlessUnseen(() => statSync(folder, { bigint: true }))
  return found?.isDirectory() ? { identity: `${found.ino}:${found.birthtimeNs}`, mtimeNs: found.mtimeNs } : undefined
}

const markOf = ({ size, mtimeMs }: Stats): string => `${size}:${mtimeMs}`

/** Watches a bot's folder, and reports saves in bursts. */
export class BotWatcher {
  readonly #options: Required<WatchOptions>
  readonly #pending = new Map<string, 'saved' | 'added' | 'removed'>()
  /** The size and time of each file when the watcher started or last reported it. */
  readonly #reported = new Map<string, string>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #watcher: FSWatcher | undefined
  /** Further folders and files, as passed to chokidar. */
  readonly #further = new Set<string>()
  /** Further folders without their subfolders. */
  readonly #flat = new Set<string>()
  /** Further files that are not bot files by their names, such as imported texts. */
  readonly #texts = new Set<string>()
  /** Files and folders that the bot's code reads: all files in them count. */
  readonly #read = new Set<string>()
  /** Each watched folder; without a time until its names are compared with those that chokidar reported. */
  readonly #folders = new Map<string, Partial<Seen>>()
  #reportTimer: NodeJS.Timeout | undefined
  #reporting: Promise<void> | undefined
  #started = false
  #closed = false
  #reportedMs = -Infinity

  constructor(options: WatchOptions) {
    this.#options = { quietMs: 5, ...options }
  }

  /** Resolves when every folder is watched: later saves are reported. */
  async start(): Promise<void> {
    const watcher = this.#watch()
    await new Promise<void>((resolve) => watcher.once('ready', resolve))
    this.#started = true
    this.#lookAtFolders()
  }

  #watch(): FSWatcher {
    const { root, onError } = this.#options
    const watcher = watch([root, ...this.#further, ...this.#flat, ...this.#read], {
      ignored: (path, stats) => this.#ignores(path, stats),
    })
    watcher.on('change', (path) => this.#note(path, 'saved'))
    watcher.on('add', (path) => this.#noteFound(path))
    watcher.on('addDir', (folder) => this.#noteFolder(folder))
    watcher.on('unlinkDir', (folder) => {
      // No watcher reports that one of these exists again.
      if (!this.#further.has(folder) && !this.#flat.has(folder)) this.#folders.delete(folder)
    })
    watcher.on('unlink', (path) => {
      // A path that appears again is watched again.
      this.#further.delete(path)
      this.#note(path, 'removed')
    })
    watcher.on('error', (error) => onError(error instanceof Error ? error : new Error(String(error))))
    this.#watcher = watcher
    return watcher
  }

  #ignores(path: string, stats?: Stats): boolean {
    const given = [this.#further, this.#flat, this.#texts]
    if (path === this.#options.root || given.some((paths) => paths.has(path))) return false
    const name = basename(path)
    if (stats?.isDirectory() === true && this.#flat.has(dirname(path)) && !this.#isWatched(path)) return true
    if (isSkipped(this.#fileOf(path)) || editorFile.test(name)) return true
    if (stats?.isFile() === true && !this.#counts(path)) return true
    return stats?.isDirectory() === true && leadsBack(path)
  }

  /** Chokidar found a file: one that was there from the start, a new one, or, after a folder was replaced, any one. */
  #noteFound(path: string): void {
    if (!this.#started) this.#seed(path)
    else this.#note(path, this.#reported.has(this.#fileOf(path)) ? 'saved' : 'added')
  }

  /** These files were compiled already: only later saves are reported. */
  #seed(path: string): void {
    const found = statOf(path)
    if (!found || this.#ignores(path, found)) return
    const file = this.#fileOf(path)
    if (!found.isDirectory()) {
      if (!this.#reported.has(file)) this.#reported.set(file, markOf(found))
      return
    }
    for (const name of namesIn(path)) this.#seed(join(path, name))
  }

  /** Relative to the bot's folder. */
  #fileOf(path: string): string {
    return slashed(relative(this.#options.root, path))
  }

  #noteFolder(folder: string): void {
    const seen = lookAt(folder)
    if (seen) this.#folders.set(folder, { identity: seen.identity })
  }

  /** Resolves when all known saves were reported. */
  async settled(): Promise<void> {
    const { quietMs } = this.#options
    while (!this.#closed && (this.#pending.size > 0 || this.#reporting))
      await new Promise((resolve) => setTimeout(resolve, quietMs))
  }

  /** Watches further paths. Existing files are not reported. */
  add({ paths, flat = [], read = [] }: WatchedPaths): void {
    for (const folder of flat) this.#addFlat(folder)
    for (const path of read) this.#addRead(path)
    for (const path of paths) {
      const found = statOf(path)
      const isText = !isBotFile(basename(path)) && found?.isDirectory() !== true
      if (isText ? this.#texts.has(path) : this.#isWatched(path)) continue
      if (isText) this.#texts.add(path)
      // The watcher of its folder reports it once it exists.
      if (!found) continue
      this.#further.add(path)
      this.#noteFolder(path)
      this.#seed(path)
      this.#watcher?.add(path)
    }
  }

  #addFlat(folder: string): void {
    const isAround = pathBelow(folder, this.#options.root) !== undefined
    if (!lookAt(folder) || isAround || this.#flat.has(folder) || this.#isWatched(folder)) return
    this.#flat.add(folder)
    this.#noteFolder(folder)
    this.#seed(folder)
    this.#watcher?.add(folder)
  }

  #addRead(path: string): void {
    if (this.#read.has(path) || !isListed(this.#options.root, path)) return
    if (statOf(path)?.isDirectory() && countIn(path) > mostRead) return
    this.#read.add(path)
    this.#seed(path)
    this.#watcher?.add(path)
  }

  /** Whether a change of this file matters. A log or a note changes nothing, and the terminal's own output may be one. */
  #counts(path: string): boolean {
    const isRead = [...this.#read].some((one) => pathBelow(one, path) !== undefined)
    return isRead || isBotFile(basename(path)) || this.#texts.has(path)
  }

  #isWatched(path: string): boolean {
    return (
      isListed(this.#options.root, path) || [...this.#further].some((watched) => pathBelow(watched, path) !== undefined)
    )
  }

  /**
   * Chokidar keeps watching a deleted folder if another replaces it at once, as after switching a branch, and misses a file that is
   * written to a new folder before it watches that folder.
   */
  #lookAtFolders(): void {
    const startedMs = performance.now()
    const isReplaced = [...this.#folders].some(([folder, before]) => this.#isReplaced(folder, before))
    if (isReplaced) this.#renew()
    this.#after(Math.max(lookForMs, (performance.now() - startedMs) / lookShare), () => this.#lookAtFolders())
  }

  #isReplaced(folder: string, before: Partial<Seen>): boolean {
    const now = lookAt(folder)
    if (!now) return false
    // A copy may have the times of the folder that it replaces.
    if (now.identity !== before.identity) return true
    if (now.mtimeNs === before.mtimeNs) return false
    this.#folders.set(folder, now)
    return this.#addMissed(folder)
  }

  /** Returns whether a folder has replaced a file, which chokidar keeps watching. */
  #addMissed(folder: string): boolean {
    for (const name of namesIn(folder)) {
      const path = join(folder, name)
      const found = statOf(path)
      if (!found || this.#ignores(path, found)) continue
      const file = this.#fileOf(path)
      if (found.isDirectory() && this.#reported.delete(file)) {
        this.#note(path, 'removed')
        return true
      }
      if (!this.#folders.has(path) && !this.#reported.has(file)) this.#watcher?.add(path)
    }
    return false
  }

  /** A new watcher reports all files again, of which those that have not changed are dropped, but not the deleted ones. */
  #renew(): void {
    // Closes all handles at once. Watchers share those of one path, and the handle of a deleted folder reports nothing.
    void this.#watcher?.close()
    for (const folder of this.#folders.keys()) this.#noteFolder(folder)
    for (const file of this.#reported.keys())
      if (!this.#stateOf(file)) this.#note(join(this.#options.root, file), 'removed')
    this.#watch()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#reportTimer)
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#watcher?.close()
    await this.#reporting
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #note(path: string, what: 'saved' | 'added' | 'removed'): void {
    if (this.#closed || !this.#counts(path)) return
    const file = this.#fileOf(path)
    const before = this.#pending.get(file)
    // Deleted and added within one burst: the way some editors save.
    if (before === 'removed' && what === 'added') this.#pending.set(file, 'saved')
    else if (before !== 'added' || what !== 'saved') this.#pending.set(file, what)
    this.#later()
  }

  #later(): void {
    clearTimeout(this.#reportTimer)
    const { quietMs } = this.#options
    const pending = [...this.#pending.values()]
    const halfRenamed = pending.includes('added') && !pending.includes('removed')
    const alone = pending.length === 1 && pending[0] === 'saved' && performance.now() - this.#reportedMs > calmMs
    const waitMs = this.#pending.has('.env')
      ? Math.max(envMs, quietMs)
      : halfRenamed
        ? removalMs
        : alone
          ? Math.min(firstMs, quietMs)
          : quietMs
    this.#reportTimer = setTimeout(() => this.#report(), waitMs)
  }

  #report(): void {
    if (this.#reporting || this.#closed || this.#pending.size === 0) return
    this.#reporting = this.#reportBurst()
      .catch((error: unknown) => this.#options.onError(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        this.#reporting = undefined
        if (this.#pending.size > 0) this.#later()
      })
  }

  async #reportBurst(): Promise<void> {
    const burst = [...this.#pending]
    this.#pending.clear()
    const changes = { saved: new Set<string>(), added: new Set<string>(), removed: new Set<string>() }
    for (const [file, what] of burst) {
      if (what === 'removed') this.#reported.delete(file)
      else if (!this.#isWhole(file, what)) continue
      changes[what].add(file)
    }
    if (changes.saved.size + changes.added.size + changes.removed.size === 0) return
    this.#reportedMs = performance.now()
    await this.#options.onChanges(changes)
  }

  #isWhole(file: string, what: 'saved' | 'added'): boolean {
    const state = this.#stateOf(file)
    if (state === undefined) return false
    if (state.size === 0 && Date.now() - state.mtimeMs < emptyMs) {
      this.#after(emptyMs, () => this.#note(join(this.#options.root, file), what))
      return false
    }
    const mark = markOf(state)
    const known = this.#reported.get(file) === mark
    this.#reported.set(file, mark)
    if (!known) this.#lookAgain(file)
    return !known || what === 'added'
  }

  #lookAgain(file: string): void {
    this.#after(lookAgainMs, () => {
      const state = this.#stateOf(file)
      if (state && this.#reported.get(file) !== markOf(state)) {
        this.#note(join(this.#options.root, file), 'saved')
      }
    })
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      if (!this.#closed) act()
    }, ms)
    this.#timers.add(timer)
  }

  /** Synchronous: a promise would wait for threads that compile, for work that takes microseconds. */
  #stateOf(file: string): Stats | undefined {
    // Deleted again, or a folder now: the watcher reports that by itself.
    const found = statOf(join(this.#options.root, file))
    return found?.isDirectory() ? undefined : found
  }
}
