import { errorPage, printableLine } from '@botwright/protocol/facts'
import { resolve } from 'node:path'
import type { Definition } from '../../../author/files/entries.ts'
import { loadEnvFile } from '../../../program/env.ts'
import type { ProgramIo } from '../../../program/program-io.ts'
import type { BotFiles } from '../build-files.ts'
import { type Colors, count, createTerminal } from '../terminal.ts'
import { fault, type Finding } from './finding.ts'
import { lookAtCluster } from './look-at-cluster.ts'
import { lookAtDatabases } from './look-at-databases.ts'
import { lookAtDatabase, lookAtDisk, lookAtNode, lookAtPackages } from './look-at-machine.ts'
import { lookAtRunningBot } from './look-at-running-bot.ts'
import { lookAtService, type Needs } from './look-at-service.ts'
import { lookAtSecrets } from './look-at-secrets.ts'
import { lookAtWebhook } from './look-at-webhook.ts'

export interface DoctorOptions {
  /** Its folder is that of the bot. */
  io: ProgramIo
  json: boolean
  /** The folder of the bot's state. */
  state: string
  /** Loads the files of the bot: those of the build, unless `@botwright/dev` passes another function. */
  lookAtFiles: () => Promise<{ findings: Finding[]; loaded?: BotFiles }>
}

/** `framework doctor`: all problems that keep a bot from running, and their fixes. Resolves with 1 if there is a fault. */
export async function runDoctor(options: DoctorOptions): Promise<number> {
  const { colors, print } = createTerminal(options.io)
  const findings = await examine(options)
  const faults = findings.filter(({ state }) => state === 'fault').length
  if (options.json) print(JSON.stringify({ ok: faults === 0, findings }, undefined, 2))
  else {
    for (const finding of findings) for (const line of shown(finding, colors)) print(line)
    const warnings = findings.filter(({ state }) => state === 'warning').length
    const parts = [faults > 0 ? count(faults, 'fault') : '', warnings > 0 ? count(warnings, 'warning') : '']
    const summary = parts.filter((part) => part !== '').join(', ')
    print('')
    print(
      faults > 0 ? colors.red(summary) : summary === '' ? colors.green('no problems found') : colors.yellow(summary),
    )
  }
  return faults > 0 ? 1 : 0
}

async function examine({ io, state, lookAtFiles }: DoctorOptions): Promise<Finding[]> {
  const { cwd: root, env } = io
  const stateDir = resolve(root, state)
  const findings = [lookAtNode(), lookAtPackages(root), lookAtDatabase(root)]
  try {
    loadEnvFile(root, env)
  } catch (error) {
    const [fact = '', fix = 'write NAME=value lines'] = (error as Error).message.split('; ')
    findings.push(fault('environment', fact, fix))
  }
  const [{ findings: folder, loaded }, secrets, disk] = await Promise.all([
    lookAtFiles(),
    lookAtSecrets(root),
    lookAtDisk(stateDir),
  ])
  const [service, cluster, webhook, running] = await Promise.all([
    lookAtService(io, stateDir, needsOf(loaded?.definitions ?? [])),
    lookAtCluster(root, loaded?.config ?? {}, env),
    loaded ? lookAtWebhook(loaded, env) : [],
    loaded ? lookAtRunningBot(loaded.config, env) : [],
  ])
  const databases = disk.state === 'fault' ? [] : lookAtDatabases(stateDir)
  return [...findings, ...folder, ...service, ...cluster, ...webhook, ...running, ...secrets, disk, ...databases]
}

function needsOf(definitions: readonly Definition[]): Needs {
  const needs = new Map<string, string[]>()
  for (const { file, needs: some = [] } of definitions)
    for (const permission of new Set(some)) needs.set(permission, [...(needs.get(permission) ?? []), file])
  return needs
}

const subjectWidth = 13

function shown({ state, subject, fact, fix, code }: Finding, { green, yellow, red, bold, dim }: Colors): string[] {
  const mark = { ok: green('✓'), warning: yellow('!'), fault: red('✘') }[state]
  // Names of a service's bots are untrusted: escape them for the terminal.
  const first = `${mark} ${bold(subject.padEnd(subjectWidth))} ${printableLine(fact)}`
  const indent = `  ${' '.repeat(subjectWidth)}`
  const more = code === undefined ? [] : [`${indent} ${dim(`  ${code}: ${errorPage(code)}`)}`]
  return fix === undefined ? [first] : [first, `${indent} ${dim('→')} ${printableLine(fix)}`, ...more]
}
