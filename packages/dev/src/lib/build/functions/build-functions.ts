import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Definition } from '@botwright/framework'
import { buildManifestName, type ThreadIo } from '@botwright/framework/start'
import { CompileError } from '../../compile/problem.ts'
import { loadFolder, writeTypesOf } from '../../load/loaded-folder.ts'
import { checkPatterns } from '../../patterns/event-patterns.ts'
import { requireHandlers } from '../bundle.ts'
import { bundleFunctions } from './bundle-functions.ts'
import { functionDifferences, functionProblems } from './refusals.ts'

/** The output of `framework build --target fetch`. */
export interface BuiltFunctions {
  definitions: readonly Definition[]
  ignoredSettings: readonly string[]
  /** Differences from `framework start`. */
  differences: readonly string[]
  files: { path: string; bytes: number }[]
}

/** Builds the module of a bot that a platform runs for each request. Rejects with a `CompileError` that names all that it cannot do there. */
export async function buildFunctions({
  root,
  outDir,
  files,
  io,
  everyMs,
}: {
  root: string
  outDir: string
  files: Iterable<string>
  io: ThreadIo
  everyMs: number
}): Promise<BuiltFunctions> {
  const folder = await loadFolder(root, files, io)
  const { config, configFile, definitions, ignoredSettings } = folder
  requireHandlers(definitions)
  await checkPatterns(definitions)
  const pathOf = (file: string) => folder.installed?.get(file) ?? join(root, folder.places?.get(file) ?? file)
  const bundle = await bundleFunctions(folder, { root, outDir, everyMs, pathOf })
  const { lacking, sources } = bundle
  const facts = { root, pathOf, definitions, config, configFile, sources, lacking, everyMs }
  const problems = [...folder.problems, ...(await functionProblems(facts))]
  if (problems.length > 0) throw new CompileError(problems)
  await writeTypesOf(root, folder)
  const partDir = join(dirname(outDir), `.${basename(outDir)}.part`)
  await rm(partDir, { recursive: true, force: true })
  await mkdir(partDir, { recursive: true })
  for (const { path, contents } of bundle.files) await writeFile(join(partDir, basename(path)), contents)
  // Marks the folder as a build. `framework start` refuses it.
  await writeFile(join(partDir, buildManifestName), `${JSON.stringify({ version: 1, target: 'fetch' })}\n`)
  await rm(outDir, { recursive: true, force: true })
  await rename(partDir, outDir)
  return {
    definitions,
    ignoredSettings,
    differences: functionDifferences(facts),
    files: bundle.files.map(({ path, contents }) => ({ path: basename(path), bytes: contents.length })),
  }
}
