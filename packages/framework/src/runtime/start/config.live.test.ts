import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// The effects of configuration fields on a bot that runs against the real service.

const ping = "export default () => 'pong'"
const pongs = async (rig: ChatRig): Promise<number> => (await rig.texts()).filter((text) => text === 'pong').length

/** Posts a message to #general as another bot of ann. */
async function otherBot(rig: ChatRig): Promise<(content: string) => Promise<void>> {
  const { bot, token } = await rig.person('ann').bots.create({ username: 'parrot' })
  await rig.person('ann').servers.addBot({ server_id: rig.service.world.servers['Workshop']!.id, bot_id: bot.id })
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
  // The later command of a user is always answered; by then the bot has received the other bot's message.
  await rig.says('ann', '/ping')
  await rig.until(async () => (await pongs(rig)) >= (answerBots ? 2 : 1))
  expect(await pongs(rig)).toBe(answerBots ? 2 : 1)
})

test('limits.handlerSeconds ends a handler and aborts its signal', async () => {
  await using rig = await ChatRig.start()
  const files = {
    // Never ends by itself, so that only the limit can end it.
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

test.each(['webhook', 'both'] as const)('delivery: %s handles an event webhook once', slow, async (delivery) => {
  await using rig = await ChatRig.start()
  const { id } = (await rig.person('ann').bots.list()).bots[0]!
  const sendTo = (url: string) => rig.person('ann').bots.setEventWebhook({ bot_id: id, url })
  const { secret } = await sendTo('http://127.0.0.1:9/events')
  const bot = await rig.startBot(
    { 'commands/ping.ts': ping },
    { config: { delivery, webhook: { port: 0, path: '/events' } }, webhookSecrets: [secret!] },
  )
  const started = /^receiving event webhooks on (http:\/\/127\.0\.0\.1:\d+\/events)$/
  const url = rig.logged('info').flatMap((line) => started.exec(line)?.[1] ?? [])[0]!
  expect((await sendTo(url)).secret).toBe(secret)
  await rig.says('ann', '/ping')
  await rig.until(async () => (await pongs(rig)) > 0)
  await rig.says('ann', 'the last word')
  await rig.until(() => bot.stats().finished >= 2)
  expect(await pongs(rig)).toBe(1)
  expect(bot.stats()).toMatchObject({ received: 2, finished: 2 })
  expect(rig.logged('warn').concat(rig.logged('error'))).toEqual([])
})

test('startup fails if the port of the event webhook is taken, and names the field to change', async () => {
  await using rig = await ChatRig.start()
  const other = createServer()
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => resolve((other.address() as AddressInfo).port))
  })
  const config = { delivery: 'both', webhook: { port } } as const
  await expect(
    rig.startBot({ 'commands/ping.ts': ping }, { config, webhookSecrets: ['of-the-webhook'] }),
  ).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: `webhook: port ${port} of 127.0.0.1 is in use by another program; choose another in bot.config.ts (webhook)`,
  })
  other.close()
})
