import { isAbsolute, relative } from 'node:path'

/** The path below a folder, with `/`; undefined if it is elsewhere, which on Windows may be another drive. */
export function pathBelow(folder: string, path: string): string | undefined {
  const inner = relative(folder, path)
  return /^\.\.(?:[\\/]|$)/.test(inner) || isAbsolute(inner) ? undefined : slashed(inner)
}

/** Paths inside a bot use `/` on every machine. */
export function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}
