import type { Compiled, Compiler } from '../compile/compile.ts'
import { type ConfigLoad, loadConfigModule, rootsOf, type BotFolder } from '../files/bot-folder.ts'
import type { Changes, WatchedPaths } from '../files/watch.ts'
import { findPlugins, type PlacedPlugin } from '../plugins/find-plugins.ts'
import { withPlugins } from '../plugins/mounted-folder.ts'

/** A bot's files to compile. */
interface MountRequest {
  /** The contents of the bot's folder, without plugins. */
  own: BotFolder
  files: Iterable<string>
  /** The changes of its files since the last compilation. */
  changes?: Partial<Changes>
  load?: ConfigLoad
}

/** The contents of a bot's folder, with those of its plugins, and their modules. */
export interface Mounted {
  folder: BotFolder
  compiled: Compiled
}

interface MountOptions {
  root: string
  compiler: Compiler
  /** Called with further paths that belong to the bot: those of its plugins, and those that a compilation has found, even one that failed. */
  watch?: ((watched: WatchedPaths) => void) | undefined
  /** Called after each compilation: there are two if the configuration mounts other plugins than before. */
  onCompiled?: (compiled: Compiled) => void
}

/** A bot and the plugins that its configuration mounts: compiled once, or again after each save. */
export class MountedBot {
  readonly #options: MountOptions
  #plugins: readonly PlacedPlugin[] = []
  /** The last configuration, and the module it was read from. */
  #config: { path: string | undefined; exported: unknown } = { path: undefined, exported: undefined }

  constructor(options: MountOptions) {
    this.#options = options
  }

  /** The plugins of the last configuration. */
  get plugins(): readonly PlacedPlugin[] {
    return this.#plugins
  }

  /** The default export of the last configuration; undefined without one. */
  get exported(): unknown {
    return this.#config.exported
  }

  /** Adds the plugins to the contents of the bot's folder. */
  folderOf({ own, files }: Pick<MountRequest, 'own' | 'files'>): BotFolder {
    return withPlugins(own, files, this.#plugins, this.#options.root)
  }

  /** Compiles the changed files. Rejects with a `CompileError`, or with the error of the configuration. */
  async compile(request: MountRequest): Promise<Mounted> {
    const { added = [], removed = [] } = request.changes ?? {}
    const hadPlugins = this.#plugins.length > 0
    try {
      if (hadPlugins && [...added, ...removed].length > 0) await this.#mount(this.#config)
      return await this.#compileMounted(request)
    } catch (error) {
      if (!hadPlugins) throw error
      // The mounted plugins may have moved: the current configuration defines which there are, and where.
      this.#plugins = []
      this.#config = { path: undefined, exported: undefined }
      this.#options.compiler.forget()
      return this.#compileMounted(request)
    }
  }

  /** Compiles the bot with the mounted plugins, and again if its configuration mounts others. */
  async #compileMounted(request: MountRequest): Promise<Mounted> {
    const { own, load } = request
    const first = await this.#compileFolder(request)
    const path = own.configFile && first.compiled.modules[own.configFile]
    if (path === this.#config.path) return first
    const hadPlugins = this.#plugins.length > 0
    await this.#mount({ path, exported: await loadConfigModule(path, load) })
    return hadPlugins || this.#plugins.length > 0 ? this.#compileFolder({ ...request, changes: {} }) : first
  }

  async #compileFolder({ changes = {}, ...request }: MountRequest): Promise<Mounted> {
    const { compiler, onCompiled, watch } = this.#options
    const folder = this.folderOf(request)
    try {
      const compiled = await compiler.compile({ roots: rootsOf(folder), changes })
      onCompiled?.(compiled)
      return { folder, compiled }
    } finally {
      // Also if one of them does not compile, so that a fix is noticed.
      watch?.(compiler.watched)
    }
  }

  /** Finds the files of the plugins that a configuration mounts. */
  async #mount(config: { path: string | undefined; exported: unknown }): Promise<void> {
    this.#plugins = await findPlugins(config.exported, this.#options.root)
    this.#config = config
    this.#options.watch?.({ paths: this.#plugins.filter((one) => one.isSource).map((one) => one.folder) })
  }
}

/** Compiles the configuration of a bot without its other files, and loads it. `undefined` if there is none. */
export async function loadConfigAlone(compiler: Compiler, { configFile }: BotFolder): Promise<unknown> {
  if (configFile === undefined) return undefined
  const { modules } = await compiler.compile({ roots: [configFile] })
  return loadConfigModule(modules[configFile])
}
