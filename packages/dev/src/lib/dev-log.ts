import type { Log } from '@botwright/framework'
import type { DevReport } from './dev-report.ts'
import { problemsOf } from './load-problem.ts'

/** What the runtime and the bot's own code log, as the terminal shows it. */
export function createDevLog(options: { report: DevReport; root: string; verbose: boolean; local: boolean }): Log {
  const { report, root, verbose, local } = options
  // The banner and the table tell that the bot is ready; on a service that has just been made there is nothing to have missed.
  const isKnown = (message: string) => / is ready: /.test(message) || (local && /^no saved position: /.test(message))
  return {
    debug: (facts, message) => {
      if (verbose) report.note(withFacts(message, facts))
    },
    info: (facts, message) => (isKnown(message) ? undefined : report.note(authored(message, facts))),
    warn: (facts, message) => report.warning(authored(message, facts)),
    error: (facts, message) => {
      const thrown = errorOf(facts, message)
      if (!thrown) return report.error(message)
      void problemsOf(thrown, root).then((problems) => report.failures(problems, message))
    },
  }
}

/** The error that an entry of the log is about: as an object (`error`), or as its stack alone. */
function errorOf(facts: object, message: string): Error | undefined {
  const { error, stack } = facts as { error?: unknown; stack?: unknown }
  const trace = typeof stack === 'string' ? stack : (error as { stack?: unknown } | undefined)?.stack
  if (typeof trace !== 'string') return undefined
  return Object.assign(new Error(message), { stack: trace })
}

/** A handler's own lines with their facts; the runtime's have theirs in their words. */
const authored = (message: string, facts: object): string => {
  const { file, ...own } = facts as { file?: unknown }
  return file === undefined ? message : withFacts(message, own)
}

const withFacts = (message: string, facts: object): string =>
  Object.keys(facts).length === 0 ? message : `${message} ${JSON.stringify(facts)}`
