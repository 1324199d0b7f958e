import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** By another name than Node's: in joined files that one is taken. */
const load = createRequire(import.meta.url)

let loaded: unknown

/**
 * Loads the package `libsql`. To find out which C library runs it makes a report of the whole process (which also looks up the names
 * of open connections) and loads what starts other programs: two thirds of its loading time. On the usual Linux a file tells the same.
 */
export function loadLibsql(): unknown {
  // Each database asks again, and finding its files anew costs as much as opening one.
  return (loaded ??= loadAnew())
}

function loadAnew(): unknown {
  const libc = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch) ? libcOf() : undefined
  return (libc && loadFor(libc)) ?? load('libsql')
}

/** Undefined where it does not load so: by itself it then tells what is wrong. */
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
      // What somebody else has loaded already costs nothing more.
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

/** The C library, as `detect-libc` tells it first: by the text of the program that lists libraries. */
function libcOf(): 'glibc' | 'musl' | undefined {
  try {
    const text = readFileSync('/usr/bin/ldd', 'latin1')
    if (text.includes('musl')) return 'musl'
    return text.includes('GNU C Library') ? 'glibc' : undefined
  } catch {
    return undefined
  }
}
