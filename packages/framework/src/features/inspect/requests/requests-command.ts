import { resolve } from 'node:path'
import { BotwrightError, printableLine } from '@botwright/protocol/facts'
import type { Config } from '../../../author/config/config.ts'
import type { StateStore } from '../../../author/ports.ts'
import { configOf, configuredUrl, reachCluster } from '../../stored-state/reach-cluster.ts'
import type { ProgramIo } from '../../../program/program-io.ts'
import { storeIn } from '../../stored-state/state-file.ts'
import type { RecordedBy } from '../../history/choose-history.ts'
import { runAgain, type SetAsideRequest, setAsideRequests } from '../../routes/set-aside-requests.ts'
import { botOf } from '../state/state-command.ts'
import { type Colors, count, createTerminal, table } from '../terminal.ts'

export interface RequestsOptions {
  io: ProgramIo
  /** The folder of the bot's state. */
  state: string
  from?: RecordedBy
  bot?: string
  /** The Redis of a cluster. */
  cluster?: string
  /** Those to run again. */
  ids: readonly string[]
  all: boolean
  json: boolean
}

/** `framework requests`: lists the requests to routes that were set aside, or runs some of them again. Resolves with the exit code. */
export const runRequests = (options: RequestsOptions): Promise<number> =>
  withStore(options, (store) => requestsIn(store, options))

/** Calls `work` with the store of the cluster that is given or configured, or else with that of the folder. */
async function withStore(options: RequestsOptions, work: (store: StateStore) => Promise<number>): Promise<number> {
  const { io, from, bot, cluster: url } = options
  const isOfFolder = from === 'dev' || bot !== undefined
  const configured = url === undefined && !isOfFolder ? await configuredUrl(io.cwd, io.env) : undefined
  if (url !== undefined || configured !== undefined) {
    const given = url !== undefined && { url }
    const reached = await reachCluster({ who: 'framework requests', io, configured, ...given })
    return reached.cluster.withStore(reached.bot, work)
  }
  // Without a configuration that loads, the store of the folder is the best guess.
  const { store: own } = from === 'dev' ? {} : await configOf(io.cwd).catch((): Partial<Config> => ({}))
  if (own)
    throw new BotwrightError(
      'ERR_CONFIG',
      'bot.config.ts sets a store, which has the requests: list and run them with setAsideRequests(store) and runAgain(store, id) of @botwright/framework/replay',
    )
  using store = storeIn(resolve(io.cwd, options.state), await botOf(options))
  return await work(store)
}

async function requestsIn(store: StateStore, options: RequestsOptions): Promise<number> {
  const { io, json, all } = options
  const { colors, print } = createTerminal(io)
  const aside = await setAsideRequests(store)
  const ids = all ? aside.map(({ id }) => id) : options.ids
  if (ids.length === 0) {
    if (json) print(JSON.stringify(all ? { run_again: [], not_set_aside: [] } : { requests: aside }))
    else if (aside.length === 0) print('no request is set aside')
    else for (const line of table(aside.map((one) => rowOf(one, colors)))) print(line)
    return 0
  }
  const done: string[] = []
  for (const id of ids) if (await runAgain(store, id)) done.push(id)
  const missing = ids.filter((id) => !done.includes(id))
  if (json) print(JSON.stringify({ run_again: done, not_set_aside: missing }))
  else if (done.length > 0)
    print(
      `${count(done.length, 'request')} will run again: under a running bot within 5 s, under a stopped one when it starts`,
    )
  for (const id of missing) io.stderr.write(`${printableLine(id)}: not set aside\n`)
  return missing.length > 0 ? 1 : 0
}

const rowOf = ({ id, route, received_at, reason }: SetAsideRequest, { bold }: Colors): string[] => [
  bold(printableLine(id)),
  printableLine(route),
  received_at,
  printableLine(reason),
]
