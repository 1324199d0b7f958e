import { readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { BotwrightError } from '@botwright/protocol/facts'

/** A plugin contains text, so a larger file is not a plugin. */
const LARGEST = 64 * 2 ** 20
const LARGEST_FILE = 2 ** 20
const BLOCK = 512

/** The text of the package.json in a file that `npm pack` wrote. Throws `ERR_CONFIG` for any other file. */
export function packageJsonOfTarball(path: string): string {
  const fail = (fact: string, cause?: unknown): never => {
    throw new BotwrightError('ERR_CONFIG', `${path}: ${fact}; pass the file that "npm pack" wrote`, { cause })
  }
  if (statSync(path).size > LARGEST) fail('is larger than 64 MiB')
  let tar: Buffer
  try {
    tar = gunzipSync(readFileSync(path), { maxOutputLength: LARGEST })
  } catch (error) {
    return fail(`cannot be unpacked (${(error as Error).message})`, error)
  }
  const textAt = (from: number, to: number) => tar.toString('utf8', from, to).split('\0', 1)[0]!
  for (let at = 0; at + BLOCK <= tar.length;) {
    const size = Number.parseInt(textAt(at + 124, at + 136).trim() || '0', 8)
    if (!(size >= 0)) return fail('is not a tar archive')
    const content = at + BLOCK
    // The folder of all files is usually `package`.
    if (/^[^/]+\/package\.json$/.test(textAt(at, at + 100)) && textAt(at + 345, at + 500) === '') {
      if (size > LARGEST_FILE) fail('its package.json is larger than 1 MiB')
      return tar.toString('utf8', content, content + size)
    }
    at = content + Math.ceil(size / BLOCK) * BLOCK
  }
  return fail('contains no package.json')
}
