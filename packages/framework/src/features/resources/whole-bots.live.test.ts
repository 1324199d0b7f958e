import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeOf } from '../../author/error-code.ts'
import type { Log } from '../../author/ports.ts'
import { readConfig } from '../../runtime/config/read-config.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { History } from '../history/history.ts'
import { dryRun } from '../replay/dry-run.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const api = JSON.stringify(import.meta.resolve('@botwright/framework'))

/** Each kind of handler adds its name to the file `notes`. */
const filesIn = (rig: ChatRig) => {
  const notes = JSON.stringify(join(rig.root, 'notes'))
  return {
    'resources/db.ts': `import { appendFileSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { resource } from ${api}
export default resource({
  open: async (ctx) => {
    const note = (what) => appendFileSync(${notes}, threadId + ' ' + what + '\\n')
    note(ctx.dry ? 'open dry' : 'open')
    return { note, close: () => note('close') }
  },
  close: (db) => db.close(),
})`,
    'commands/ask.ts': `import { command } from ${api}
import db from '../resources/db.mjs'
export default command({ durable: true, run: async (ctx) => {
  await ctx.step('ask', () => void db.value.note('durable'))
  await ctx.schedule('later', { in: '1ms' })
  await ctx.reply({ content: 'asked', components: [{ type: 'row', components: [ctx.button('yes', { label: 'Yes' })] }] })
} })`,
    'buttons/yes.ts': `import { button } from ${api}
import db from '../resources/db.mjs'
export default button({ run: (ctx) => (db.value.note('button'), ctx.ack()) })`,
    'events/message.ts': `import { event } from ${api}
import db from '../resources/db.mjs'
export default event('message', { gather: { quiet: '10ms', max: '1s' }, run: (ctx) => { db.value.note('event ' + ctx.events.length); return 'Seen' } })`,
    'events/ready.ts': `import { event } from ${api}
import db from '../resources/db.mjs'
export default event('ready', () => db.value.note('ready'))`,
    'events/shutdown.ts': `import { event } from ${api}
import db from '../resources/db.mjs'
export default event('shutdown', () => db.value.note('shutdown'))`,
    'tasks/later.ts': `import { task } from ${api}
import db from '../resources/db.mjs'
export default task({ run: () => db.value.note('task') })`,
    'routes/hook.ts': `import { route } from ${api}
import db from '../resources/db.mjs'
export default route({ verify: false, respond: true, run: () => { db.value.note('route'); return 'ok' } })`,
  }
}

test('every kind of handler reads it, in each of two workers, from ready to shutdown', async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(filesIn(rig), { config: { limits: { workers: 2 }, http: false } })
  const notes = () => rig.read('notes').map((line) => line.split(' '))
  const whats = () => notes().map(([, ...what]) => what.join(' '))
  expect(whats()).toEqual(['open', 'open', 'ready'])
  expect(new Set(notes().map(([thread]) => thread)).size).toBe(2)
  await rig.says('ann', '/ask')
  await rig.clicks()
  await rig.says('ann', 'hello')
  expect((await bot.fetch(new Request('http://localhost/hook', { method: 'POST' }))).status).toBe(200)
  await rig.until(() => ['durable', 'task', 'button', 'event 1', 'route'].every((what) => whats().includes(what)))
  await bot.stop()
  expect(whats().slice(-3)).toEqual(['shutdown', 'close', 'close'])
  expect(whats().filter((what) => what === 'open').length).toBe(2)
})

test('a dry replay opens it as dry, and closes it', slow, async () => {
  await using rig = await ChatRig.start()
  const { 'resources/db.ts': db, 'events/message.ts': message } = filesIn(rig)
  const files = { 'resources/db.ts': db, 'events/message.ts': message }
  const bot = await rig.startBot(files, { config: { record: true } })
  await rig.says('ann', 'hello')
  await rig.until(async () => (await rig.texts()).includes('Seen'))
  await bot.stop()
  using history = new History(join(rig.root, '.botwright/history.db'))
  const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
  const options = { source: rig.source(files), config: await readConfig({}), stateDir: rig.root, log, env: {} }
  const results: unknown[] = []
  for await (const { result } of dryRun({ ...options, events: history.events({}).slice(0, 1) })) results.push(result)
  expect(results).toEqual(['ok'])
  const whats = rig.read('notes').map((line) => line.slice(line.indexOf(' ') + 1))
  expect(whats).toEqual(['open', 'event 1', 'close', 'open dry', 'event 1', 'close'])
})

test.each(['inline', 'worker'] as const)(
  'a bot whose resource does not open does not start (%s)',
  slow,
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const files = {
      'commands/ping.ts': `import { command } from ${api}\nexport default command({ run: () => 'Pong' })`,
      'resources/db.ts': `import { resource, BotwrightError } from ${api}
export default resource({ open: async (ctx) => {
  if (ctx.env.URL === 'wrong') throw new BotwrightError('ERR_CONFIG', 'URL names no database')
  throw new Error('cannot reach ' + ctx.env.URL)
} })`,
    }
    const { z } = await import('zod')
    const config = { env: z.object({ URL: z.string() }) }
    const failed = (URL: string) =>
      rig.startBot(files, { config, dispatcher, variables: { URL } }).catch((error: Error) => error)
    const refused = (await failed('postgres://bot:pw-of-the-db@db')) as Error
    expect([codeOf(refused), refused.message]).toEqual([
      'ERR_HANDLER',
      expect.stringMatching(
        /^build-1\/resources\/db\.mjs:4: open failed: cannot reach postgres:\/\/bot:pw-of-the-db@db$/,
      ),
    ])
    const wrong = (await failed('wrong')) as Error
    expect([codeOf(wrong), wrong.message]).toEqual([
      'ERR_CONFIG',
      'build-2/resources/db.mjs:3: open failed: URL names no database',
    ])
  },
)
