import { readFileSync } from 'node:fs'

/** The root of this package; the same from the sources and from the bundle. */
const root = new URL('../../', import.meta.url)

/** The version of the framework. */
export function ownVersion(): string {
  return (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }).version
}

/** A file of the folder `page`. */
export const pageFile = (name: string): Buffer => readFileSync(new URL(`page/${name}`, root))
