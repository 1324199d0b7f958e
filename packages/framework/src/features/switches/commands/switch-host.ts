import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { systemClock } from '@botwright/clock'
import { BotwrightError, lowerId } from '@botwright/protocol/facts'
import { type Call, createCall } from '@botwright/rest'
import type { Command } from 'commander'
import { entryOf, handlerFolders } from '../../../author/files/file-name.ts'
import { configureSwitch } from './configure.ts'
import type { BotPlace, SwitchHost } from './switch-command.ts'
import { configOf } from '../../stored-state/reach-cluster.ts'
import { withStores } from '../../stored-state/bot-stores.ts'
import { buildManifestName, readBuild } from '../../../program/build-manifest.ts'
import { loadEnvFile, readEnv } from '../../../program/env.ts'
import { createLog } from '../../../program/log.ts'
import type { CommandRun, ProgramIo } from '../../../program/program-io.ts'
import { botsIn } from '../../history/known-bots.ts'
import { table } from '../../../program/table.ts'

/** Declares `framework off` and `framework on`. */
export function configure(command: Command, to: 'off' | 'on', { io, done }: CommandRun): void {
  const hostOf = ({ build, state: stateDir, bot: botId, cluster: url }: BotPlace): SwitchHost => ({
    ...{ io, table },
    files: () => filesOf(io.cwd, resolve(io.cwd, build)),
    servers: async () => (await callOnce(io, (call) => call('servers.list', {}))).servers,
    async withBots(work) {
      loadEnvFile(io.cwd, io.env)
      const { store } = await configOf(io.cwd, resolve(io.cwd, build))
      if (store) {
        // The bot's id is part of its keys.
        const id = botId === undefined ? (await callOnce(io, (call) => call('me.get', {}))).id : lowerId(botId)
        const log = createLog({ level: 'warn', write: (line) => void io.stderr.write(line) })
        return work([{ botId: id, store: await store({ botId: id, clock: systemClock, log }) }])
      }
      return withStores({ who: `framework ${to}`, idsIn }, { io, stateDir, botId, url }, (bots) =>
        work(bots.filter(({ ended }) => !ended)),
      )
    },
  })
  configureSwitch(command, to, hostOf, done)
}

/** The bots that have run with a folder. */
function idsIn(folder: string): string[] {
  const { dev, start } = botsIn(folder)
  const ids = new Set([dev ?? [], start].flat().map(({ botId }) => botId))
  if (ids.size > 0) return [...ids]
  const fix = 'start the bot once, or pass the folder of its state with --state'
  throw new BotwrightError('ERR_CONFIG', `${folder}: no bot has run with this folder yet; ${fix}`)
}

/** The files of the build, and those of the bot's folder. */
function filesOf(root: string, build: string) {
  const { definitions = [] } = existsSync(join(build, buildManifestName)) ? readBuild(build, root).source : {}
  const own = [root, join(root, 'src')].flatMap((folder) => handlerFolders.flatMap((name) => filesIn(folder, name)))
  const files = [...definitions, ...own.flatMap((file) => entryOf(file) ?? [])]
  if (files.length > 0) return files
  const fix = "run this in the bot's folder, or pass its build with --build"
  throw new BotwrightError('ERR_CONFIG', `${build}: there is no build, and ${root} has no files of a bot; ${fix}`)
}

function filesIn(root: string, name: string): string[] {
  if (!existsSync(join(root, name))) return []
  const found = readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
  return found.map((file) => `${name}/${file.replaceAll('\\', '/')}`)
}

/** One request to the service. */
async function callOnce<T>({ cwd, env }: ProgramIo, ask: (call: Call) => Promise<T>): Promise<T> {
  loadEnvFile(cwd, env)
  const { token, baseUrl } = readEnv(env)
  await using call = createCall({ baseUrl, token, clock: systemClock, messageBudget: false })
  return await ask(call)
}
