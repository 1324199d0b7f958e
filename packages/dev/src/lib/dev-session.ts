import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, type BotSource, type Definition } from '@botwright/framework'
import { startBot, type BotEnd, type RunningBot, type StartBotOptions } from '@botwright/framework/start'
import { loadConfigModule, readBotFolder, rootsOf, type BotFolder } from './bot-folder.ts'
import { Compiler, type Compiled } from './compile.ts'
import type { DevReport } from './dev-report.ts'
import { problemsOf } from './load-problem.ts'
import type { Changes } from './watch.ts'

export interface DevSessionOptions {
  root: string
  files: Set<string>
  report: DevReport
  /** What the bot is started with, apart from its code. */
  bot: Pick<
    StartBotOptions,
    'baseUrl' | 'token' | 'webhookSecrets' | 'stateDir' | 'log' | 'observe' | 'hear' | 'signal'
  >
  /** The bot has ended by itself: its token is refused. */
  onEnd: (end: BotEnd) => void
}

/** One bot under development: its files as they are on the disk, and its code as it serves. */
export class DevSession {
  readonly #options: DevSessionOptions
  readonly #outDir: string
  readonly #compiler: Compiler
  readonly #definitions = new Map<string, Definition>()
  /** Entries whose newest code has not loaded yet: they are loaded with the next save, whatever that changes. */
  readonly #unproven = new Set<string>()
  #waiting = { saved: new Set<string>(), added: new Set<string>(), removed: new Set<string>() }
  #entries = ''
  #configFile: string | undefined
  #bot: RunningBot | undefined
  #closing = false

  constructor(options: DevSessionOptions) {
    this.#options = options
    this.#outDir = join(options.root, '.botwright/dev')
    this.#compiler = new Compiler({ root: options.root, outDir: this.#outDir })
  }

  get bot(): RunningBot | undefined {
    return this.#bot
  }

  /** Compiles and starts the bot. What is wrong with its files is told, and waits for a save; what is wrong with its token rejects. */
  async start(): Promise<void> {
    await rm(this.#outDir, { recursive: true, force: true })
    await this.#attempt(async () => {
      const { folder, compiled } = await this.#compile()
      await this.#startBot(folder, compiled)
    })
  }

  /** Takes saves in. Never rejects because of the bot's files: what is wrong with them is told. */
  async change(changes: Changes): Promise<void> {
    if (this.#closing) return
    const startedMs = performance.now()
    this.#keep(changes)
    await this.#attempt(async () => {
      const { folder, compiled } = await this.#compile()
      const tookMs = () => performance.now() - startedMs
      if (!this.#bot) {
        await this.#startBot(folder, compiled)
        this.#options.report.restarted('the bot loads', tookMs())
      } else if (this.#configChanged(folder)) {
        await this.#restart(folder, compiled)
        this.#options.report.restarted('the configuration changed', tookMs())
      } else {
        const names = await this.#replace(this.#bot, folder, compiled)
        if (names.length > 0) this.#options.report.reloaded(names, tookMs())
      }
    })
  }

  async close(): Promise<void> {
    this.#closing = true
    await this.#bot?.stop()
    await rm(this.#outDir, { recursive: true, force: true })
  }

  #keep({ saved, added, removed }: Changes): void {
    const { files } = this.#options
    for (const file of saved) this.#waiting.saved.add(file)
    for (const file of added) {
      files.add(file)
      this.#waiting.added.add(file)
    }
    for (const file of removed) {
      files.delete(file)
      this.#waiting.removed.add(file)
      // It may come back with another text before this is worked off.
      this.#waiting.added.delete(file)
    }
  }

  async #compile(): Promise<{ folder: BotFolder; compiled: Compiled }> {
    const folder = readBotFolder(this.#options.files)
    const changes = this.#waiting
    this.#waiting = { saved: new Set(), added: new Set(), removed: new Set() }
    const all = [...changes.saved, ...changes.added, ...changes.removed]
    if (all.includes('tsconfig.json')) this.#compiler.forget()
    if (all.includes('.env')) this.#options.report.warning('.env changed: start framework dev again to take it in')
    const removed = [...changes.removed].filter((file) => !this.#options.files.has(file))
    const compiled = await this.#compiler.compile({ roots: rootsOf(folder), changes: { ...changes, removed } })
    for (const file of compiled.changed) this.#unproven.add(file)
    return { folder, compiled }
  }

  #configChanged({ configFile }: BotFolder): boolean {
    return configFile !== this.#configFile || (configFile !== undefined && this.#unproven.has(configFile))
  }

  /** Swaps the code; answers the files that are new, changed or gone. */
  async #replace(bot: RunningBot, folder: BotFolder, { modules }: Compiled): Promise<string[]> {
    const { manifest } = folder
    const entries = JSON.stringify(manifest.entries)
    const eager = manifest.entries.map((entry) => entry.file).filter((file) => this.#unproven.has(file))
    if (eager.length === 0 && entries === this.#entries) return []
    const definitions = manifest.entries.flatMap(({ file }) => {
      const known = this.#unproven.has(file) ? undefined : this.#definitions.get(file)
      return known ? [known] : []
    })
    const gone = [...this.#definitions.keys()].filter((file) => !(file in modules))
    const code = await bot.replace({ manifest, root: this.#options.root, modules, definitions, eager })
    await this.#served(entries, code.definitions)
    return [...eager, ...gone.map((file) => `${file} (gone)`)]
  }

  async #startBot(folder: BotFolder, { modules }: Compiled): Promise<void> {
    const { root, bot: options } = this.#options
    const { manifest, configFile } = folder
    const config = readConfig(await loadConfigModule(configFile && modules[configFile]), configFile)
    const source: BotSource = { manifest, root, modules }
    const bot = await startBot({ ...options, config, source, dispatcher: 'worker', keepSpare: true })
    this.#bot = bot
    this.#configFile = configFile
    void bot.ended.then((end) => {
      if (this.#bot === bot && end.reason !== 'stopped') this.#options.onEnd(end)
    })
    await this.#served(JSON.stringify(manifest.entries), bot.code.definitions)
  }

  /** The configuration is checked before the old runtime stops, so that a mistake in it stops nothing. */
  async #restart(folder: BotFolder, compiled: Compiled): Promise<void> {
    const { configFile } = folder
    readConfig(await loadConfigModule(configFile && compiled.modules[configFile]), configFile)
    const old = this.#bot
    this.#bot = undefined
    await old?.stop()
    await this.#startBot(folder, compiled)
  }

  async #served(entries: string, definitions: readonly Definition[]): Promise<void> {
    this.#entries = entries
    this.#unproven.clear()
    this.#definitions.clear()
    for (const definition of definitions) this.#definitions.set(definition.file, definition)
    await this.#compiler.served()
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const { root, report, bot } = this.#options
      if (bot.signal?.aborted) return
      if ((error as { code?: unknown }).code === 'ERR_UNAUTHORIZED') throw error
      await report.problems(await problemsOf(error, root), this.#bot !== undefined)
    }
  }
}
