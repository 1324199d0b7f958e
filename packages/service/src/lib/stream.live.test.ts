/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyEventWebhook } from '@botwright/protocol'
import { expect, it } from 'vitest'
import { startTest, testWorld } from './driver.test.fixture.ts'
import { withLimit } from './page.test.fixture.ts'

it('a page receives messages, clicks, ephemerals and presence in real time', async () => {
  await using chat = await startTest()
  const ann = chat.service.world.people['ann']!.token
  const answer = await fetch(`${chat.service.url}/people/v1/stream?token=${ann}`)
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (part: string) => {
    while (!text.includes(part)) {
      const { value, done } = await withLimit(reader.read(), () => `"${part}" in the stream; so far: ${text}`)
      if (done) throw new Error(`the stream ended before "${part}"; so far: ${text}`)
      text += value
    }
  }
  await until('listening')
  const { answer: answerClick } = await chat.clicked()
  await answerClick({ type: 'ephemeral', content: 'only you' })
  await until('"state":"answered"')
  const names = [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1])
  expect(names).toEqual(expect.arrayContaining(['message_create', 'click', 'ephemeral']))
  expect(text).toContain('only you')
  const { last } = (await chat.bot('GET', '/events?after=0')).body
  const poll = chat.bot('GET', `/events?after=${last}&wait=1`)
  await chat.bot('PUT', '/me/status', { status: 'dnd' })
  await until('"status":"dnd"')
  await chat.clock.advance(1000)
  expect((await poll).body.events).toEqual([])
  await reader.cancel()
})

it('posts events to the event webhook, signed', async () => {
  const received: { body: string; signature: string; bot: string }[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      const { 'x-service-signature': signature, 'x-service-bot': bot } = request.headers
      received.push({ body, signature: String(signature), bot: String(bot) })
      response.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  try {
    const world = testWorld()
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    world.bots![0]!.event_webhook = { url, secret: 'kept quiet' }
    await using chat = await startTest({ world, allowLoopbackWebhooks: true })
    await chat.person('ann', 'POST', `${chat.channel('general')}/messages`, { content: 'hook' })
    await expect.poll(() => received.length).toBe(1)
    const [{ body, signature, bot } = { body: '', signature: '', bot: '' }] = received
    expect(JSON.parse(body)).toMatchObject({ id: expect.any(Number), event: 'message', data: { content: 'hook' } })
    expect(verifyEventWebhook('kept quiet', Buffer.from(body), signature)).toBe(true)
    expect(bot).toBe(chat.botId)
  } finally {
    receiver.close()
  }
})
