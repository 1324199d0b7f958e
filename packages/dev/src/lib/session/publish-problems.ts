import { withLinks } from '@botwright/framework/replay'
import { cut, wellFormed } from '@botwright/protocol/facts'
import type { TimelineFailure } from '@botwright/protocol/timeline'
import type { BotProblems } from '@botwright/service/people'
import type { Problem } from '../compile/problem.ts'
import { refusalOf } from '../local-service/limited-body.ts'
import type { LocalService } from '../local-service/local-service.ts'
import { sourceLines } from '../problems/code-frame.ts'
import type { DevReport, OnProblems } from './dev-report.ts'

/** Bounds of what the service accepts. */
const MOST_PROBLEMS = 10
const LONGEST_TEXT = 4000
const LONGEST_LINE = 200
/** Lines before and after the one with the problem. */
const AROUND = 2

interface Options {
  root: string
  report: Pick<DevReport, 'warning'>
  env: NodeJS.ProcessEnv
}

/** Sends the problems of the newest code to the local service, one call after the other. The page works without them, so an error is a warning. */
export function problemPublisher(
  { baseUrl, token }: Pick<LocalService, 'baseUrl' | 'token'>,
  { root, report, env }: Options,
): OnProblems {
  const url = new URL('/dev/v1/problems', baseUrl)
  const publish = async (problems: readonly Problem[], serving: BotProblems['serving']) => {
    const failures = await Promise.all(problems.slice(0, MOST_PROBLEMS).map((one) => failureOf(one, root, env)))
    const response = await fetch(url, {
      method: 'PUT',
      headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ serving, problems: failures }),
    })
    if (!response.ok) throw await refusalOf(response)
    await response.body?.cancel()
  }
  let last: Promise<void> = Promise.resolve()
  let isClear = true
  const publishChanged = async (...[problems, serving]: Parameters<OnProblems>) => {
    // Most saves have none, and the page shows none.
    if (problems.length === 0 && isClear) return
    isClear = false
    await publish(problems, serving)
    isClear = problems.length === 0
  }
  return (problems, serving) => {
    last = last
      .then(() => publishChanged(problems, serving))
      .catch((error: unknown) => {
        report.warning(`the page cannot show the problems of the code: ${(error as Error).message}`)
      })
  }
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
