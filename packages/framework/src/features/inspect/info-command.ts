import { existsSync } from 'node:fs'
import { arch, release, type } from 'node:os'
import { join, resolve } from 'node:path'
import { historyNames } from '../../author/config/config.ts'
import { loadEnvFile } from '../../program/env.ts'
import type { ProgramIo } from '../../program/program-io.ts'
import { type BotFiles, filesOfBuild } from './build-files.ts'
import { bundledVersions, packageVersions } from './package-versions.ts'
import { createTerminal, table } from './terminal.ts'

type Facts = Record<string, string | number | boolean | null>

/**
 * `framework info`: the contents of a bug report. Includes names of variables, but not their values. `read` reads the files of the bot:
 * those of the build, unless the command of `@botwright/dev` passes another one. `state` is the folder of the bot's state, from the bot's folder.
 */
export async function runInfo({
  io,
  json,
  state,
  read,
}: {
  io: ProgramIo
  json: boolean
  state: string
  read?: () => Promise<BotFiles>
}): Promise<number> {
  const { colors, print } = createTerminal(io)
  const root = io.cwd
  // First: the configuration of a build may require the variables of `.env`.
  const environment = environmentFacts(root, io.env)
  const sections: Record<string, Facts> = {
    system: { node: process.version, platform: `${type()} ${release()} ${arch()}`, folder: root },
    packages: packageVersions(root, ['typescript', 'zod']),
    bundled: bundledVersions(root),
    bot: await botFacts(read ?? (() => filesOfBuild(io))),
    environment,
    kept: Object.fromEntries(
      ['journal.db', 'state.db', ...Object.values(historyNames)].map((name) => [
        name,
        existsSync(join(resolve(root, state), name)),
      ]),
    ),
  }
  if (json) print(JSON.stringify(sections, undefined, 2))
  else
    for (const [name, facts] of Object.entries(sections)) {
      print(colors.bold(name))
      for (const line of table(Object.entries(facts).map(([fact, value]) => [`  ${fact}`, textOf(value)]))) print(line)
    }
  return 0
}

const textOf = (value: Facts[string]): string =>
  value === true ? 'yes' : value === false ? 'no' : value === null ? 'none' : String(value)

async function botFacts(read: () => Promise<BotFiles>): Promise<Facts> {
  try {
    const { definitions, configFile, config } = await read()
    const kinds: Facts = {}
    for (const { kind } of definitions) kinds[kind] = Number(kinds[kind] ?? 0) + 1
    const plugins = Object.keys(config.plugins ?? {}).join(', ') || null
    return { ...kinds, config: configFile ?? null, plugins, delivery: config.delivery, workers: config.limits.workers }
  } catch (error) {
    return { loads: false, because: (error as Error).message.split('\n')[0] ?? '' }
  }
}

function environmentFacts(root: string, env: NodeJS.ProcessEnv): Facts {
  try {
    loadEnvFile(root, env)
  } catch (error) {
    return { '.env': (error as Error).message }
  }
  const names = ['BOT_TOKEN', 'BOT_BASE_URL', 'BOT_WEBHOOK_SECRET', 'LOG_LEVEL', 'NODE_ENV']
  const set = Object.fromEntries(names.map((name) => [name, env[name] ? 'set' : null]))
  return { '.env': existsSync(join(root, '.env')), ...set }
}
