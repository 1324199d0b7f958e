// The durable runs of a bot whose service keeps its data in memory: they end with this process.

import type { Definition } from '@botwright/framework'
import { deleteEndedRuns, markTemporaryBot } from '@botwright/framework/start'
import type { DevReport } from './dev-report.ts'

type Report = Pick<DevReport, 'warning'>

/** Deletes the runs of former sessions that have ended. An error is a warning: the bot works without it. */
export async function deleteFormerRuns(stateDir: string, report: Report): Promise<void> {
  await deleteEndedRuns(stateDir).catch((error: unknown) => {
    report.warning(`the runs of former sessions cannot be deleted: ${(error as Error).message}`)
  })
}

/** Notes for `framework runs` that the bot is temporary, once it has a durable handler. */
export function temporaryMarker(
  stateDir: string,
  report: Report,
): (definitions: readonly Definition[], botId: string) => void {
  let marked = false
  return (definitions, botId) => {
    if (marked || !definitions.some(({ durable }) => durable)) return
    marked = true
    markTemporaryBot(stateDir, botId).catch((error: unknown) => {
      report.warning(`framework runs cannot recognize the runs of this session: ${(error as Error).message}`)
    })
  }
}
