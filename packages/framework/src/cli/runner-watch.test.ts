import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const watch = fileURLToPath(new URL('../../dist/cli/runner-watch.js', import.meta.url))
const program = `import { endWithRunner } from ${JSON.stringify(watch)}
endWithRunner()
process.on('SIGTERM', () => process.exit(0, console.log('ended')))
console.log('runs')
setTimeout(() => process.exit(0, console.log('lived on')), 2500)`

/** What a program prints whose starter, a shell as `npm run` has one, is killed once it runs. */
async function told(env: Record<string, string>): Promise<string> {
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
  // The pipe is open until the program has ended.
  await once(shell.stdout, 'close')
  return text
}

test.runIf(process.platform !== 'win32')(
  'what npm has started ends when npm and its shell are gone; what nobody has started so lives by itself',
  async () => {
    const [withNpm, alone] = await Promise.all([told({ npm_execpath: '/usr/lib/npm-cli.js' }), told({})])
    expect(withNpm).toBe('runs\nended\n')
    expect(alone).toBe('runs\nlived on\n')
  },
)
