import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type PackageManager, packageManagers } from './package-manager.ts'

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
    return { ...found, root, folder, includes: matches(folder, found.patterns) }
  }
  return undefined
}

/** The root of the repository above an absolute folder. */
export const findRepository = (target: string): string | undefined =>
  foldersAbove(target).find((folder) => existsSync(path.join(folder, '.git')))

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

/** The list `packages` of pnpm-workspace.yaml, with one pattern per line or in brackets. */
function packagesOf(yaml: string): string[] {
  const { line = '', block = '' } =
    /^packages:[ \t]*(?<line>\[[^\]]*\])?.*\n?(?<block>(?:[ \t]*(?:-|#).*\n?|\s*\n)*)/m.exec(yaml)?.groups ?? {}
  const entries =
    line === '' ? block.split('\n').map((one) => /^\s*-\s*(.*)$/.exec(one)?.[1] ?? '') : line.slice(1, -1).split(',')
  return entries.map(unquoted).filter((one) => one !== '')
}

const unquoted = (text: string): string => {
  const { quoted, plain = '' } =
    /^\s*(?:(?<quote>["'])(?<quoted>.*?)\k<quote>|(?<plain>.*?))\s*(?:#.*)?$/.exec(text)?.groups ?? {}
  return quoted ?? plain
}

/** The last pattern that matches decides. */
function matches(folder: string, patterns: readonly string[]): boolean {
  const last = patterns.findLast((one) => expressionOf(one.replace(/^!/, '')).test(folder))
  return last !== undefined && !last.startsWith('!')
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.replace(/^\.\//, '').replace(/\/$/, '').split('/')
  const source = parts.map((part) => (part === '**' ? '.*' : part.split('*').map(escaped).join('[^/]*'))).join('/')
  return new RegExp(`^${source}$`)
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
