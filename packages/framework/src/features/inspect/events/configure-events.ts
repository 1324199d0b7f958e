import type { Command } from 'commander'
import type { CommandEntry } from '../../../program/command-entry.ts'
import type { RecordedBy } from '../../history/choose-history.ts'
import { readCount, readFile, readProgram, readSince } from '../readers.ts'

interface Options {
  type?: string
  file?: string
  since?: number
  lines?: number
  all: boolean
  failed: boolean
  follow?: boolean
  json: boolean
  state: string
  from?: RecordedBy
}

const note = '\n"framework dev" always records; "framework start" records with record: true in bot.config.ts.'

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  const run = async ({ since, lines, follow = false, ...options }: Options) => {
    const { runEvents } = await import('./events-command.ts')
    const stopping = new AbortController()
    const stop = () => stopping.abort()
    const signals = follow ? (['SIGINT', 'SIGTERM'] as const) : []
    for (const name of signals) io.signals.on(name, stop)
    // Its reader is gone.
    io.stdout.on('error', stop)
    const given = since !== undefined && { sinceMs: since }
    const most = lines ?? (since === undefined ? 20 : Number.MAX_SAFE_INTEGER)
    try {
      done(await runEvents({ ...options, ...given, io, lines: most, follow, signal: stopping.signal }))
    } finally {
      for (const name of signals) io.signals.off(name, stop)
      io.stdout.off('error', stop)
    }
  }
  const withOptions = (one: Command): Command =>
    one
      .option(
        '--type <type>',
        'only events of this type, such as message or interaction; task: runs of tasks, with exit code 4 if one failed',
      )
      .option('--file <file>', 'only events handled by this file, such as commands/ping.ts', readFile)
      .option('--failed', 'only events that failed', false)
      .option('--all', 'show each event that no file handled, instead of their number', false)
      .option('--since <when>', 'only events since this time, or in the last 10m, 2h and so on', readSince)
      .option(
        '-n, --lines <count>',
        'number of past events, besides those that no file handled (default: 20; all with --since)',
        readCount,
      )
      .option('--json', 'print a line of JSON for each event', false)
      .option('--state <folder>', "folder of the bot's state", '.botwright')
      .option('--from <program>', 'history of "dev" or "start" (default: the newer one)', readProgram)
      .addHelpText('after', note)
  withOptions(command.command('tail').description('Shows the last events, then each new one until Ctrl-C'))
    .option('--no-follow', 'exit after the last events')
    .action(run)
  withOptions(
    command
      .command('list', { isDefault: true })
      .description('Shows the last events; "framework events" alone does the same'),
  )
    .option('-f, --follow', 'continue with each new one until Ctrl-C', false)
    .action(run)
}
