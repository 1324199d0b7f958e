import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Service, startService } from '@botwright/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { stop } from '../dev-process.test.fixture.ts'
import { type Running, start, untilPrinted } from '../program.test.fixture.ts'

const framework = JSON.stringify(new URL('../../../../framework/dist/index.js', import.meta.url).href)
const token = 'token-of-the-bot-of-another-folder'
const files = {
  'commands/ping.ts': `import again from '../buttons/again.ts'
    export default () => ({ content: 'pong', components: [{ type: 'row', components: [again.button({ label: 'Again' })] }] })`,
  'buttons/again.ts': `import { button } from ${framework}
    export default button({ run: (ctx) => ctx.update('pong again') })`,
  'events/reaction_add.ts': "export default (ctx) => ctx.send(ctx.channel_id, 'you like ' + ctx.event.emoji)",
  'events/member_join.ts': "export default (ctx) => ctx.api.servers.list().then(() => ctx.log.info('hello'))",
}

let draft: BotDraft
/** A folder without a bot, in which the commands run. */
let elsewhere: BotDraft
let service: Service
let dev: Running
beforeAll(async () => {
  ;[draft, elsewhere] = await Promise.all([BotDraft.make(files), BotDraft.make()])
  service = await startService({
    port: 0,
    controls: true,
    key: true,
    world: {
      people: [{ username: 'ann' }, { username: 'zoe' }],
      servers: [
        { name: 'Lab', owner: 'ann', members: ['ann', 'zoe'], bots: ['helper'], channels: [{ name: 'general' }] },
        {
          name: 'Yard',
          owner: 'zoe',
          members: ['zoe'],
          bots: ['helper', 'idle', 'hooked'],
          channels: [{ name: 'yard' }],
        },
        { name: 'Attic', owner: 'zoe', members: ['zoe'], channels: [{ name: 'attic' }] },
      ],
      bots: [
        { username: 'helper', owner: 'zoe', token },
        { username: 'idle', owner: 'zoe' },
        { username: 'hooked', owner: 'zoe', event_webhook: { url: 'http://127.0.0.1:9/', secret: 'shh' } },
      ],
    },
  })
  const env = { BOT_TOKEN: token, BOT_BASE_URL: service.base_url, NO_COLOR: '1' }
  dev = await start(['dev', '--real'], { cwd: draft.root, env })
  await untilPrinted(dev, 'the real one')
})
afterAll(async () => {
  await stop(dev)
  await service.close()
  await Promise.all([draft, elsewhere].map((one) => one[Symbol.asyncDispose]()))
})

async function run(...args: string[]) {
  const { code, stdout, stderr } = await elsewhere.framework(args)
  return { code, output: stdout + stderr }
}
const there = (...args: string[]) => run(...args, '--service', service.page)

