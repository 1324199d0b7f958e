// The features around the code of some bots. The bot's side knows them by this table alone, and each is loaded only by a bot that uses it.

import type { OpenEventFiles } from '../bot/event-files.ts'
import type { OffGuards } from '../bot/guards/guarded.ts'
import type { Layer } from '../bot/layer.ts'
import type { OpenDurableHandlers } from '../bot/durable-handlers.ts'
import type { OwnHandling } from '../bot/own-handling.ts'
import type { BotSource } from '../link/ports.ts'
import type { StepReports } from '../link/recorded-step.ts'
import type { pluginServices } from './plugins/plugin-services.ts'
import type { Open, ResourcesHost } from './resources/open-resources.ts'
import type { tracingLayer } from './tracing/tracing-layer.ts'

type PluginServices = typeof pluginServices

/** Each run of a handler is an OpenTelemetry span. The values of the declared variables must not leave the process. */
export const tracing = async (...given: Parameters<typeof tracingLayer>): Promise<Layer> =>
  (await import('./tracing/tracing-layer.ts')).tracingLayer(...given)

/** The steps of handlers, for the recording of events. */
export const history = async (source: BotSource, reports: StepReports): Promise<Layer> =>
  (await import('./history/recording/recording-layer.ts')).recordingLayer(source, reports)

/** Questions, scheduled runs, and commands for a language model: any handler may use them. */
export async function ofHandlers() {
  const [{ createQuestions }, { timers }, { commandRunner }] = await Promise.all([
    import('./conversations/questions.ts'),
    import('./tasks/stored-timers.ts'),
    import('./models/run-tool.ts'),
  ])
  return { createQuestions, timers, commandRunner }
}

/** The text of the built-in `/help`. */
export const help = async () => (await import('./help/help-text.ts')).runHelp

/** The services of the handlers of each plugin. */
export const plugins = async (...given: Parameters<PluginServices>): ReturnType<PluginServices> =>
  (await import('./plugins/plugin-services.ts')).pluginServices(...given)

/** The files of events that several files handle, or files with conditions. */
export async function eventFiles(): Promise<OpenEventFiles> {
  const { SeveralFiles } = await import('./event-files/event-files.ts')
  return (host) => new SeveralFiles(host)
}

/** The durable handlers. */
export const durableHandlers = async (): Promise<OpenDurableHandlers> =>
  (await import('./durable/runs/open-runs.ts')).openRuns

/** The guards of files that are switched off. */
export async function switches(): Promise<OffGuards> {
  return (await import('./switches/off-guards.ts')).offGuards
}

/** The handling of work of a bot's own, with the type of its deliveries. */
type OwnWork = readonly [type: string, OwnHandling]

/** The files of the event `error`. */
export async function errorFiles(): Promise<OwnWork> {
  const { errorFiles, failureType } = await import('./errors/error-files.ts')
  return [failureType, errorFiles]
}

/** The runs of the files in `tasks/`. */
export const tasks = async (): Promise<OwnWork> => ['task', (await import('./tasks/task-handlers.ts')).createTasks]

/** The handling of requests to the files in `routes/`. */
export const routes = async (): Promise<OwnWork> => ['route', (await import('./routes/route-handlers.ts')).createRoutes]

/** Opens the files in `resources/`. */
export const resources = async (host: ResourcesHost): Promise<Open> =>
  (await import('./resources/open-resources.ts')).openResources(host)
