import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import { settingsOf } from '../compile/typecheck.ts'
import { referencesOf } from '../files/settings-files.ts'
import { typesText, type TypeFacts } from './types-text.ts'

/** The generated file, relative to the bot's folder. */
export const typesFile = '.framework/types.d.ts'

/**
 * Writes `.framework/types.d.ts` if its content changes; returns whether it did. A bot without type checking (no
 * `tsconfig.json`, no `jsconfig.json`) gets none. Rejects with `ERR_CONFIG` if it cannot be written.
 */
export async function writeTypes(root: string, facts: TypeFacts): Promise<boolean> {
  if (settingsOf(root) === undefined) return false
  const file = join(root, typesFile)
  const text = typesText(facts)
  try {
    if ((await textOf(file)) === text) return false
    await mkdir(dirname(file), { recursive: true })
    // An editor never reads a partial file.
    const part = `${file}.${process.pid}`
    await writeFile(part, text)
    await rename(part, file)
    return true
  } catch (error) {
    throw new BotwrightError('ERR_CONFIG', `${typesFile}: cannot be written (${(error as Error).message})`, {
      cause: error,
    })
  }
}

/** The file that declares the environment, if any, according to the exports of the configuration. */
export const envFileOf = (configFile: string | undefined, exported: unknown): string | undefined =>
  (exported as { env?: unknown } | null | undefined)?.env === undefined ? undefined : configFile

/**
 * The settings, relative to the bot's folder, that must include the file; undefined if they do, or there are none. Settings that extend
 * another file are not resolved.
 */
export async function settingsWithoutTypes(root: string): Promise<string | undefined> {
  const settings = settingsOf(root)
  if (settings === undefined) return undefined
  const file = join(root, settings)
  const parts = referencesOf(file).filter((part) => dirname(part) === root)
  for (const one of [file, ...parts]) if (await includesTypes(one)) return undefined
  return parts[0] === undefined ? settings : relative(root, parts[0])
}

async function includesTypes(file: string): Promise<boolean> {
  const text = await textOf(file)
  return text === undefined || text.includes('.framework') || !/"(?:include|files|exclude|compilerOptions)"/.test(text)
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
