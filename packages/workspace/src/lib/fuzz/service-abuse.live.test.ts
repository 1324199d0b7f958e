import { VirtualClock } from '@botwright/clock'
import { startService } from '@botwright/service'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  abusedWorld,
  botAuthorizations,
  describeCall,
  documentsOf,
  idsOf,
  personAuthorizations,
} from './abused-service.test.fixture.ts'
import { connectionFault, malformed, randomOf, sendBytes } from './malformed.test.fixture.ts'
import { callsOf, closeAgent, faultOf, make } from './schema-calls.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// The short forms; packages/workspace/soak/malformed.mjs makes any number of calls.
const CALLS = 400
const REQUESTS = 400
const RESET_EACH = 200

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService({ port: 0, world: abusedWorld, clock: new VirtualClock(), controls: true })
})
afterAll(async () => {
  closeAgent()
  await service.close()
})

const seed = Number(process.env['SEED'] ?? 1)
const stillServes = async () => {
  const answer = await fetch(`${service.base_url}/me`, { headers: { authorization: 'Bot token-of-helper' } })
  expect(answer.status).toBe(200)
}

describe('generated API calls', () => {
  test.each(['bot', 'people'] as const)(
    '%s: no crash, no 500, every refusal with a body, every success with a valid shape',
    slow,
    async (side) => {
      const document = (await documentsOf(service.url))[side]
      for (let start = 0; start < CALLS; start += RESET_EACH) {
        await fetch(`${service.url}/controls/v1/reset`, { method: 'POST' })
        const ids = await idsOf(service.url, service.world)
        const calls = callsOf(document, ids, side === 'bot' ? botAuthorizations : personAuthorizations)
        for (const call of fc.sample(calls, { seed: seed + start, numRuns: RESET_EACH })) {
          const answer = await make(service.port, call)
          expect(
            faultOf(call, answer),
            `seed ${seed + start}: ${describeCall(call)} → ${answer.status} ${answer.body}`,
          ).toBeUndefined()
        }
      }
      await fetch(`${service.url}/controls/v1/reset`, { method: 'POST' })
      await stillServes()
    },
  )
})

test('malformed requests cause no crash and no 500, and every error has a body', async () => {
  const random = randomOf(seed)
  for (let i = 0; i < REQUESTS; i += 8) {
    const sent = Array.from({ length: 8 }, () => malformed(random))
    const came = await Promise.all(sent.map(({ bytes }) => sendBytes(service.port, bytes)))
    for (const [index, each] of sent.entries()) {
      const fault = connectionFault(each, came[index]!)
      const shown = each.bytes.subarray(0, 600).toString('latin1')
      expect(fault, `seed ${seed}, ${each.kind}: ${JSON.stringify(shown)}`).toBeUndefined()
    }
  }
  await stillServes()
})

describe('the validators of the test', () => {
  const call = { operation: 'GET /v1/me', path: '/v1/me' }
  test.each([
    [500, '{"error":"x"}', /status 500/],
    [501, '{"error":"x"}', /status 501/],
    [404, '<html>', /without JSON/],
    [404, '{"message":"x"}', /another shape/],
    [404, '{"error":"","code":1}', /another shape/],
    [400, '{"error":"token-of-helper is wrong"}', /secret/],
    [200, '{"id":5}', /another shape/],
  ])('reject the response %d %s', (status, body, fault) => {
    expect(faultOf(call, { status, body })).toMatch(fault)
  })

  test('report a 500, and an error whose body is not JSON', () => {
    const sent = { kind: 'noise', bytes: Buffer.from('x') }
    const answer = (head: string, body: string) =>
      Buffer.from(`HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    expect(connectionFault(sent, answer('400 Bad Request', ''))).toContain('without JSON')
    expect(connectionFault(sent, answer('500 Oops', '{"error":"x"}'))).toBe('status 500')
    const two = Buffer.concat([answer('200 OK', '{"a":1}'), answer('404 Not Found', 'gone')])
    expect(connectionFault(sent, two)).toContain('404')
    expect(connectionFault(sent, answer('404 Not Found', '{"error":"gone"}'))).toBeUndefined()
  })
})
