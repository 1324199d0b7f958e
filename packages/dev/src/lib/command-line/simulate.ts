import type { CommandEntry } from '@botwright/framework/start'
import { InvalidArgumentError, Option } from 'commander'
import { type FaultKind, faultKinds } from '../simulate/finding.ts'
import type { SimulateFlags } from '../simulate/simulate-command.ts'
import { readCount } from './readers.ts'

function readFaults(text: string): readonly FaultKind[] {
  if (text === 'all') return faultKinds
  if (text === 'none') return []
  return text.split(',').map((word) => {
    const found = faultKinds.find((kind) => kind === word.trim())
    if (!found) throw new InvalidArgumentError(`must be all, none, or some of ${faultKinds.join(',')}`)
    return found
  })
}

const note = `
People of the simulation use the commands, buttons and questions of the bot, while the service fails and the process ends.
simulate.ts beside the bot's folders declares what must always hold, with invariant() of @botwright/testing/simulation.

Exit codes: 0 no fault, 1 faults, 2 usage error, 130 interrupted. Warnings do not change it.`

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .option('--seeds <number>', 'how many plays', readCount, 200)
    .option('--minutes <number>', 'simulated minutes of each play', readCount, 30)
    .addOption(
      new Option('--faults <kinds>', `all, none, or some of ${faultKinds.join(',')}`)
        .argParser(readFaults)
        .default(faultKinds, 'all'),
    )
    .option('--seed <number>', 'only this play, as a report names it', readCount)
    .option('--save <file>', 'write the first fault as a test, such as test/simulated.test.ts')
    .option('--force', 'replace an existing file', false)
    .option('--json', 'print the result as JSON', false)
    .addHelpText('after', note)
    .action(async (flags: SimulateFlags) => {
      const { simulateCommand } = await import('../simulate/simulate-command.ts')
      done(await simulateCommand({ ...flags, io }))
    })
}
