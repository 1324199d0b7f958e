import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packageFolder, readPackageJson } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import { declaredPlugins, type DeclaredPlugin } from '../../plugins/plugin-package.ts'
import { packageName } from '../../compile/package-import.ts'
import { allowsMajor } from './same-major.ts'
import type { PackageManager, Wanted } from './package-manager.ts'
import { packageJsonOfTarball } from './read-tarball.ts'

/** A package with plugins, read before anything is installed. */
export interface FoundPackage extends Wanted {
  version: string
  plugins: readonly DeclaredPlugin[]
  /** Its folder, if the bot's package.json lists it and it is installed. */
  installed: string | undefined
}

interface Manifest {
  name?: unknown
  version?: unknown
  botwright?: unknown
  dependencies?: Record<string, unknown>
  peerDependencies?: Record<string, unknown>
}

const FRAMEWORK = '@botwright/framework'
/** Names and versions as registries have them; the rest of a specifier is a range or a tag. */
const SPEC = /^((?:@[a-z0-9][\w.~-]*\/)?[a-z0-9][\w.~-]*)(?:@([\w.~^+-]+))?$/

/** Whether it is a folder or a tarball instead of a name. */
const isPath = (typed: string): boolean => /^(?:\.{0,2}[\\/]|[a-z]:[\\/]|\.{1,2}$)|\.(?:tgz|tar\.gz)$/i.test(typed)

/**
 * Reads the package of a plugin: `@acme/kudos`, `@acme/kudos@^1`, a folder or a tarball. Changes nothing. Rejects with `ERR_CONFIG` for
 * anything that is not a plugin for the bot's version of the framework.
 */
export async function findPackage(typed: string, root: string, manager: PackageManager): Promise<FoundPackage> {
  const found = isPath(typed) ? readLocal(typed, root) : await readNamed(typed, root, manager)
  const { manifest, file, ...wanted } = found
  const plugins = declaredPlugins(manifest.botwright, file)
  if (plugins.length === 0)
    throw new BotwrightError(
      'ERR_CONFIG',
      `${wanted.name} is not a plugin: its package.json has no field "botwright", as in the guide about plugins; nothing was changed`,
    )
  checkFramework(manifest, wanted.name, root)
  return { ...wanted, version: typeof manifest.version === 'string' ? manifest.version : '', plugins }
}

type Read = Omit<FoundPackage, 'version' | 'plugins'> & { manifest: Manifest; file: string }

function readLocal(typed: string, root: string): Read {
  const path = resolve(root, typed)
  if (!existsSync(path))
    throw new BotwrightError('ERR_CONFIG', `there is no file or folder ${path}; nothing was changed`)
  const isFolder = statSync(path).isDirectory()
  const file = isFolder ? join(path, 'package.json') : path
  if (isFolder && !existsSync(file))
    throw new BotwrightError('ERR_CONFIG', `${path} has no package.json: pass the folder of a plugin's package`)
  const manifest = isFolder ? readPackageJson(path) : parseManifest(packageJsonOfTarball(path), path)
  // JSON may also be `null`.
  const name = (manifest as Manifest | null | undefined)?.name
  if (typeof name !== 'string' || !SPEC.test(name) || name.slice(1).includes('@'))
    throw new BotwrightError('ERR_CONFIG', `${file}: "name" must be the name of a package, such as @acme/kudos`)
  return { name, path, isFolder, manifest: manifest as Manifest, file, installed: undefined }
}

async function readNamed(typed: string, root: string, manager: PackageManager): Promise<Read> {
  const [spec, name = ''] = SPEC.exec(typed) ?? []
  if (spec === undefined)
    throw new BotwrightError(
      'ERR_CONFIG',
      `"${typed}" is not the name of a package, such as @acme/kudos or @acme/kudos@^1; a folder begins with ./`,
    )
  const installed = packageFolder(root, name)
  const isDeclared = name in { ...readPackageJson(root)?.dependencies }
  if (installed !== undefined && isDeclared && spec === name)
    return { name, manifest: readPackageJson(installed) as Manifest, file: join(installed, 'package.json'), installed }
  const { ok, stdout, reason } = await manager.run(manager.view(spec))
  if (!ok || stdout.trim() === '')
    throw new BotwrightError(
      'ERR_CONFIG',
      /404|not found|no matching|no such/i.test(reason) || ok
        ? `the registry has no package ${spec}: correct the name; nothing was changed`
        : `${manager.name} cannot read ${spec} from the registry; nothing was changed: ${reason}`,
    )
  return { name, spec, manifest: parseManifest(stdout, spec), file: `package.json of ${spec}`, installed: undefined }
}

