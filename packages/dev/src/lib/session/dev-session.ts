import { rm } from 'node:fs/promises'
import { type Config, readConfig, type Definition } from '@botwright/framework'
import { readPorts, startBot, withOverrides } from '@botwright/framework/start'
import type { BotEnd, RunningBot, StartBotOptions, ThreadIo } from '@botwright/framework/start'
import { type ConfigLoad, loadedFiles, loadConfigModule, readBotFolder, type BotFolder } from '../files/bot-folder.ts'
import { changeNames } from './change-names.ts'
import { Compiler, type Compiled } from '../compile/compile.ts'
import type { DevReport } from './dev-report.ts'
import { writeTypes } from '../generated-types/write-types.ts'
import { problemsOf } from '../problems/load-problem.ts'
import { LoadAttempt } from './load-attempt.ts'
import { type Mounted, MountedBot } from '../load/mount-bot.ts'
import { patternProblems } from '../patterns/event-patterns.ts'
import { pluginProblems, pluginTypes } from '../plugins/check-plugins.ts'
import { modulesOf } from '../plugins/mounted-folder.ts'
import { removeDeadSessions, sessionFolder } from '../files/session-folder.ts'
import type { Changes, WatchedPaths } from '../files/watch.ts'

/** The service and variables of a bot; read again at each start, because `.env` may have changed. */
export type Access = Pick<StartBotOptions, 'baseUrl' | 'token' | 'webhookSecrets'> & { io: ThreadIo }

/** The parts of a start that are read before the former bot stops. */
interface Prepared {
  found: Access
  config: Config
}

export interface DevSessionOptions {
  root: string
  files: Set<string>
  report: DevReport
  /** Throws `ERR_CONFIG` if the environment names no bot. */
  access: () => Access
  /** Reads a changed `.env`; returns the names of changed variables. Throws `ERR_CONFIG`. */
  rereadEnv: () => string[]
  /** Called with further paths that belong to the bot: folders of plugins, imported and read files, and settings. */
  watch?: (watched: WatchedPaths) => void
  /** Resolves when all saves have been processed. */
  settled?: () => Promise<void>
  /** `--workers`. */
  workers?: number
  /** Options of the bot's start, except its code and its token. */
  bot: Pick<StartBotOptions, 'stateDir' | 'log' | 'observer' | 'traffic' | 'clock'> & { signal: AbortSignal }
  /** Called with the definitions of the running code, after each start and reload. */
  running?: (definitions: readonly Definition[]) => void
  /** The bot has ended by itself: its token was rejected. */
  onEnd: (end: BotEnd) => void
}

/** Editors, and programs that change many files, finish within this time. */
const nextSaveMs = 150
/** How many times saves that arrive during a compilation join it: constant saving must not delay the reload for ever. */
const mostRounds = 5

/** One bot under development, without the terminal: a save arrives, the changed files are compiled, and a new worker takes over. */
export class DevSession {
  readonly #options: DevSessionOptions
  readonly #outDir: string
  readonly #compiler: Compiler
  readonly #mounted: MountedBot
  readonly #definitions = new Map<string, Definition>()
  /** Entries whose newest code has not loaded yet: they are loaded with the next save, whatever it changes. */
  readonly #unloaded = new Set<string>()
  /** Files saved since the running code was loaded: they name the cause of a restart. */
  readonly #saved = new Set<string>()
  #waiting = { saved: new Set<string>(), added: new Set<string>(), removed: new Set<string>() }
  /** When the oldest waiting save was reported. */
  #waitsSinceMs: number | undefined
  /** One attempt runs at a time. */
  #last: Promise<void> = Promise.resolve()
  #attempt: LoadAttempt | undefined
  #entries = ''
  #configFile: string | undefined
  /** The configuration, if it declares an environment. */
  #envFile: string | undefined
  /** Variables that have changed since the bot was started. */
  readonly #newEnv = new Set<string>()
  #attempts = 0
  #bot: RunningBot | undefined
  /** The current files have a problem that was reported. */
  #hasProblem = false
  /** The last attempt has failed after its code had replaced the former one. */
  #runsNew = false
  #closing = false
  #savedAgain: (() => void) | undefined

