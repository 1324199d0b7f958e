import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { spawnChild } from './child-process.test.fixture.ts'

const built = fileURLToPath(new URL('../../dist/lib/child-process.test.fixture.js', import.meta.url))

test('a program of a test ends with its process, even if that is killed or the program is frozen', async () => {
  const starts = `import('${built}').then(({ spawnChild }) => {
    const lives = 'console.log(process.pid); setInterval(() => {}, 1000)'
    for (let n = 0; n < 2; n++)
      spawnChild(process.execPath, ['-e', lives], { stdio: ['ignore', 'inherit', 'inherit'] })
  })`
  const tests = spawn(process.execPath, ['-e', starts], { stdio: ['ignore', 'pipe', 'inherit'] })
  let pids = ''
  tests.stdout.on('data', (text: Buffer) => (pids += text.toString()))
  await expect.poll(() => pids).toMatch(/^\d+\n\d+\n$/)
  process.kill(Number(pids.split('\n')[0]), 'SIGSTOP')
  tests.kill('SIGKILL')
  // Its output is theirs, too: it is over when none of them is left.
  await once(tests, 'close')
})

test('it has its own process id, its own end, and its own output', async () => {
  const child = spawnChild('node', ['-e', 'console.log(process.pid); process.exitCode = 7'])
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  expect(Number(line.toString())).toBe(child.pid)
  if (child.exitCode === null) await once(child, 'exit')
  expect(child.exitCode).toBe(7)
})