test('every verb works with the address of a service alone', { tags: ['all/processes'] }, async () => {
  const answered = (output: RegExp) => ({ code: 0, output: expect.stringMatching(output) as string })
  expect(await there('say', 'ann', '/ping')).toEqual(
    answered(/^ann in #general: \/ping\n {2}reply “pong” \[Again\]\n$/),
  )
  expect(await there('click', 'ann', 'Again')).toEqual(answered(/\n {2}edit “pong again”/))
  expect(await there('react', 'ann', '👍')).toEqual(answered(/\n {2}send “you like 👍”\n$/))
  expect(await there('dm', 'ann', '/ping')).toEqual(answered(/^ann in direct messages: \/ping\n {2}reply “pong”/))
  expect(await there('clock', '+1m')).toEqual(answered(/1 min later/))
  expect(await there('fault', 'POST', '/channels/*', '500')).toEqual(answered(/^the next response/))
  expect(await there('fault', 'clear')).toEqual(answered(/all faults are cleared/))
  expect(await there('save-test', 'ping.test.ts', '--last', '3', '--in', 'general', '--bot', 'helper')).toEqual(
    answered(/wrote ping\.test\.ts: /),
  )
  const text = await readFile(join(elsewhere.root, 'ping.test.ts'), 'utf8')
  expect(text).toContain("ann.says('/ping')")
  expect(text).not.toContain(token)
  expect(await there('reset')).toEqual(answered(/the service is back to the world it started with/))
})

test.each([
  [
    ['say', 'ann', '/pign', '--wait', '1s'],
    3,
    /no answer was visible within 1\.0 s; there is no command \/pign; did you mean \/ping\?/,
  ],
  [
    ['say', 'ann', 'hi', '--wait', '1s'],
    3,
    /within 1\.0 s; read the log of the bot, or run this in the folder of its "framework dev", to see whether a handler ran/,
  ],
  [['say', 'zoe', 'hi', '--in', 'attic', '--bot', 'helper', '--wait', '1s'], 3, /the bot is not in the server Attic/],
  [
    ['say', 'zoe', 'hi', '--in', 'yard', '--wait', '1s'],
    3,
    /there are several bots at \S+; choose one of helper, hooked, idle with --bot/,
  ],
  [
    ['say', 'zoe', 'hi', '--in', 'yard', '--bot', 'idle', '--wait', '1s'],
    3,
    /the bot did nothing: the bot is not running/,
  ],
  [
    ['say', 'zoe', 'hi', '--in', 'yard', '--bot', 'hooked', '--wait', '1s'],
    3,
    /within 1\.0 s; its events are sent to a webhook, so its handler may still run, or the bot may not be running; see its log/,
  ],
  [
    ['say', 'zoe', '/poll', '--in', 'yard', '--bot', 'hooked', '--wait', '1s'],
    3,
    /within 1\.0 s; there is no command \/poll/,
  ],
  [['dm', 'zoe', 'hi'], 1, /there are several bots at \S+; choose one of helper, hooked, idle with --bot/],
  [['dm', 'zoe', '/ping', '--bot', 'helper'], 0, /reply “pong”/],
  [['dm', 'ann', 'hi', '--bot', 'hepler'], 1, /there is no bot "hepler" in the servers of ann; choose one of helper/],
  [['dm', 'carol', 'hi'], 1, /there is no bot in the servers of carol/],
])('framework %j', async (args, code, output) => {
  expect(await there(...args)).toEqual({ code, output: expect.stringMatching(output) as string })
})

test('the fix of a person who is not in any server names the service', async () => {
  for (const verb of [
    ['say', 'bob', 'hi'],
    ['role', 'bob', 'Helpers'],
    ['chat', '--as', 'bob'],
  ])
    expect(await there(...verb)).toEqual({
      code: 1,
      output: expect.stringContaining(
        `bob is not in any server: run "framework join bob --service ${service.page}" first`,
      ) as string,
    })
})

test('in the folder of the bot, a timeout names its log', async () => {
  const env = { BOT_TOKEN: token, BOT_BASE_URL: service.base_url }
  const args = ['say', 'ann', 'hi', '--wait', '1s', '--service', service.page]
  const { code, stdout } = await draft.framework(args, env)
  expect(stdout).toMatch(/within 1\.0 s; read the log of the bot to see whether a handler ran\n/)
  expect(code).toBe(3)
})

test('errors name a missing or wrong key, a stopped service, and another server', async () => {
  await using stopped = await startService({ port: 0 })
  await stopped.close()
  const others: Server[] = ['<html>', '{"cut'].map((text, i) =>
    createServer((_, response) => response.setHeader('content-type', i ? 'application/json' : 'text/html').end(text)),
  )
  const addresses = []
  for (const one of others) {
    one.listen(0, '127.0.0.1')
    await once(one, 'listening')
    addresses.push(`http://127.0.0.1:${(one.address() as AddressInfo).port}`)
  }
  const verbs = [['say', 'ann', 'hi'], ['dm', 'ann', 'hi'], ['chat'], ['clock', '1m'], ['save-test', 'a.test.ts']]
  const cases = [
    [service.url, /requires a key: pass the address that it printed, including #key=, as --service/],
    [`${service.url}/#key=wrong`, /requires another key: pass the address that it printed/],
    [stopped.url, /does not respond: start framework dev or framework service again, or correct --service/],
    ...addresses.map((url) => [url, /is not a local chat service: correct --service/] as const),
    ['127.0.0.1:7420', /--service must be an address, such as http:\/\/127\.0\.0\.1:7420/],
  ] as const
  for (const [address, error] of cases)
    for (const verb of verbs) {
      const { code, output } = await run(...verb, '--service', address)
      expect(code, `${verb.join(' ')} ${address}`).toBe(1)
      expect(output).toMatch(error)
      expect(output).not.toMatch(/\n {4}at /)
    }
  for (const one of others) one.close()
})
