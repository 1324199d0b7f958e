import { readFileSync } from 'node:fs'
import { BotwrightError } from '@botwright/protocol'
import { isBotwrightError } from '@botwright/protocol/facts'
import { decodeText } from '@botwright/protocol/text-file'
import type { World } from './world.ts'

/** Reads a world file; the service validates it at startup. Throws `ERR_WORLD`, which names the file. */
export function readWorld(file: string): World {
  try {
    return JSON.parse(decodeText(readFileSync(file), file)) as World
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const text = isBotwrightError(error) ? reason : `${file}: cannot be read as JSON: ${reason}`
    throw new BotwrightError('ERR_WORLD', text, { cause: error })
  }
}
