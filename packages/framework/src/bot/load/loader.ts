import { argsReader } from '../../author/args/read-args.ts'
import { bareExamples } from '../commands/describe-command.ts'
import { compile, compileTask, type Handler } from '../compile-handler.ts'
import type { HandlerFunction } from '../guards/guarded.ts'
import { type Defined, place } from '../../author/definition.ts'
import { isOwnEvent } from '../../author/did-you-mean.ts'
import { loadModule } from '../load-module.ts'
import { layerOf, layersAround } from '../../author/files/manifest.ts'
import type { BotSource } from '../../link/ports.ts'
import type { Entry } from '../../author/files/entries.ts'
import type { Layer } from '../layer.ts'
import { type DeclaredState, isState, rulesOf } from '../../author/state/record.ts'
import type { Schema } from '../../author/state/schema.ts'

interface LoaderOptions {
  /** Replaces files that the bot does not have. */
  builtIn?: ReadonlyMap<string, Defined>
  /** Wraps the code of guards, middleware and handlers. */
  layer?: Layer
}

/** Loads the files of a bot, each once. */
export function createLoader(source: BotSource, { builtIn = new Map(), layer = {} }: LoaderOptions = {}) {
  const loading = new Map<string, Promise<Defined>>(
    [...builtIn].map(([file, defined]) => [file, Promise.resolve(defined)]),
  )
  const loaded = new Map<Entry, Defined>()
  const middleware = new Map(
    source.manifest.entries.filter((one) => one.kind === 'middleware').map((one) => [layerOf(one), one]),
  )
  const imported = source.manifest.entries.filter(
    ({ kind }) => kind === 'button' || kind === 'state' || kind === 'task',
  )
  const tasks = new Map(imported.filter(({ kind }) => kind === 'task').map((entry) => [entry.name, entry]))
  const states = new Map<string, DeclaredState>()
  let importedLoaded: Promise<unknown> | undefined

  const loadEntry = async (entry: Entry): Promise<Defined> => {
    const defined = await loadModule(entry, source)
    loaded.set(entry, defined)
    const at = defined[place]
    if (at && isState(defined)) states.set(at.name, defined[rulesOf])
    return defined
  }

  const load = (entry: Entry): Promise<Defined> => {
    let found = loading.get(entry.file)
    if (!found) loading.set(entry.file, (found = loadEntry(entry)))
    return found
  }

  const prepare = async (handler: Handler): Promise<HandlerFunction> => {
    // Middleware does not apply to lifecycle events, because no user triggers them.
    const { kind, file, name } = handler.entry
    const isLifecycle = kind === 'event' && isOwnEvent(name)
    const isUnguarded = kind === 'task' || kind === 'route' || isLifecycle
    const layers = (isLifecycle || kind === 'route' ? [] : layersAround(handler.entry)).flatMap(
      (layer) => middleware.get(layer) ?? [],
    )
    const [defined, ...loadedLayers] = await Promise.all([load(handler.entry), ...layers.map(load)])
    // Handlers import buttons, states and tasks, whose names come from their file paths. A broken file is reported by itself.
    await (importedLoaded ??= Promise.allSettled(imported.map(load)))
    handler.defined = defined
    if (defined.args) handler.readArgs = argsReader(defined.args, bareExamples(handler.entry.name, defined))
    const placed = loadedLayers.map((layer, i) => ({ defined: layer, file: layers[i]?.file ?? '' }))
    return (handler.run = isUnguarded ? compileTask(defined, placed) : compile({ defined, file }, placed, layer))
  }

  return {
    load,
    /** The definition of a loaded file. All buttons are loaded before the first handler runs. */
    definedBy: (entry: Entry): Defined | undefined => loaded.get(entry),
    /** The states that the loaded files declare. */
    states,
    /** The bot's tasks, by name. */
    tasks,
    /** The schema of a task's payload. All tasks are loaded before the first handler runs. */
    payloadOf: (task: string): Schema<unknown> | undefined => {
      const entry = tasks.get(task)
      return entry && (loaded.get(entry)?.payload as Schema<unknown> | undefined)
    },
    ready: (handler: Handler): Promise<HandlerFunction> => {
      if (handler.run) return Promise.resolve(handler.run)
      const preparing = prepare(handler)
      source.loading?.(preparing)
      return preparing
    },
  }
}
