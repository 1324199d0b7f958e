import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isBotwrightError } from '@botwright/protocol/facts'
import { buildManifestName } from '../../../program/build-manifest.ts'
import type { ProgramIo } from '../../../program/program-io.ts'
import { type BotFiles, filesOfBuild } from '../build-files.ts'
import { count } from '../terminal.ts'
import { fault, type Finding, ok } from './finding.ts'

/** The folder of a bot needs a package.json. */
export const lookAtPackageFile = (root: string): Finding[] =>
  existsSync(join(root, 'package.json'))
    ? []
    : [fault('folder', 'there is no package.json here', 'change to the folder of a bot, or create one with create-bot')]

/** The build of a bot and its configuration; undefined if they do not load. */
export async function lookAtBuild(
  io: Pick<ProgramIo, 'cwd' | 'env'>,
  folder: string,
): Promise<{ findings: Finding[]; loaded?: BotFiles }> {
  // An image may contain the build without a package.json.
  const hasBuild = existsSync(resolve(io.cwd, folder, buildManifestName))
  const findings = hasBuild ? [] : lookAtPackageFile(io.cwd)
  if (findings.length > 0) return { findings }
  try {
    const loaded = await filesOfBuild(io, folder)
    const handlers = loaded.definitions.length
    return { findings: [ok('folder', `the build in ${folder} has ${count(handlers, 'handler')}`)], loaded }
  } catch (error) {
    if (!isBotwrightError(error)) return { findings: [fault('folder', firstLine(error), 'framework build')] }
    return { findings: faultsOf(error.message, 'folder') }
  }
}

/** A finding for each line of an `ERR_CONFIG`: `fact: fix` for a variable, `fact; fix` for a build. */
export const faultsOf = (message: string, otherwise: string): Finding[] =>
  message.split('\n').map((line) => {
    const variable = /^(.*?): ((?:add|correct|declare|make) .*)$/.exec(line)
    const at = line.indexOf('; run ')
    const build = at < 0 ? [] : [line, line.slice(0, at), line.slice(at + 2)]
    const [, fact = line, fix = 'correct it'] = variable ?? build
    return fault(variable ? 'environment' : otherwise, fact, fix, 'ERR_CONFIG')
  })

const firstLine = (error: unknown): string => (error as Error).message.split('\n')[0] ?? ''
