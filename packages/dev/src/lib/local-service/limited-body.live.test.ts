import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { commandPublisher } from '../session/publish-commands.ts'
import { listenToService } from './listen-to-service.ts'
import type { PersonAtService } from '../people/person.ts'
import { readResponse } from '../people/service-response.ts'
import { openStream } from '../people/stream.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

/** Another server at the address of the service, which sends JSON without end. */
async function endless(status: number) {
  let sent = 0
  let isOpen = false
  const server = createServer((_, response) => {
    isOpen = true
    response.writeHead(status, { 'content-type': 'application/json' })
    response.write('{"error":"')
    const chunk = 'x'.repeat(256 * 1024)
    const send = () => {
      while (isOpen && sent < 64 * 1024 * 1024) {
        sent += chunk.length
        if (!response.write(chunk)) return response.once('drain', send)
      }
      return undefined
    }
    response.on('close', () => (isOpen = false))
    send()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get sent() {
      return sent
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const MOST = 16 * 1024 * 1024

test('the responses of the side channel and of the controls are read to a limit', async () => {
  for (const status of [200, 500]) {
    await using server = await endless(status)
    let failed: unknown
    const { baseUrl } = server
    const listening = listenToService({ baseUrl, token: 't' }, async (call, signal) => {
      if (failed === undefined) failed = await call('/clock').catch((error: unknown) => error)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    })
    await expect.poll(() => failed).toBeDefined()
    await listening[Symbol.asyncDispose]()
    expect((failed as Error).message).toContain('the response is longer than 8388608 bytes')
    expect(server.sent).toBeLessThan(MOST)
  }
  await using server = await endless(200)
  const answer = await fetch(server.baseUrl)
  await expect(readResponse(answer, new URL(server.baseUrl), 'GET')).rejects.toThrow('is not a local chat service')
  expect(server.sent).toBeLessThan(MOST)
})

test('a stream ends if an event does not', slow, async () => {
  await using server = await endless(200)
  const { baseUrl } = server
  const person = {
    request: (_: unknown, signal: AbortSignal) => fetch(baseUrl, { signal }),
  } as unknown as PersonAtService
  const { ended } = await openStream(person, () => {}, AbortSignal.timeout(60_000))
  await ended
  expect(server.sent).toBeLessThan(MOST)
})

test('a refusal of the commands is read to a limit', async () => {
  await using server = await endless(500)
  const warnings: string[] = []
  const { baseUrl } = server
  commandPublisher({ baseUrl, token: 't' }, { warning: (text) => void warnings.push(text) })([])
  await expect.poll(() => warnings.length).toBe(1)
  expect(warnings[0]).toContain('status 500: the response is longer than')
  expect(server.sent).toBeLessThan(MOST)
})
