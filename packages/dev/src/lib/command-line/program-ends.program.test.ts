import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { defaultWorld, startService } from '@botwright/service'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'

const start = JSON.stringify(new URL('../../../../framework/dist/joined/start.js', import.meta.url).href)

/** Runs each command until a signal. Then nothing keeps the process alive: it exits, although nothing calls `process.exit`. */
const script = `
import { EventEmitter } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { captureIo, runProgram } from ${start}
const listeners = () => process.eventNames().map((name) => String(name) + ': ' + process.listenerCount(name)).sort()
const cwd = process.cwd()
await runProgram(['build'], captureIo({ cwd, env: { ...process.env } }))
const before = listeners()
const environment = JSON.stringify(process.env)
for (const [ready, ...args] of [['is ready', 'start'], ['"ready"', 'service', '--port', '0'], ['Chat ', 'dev', '--port', '0'], ['', 'events', 'tail']]) {
  const signals = new EventEmitter()
  const io = captureIo({ cwd, env: { ...process.env }, signals })
  const ended = runProgram(args, io)
  ended.catch(() => {})
  while (!io.stdout.text.includes(ready)) {
    const code = await Promise.race([ended, setTimeout(10)])
    if (code !== undefined) throw new Error(args[0] + ' ended with code ' + code + ': ' + io.stdout.text + io.stderr.text)
  }
  while (!signals.emit('SIGINT', 'SIGINT')) await setTimeout(10)
  const left = () => signals.eventNames().length
  console.log(JSON.stringify({ command: args[0], code: await ended, left: left() }))
}
console.log(JSON.stringify({ before, after: listeners(), isSameEnvironment: environment === JSON.stringify(process.env) }))
`

test(
  'commands that run inside of another program leave nothing behind: it ends by itself',
  { tags: 'all/processes' },
  async () => {
    const token = 'token-of-the-ended-bot'
    await using draft = await BotDraft.make({ 'commands/ping.ts': "export default () => 'pong'", 'script.mjs': script })
    await using service = await startService({ port: 0, world: defaultWorld('helper', token) })
    const { stdout } = await promisify(execFile)(process.execPath, ['script.mjs'], {
      cwd: draft.root,
      env: { ...process.env, BOT_TOKEN: token, BOT_BASE_URL: service.base_url },
    })
    const [last, ...commands] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .toReversed()
    expect(commands.toReversed()).toEqual(
      ['start', 'service', 'dev', 'events'].map((command) => ({ command, code: 0, left: 0 })),
    )
    expect(last).toMatchObject({ after: last!['before'], isSameEnvironment: true })
  },
)
