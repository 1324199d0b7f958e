import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Installed {
  resolved?: string
  integrity?: string
}

/**
 * The files of the bot's folder, such as `packages.local/…tgz`, that contain a different package than the installed one. npm skips a file
 * with the name and version of an installed package, whatever its content. Other package managers leave no such record.
 */
export function stalePackages(root: string): string[] {
  return installedBy(root).flatMap(({ resolved = '', integrity = '' }) => {
    const file = /^file:(.+\.tgz)$/.exec(resolved)?.[1]
    const content = file === undefined ? undefined : contentOf(join(root, file))
    if (file === undefined || content === undefined || !integrity.startsWith('sha512-')) return []
    return createHash('sha512').update(content).digest('base64') === integrity.slice('sha512-'.length) ? [] : [file]
  })
}

/** npm's record of its installation. */
function installedBy(root: string): Installed[] {
  const text = contentOf(join(root, 'node_modules/.package-lock.json'))
  if (text === undefined) return []
  try {
    const { packages } = JSON.parse(text.toString()) as { packages?: Record<string, Installed> }
    return Object.values(packages ?? {})
  } catch {
    // npm was interrupted while writing it, and will write it again.
    return []
  }
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    // The file was removed after the installation, so nothing is missing.
    return undefined
  }
}
