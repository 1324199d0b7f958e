import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type PackageManager, packageManagers } from '../package-manager.ts'

/** The workspace above a new bot. */
export interface Workspace {
  /** The absolute folder of the root. */
  root: string
  /** The file that lists the packages. */
  file: 'pnpm-workspace.yaml' | 'package.json'
  manager: PackageManager
  /** The bot's folder in it: `apps/bot`. */
  folder: string
  /** Whether the patterns of the workspace include this folder. */
  includes: boolean
}

interface Manifest {
  workspaces?: string[] | { packages?: string[] }
  packageManager?: string
}

/** The nearest workspace above an absolute folder, as its package manager finds it. */
export function findWorkspace(target: string): Workspace | undefined {
  for (const root of foldersAbove(target)) {
    const found = readPnpm(root) ?? readManifest(root)
    if (!found) continue
    const folder = path.relative(root, target).replaceAll(path.sep, '/')
    return { ...found, root, folder, includes: matches(folder, found) }
  }
  return undefined
}

/** The root of the repository that contains an absolute folder, perhaps this folder itself. */
export const findRepository = (target: string): string | undefined =>
  [target, ...foldersAbove(target)].find((folder) => existsSync(path.join(folder, '.git')))

function foldersAbove(target: string): string[] {
  const parent = path.dirname(target)
  return parent === target ? [] : [parent, ...foldersAbove(parent)]
}

type Found = Pick<Workspace, 'file' | 'manager'> & { patterns: string[] }

function readPnpm(root: string): Found | undefined {
  const text = read(path.join(root, 'pnpm-workspace.yaml'))
  return text === undefined ? undefined : { file: 'pnpm-workspace.yaml', manager: 'pnpm', patterns: packagesOf(text) }
}

function readManifest(root: string): Found | undefined {
  const { workspaces, packageManager = '' } = parsed(read(path.join(root, 'package.json')))
  if (!workspaces) return undefined
  const patterns = Array.isArray(workspaces) ? workspaces : (workspaces.packages ?? [])
  const named = packageManagers.find((one) => packageManager.startsWith(`${one}@`))
  return { file: 'package.json', patterns, manager: named ?? managerByLock(root) }
}

function managerByLock(root: string): PackageManager {
  const has = (file: string) => existsSync(path.join(root, file))
  if (has('yarn.lock')) return 'yarn'
  return has('bun.lock') || has('bun.lockb') ? 'bun' : 'npm'
}

/** A file that cannot be read, or is not JSON, is for its package manager to report. */
function parsed(text: string | undefined): Manifest {
  try {
    return (JSON.parse(text ?? '{}') ?? {}) as Manifest
  } catch {
    return {}
  }
}

const read = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8').replace(/^\uFEFF/, '') : undefined

/** The list `packages` of pnpm-workspace.yaml, with one pattern per line or in brackets, perhaps on several lines. */
function packagesOf(yaml: string): string[] {
  const lines = yaml.split('\n').map((line) => line.trim())
  const start = lines.findIndex((line) => line.startsWith('packages:'))
  if (start < 0) return []
  if (lines[start]!.includes('[')) {
    const uncommented = lines.slice(start).map((line) => `${line} `.split('# ')[0]!)
    const [, list = ''] = uncommented.join('').split('[')
    return commaSeparated(list.split(']')[0]!).map(unquoted)
  }
  const below = lines.slice(start + 1).filter((line) => line !== '' && !line.startsWith('#'))
  const end = below.findIndex((line) => !line.startsWith('-'))
  return below.slice(0, end < 0 ? below.length : end).map((line) => unquoted(line.slice(1)))
}

/** The entries of a list; a comma in braces is part of its entry. */
function commaSeparated(list: string): string[] {
  const entries: string[] = []
  for (const part of list.split(',')) {
    const last = entries.at(-1) ?? ''
    if (last.split('{').length > last.split('}').length) entries[entries.length - 1] = `${last},${part}`
    else entries.push(part)
  }
  return entries
}

/** A value of YAML without its quotes and its comment. */
function unquoted(value: string): string {
  const text = value.trim()
  const [quote = ''] = text
  if (quote === '"' || quote === "'") return text.slice(1).split(quote)[0]!
  return text.split(' #')[0]!.trim()
}

/** The place of an exclusion in the list does not matter. Only npm drops one that also excludes what a later pattern names. */
function matches(folder: string, { manager, patterns }: Found): boolean {
  const fitsOne = (path: string, pattern: string) =>
    withoutBraces(pattern).some((one) => fits(partsOf(path), partsOf(one)))
  const isExclusion = (pattern: string) => pattern.startsWith('!')
  const kept = patterns.filter(
    (one, i) =>
      !(manager === 'npm' && isExclusion(one)) ||
      !patterns.slice(i + 1).some((later) => !isExclusion(later) && fitsOne(later, one)),
  )
  const found = kept.filter((one) => fitsOne(folder, one))
  return found.length > 0 && !found.some(isExclusion)
}

/** The patterns for which one with braces stands: `a/b` and `a/c` for `a/{b,c}`. */
function withoutBraces(pattern: string): string[] {
  const end = pattern.indexOf('}')
  const start = pattern.slice(0, Math.max(end, 0)).lastIndexOf('{')
  if (start < 0) return [pattern]
  const choices = pattern.slice(start + 1, end).split(',')
  return choices.flatMap((one) => withoutBraces(pattern.slice(0, start) + one + pattern.slice(end + 1)))
}

const partsOf = (pattern: string): string[] =>
  pattern.split('/').flatMap((part, i) => {
    const own = i === 0 && part.startsWith('!') ? part.slice(1) : part
    return own === '.' || own === '' ? [] : [own]
  })

/** Whether a path has the parts of a pattern, in which `**` stands for any number of folders. */
function fits([folder, ...below]: readonly string[], [part, ...rest]: readonly string[]): boolean {
  if (part === undefined) return folder === undefined
  if (part === '**')
    return (
      fits(folder === undefined ? [] : [folder, ...below], rest) ||
      (folder !== undefined && fits(below, [part, ...rest]))
    )
  return folder !== undefined && fitsName(folder, part.split('*')) && fits(below, rest)
}

/** Whether a name begins, goes on and ends with these texts. */
function fitsName(name: string, [first = '', ...others]: readonly string[]): boolean {
  if (!name.startsWith(first)) return false
  const last = others.pop()
  if (last === undefined) return name === first
  let at = first.length
  for (const text of others) {
    const found = name.indexOf(text, at)
    if (found < 0) return false
    at = found + text.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
