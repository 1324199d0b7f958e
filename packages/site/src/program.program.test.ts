import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const program = fileURLToPath(new URL('../bin/docs.mjs', import.meta.url))
const run = (...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) =>
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  )

describe.concurrent('npm run docs', () => {
  test.for(['--help', '-h'])('prints its help with %s and starts no server', async (option, { expect }) => {
    const { code, stdout, stderr } = await run(option)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: npm run docs -- \[build\]\n/)
  })

  test.for([
    [['--bild'], '--bild'],
    [['build', 'now'], 'now'],
  ] as const)('rejects %s', slow, async ([args, unexpected], { expect }) => {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`error: unexpected argument "${unexpected}"\n\nUsage: `)
  })
})
