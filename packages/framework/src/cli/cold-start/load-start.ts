import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import type { startCommand } from '../start-command.ts'
// It needs this one's `import()`.
import '../import-file.ts'

/** In a folder that `framework build` made: what V8 compiled of `framework start`. */
export const compiledName = 'start.compiled'

/** Says what the compiled code belongs to; whole words of memory, as V8 wants it behind. */
const HEAD_BYTES = 128

/** Tests load the build. */
const joined = import.meta.url.endsWith('.ts') ? '../../../dist/joined' : '.'

export interface LoadedStart {
  startCommand: typeof startCommand
  /** Whether V8 took what was compiled before. */
  quick: boolean
  /** What V8 has compiled by now, as `compiledName` holds it. */
  compiled: () => Uint8Array
}

/**
 * Loads the joined file of `framework start`: a third of a start's time without what was compiled of it when `folder` was built.
 * V8 takes what has its own version and flags; that it is of this very file, the file's first line tells, which is its hash.
 */
export function loadStart(folder?: string): LoadedStart {
  const file = fileURLToPath(new URL(`${joined}/start-command.cjs`, import.meta.url))
  // All of it is ASCII but comments, and read so it takes half the memory.
  const code = readFileSync(file, 'latin1')
  const origin = `${code.slice(0, code.indexOf('\n'))} ${process.version} ${process.arch}`
  const cachedData = folder === undefined ? undefined : compiledFor(origin, folder)
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`, {
    filename: file,
    ...(cachedData && { cachedData }),
  })
  const module = { exports: {} as Pick<LoadedStart, 'startCommand'> }
  const run = script.runInThisContext() as (...given: unknown[]) => void
  run(module.exports, createRequire(file), module, file, dirname(file))
  return {
    ...module.exports,
    quick: script.cachedDataRejected === false,
    compiled: () => {
      const data = script.createCachedData()
      return Buffer.concat([headOf(origin, data), data])
    },
  }
}

function compiledFor(origin: string, folder: string): Buffer | undefined {
  try {
    const kept = readFileSync(join(folder, compiledName))
    const data = kept.subarray(HEAD_BYTES)
    return kept.subarray(0, HEAD_BYTES).equals(headOf(origin, data)) ? data : undefined
  } catch {
    // It only saves time: a build by another program has none.
    return undefined
  }
}

/** V8 does not look whether what it is given is whole: a damaged file would bring the process down. */
const headOf = (origin: string, data: Buffer): Buffer => Buffer.from(`${origin} ${crc32(data)}`.padEnd(HEAD_BYTES, ' '))
