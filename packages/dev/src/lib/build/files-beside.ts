// The files in a build besides its code: those that the bot's modules read at paths beside themselves.

import { copyFileSync, existsSync, mkdirSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { build, type OnResolveArgs, type PluginBuild } from 'esbuild'
import { BotwrightError } from '@botwright/protocol/facts'
import { isInSkipped, listBotFiles } from '../files/bot-files.ts'
import { pathBelow, slashed } from '../files/path-below.ts'
import { moduleBeside, onlyCompiled, type PathBeside, script } from '../compile/paths-beside.ts'
import { CompileError, placeOf, type Problem } from '../compile/problem.ts'
import { outward } from '../compile/emitted-path.ts'

interface Building {
  root: string
  /** The absolute path of each module, with the paths that it computes. */
  modules: ReadonlyMap<string, readonly PathBeside[]>
}

/** `isPart`: of a path that is known only at run time. */
type PathProblem = Problem & { isPart: boolean }

/** The files that a build must contain, and what cannot be known before the bot runs. */
export interface FilesBeside {
  /** Absolute paths, by the place below the output folder. */
  files: ReadonlyMap<string, string>
  warnings: readonly PathProblem[]
}

/** Finds the files. Throws a `CompileError` that names each path that a build cannot contain. */
export async function filesBeside(building: Building): Promise<FilesBeside> {
  const files = new Map<string, string>()
  const problems: Problem[] = []
  const warnings: PathProblem[] = []
  const scripts = new Map<string, UsedPath>()
  for (const used of usedPaths(building)) {
    const { path, inside, found } = used
    const decision = decide(used, building)
    if (decision === 'leave out') continue
    if (decision !== 'copy') (decision.stops ? problems : warnings).push(problemAt(used, decision.text))
    else if (found?.isDirectory())
      for (const name of await filesToCopy(path)) files.set(`${inside}/${name}`, join(path, name))
    else {
      files.set(inside, path)
      if (script.test(path)) scripts.set(path, used)
    }
  }
  for (const [to, path] of files) if (building.modules.has(path)) files.delete(to)
  for (const used of scripts.values()) warnings.push(...(await incompleteScript(used, files, building)))
  if (problems.length > 0) throw new CompileError(problems)
  return { files, warnings }
}

/** A path that a module computes. */
interface UsedPath extends PathBeside {
  /** The absolute path of the module. */
  module: string
  /** The module, from the bot's folder. */
  file: string
  /** The path, from the bot's folder. */
  shown: string
  /** The place in the build at which the code looks for it. */
  inside: string
  /** Undefined if nothing is there. */
  found: Stats | undefined
}

const usedPaths = ({ root, modules }: Building): UsedPath[] =>
  [...modules].flatMap(([module, paths]) => {
    const file = slashed(relative(root, module))
    return paths.map((one) => ({
      ...one,
      module,
      file,
      shown: slashed(relative(root, one.path)) || '.',
      inside: slashed(join(dirname(outward(file)), relative(dirname(module), one.path))),
      found: statSync(one.path, { throwIfNoEntry: false }),
    }))
  })

const problemAt = ({ file, line, column, isPart }: UsedPath, text: string): PathProblem => ({
  ...{ file, line, column, text, isPart },
})

type Decision = 'copy' | 'leave out' | { text: string; stops?: boolean }

/** Whether a build contains what is at a path, or why it does not. */
function decide(used: UsedPath, { modules }: Building): Decision {
  const { path, module, use, isPart, isConstant, shown, inside, found } = used
  if (path === module) {
    if (use !== 'run') return 'leave out'
    return {
      text: `a module cannot run itself in a thread or a process; move that code to a file of its own, and name it as new URL('…', import.meta.url)`,
    }
  }
  // The place where the constant is decides.
  if (moduleBeside(used) !== undefined || (isConstant && use !== 'listed')) return 'leave out'
  if (found?.isDirectory() && [...modules.keys()].some((one) => pathBelow(path, one) !== undefined)) {
    if (isPart)
      return {
        text: `the rest of this path is known only at run time, and ${shown} contains code, so a build does not contain the files; keep them in a folder without code, or list them as assets in bot.config.ts`,
      }
    if (use !== 'listed') return 'leave out'
    return { text: `${shown} contains code, which is different in a build; keep the files in a folder without code` }
  }
  if (!found)
    return {
      text: `there is no ${shown}, so a build does not contain it; files that the bot writes do not belong beside its code`,
    }
  const stops = true
  if (inside.startsWith('../'))
    return {
      text: `${shown} is outside of the bot's folder, so a build cannot contain it; move it into the folder`,
      stops,
    }
  const onlyIf = `${shown} is code, which a build contains only if it is imported`
  if (!isPart && found.isFile() && onlyCompiled.test(path))
    return { text: `${onlyIf}, or named as new URL('…', import.meta.url)`, stops }
  if (use === 'required' && script.test(path)) return { text: `${onlyIf}; use import instead of require`, stops }
  if (isInSkipped(shown) || isSecret(path))
    return { text: `a build does not contain ${shown}: hidden files, packages and builds are left out` }
  return 'copy'
}

/** A script that is copied as it is needs the files that it imports. */
async function incompleteScript(
  used: UsedPath,
  files: ReadonlyMap<string, string>,
  { root, modules }: Building,
): Promise<PathProblem[]> {
  if (modules.has(used.path)) return []
  const copied = new Set(files.values())
  const missing = (await importsOf(used.path)).find((one) => !copied.has(one))
  if (missing === undefined) return []
  const lacking = slashed(relative(root, missing))
  return [
    problemAt(
      used,
      `${used.shown} is copied as it is, and a build does not contain ${lacking}, which it imports; name it as new Worker(new URL('…', import.meta.url)), or keep it in one file`,
    ),
  ]
}

/** The absolute paths of the files that a script imports; none if it has a syntax error. */
async function importsOf(path: string): Promise<string[]> {
  const found: string[] = []
  const collect = ({ path: to, resolveDir }: OnResolveArgs) => {
    found.push(resolve(resolveDir, to))
    return { path: to, external: true }
  }
  const plugin = {
    name: 'botwright-imports',
    setup: (of: PluginBuild) => of.onResolve({ filter: /^\.{1,2}\// }, collect),
  }
  const options = { bundle: true, write: false, platform: 'node', packages: 'external', logLevel: 'silent' } as const
  // Whatever runs it reports the error.
  await build({ entryPoints: [path], ...options, plugins: [plugin] }).catch(() => undefined)
  return found
}

/** Whether a file contains the secrets of this computer, which no build contains. */
const isSecret = (path: string): boolean => basename(path) === '.env'

const filesToCopy = async (folder: string): Promise<string[]> =>
  (await listBotFiles(folder)).filter((name) => !isSecret(name))

/** The files of `assets` in `bot.config.ts`. Throws `ERR_CONFIG` if there is no such file. */
export async function declaredFiles(
  { root, modules }: Building,
  assets: readonly string[],
  configFile: string,
): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const asset of assets) {
    const path = resolve(root, asset)
    const shown = pathBelow(root, path)
    const found = statSync(path, { throwIfNoEntry: false })
    if (shown === undefined || !found)
      throw new BotwrightError(
        'ERR_CONFIG',
        `${configFile}: assets: there is no file or folder "${asset}" in the bot's folder`,
      )
    if (isSecret(path))
      throw new BotwrightError(
        'ERR_CONFIG',
        `${configFile}: assets: a build never contains ${asset}; set its variables where the bot runs`,
      )
    const names = found.isDirectory() ? await filesToCopy(path) : ['']
    for (const name of names)
      if (!modules.has(join(path, name))) files.set(slashed(join(shown, name)), join(path, name))
  }
  return files
}

/** Copies files into a build. */
export function copyFiles(files: ReadonlyMap<string, string>, outDir: string): void {
  for (const [to, path] of files) {
    const target = join(outDir, to)
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(path, target)
  }
}

/**
 * Creates the folders that the code in a build counts as its own, although it is in other files: `lib/../assets` exists only if `lib` does.
 * Each has a file, because many tools that copy folders leave out empty ones.
 */
export function keepFolders({ root, modules }: Building, outDir: string): void {
  for (const [module, paths] of modules) {
    const folder = join(outDir, dirname(outward(slashed(relative(root, module)))))
    if (paths.length === 0 || existsSync(folder)) continue
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'keep.txt'), 'Code of the build reads files at paths that begin in this folder.\n')
  }
}

/** `commands/late.ts:3:7: the text`. */
export const warningText = (problem: Problem): string => `${placeOf(problem)}: ${problem.text}`
