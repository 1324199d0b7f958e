#!/usr/bin/env node
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The checks are TypeScript too, so they are built first. An error in some package does not stop them (the compiler
// still emits): the check of types reports it. Only when nothing was emitted is the compiler's own output shown.
const root = fileURLToPath(new URL('../../..', import.meta.url))
const entry = new URL('../dist/check.js', import.meta.url)
const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', new URL(`file://${root}/`)))
const build = spawnSync(process.execPath, [tsc, '-b', 'packages/workspace'], { cwd: root, encoding: 'utf8' })

if (existsSync(entry)) {
  await import(entry.href)
} else {
  console.error(build.stdout + build.stderr)
  console.error(
    'packages/workspace could not be built, so nothing was checked. Run `npm ci`, then fix the errors above.',
  )
  process.exitCode = 1
}
