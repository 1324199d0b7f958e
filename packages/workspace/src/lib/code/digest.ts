import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Paths with the digest of what stood in them. */
export type Digests = Record<string, string>

export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Empty for a file that is not there. */
export function digestOfFile(root: string, path: string): string {
  try {
    return digest(readFileSync(join(root, path), 'utf8'))
  } catch {
    return ''
  }
}