  constructor(options: DevSessionOptions) {
    this.#options = options
    options.bot.signal.addEventListener('abort', () => this.#attempt?.giveUp('the session ends'), { once: true })
    this.#outDir = sessionFolder(options.root)
    this.#compiler = new Compiler({ root: options.root, outDir: this.#outDir })
    this.#mounted = new MountedBot({
      root: options.root,
      compiler: this.#compiler,
      watch: options.watch,
      onCompiled: ({ changed }) => {
        options.report.ignoredSettings(this.#compiler.warnings)
        for (const file of changed) this.#unloaded.add(file)
      },
    })
  }

  get bot(): RunningBot | undefined {
    return this.#bot
  }

  /** Compiles and starts the bot. Errors in its files are reported, and wait for a save; a rejected token rejects. */
  start(): Promise<void> {
    return this.#next(async (attempt) => {
      await removeDeadSessions(this.#options.root)
      try {
        const { folder, compiled } = await this.#compile()
        await this.#startBot(folder, compiled, attempt)
      } catch (error) {
        if ((error as { code?: unknown }).code === 'ERR_UNAUTHORIZED') throw error
        await this.#reportError(error, attempt)
      }
    })
  }

  /**
   * Processes saves, one burst after the other; a stuck load is cancelled for them. Never rejects: errors in the bot's files are reported.
   */
  change(changes: Changes): Promise<void> {
    this.#addChanges(changes)
    this.#attempt?.cancelIfStuck()
    this.#savedAgain?.()
    // A waiting burst already includes these saves.
    if (this.#waitsSinceMs !== undefined) return this.#last
    this.#waitsSinceMs = performance.now()
    return this.#next(async (attempt) => {
      const startedMs = this.#waitsSinceMs!
      this.#waitsSinceMs = undefined
      try {
        await this.#processSaves(attempt, startedMs)
        this.#hasProblem = false
      } catch (error) {
        // An error that the next save fixes is not reported.
        if (!(await this.#isSavedAgain(nextSaveMs))) await this.#reportError(error, attempt)
      }
    })
  }

  /** Starts the bot again with its files as they are. Never rejects: errors in them are reported. */
  restart(): Promise<void> {
    return this.#next(async (attempt) => {
      const beganMs = performance.now()
      try {
        const { folder, compiled } = await this.#compileAll()
        await this.#restart(folder, compiled, attempt)
        this.#hasProblem = false
        this.#options.report.restarted('as requested', performance.now() - beganMs)
      } catch (error) {
        await this.#reportError(error, attempt)
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true
    this.#savedAgain?.()
    await this.#last
    await this.#bot?.stop()
    await rm(this.#outDir, { recursive: true, force: true })
  }

  #next(load: (attempt: LoadAttempt) => Promise<void>): Promise<void> {
    const result = this.#last.then(async () => {
      if (this.#closing || this.#options.bot.signal.aborted) return
      const attempt = new LoadAttempt()
      this.#attempt = attempt
      this.#attempts++
      this.#runsNew = false
      try {
        await load(attempt)
      } finally {
        attempt.end()
        this.#attempt = undefined
      }
    })
    // The caller receives the error of a failed first attempt; the next attempt continues all the same.
    this.#last = result.catch(() => undefined)
    return result
  }

  async #processSaves(attempt: LoadAttempt, startedMs: number): Promise<void> {
    const { report } = this.#options
    const tookMs = () => performance.now() - startedMs
    const { folder, compiled } = await this.#compileAll()
    if (!this.#bot) {
      await this.#startBot(folder, compiled, attempt)
      report.started(this.#bot!.code.definitions, tookMs())
    } else if (this.#newEnv.size > 0) {
      const names = [...this.#newEnv].join(', ')
      await this.#restart(folder, compiled, attempt)
      report.restarted(`.env has changed (${names})`, tookMs())
    } else if (this.#configChanged(folder)) {
      const file = folder.configFile ?? 'the configuration'
      // A plugin's main file is compiled into the configuration, and so are the imports of both.
      const cause = folder.configFile === undefined || this.#saved.has(file) ? file : `${file} or a file it imports`
      await this.#restart(folder, compiled, attempt)
      report.restarted(`${cause} has changed`, tookMs())
    } else {
      const names = await this.#replace(this.#bot, folder, compiled, attempt)
      if (names?.length) report.reloaded(names, tookMs())
      else if (this.#hasProblem) report.recovered()
      if (!names) return
      report.renewed(this.#bot)
      await this.#afterLoad()
    }
  }

  #addChanges({ saved, added, removed }: Changes): void {
    const { files } = this.#options
    for (const file of [...saved, ...added, ...removed]) this.#saved.add(file)
    for (const file of saved) this.#waiting.saved.add(file)
    for (const file of added) {
      files.add(file)
      this.#waiting.added.add(file)
    }
    for (const file of removed) {
      files.delete(file)
      this.#waiting.removed.add(file)
      // The file may change again before this is processed.
      this.#waiting.added.delete(file)
    }
  }

  #isWaiting(file: string): boolean {
    return Object.values(this.#waiting).some((files) => files.has(file))
  }

  /** A program that changes many files may cause several bursts: they are one reload. */
  async #compileAll(): Promise<Mounted> {
    for (let round = 1; ; round++) {
      const result = await this.#compile()
      await this.#options.settled?.()
      const { saved, added, removed } = this.#waiting
      // Files that restart the bot are processed separately.
      if (saved.size + added.size + removed.size === 0 || round === mostRounds || this.#isWaiting('.env')) return result
    }
  }

  async #compile(): Promise<Mounted> {
    const { files, rereadEnv } = this.#options
    const own = readBotFolder(files)
    if (this.#isWaiting('.env')) for (const name of rereadEnv()) this.#newEnv.add(name)
    const changes = this.#waiting
    this.#waiting = { saved: new Set(), added: new Set(), removed: new Set() }
    const removed = [...changes.removed].filter((file) => !files.has(file))
    return this.#mounted.compile({ own, files, changes: { ...changes, removed }, load: this.#load })
  }

  /** All loads of the configuration within one attempt are one evaluation. */
  get #load(): ConfigLoad {
    return { round: `attempt-${this.#attempts}`, signal: this.#attempt?.loading }
  }

  #configChanged({ configFile }: BotFolder): boolean {
    return configFile !== this.#configFile || (configFile !== undefined && this.#unloaded.has(configFile))
  }

  /** Swaps the code; returns the new, changed and deleted files. Undefined: there was nothing to swap. */
  async #replace(
    bot: RunningBot,
    folder: BotFolder,
    compiled: Compiled,
    attempt: LoadAttempt,
  ): Promise<string[] | undefined> {
    const { manifest } = folder
    const modules = modulesOf(folder, compiled.modules)
    const entries = JSON.stringify(manifest)
    const isUnloaded = (file: string) => this.#unloaded.has(folder.places?.get(file) ?? file)
    const changed = loadedFiles(folder).filter(isUnloaded)
    if (changed.length === 0 && entries === this.#entries) return undefined
    const definitions = manifest.entries.flatMap(({ file }) => {
      const known = isUnloaded(file) ? undefined : this.#definitions.get(file)
      return known ? [known] : []
    })
    const names = changeNames([...this.#definitions.values()], manifest.entries, changed)
    const source = { manifest, root: this.#options.root, modules, codeId: compiled.codeId, definitions, eager: changed }
    attempt.load()
    const former = bot.code
    const code = await bot.replace(source, { signal: attempt.loading }).catch((error: unknown) => {
      this.#runsNew = bot.code !== former
      throw error
    })
    this.#served(entries, code.definitions)
    return names
  }

  async #startBot(
    folder: BotFolder,
    { modules, codeId }: Compiled,
    attempt: LoadAttempt,
    prepared?: Prepared,
  ): Promise<void> {
    const { root, bot: options } = this.#options
    const { manifest, configFile } = folder
    const { found, config } = prepared ?? (await this.#prepare(folder, modules))
    const bot = await startBot({
      ...options,
      ...found,
      config,
      source: { manifest, root, modules: modulesOf(folder, modules), codeId },
      dispatcher: 'worker',
      keepSpare: true,
      record: true,
      signal: AbortSignal.any([options.signal, attempt.asking]),
      loading: attempt.loading,
      prepare: () => attempt.load(),
    })
    this.#bot = bot
    this.#configFile = configFile
    this.#envFile = config.env && configFile
    this.#compiler.declare(config.assets ?? [], configFile)
    this.#options.watch?.(this.#compiler.watched)
    this.#newEnv.clear()
    void bot.ended.then((end) => {
      if (this.#bot === bot && end.reason !== 'stopped') this.#options.onEnd(end)
    })
    this.#served(JSON.stringify(manifest), bot.code.definitions)
    await this.#afterLoad()
  }

  /** Checks the configuration and the environment before the old runtime stops, so that an error in them stops nothing. */
  async #restart(folder: BotFolder, compiled: Compiled, attempt: LoadAttempt): Promise<void> {
    const prepared = await this.#prepare(folder, compiled.modules)
    const old = this.#bot
    this.#bot = undefined
    await old?.stop()
    await this.#startBot(folder, compiled, attempt, prepared)
  }

  /** The configuration may read the environment, so each attempt evaluates it again. */
  async #prepare({ configFile }: BotFolder, modules: Compiled['modules']): Promise<Prepared> {
    const { access, workers } = this.#options
    const found = access()
    const { env } = found.io
    const exported = await loadConfigModule(configFile && modules[configFile], this.#load)
    const given = { ...(workers !== undefined && { workers }), ...readPorts(env) }
    return { found, config: withOverrides(await readConfig(exported, configFile, env), given) }
  }

  #served(entries: string, definitions: readonly Definition[]): void {
    this.#entries = entries
    this.#unloaded.clear()
    this.#saved.clear()
    this.#definitions.clear()
    for (const definition of definitions) this.#definitions.set(definition.file, definition)
    this.#options.running?.(definitions)
  }

  /** Removes unused modules, writes the author's types, and reports the findings of plugins. */
  async #afterLoad(): Promise<void> {
    await this.#compiler.served()
    try {
      const { root, files } = this.#options
      const folder = this.#mounted.folderOf({ own: readBotFolder(files), files })
      const { exported } = this.#mounted
      const more = await pluginTypes(exported, folder, root)
      await writeTypes(root, { definitions: [...this.#definitions.values()], envFile: this.#envFile, more })
      for (const { file, text } of await pluginProblems(exported, folder, root))
        this.#options.report.warning(`${file}: ${text}`)
      for (const text of await patternProblems([...this.#definitions.values()])) this.#options.report.warning(text)
    } catch (error) {
      this.#options.report.warning((error as Error).message)
    }
  }

  /** Whether another save arrives within this time. */
  async #isSavedAgain(withinMs: number): Promise<boolean> {
    if (this.#waitsSinceMs === undefined && !this.#closing) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs)
        this.#savedAgain = () => (clearTimeout(timer), resolve())
      })
      this.#savedAgain = undefined
    }
    return this.#waitsSinceMs !== undefined
  }

  async #reportError(error: unknown, attempt: LoadAttempt): Promise<void> {
    const { root, report, bot } = this.#options
    // The next result reports more.
    if (bot.signal.aborted || attempt.givenUp) return
    this.#hasProblem = true
    const serving = this.#runsNew ? 'new' : 'previous'
    await report.problems(await problemsOf(error, root), this.#bot && serving)
  }
}
