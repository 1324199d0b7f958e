import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

let statuses: number[] = []
let text = 'Sunny'
let requests: { url?: string | undefined; key?: string | undefined }[] = []
const server = createServer((request, response) => {
  requests.push({ url: request.url, key: request.headers.authorization })
  response.writeHead(statuses.shift() ?? 200).end(text)
})

beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
beforeEach(() => {
  statuses = []
  text = 'Sunny'
  requests = []
})
afterAll(() => void server.close())

const start = () =>
  startTestBot(new URL('.', import.meta.url), {
    env: {
      FORECAST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      FORECAST_KEY: 'key-of-the-forecast',
    },
  })

test('retries a failed request', async () => {
  await using chat = await start()
  statuses = [503, 503]
  expect(await chat.person('ann').says('/forecast New York')).toHaveReplied('Sunny')
  expect(requests).toHaveLength(3)
  expect(requests[0]).toEqual({ url: '/forecast?city=New%20York', key: 'Bearer key-of-the-forecast' })
})

test('does not retry a request that the other service rejects', async () => {
  await using chat = await start()
  statuses = [404]
  expect(await chat.person('ann').says('/forecast Nowhere')).toHaveReplied(/not available/)
  expect(requests).toHaveLength(1)
})

test('acknowledges a click, then edits the message', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/forecast Oslo')
  text = 'Rain'
  expect(await ann.clicks('Refresh')).toHaveUpdated('Rain')
  expect(await chat.calls()).toContainEqual(expect.objectContaining({ body: { type: 'ack' }, status: 200 }))
})
