import type { ExplainedEvent } from '@botwright/framework/replay'
import { type CommandEntry, configureExplain, type ExplainGiven } from '@botwright/framework/start'

interface Given extends ExplainGiven {
  again: boolean
}

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  configureExplain(command)
    .option('--again', 'also run the event with the current code, without sending anything, and show the answer', false)
    .action(async (event: ExplainedEvent | undefined, { again, ...given }: Given) => {
      if (again && (event === undefined || given.html !== undefined))
        command.error('error: --again requires an event, and cannot be combined with --html')
      const { runExplain } = await import('../history/explain.ts')
      done(await runExplain({ ...given, ...(event !== undefined && { event }), io, again }))
    })
}
