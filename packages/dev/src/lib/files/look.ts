import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Undefined for what no longer exists, and for what this process cannot see: a file in a closed folder, or a link that leads to itself.
 * The code that reads it reports the error.
 */
export function unlessUnseen<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** The names in a folder. */
export const namesIn = (folder: string): string[] => unlessUnseen(() => readdirSync(folder)) ?? []

/** How many files and folders are in a folder and its subfolders. */
export function countIn(folder: string): number {
  const entries = unlessUnseen(() => readdirSync(folder, { withFileTypes: true })) ?? []
  const inner = entries.map((entry) => (entry.isDirectory() ? countIn(join(folder, entry.name)) : 0))
  return inner.reduce((sum, count) => sum + count, entries.length)
}

/** Follows links. */
export const statOf = (path: string): Stats | undefined => unlessUnseen(() => statSync(path))
