/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyEventWebhook } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'
import { withLimit } from '../test-tools/stream-page.test.fixture.ts'

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

describe('a shared stream', () => {
  let chat: Awaited<ReturnType<typeof startTest>>
  let gone: AbortController
  beforeEach(async () => {
    chat = await startTest()
    gone = new AbortController()
  })
  afterEach(async () => {
    gone.abort()
    await chat.close()
  })

  /** The events of a shared stream, until one contains a text. */
  async function openShared(name: string) {
    const { token } = chat.service.world.people[name]!
    const url = `${chat.service.url}/people/v1/stream?shared=true&token=${token}`
    const reader = (await fetch(url, { signal: gone.signal })).body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const until = async (part: string): Promise<string[][]> => {
      while (!text.includes(part)) {
        const { value, done } = await withLimit(reader.read(), () => `"${part}" in the stream; so far: ${text}`)
        if (done) throw new Error(`the stream ended before "${part}"; so far: ${text}`)
        text += value
      }
      const events = [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, event, data]) => [event!, data!])
      text = ''
      return events
    }
    const [[, id] = []] = (await until('event: stream\n')).filter(([event]) => event === 'stream')
    return { id: id!, until, ended: async () => (await withLimit(reader.read(), () => 'the end')).done }
  }
  const say = (name: string, content: string) =>
    chat.person(name, 'POST', `${chat.channel('general')}/messages`, { content })
  const change = (name: string, method: string, id: string) => chat.person(name, method, `/stream/${id}`)

  it('sends the events of each of its people, under their id', async () => {
    const { id, until } = await openShared('ann')
    expect((await change('bob', 'PUT', id)).status).toBe(200)
    expect((await change('bob', 'PUT', id.toUpperCase())).status).toBe(200)
    const { channel_id } = (await chat.person('bob', 'POST', `/users/${chat.userId('carol')}/dm`)).body
    await chat.person('carol', 'POST', `/channels/${channel_id}/messages`, { content: 'for bob' })
    await say('carol', 'for all')
    const created = (events: string[][]) => events.filter(([, data]) => data!.includes('"type":"message_create"'))
    const heard = created(await until('for all'))
    if (heard.length < 3) heard.push(...created(await until('for all')))
    expect(heard.map(([person, data]) => [person, /for (bob|all)/.exec(data!)![0]])).toEqual([
      [chat.userId('bob'), 'for bob'],
      [chat.userId('ann'), 'for all'],
      [chat.userId('bob'), 'for all'],
    ])
    expect((await change('bob', 'DELETE', id)).status).toBe(200)
    await say('carol', 'without bob')
    await say('carol', 'last')
    const rest = created(await until('last'))
    expect(rest.map(([person]) => person)).toEqual([chat.userId('ann'), chat.userId('ann')])
  })

  it('ends for a banned person, and goes on for the others', async () => {
    const { id, until, ended } = await openShared('ann')
    await change('bob', 'PUT', id)
    for (let count = 0; count < 3; count++) await say('bob', 'slur-for-tests')
    const events = await until('event: end\n')
    expect(events.at(-1)).toEqual(['end', chat.userId('bob')])
    await say('carol', 'still here')
    await until('still here')
    for (let count = 0; count < 3; count++) await say('ann', 'slur-for-tests')
    expect(await ended()).toBe(true)
  })

  it('refuses a stream that is not open, and a person without a token', async () => {
    expect((await change('bob', 'PUT', '00000000-0000-4000-8000-000000000000')).status).toBe(404)
    expect((await change('bob', 'DELETE', '00000000-0000-4000-8000-000000000000')).status).toBe(200)
    const { id } = await openShared('ann')
    expect((await chat.call('PUT', `/people/v1/stream/${id}`)).status).toBe(401)
  })
})
