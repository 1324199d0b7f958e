import { inspect } from 'node:util'
import type { Log } from '@botwright/framework'
import { errorCodes } from '@botwright/protocol/facts'
import { keepError } from '../problems/code-problems.ts'
import type { DevReport } from './dev-report.ts'
import { problemsOf } from '../problems/load-problem.ts'
import { isOfAuthor, type LoggedError, splitErrors, stackLines } from '../problems/logged-errors.ts'

/** Log lines of the runtime and the bot, as the terminal shows them. */
export function createDevLog(options: { report: DevReport; root: string; verbose: boolean; local: boolean }): Log {
  const { report, root, verbose, local } = options
  // The banner and the table already show that the bot is ready, and on a new service there were no events to miss.
  const isKnown = (message: string) => / is ready: /.test(message) || (local && /^no saved position: /.test(message))
  const write = (print: (text: string) => void, facts: object, message: string): void => {
    const { errors, text } = lineOf(facts, worded(facts, message), root)
    print(text)
    report.stack(stackLines(errors, root))
  }
  return {
    debug: (facts, message) => {
      if (!verbose) return
      const { errors, rest } = splitErrors(facts)
      report.note(withFacts(worded(facts, message), rest))
      report.stack(stackLines(errors, root))
    },
    info: (facts, message) => {
      if (!isKnown(message)) write((text) => report.note(text), facts, message)
    },
    warn: (facts, message) => write((text) => report.warning(text), facts, message),
    error: (facts, given) => {
      const message = worded(facts, given)
      const { stack, event, code } = facts as { stack?: unknown; event?: unknown; code?: unknown }
      // Those of events are in the recording.
      if (event === undefined) keepError(root, { text: message, thrown: code === 'ERR_HANDLER' })
      const { errors, text } = lineOf(facts, message, root)
      const trace = typeof stack === 'string' ? stack : splitErrors(facts).errors[0]?.stack
      if (trace === undefined) return report.error(text)
      const thrown = Object.assign(new Error(message), { stack: trace })
      void problemsOf(thrown, root).then(async (problems) => {
        await report.failures(problems, typeof stack === 'string' ? message : text)
        report.stack(stackLines(errors, root))
      })
    },
  }
}

/** `ctx.log.error({ error })` has no text: it is that of the error. */
const worded = (facts: object, message: string): string =>
  message === '' ? (splitErrors(facts).errors[0]?.stack.split('\n', 1)[0] ?? '') : message

/** A handler's own lines show their facts. The runtime's lines contain theirs in the text, and stacks of the runtime do not help authors. */
function lineOf(facts: object, message: string, root: string): { errors: LoggedError[]; text: string } {
  const { errors, rest } = splitErrors(facts)
  const { file, code, ...own } = rest
  if (file === undefined) return { errors: errors.filter((error) => isOfAuthor(error, root)), text: message }
  // The codes of the framework's own lines are for programs.
  const isOwnCode = code !== undefined && !(typeof code === 'string' && code in errorCodes)
  return { errors, text: withFacts(message, isOwnCode ? { code, ...own } : own) }
}

const withFacts = (message: string, facts: object): string =>
  Object.keys(facts).length === 0 ? message : `${message} ${inWords(facts)}`

function inWords(facts: object): string {
  try {
    return JSON.stringify(facts)
  } catch {
    // For example a BigInt, or an object that contains itself.
    return inspect(facts, { breakLength: Infinity })
  }
}
