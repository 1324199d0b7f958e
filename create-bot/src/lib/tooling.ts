import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ScaffoldError } from './scaffold-error.ts'

/** The linters that a bot may have. `tooling/` has their packages and configurations, and those of a formatter. */
export const linters = ['oxlint', 'eslint', 'none'] as const
export type Linter = (typeof linters)[number]

/** The part of package.json that a linter adds. */
export interface ToolManifest {
  scripts: Record<string, string>
  devDependencies: Record<string, string>
}

const tooling = fileURLToPath(new URL('../../tooling', import.meta.url))
const isManifest = (file: string): boolean => path.basename(file) === 'package.json'

/** @throws ScaffoldError for an unknown name. */
export function readLinter(name: string): Linter {
  const known = linters.find((one) => one === name)
  if (known) return known
  throw new ScaffoldError('ERR_LINT', `unknown linter "${name}"; choose one of: ${linters.join(', ')}`)
}

/**
 * Copies the settings of editors, git and Dependabot, and those of a linter and its formatter, into a bot's folder.
 * Returns the linter's part of package.json.
 */
export function copyTooling(folder: string, linter: Linter, nodeVersion: string): ToolManifest {
  const names = linter === 'none' ? ['all'] : ['all', linter]
  for (const name of names)
    cpSync(path.join(tooling, name), folder, { recursive: true, filter: (file) => !isManifest(file) })
  writeFileSync(path.join(folder, '.nvmrc'), `${Number.parseInt(nodeVersion)}\n`)
  if (linter === 'none') return { scripts: {}, devDependencies: {} }
  return JSON.parse(readFileSync(path.join(tooling, linter, 'package.json'), 'utf8')) as ToolManifest
}
