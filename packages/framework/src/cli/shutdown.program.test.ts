import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { Shutdown } from './shutdown.ts'

afterEach(() => vi.restoreAllMocks())

const listening = () => (['SIGHUP', 'SIGBREAK'] as const).map((name) => process.listenerCount(name))

test.each(['SIGINT', 'SIGTERM'] as const)('%s starts a graceful shutdown', (name) => {
  using shutdown = new Shutdown(process)
  process.emit(name, name)
  expect([shutdown.signal.aborted, shutdown.by]).toEqual([true, name])
})

test('a signal that npm forwards does not count as a second one', async () => {
  using shutdown = new Shutdown(process)
  process.emit('SIGINT', 'SIGINT')
  process.emit('SIGINT', 'SIGINT')
  expect(await Promise.race([shutdown.second, setTimeout(600, 'none')])).toBe('none')
  process.emit('SIGTERM', 'SIGTERM')
  expect([await shutdown.second, shutdown.by]).toEqual([143, 'SIGINT'])
})

test.each(['SIGHUP', 'SIGBREAK'] as const)('%s, a closed window or Ctrl-Break, starts one on Windows', (name) => {
  const before = listening()
  vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
  {
    using shutdown = new Shutdown(process)
    process.emit(name, name)
    expect([shutdown.signal.aborted, shutdown.by]).toEqual([true, name])
  }
  expect(listening()).toEqual(before)
})

test('does not handle SIGHUP on other systems, because nohup ignores it', () => {
  const before = listening()
  using _shutdown = new Shutdown(process)
  expect(listening()).toEqual(before)
})

const shutdown = fileURLToPath(new URL('../../dist/cli/shutdown.js', import.meta.url))
const program = `import { endWithRunner } from ${JSON.stringify(shutdown)}
endWithRunner(process.env)
process.on('SIGTERM', () => process.exit(0, console.log('ended')))
console.log('runs')
setTimeout(() => process.exit(0, console.log('lived on')), 2500)`

/** The output of a program whose parent, a shell as in `npm run`, is killed once the program runs. */
async function outputOf(env: Record<string, string>): Promise<string> {
  const command = `${JSON.stringify(process.execPath)} --input-type=module --eval "$PROGRAM"; exit $?`
  const shell = spawn('sh', ['-c', command], {
    env: { PATH: process.env['PATH'], PROGRAM: program, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  shell.stdout.setEncoding('utf8').on('data', (part: string) => {
    if (text === '') shell.kill('SIGTERM')
    text += part
  })
  // The pipe stays open until the program has ended.
  await once(shell.stdout, 'close')
  return text
}

test.runIf(process.platform !== 'win32')(
  'a process started by npm ends when npm and its shell are gone; any other process keeps running',
  async () => {
    const [withNpm, alone] = await Promise.all([outputOf({ npm_execpath: '/usr/lib/npm-cli.js' }), outputOf({})])
    expect(withNpm).toBe('runs\nended\n')
    expect(alone).toBe('runs\nlived on\n')
  },
)
