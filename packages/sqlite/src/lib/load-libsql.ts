import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Not named `require`: bundled files already define that name. */
const load = createRequire(import.meta.url)

let loaded: unknown

/**
 * Loads the package `libsql`. By default, it detects the C library by generating a process report, which also looks up the host names
 * of open connections, and by loading `child_process`. That is two thirds of its loading time. On common Linux systems, reading a file is enough.
 */
export function loadLibsql(): unknown {
  // Cached: resolving its files again for each database costs as much as opening one.
  return (loaded ??= loadAnew())
}

function loadAnew(): unknown {
  const libc = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch) ? libcOf() : undefined
  return (libc && loadFor(libc)) ?? load('libsql')
}

/** Undefined if that fails: a plain load then throws the error to report. */
function loadFor(libc: 'glibc' | 'musl'): unknown {
  const own = createRequire(load.resolve('libsql'))
  const answers = {
    '@neon-rs/load': { currentTarget: () => `linux-${process.arch}-${libc === 'glibc' ? 'gnu' : 'musl'}` },
    'detect-libc': { familySync: () => libc, GLIBC: 'glibc', MUSL: 'musl' },
  }
  const paths: string[] = []
  try {
    for (const [name, exports] of Object.entries(answers)) {
      const path = own.resolve(name)
      // A module that is already loaded costs nothing.
      if (own.cache[path]) continue
      paths.push(path)
      own.cache[path] = { id: path, filename: path, loaded: true, exports } as NodeJS.Module
    }
    return own('libsql')
  } catch {
    return undefined
  } finally {
    for (const path of paths) delete own.cache[path]
  }
}

/** The C library, detected as `detect-libc` does first: from the text of `ldd`. */
function libcOf(): 'glibc' | 'musl' | undefined {
  try {
    const text = readFileSync('/usr/bin/ldd', 'latin1')
    if (text.includes('musl')) return 'musl'
    return text.includes('GNU C Library') ? 'glibc' : undefined
  } catch {
    return undefined
  }
}
