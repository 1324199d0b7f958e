import type { Definition } from '@botwright/framework'
import type { ProgramIo } from '@botwright/framework/start'
import { printableLine } from '@botwright/protocol/facts'
import { errorPage } from '@botwright/protocol/facts'
import { openBotFolder } from '../files/open-folder.ts'
import { DevEnv } from '../files/dev-env.ts'
import { lookAtCluster } from './look-at-cluster.ts'
import { fault, type Finding } from './finding.ts'
import { lookAtFolder, lookAtSecrets, lookAtWebhook } from './look-at-folder.ts'
import { lookAtDatabase, lookAtDisk, lookAtNode, lookAtPackages } from './look-at-machine.ts'
import { lookAtService, type Needs } from './look-at-service.ts'
import { count, createTerminal, type Colors } from '../terminal/terminal.ts'

/** `framework doctor`: all problems that keep a bot from running, and their fixes. Returns 1 if there is a fault. */
export async function runDoctor({ io, json }: { io: ProgramIo; json: boolean }): Promise<number> {
  const { colors, print } = createTerminal(io)
  const { root, files } = await openBotFolder(io.cwd)
  const findings = await examine(root, files, io)
  const faults = findings.filter(({ state }) => state === 'fault').length
  if (json) print(JSON.stringify({ ok: faults === 0, findings }, undefined, 2))
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

async function examine(root: string, files: Set<string>, io: ProgramIo): Promise<Finding[]> {
  const { env } = io
  const findings = [lookAtNode(), lookAtPackages(root), lookAtDatabase(root)]
  try {
    new DevEnv(root, env).read()
  } catch (error) {
    const [fact = '', fix = 'write NAME=value lines'] = (error as Error).message.split('; ')
    findings.push(fault('environment', fact, fix))
  }
  const [{ findings: folder, loaded }, secrets, disk] = await Promise.all([
    lookAtFolder(root, files, io),
    lookAtSecrets(root),
    lookAtDisk(root),
  ])
  const [service, cluster, webhook] = await Promise.all([
    lookAtService(root, env, needsOf(loaded?.definitions ?? [])),
    lookAtCluster(root, loaded?.config ?? {}, env),
    loaded ? lookAtWebhook(loaded, env) : [],
  ])
  return [...findings, ...folder, ...service, ...cluster, ...webhook, ...secrets, disk]
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
