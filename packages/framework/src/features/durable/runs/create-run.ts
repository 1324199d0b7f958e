import { currentLine } from '../../../link/errors/source-line.ts'
import type { LogRecord } from '../stored/run-log.ts'
import type { RunStore } from '../stored/run-store.ts'
import { eventsIn, type LiveRun } from './live-run.ts'
import { Replay } from './replay.ts'
import type { ReplayHost } from './replay-host.ts'
import type { DurableHandlersHost } from '../../../bot/durable-handlers.ts'

/** After this time of waiting, a run is only a row of the store. */
export const DROP_MS = 30_000

export interface RunRecord extends Pick<ReplayHost, 'version' | 'onQuiet' | 'onBroken'> {
  facts: Pick<LiveRun, 'id' | 'file' | 'event' | 'startedMs' | 'part'>
  log: readonly LogRecord[]
  /** How many batches the record has. */
  batches: number
}

/** Creates a run in memory, which adds its further steps to its record. */
export function createRun(
  host: DurableHandlersHost,
  store: RunStore,
  { facts, log, batches, ...rest }: RunRecord,
): LiveRun {
  const { clock, root, codeId } = host
  let batch = batches
  const replay = new Replay(
    {
      ...{ file: facts.file, codeId, ...rest },
      now: () => clock.now(),
      place: () => currentLine(root, facts.file) ?? facts.file,
      append: async (records) => {
        await store.append(facts, batch++, records)
        if (records.length > 0) run.caughtUp?.()
      },
    },
    {
      log,
      startMs: facts.part?.startedMs ?? facts.startedMs,
      continued: batches > 0,
      messages: facts.part?.messages,
    },
  )
  const run: LiveRun = {
    ...{
      ...facts,
      replay,
      rows: { keys: new Set() },
      asking: new Set(),
      replaced: new Set(),
      seen: new Set(eventsIn(log)),
      received: [],
    },
    ...{ isQuiet: false, hasHead: false, saved: Promise.resolve(), settles: [], passed: 0 },
  }
  return run
}
