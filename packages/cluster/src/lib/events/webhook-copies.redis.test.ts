import { systemClock } from '@botwright/framework/cluster'
import { expect, test } from 'vitest'
import { RedisLink } from '../redis/connect.ts'
import { keysOf } from '../redis/keys.ts'
import { describeWithRedis, startRedis } from '../redis-rig.test.fixture.ts'
import { WebhookCopies, storeCopy } from './webhook-copies.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

describeWithRedis('copies of webhooks that waited for a leader', () => {
  test('are read in several answers of Redis, in order', async () => {
    await using server = await startRedis({ appendonly: 'no' })
    await using link = await RedisLink.open({ url: server.url, log, clock: systemClock, name: 'test' })
    const keys = keysOf('http://chat.test', 'copies')
    const ids = Array.from({ length: 250 }, (_, at) => at + 1)
    for (const id of ids)
      await storeCopy({ link, keys }, { id, type: 'message', data: {}, created_at: '2026-01-01T00:00:00.000Z' })
    const over = new AbortController()
    const copies = new WebhookCopies({ link, keys, clock: systemClock, signal: over.signal, holds: () => true })
    const taken: number[] = []
    copies.open(async ({ id }) => void taken.push(id))
    await expect.poll(() => taken).toEqual(ids)
    expect(await link.redis.info('commandstats')).toMatch(/cmdstat_hmget:calls=3,/)
    over.abort()
    copies.close()
  })
})