/** The manifest, or the last of several; Yarn 1 wraps it. */
function parseManifest(text: string, file: string): Manifest {
  try {
    const value: unknown = JSON.parse(text)
    const last = (Array.isArray(value) ? value.at(-1) : value) as { data?: unknown }
    const manifest = last.data ?? last
    if (typeof manifest === 'object') return manifest
    throw new Error('it is not an object')
  } catch (error) {
    throw new BotwrightError('ERR_CONFIG', `${file}: its package.json cannot be read (${(error as Error).message})`, {
      cause: error,
    })
  }
}

function checkFramework({ dependencies, peerDependencies }: Manifest, name: string, root: string): void {
  const range = peerDependencies?.[FRAMEWORK] ?? dependencies?.[FRAMEWORK]
  const folder = packageFolder(root, FRAMEWORK)
  const version = folder === undefined ? undefined : readPackageJson(folder)?.version
  if (typeof range !== 'string' || version === undefined || allowsMajor(range, version)) return
  throw new BotwrightError(
    'ERR_CONFIG',
    `${name} requires ${FRAMEWORK} ${range}, but the bot has ${version}: use another version of the plugin, such as ${name}@<version>; nothing was changed`,
  )
}

/** Chooses the plugin of a package: if it has several, the one with this name. Throws `ERR_CONFIG` with the names. */
export function choosePlugin({ name, plugins }: FoundPackage, part: string | undefined): DeclaredPlugin {
  const entry = part === undefined ? '.' : `./${part}`
  const found = plugins.find((one) => one.entry === entry)
  if (found) return found
  const names = plugins.flatMap((one) => (one.entry === '.' ? [] : [one.entry.slice(2)]))
  const [first] = names
  throw new BotwrightError(
    'ERR_CONFIG',
    first === undefined
      ? `${name} has only one plugin; pass no other name: framework add plugin ${name}`
      : `${part === undefined ? `${name} has several plugins` : `${name} has no plugin "${part}"`}: ${names.join(', ')}; name one: framework add plugin ${name} ${first}`,
  )
}

/** `@acme/bots/kudos` is the plugin `kudos` of `@acme/bots`. */
export function splitName(words: readonly string[]): { typed: string; part: string | undefined } {
  const [typed = '', part] = words
  const name = packageName(typed)
  return part === undefined && !isPath(typed) && typed.length > name.length
    ? { typed: name, part: typed.slice(name.length + 1) }
    : { typed, part }
}

/** The name below `plugins`, and of the import: for `@acme/bot-well-done` or `./well-done`, `well-done` and `wellDone`. */
export function mountNames(packageName: string, entry: string): { name: string; local: string } {
  const own = entry === '.' ? packageName.replace(/^@[^/]+\//, '') : entry.slice(entry.lastIndexOf('/') + 1)
  const words = own
    .toLowerCase()
    .replace(/^(?:botwright-|bot-)?(?:plugin-)?(?=[a-z])/, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  // A configuration accepts names of 32 characters that begin with a letter.
  const name = words
    .join('-')
    .replace(/^(?![a-z])/, 'plugin-')
    .slice(0, 32)
    .replace(/-$/, '')
  const local = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { name, local: reserved.has(local) ? `${local}Plugin` : local }
}

/** Words that cannot name an import, and the other import of a new configuration. */
const reserved: ReadonlySet<string> = new Set(
  'arguments await break case catch class const continue debugger default defineConfig delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield'.split(
    ' ',
  ),
)
