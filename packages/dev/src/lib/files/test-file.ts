import { existsSync } from 'node:fs'
import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import { windowsProblem } from '@botwright/protocol/portable-names'
import { pathBelow, slashed } from './path-below.ts'

/** A test that a command writes. */
export interface TestFile {
  /** The absolute path. */
  path: string
  /** As the user named it, from the bot's folder. */
  file: string
  /** The way from the test to the bot's folder: `..`. */
  folder: string
  /** Replaces an existing file. */
  force: boolean
}

/** Finds the place of a test before the work that it is the result of. Rejects with `ERR_CONFIG` if it cannot be there. */
export async function findTestFile(root: string, file: string, force: boolean): Promise<TestFile> {
  const refuse = (text: string): never => {
    throw new BotwrightError('ERR_CONFIG', `${file}: ${text}`)
  }
  const path = resolve(root, file)
  if (!/\.test\.[cm]?[jt]s$/.test(file)) refuse('the name must end in .test.ts, or vitest does not run it')
  if (!(await isWithin(root, path))) refuse("is outside of the bot's folder; pass a path within it")
  const problem = windowsProblem(slashed(relative(root, path)))
  if (problem !== undefined) refuse(problem)
  if (!force && existsSync(path)) throw alreadyThere(file)
  return { path, file, folder: slashed(relative(dirname(path), root)) || '.', force }
}

/** Writes a test. Rejects with `ERR_CONFIG` if another file is there now. */
export async function writeTestFile({ path, file, force }: TestFile, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(path, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyThere(file) : error
  }
}

const alreadyThere = (file: string) =>
  new BotwrightError('ERR_CONFIG', `${file}: already exists; pass another name, or --force to replace it`)

/** Whether a path, whatever links lead there, is below a folder. */
async function isWithin(folder: string, path: string): Promise<boolean> {
  if (pathBelow(folder, path) === undefined) return false
  const root = await realpath(folder)
  // Folders that are not there yet are created, so the last one that exists decides.
  for (let at = path; at !== folder; at = dirname(at)) {
    // A link to a file that does not exist would create it.
    const found = await lstat(at).catch(() => undefined)
    if (!found) continue
    const real = await realpath(at).catch(() => undefined)
    return real !== undefined && pathBelow(root, real) !== undefined
  }
  return true
}
