import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

// What a configuration says reaches the handlers, over a real service.

const ping = "export default () => 'pong'"
const pongs = async (rig: ChatRig): Promise<number> => (await rig.texts()).filter((text) => text === 'pong').length

/** Lets another bot of ann's write into #general. */
async function otherBot(rig: ChatRig): Promise<(content: string) => Promise<void>> {
  const { bot, token } = await rig.person<{ bot: { id: string }; token: string }>('ann', 'POST', '/bots', {
    username: 'parrot',
  })
  await rig.person('ann', 'PUT', `/servers/${rig.service.world.servers['Workshop']!.id}/bots/${bot.id}`)
  return async (content) => {
    const answer = await fetch(`${rig.service.base_url}/channels/${rig.channel('general')}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content }),
    })
    expect(answer.status).toBe(200)
  }
}

test.each([false, true])('answerBots: %s', async (answerBots) => {
  await using rig = await ChatRig.start()
  await rig.startBot({ 'commands/ping.ts': ping }, { config: { answerBots } })
  const parrot = await otherBot(rig)
  await parrot('/ping')
  // A person's command behind it is answered in any case: by then the bot's was seen.
  await rig.says('ann', '/ping')
  await rig.until(async () => (await pongs(rig)) >= (answerBots ? 2 : 1))
  expect(await pongs(rig)).toBe(answerBots ? 2 : 1)
})

test('limits.handlerSeconds ends a handler, and its signal tells it so', async () => {
  await using rig = await ChatRig.start()
  const files = {
    // It never ends by itself: nothing is left to chance between its end and the limit.
    'commands/long.ts': `export default (ctx) =>
      new Promise(() => ctx.signal.addEventListener('abort', () => void ctx.reply('too late')))`,
    'commands/ping.ts': ping,
  }
  await rig.startBot(files, { config: { limits: { handlerSeconds: 1 } } })
  await rig.says('ann', '/long')
  await rig.until(() => rig.logged('error').some((line) => line.includes('did not end within 1 s')))
  await rig.until(async () => (await rig.texts()).includes('too late'))
  await rig.says('ann', '/ping')
  await rig.until(async () => (await pongs(rig)) === 1)
})

/** A port that was free a moment ago. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

test.each(['webhook', 'both'] as const)('delivery: %s. An event webhook is answered once', async (delivery) => {
  await using rig = await ChatRig.start()
  const port = await freePort()
  const { id } = (await rig.person<{ bots: { id: string }[] }>('ann', 'GET', '/bots')).bots[0]!
  const { secret } = await rig.person<{ secret: string }>('ann', 'PUT', `/bots/${id}/event-webhook`, {
    url: `http://127.0.0.1:${port}/events`,
  })
  const bot = await rig.startBot(
    { 'commands/ping.ts': ping },
    { config: { delivery, webhook: { port, path: '/events' } }, webhookSecrets: [secret] },
  )
  expect(rig.logged('info')).toContain(`receiving event webhooks on http://127.0.0.1:${port}/events`)
  await rig.says('ann', '/ping')
  await rig.until(async () => (await pongs(rig)) > 0)
  await rig.says('ann', 'the last word')
  await rig.until(() => bot.stats().finished >= 2)
  expect(await pongs(rig)).toBe(1)
  expect(bot.stats()).toMatchObject({ received: 2, finished: 2 })
  expect(rig.logged('warn').concat(rig.logged('error'))).toEqual([])
})

test('a port of the event webhook that is taken is told, with the field to change', async () => {
  await using rig = await ChatRig.start()
  const other = createServer()
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => resolve((other.address() as AddressInfo).port))
  })
  const config = { delivery: 'both', webhook: { port } } as const
  await expect(
    rig.startBot({ 'commands/ping.ts': ping }, { config, webhookSecrets: ['secret'] }),
  ).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: `webhook: port ${port} of 127.0.0.1 is in use by another program; choose another in bot.config.ts (webhook)`,
  })
  other.close()
})
