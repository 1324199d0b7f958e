import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import { decodeText } from '@botwright/protocol/text-file'

/** Fields of a `package.json` that the CLI reads. */
export interface PackageJson {
  name?: string
  version?: string
  dependencies?: object
  devDependencies?: object
  /** The `plugin.ts` of a plugin in a workspace. */
  botwright?: unknown
}

/** The `package.json` of a folder; undefined if there is none. Throws `ERR_CONFIG` if it is not JSON in UTF-8. */
export function readPackageJson(folder: string): PackageJson | undefined {
  const file = join(folder, 'package.json')
  let bytes: Uint8Array
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new BotwrightError('ERR_CONFIG', `${file}: cannot be read (${message})`, { cause: error })
  }
  const text = decodeText(bytes, file)
  try {
    return JSON.parse(text) as PackageJson
  } catch (error) {
    throw new BotwrightError('ERR_CONFIG', `${file}: is not JSON (${(error as Error).message}); correct it`, {
      cause: error,
    })
  }
}
