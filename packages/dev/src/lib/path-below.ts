import { isAbsolute, relative } from 'node:path'
import { slashed } from './problem.ts'

/** The path below a folder, with `/`; undefined if it is elsewhere, which on Windows may be another drive. */
export function pathBelow(folder: string, path: string): string | undefined {
  const inner = relative(folder, path)
  return /^\.\.(?:[\\/]|$)/.test(inner) || isAbsolute(inner) ? undefined : slashed(inner)
}
