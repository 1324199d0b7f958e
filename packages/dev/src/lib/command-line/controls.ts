import type { CommandEntry, CommandRun } from '@botwright/framework/start'
import { durationExamples, parseDuration } from '@botwright/framework/replay'
import { type Command, InvalidArgumentError } from 'commander'
import type { Control } from '../people/controls.ts'
import { readCount, readSeconds, serviceOption } from './readers.ts'

interface Flags {
  service?: string
  json: boolean
}

type Configure = CommandEntry['configure']

/** Declares what the three commands share, and their action. */
function declare(command: Command, { done, io }: CommandRun, control: (...given: string[]) => Control): void {
  command
    .addOption(serviceOption())
    .option('--json', 'print the result as JSON', false)
    .action(async (...given: [...string[], Flags, Command]) => {
      const { runControl } = await import('../people/controls.ts')
      const { service, json } = command.opts<Flags>()
      done(await runControl(control(...(given.slice(0, -2) as string[])), { io, service, json }))
    })
}

function readAdvance(text: string): string {
  const ms = parseDuration(text.replace(/^\+/, ''))
  if (ms === undefined || ms <= 0)
    throw new InvalidArgumentError(`must be a duration, such as +16m (${durationExamples})`)
  return String(ms)
}

export const clock: Configure = (command, run) =>
  declare(command.argument('<time>', 'how far to move it, such as +16m', readAdvance), run, (ms) => ({
    kind: 'clock',
    ms: Number(ms),
  }))

export const fault: Configure = (command, run) =>
  declare(
    command
      .argument('<method>', 'the method, or "clear" to remove all faults')
      .argument('[path]', 'a path of the bot interface, in which * matches anything')
      .argument(
        '[fault]',
        'a status, or: close (no response), cut (half a response), stall (never ends), slow (delayed)',
      )
      .option('--times <number>', 'how many responses', readCount, 1)
      .option('--seconds <number>', 'the delay for slow, or Retry-After for 429', readSeconds, 1)
      .addHelpText('after', '\nOnly responses to bots are affected, never those to people.'),
    run,
    (method = '', path?: string, then?: string) => {
      if (method === 'clear' && path === undefined) return { kind: 'fault', fault: undefined }
      if (path === undefined || then === undefined)
        return command.error("error: a path and a fault are required, as in: framework fault POST '/channels/*' 500")
      const { times, seconds } = command.opts<{ times: number; seconds: number }>()
      return { kind: 'fault', fault: { method, path, then, times, seconds } }
    },
  )

export const reset: Configure = (command, run) => declare(command, run, () => ({ kind: 'reset' }))
