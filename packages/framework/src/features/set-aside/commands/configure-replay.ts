import type { Command } from 'commander'
import { readEventIds } from '../../../program/options.ts'
import type { CommandRun } from '../../../program/program-io.ts'

/** Declares `framework replay`. */
export function configure(command: Command, { done, io }: CommandRun): void {
  command
    .argument('[ids...]', 'ids of the events, from --list', readEventIds, [])
    .option('--list', 'list the events that were set aside (default)', false)
    .option('--all', 'rerun all of them', false)
    .option('--json', 'print the result as JSON', false)
    .option('--state <folder>', 'folder of the journal', '.botwright')
    .addHelpText(
      'after',
      '\nAn event is set aside if it cannot run, for example because its handler crashed its worker 3 times. A running bot reruns it at once;\na stopped bot reruns it when it starts.',
    )
    .action(async (ids: number[], given: { list: boolean; all: boolean; json: boolean; state: string }) => {
      const { list, all, json, state } = given
      if ([list, all, ids.length > 0].filter(Boolean).length > 1)
        command.error('error: pass one of --list, --all or ids')
      const { replayCommand } = await import('./replay-command.ts')
      done(await replayCommand({ ids, all, json, stateDir: state, io }))
    })
}
