import { withLinks } from '@botwright/framework/replay'
import { cut, wellFormed } from '@botwright/protocol/facts'
import type { TimelineFailure } from '@botwright/protocol/timeline'
import { problemBounds } from '@botwright/service/people'
import type { Problem } from '../compile/problem.ts'
import type { LocalService } from '../local-service/local-service.ts'
import { sourceLines } from '../problems/code-frame.ts'
import type { DevReport, OnProblems } from './dev-report.ts'
import { pagePublisher } from './page-publisher.ts'

/** Bounds of one problem. The service accepts longer ones. */
const LONGEST_TEXT = 4000
const LONGEST_LINE = 200
/** Lines before and after the one with the problem. */
const AROUND = 2

interface Options {
  root: string
  report: Pick<DevReport, 'warning'>
  env: NodeJS.ProcessEnv
}

/** Sends the problems of the newest code to the local service. */
export function problemPublisher(
  service: Pick<LocalService, 'baseUrl' | 'token'>,
  { root, report, env }: Options,
): OnProblems {
  const publish = pagePublisher(service, '/problems', (reason) =>
    report.warning(`the page cannot show the problems of the code: ${reason}`),
  )
  let isClear = true
  return (problems, serving) =>
    publish(async (send) => {
      // Most saves have none, and the page shows none.
      if (problems.length === 0 && isClear) return
      isClear = false
      const shown = problems.slice(0, problemBounds.problems)
      await send({ serving, problems: await Promise.all(shown.map((one) => failureOf(one, root, env))) })
      isClear = problems.length === 0
    })
}

/** A problem in the form of a failure in the page: with the lines around it, and the link that opens the editor. */
async function failureOf(problem: Problem, root: string, env: NodeJS.ProcessEnv): Promise<TimelineFailure> {
  const { file, line, column, text, notes = [] } = problem
  const failure: TimelineFailure = { message: wellFormed(cut([text, ...notes].join('\n'), LONGEST_TEXT)), causes: [] }
  if (file === undefined) return failure
  failure.at = line === undefined ? file : `${file}:${line}`
  if (line !== undefined) {
    const first = Math.max(1, line - AROUND)
    const lines = (await sourceLines(root, file))
      .slice(first - 1, line + AROUND)
      .map((source, index) => ({ number: first + index, text: wellFormed(cut(source, LONGEST_LINE)) }))
    failure.frame = { line, ...(column !== undefined && { column }), lines }
  }
  return withLinks({ steps: [], failure }, root, env['BOT_EDITOR_LINK']).failure
}
