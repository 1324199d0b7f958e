import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Installed {
  resolved?: string
  integrity?: string
}

/**
 * The files of the bot's folder, such as `packages.local/…tgz`, that hold another package than is installed. npm passes over a file
 * whose name and version are those that it has installed, whatever is in it by now. Other package managers tell nothing here.
 */
export function stalePackages(root: string): string[] {
  return installedBy(root).flatMap(({ resolved = '', integrity = '' }) => {
    const file = /^file:(.+\.tgz)$/.exec(resolved)?.[1]
    const content = file === undefined ? undefined : contentOf(join(root, file))
    if (file === undefined || content === undefined || !integrity.startsWith('sha512-')) return []
    return createHash('sha512').update(content).digest('base64') === integrity.slice('sha512-'.length) ? [] : [file]
  })
}

/** What npm wrote down of what it has installed. */
function installedBy(root: string): Installed[] {
  const text = contentOf(join(root, 'node_modules/.package-lock.json'))
  if (text === undefined) return []
  try {
    const { packages } = JSON.parse(text.toString()) as { packages?: Record<string, Installed> }
    return Object.values(packages ?? {})
  } catch {
    // Cut off while it was written: npm writes it anew.
    return []
  }
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    // Not there: whoever removed the file after the installation misses nothing.
    return undefined
  }
}
