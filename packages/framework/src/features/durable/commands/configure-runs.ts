import { type Command, InvalidArgumentError } from 'commander'
import { clusterOption } from '../../../program/options.ts'
import { wholeNumber } from '../../../program/whole-number.ts'
import type { CommandRun, ProgramIo } from '../../../program/program-io.ts'

const runStates = ['waiting', 'done', 'failed', 'cancelled', 'ended'] as const

function readRunState(text: string): (typeof runStates)[number] {
  const found = runStates.find((state) => state === text)
  if (!found) throw new InvalidArgumentError(`must be one of ${runStates.join(', ')}`)
  return found
}

/** Parses the id of a durable run: that of its event, for an event handler with its file. Histories show events as `#1042`. */
function readRunId(text: string): string {
  if (text === '' || text.length > 600) throw new InvalidArgumentError('a run id is from 1 to 600 characters')
  return text.replace(/^#(?=\d)/, '')
}

function readLimit(text: string): number {
  const count = wholeNumber(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('must be a positive number')
  return count
}

interface RunsTyped {
  json: boolean
  state?: string
  bot?: string
  cluster?: string
}

const runsOptions = ({ json, state, bot, cluster }: RunsTyped, io: ProgramIo) => ({
  json,
  io,
  ...(state !== undefined && { stateDir: state }),
  ...(bot !== undefined && { botId: bot }),
  ...(cluster !== undefined && { url: cluster }),
})

/** Declares `framework runs`. */
export function configure(command: Command, { done, io }: CommandRun): void {
  const add = (usage: string, description: string): Command =>
    command
      .command(usage)
      .description(description)
      .option('--json', 'print the result as JSON', false)
      .option('--state <folder>', "folder of the bot's state (default: .botwright)")
      .option('--bot <id>', 'bot with this id (required if several have the run)')
      .option(...clusterOption)
      .helpOption('-h, --help', 'print this help')
      .exitOverride()
  const load = () => import('./runs-command.ts')
  command.addHelpText(
    'after',
    '\nA run is stored from its first wait until one day after it ends. A running bot carries out a request within a second;\na stopped bot when it starts. The runs of a store from bot.config.ts are only in the control room.',
  )
  add('list', 'Lists the stored runs, the newest first')
    .option('--status <status>', `only runs that are ${runStates.join(', ')}`, readRunState)
    .option('-n, --limit <count>', 'number of runs', readLimit, 100)
    .action(async (typed: RunsTyped & { status?: (typeof runStates)[number]; limit: number }) => {
      const { listRuns } = await load()
      const { status, limit } = typed
      done(await listRuns({ ...runsOptions(typed, io), limit, ...(status !== undefined && { status }) }))
    })
  const withId = (usage: string, description: string) =>
    add(usage, description).argument('<id>', 'id of the run, from framework runs list', readRunId)
  withId('show', 'Shows a run, with its steps if it waits or has failed').action(
    async (id: string, typed: RunsTyped) => {
      const { showRun } = await load()
      done(await showRun(id, runsOptions(typed, io)))
    },
  )
  withId('cancel', 'Cancels a run that waits: its handler cleans up, and its user is notified').action(
    async (id: string, typed: RunsTyped) => {
      const { requestRun } = await load()
      done(await requestRun(id, 'cancel', runsOptions(typed, io)))
    },
  )
  withId('retry', 'Runs a failed run again from its beginning').action(async (id: string, typed: RunsTyped) => {
    const { requestRun } = await load()
    done(await requestRun(id, 'retry', runsOptions(typed, io)))
  })
}
