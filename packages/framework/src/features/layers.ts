// The features around the code of some bots. The bot's side knows them by this table alone, and each is loaded only by a bot that uses it.

import type { OpenEventFiles } from '../bot/event-files.ts'
import type { Layer } from '../bot/layer.ts'
import type { BotSource } from '../link/ports.ts'
import type { StepReports } from '../link/recorded-step.ts'

/** Each run of a handler is an OpenTelemetry span. `hiddenEnv`: the variables whose values must not leave the process. */
export async function tracing(root: string, hiddenEnv: readonly string[] | undefined): Promise<Layer> {
  const { tracingLayer } = await import('./tracing/tracing-layer.ts')
  return tracingLayer(root, hiddenEnv)
}

/** The steps of handlers, for the recording of events. */
export async function history(source: BotSource, reports: StepReports): Promise<Layer> {
  const { recordingLayer } = await import('./history/recording/recording-layer.ts')
  return recordingLayer(source, reports)
}

/** The files of events that several files handle, or files with conditions. */
export async function eventFiles(): Promise<OpenEventFiles> {
  const { SeveralFiles } = await import('./event-files/event-files.ts')
  return (host) => new SeveralFiles(host)
}

/** The files of the event `error`. */
export async function errorFiles() {
  return (await import('./errors/error-files.ts')).errorFiles
}
