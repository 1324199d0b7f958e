import { statSync } from 'node:fs'
import { join } from 'node:path'
import { historyNames } from '../../author/config/config.ts'

/** The program that recorded a history. */
export type RecordedBy = keyof typeof historyNames

/** When a history was last written; undefined if there is none. New events are in the log file next to it at first. */
function writtenMs(file: string): number | undefined {
  const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  return written && Math.max(written, statSync(`${file}-wal`, { throwIfNoEntry: false })?.mtimeMs ?? 0)
}

/** The path of the history to read: that of `from`, else the only one, else the newer one; `report` receives a note about that choice. */
export function chooseHistory(stateDir: string, from: RecordedBy | undefined, report: (text: string) => void): string {
  const [start, dev] = [join(stateDir, historyNames.start), join(stateDir, historyNames.dev)]
  if (from !== undefined) return from === 'dev' ? dev : start
  const [startMs, devMs] = [writtenMs(start), writtenMs(dev)]
  if (devMs === undefined) return start
  if (startMs === undefined) return dev
  const isDev = devMs > startMs
  report(
    isDev
      ? 'showing the history of "framework dev"; pass --from start for that of "framework start"'
      : 'showing the history of "framework start"; pass --from dev for that of "framework dev"',
  )
  return isDev ? dev : start
}
