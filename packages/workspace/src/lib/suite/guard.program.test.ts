import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { projects, resources } from './projects.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const guard = join(root, 'packages/workspace/src/lib/suite/guard.ts')
const provided = projects.unit.forbidden.map((channel) => ({ channel, ...resources[channel] }))

test('fails a test that starts a process or a thread, or opens a port', async () => {
  await using folder = await sampleFolder({
    'vitest.config.mjs': `export default { test: ${JSON.stringify({ globals: true, setupFiles: [guard], provide: { forbidden: provided } })} }`,
    'a.test.mjs': `import { spawn } from 'node:child_process'
      import { createServer } from 'node:net'
      import { Worker } from 'node:worker_threads'
      createServer().listen(0, '127.0.0.1', function () { this.close() })
      test('loading', () => {})
      test('nothing', () => {})
      test('process', () => void spawn('true'))
      test('thread', () => new Worker('1', { eval: true }).terminate())
      test('port', () => new Promise((resolve) => { const server = createServer().listen(0, '127.0.0.1', () => server.close(resolve)) }))
      test('nothing again', () => {})`,
  })
  const report = join(folder.root, 'report.json')
  const args = ['run', '--root', folder.root, '--reporter=json', `--outputFile=${report}`]
  await new Promise((resolve) =>
    execFile(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], resolve),
  )
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
    testResults: { assertionResults: { fullName: string; status: string; failureMessages: string[] }[] }[]
  }
  const outcomes = testResults[0]!.assertionResults.map(({ fullName, status, failureMessages: [message = ''] }) => [
    fullName,
    status,
    /a test of this project .*/.exec(message)?.[0],
  ])
  expect(outcomes).toEqual([
    ['loading', 'failed', 'a test of this project opened a port: name the file *.live.test.ts'],
    ['nothing', 'passed', undefined],
    ['process', 'failed', 'a test of this project started a process: name the file *.program.test.ts'],
    ['thread', 'failed', 'a test of this project started a thread: name the file *.live.test.ts'],
    ['port', 'failed', 'a test of this project opened a port: name the file *.live.test.ts'],
    ['nothing again', 'passed', undefined],
  ])
})
