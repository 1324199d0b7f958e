import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const program = fileURLToPath(new URL('../bin/docs.mjs', import.meta.url))
const run = (...args: string[]) =>
  spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' })

describe('npm run docs', () => {
  test.each(['--help', '-h'])('prints its help with %s and starts no server', (option) => {
    const { status, stdout, stderr } = run(option)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: npm run docs -- \[build\]\n/)
  })

  test.each([
    [['--bild'], '--bild'],
    [['build', 'now'], 'now'],
  ])('rejects %s', (args, unexpected) => {
    const { status, stdout, stderr } = run(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(`error: unexpected argument "${unexpected}"\n\nUsage: `)
  })
})
