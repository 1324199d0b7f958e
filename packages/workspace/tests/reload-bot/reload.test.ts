import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

let open = 0
const server = createServer((socket) => {
  open++
  socket.on('close', () => open--).resume()
  socket.write('42')
})

beforeEach(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  vi.stubEnv('PRICES_PORT', String((server.address() as AddressInfo).port))
})
afterEach(() => {
  vi.unstubAllEnvs()
  server.close()
})

test('closes a socket that a file has opened when the bot stops', async () => {
  const chat = await startTestBot(new URL('.', import.meta.url))
  await expect.poll(() => chat.person('ann').says('/price')).toHaveReplied('The price is 42.')
  expect(open).toBe(1)
  await chat[Symbol.asyncDispose]()
  await expect.poll(() => open).toBe(0)
})
