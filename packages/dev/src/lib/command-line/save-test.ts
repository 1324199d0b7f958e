import type { CommandEntry } from '@botwright/framework/start'
import { botOption, readCount, serviceOption } from './readers.ts'

interface Flags {
  last: number
  in?: string
  title?: string
  force: boolean
  run: boolean
  service?: string
  bot?: string
  json: boolean
}

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .argument('<file>', 'the test to write, such as test/poll.test.ts')
    .option('--last <number>', 'how many of the latest messages and clicks', readCount, 5)
    .option('--in <channel>', 'name of the channel (default: where the latest one was)')
    .option('--title <text>', 'the title of the test (default: the first message)')
    .option('--force', 'replace an existing file', false)
    .option('--no-run', 'do not run the test')
    .addOption(serviceOption())
    .addOption(botOption())
    .option('--json', 'print the result as JSON', false)
    .action(async (file: string, { last, in: where, title, force, run, service, bot, json }: Flags) => {
      const { runSaveTest } = await import('../people/save-test.ts')
      done(await runSaveTest({ io, file, last, where, title, force, run, service, bot, json }))
    })
}
