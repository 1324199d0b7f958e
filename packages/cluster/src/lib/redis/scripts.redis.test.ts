import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { describeWithRedis, startRedis } from '../redis-rig.test.fixture.ts'
import { run, script } from './scripts.ts'

describeWithRedis('a script', () => {
  test('accepts more arguments than a call of JavaScript', async () => {
    await using server = await startRedis({ appendonly: 'no' })
    const redis = new Redis(server.url)
    const count = script<number>('count', 'return #ARGV')
    expect(await run(redis, count, [], Array<string>(200_000).fill('x'))).toBe(200_000)
    redis.disconnect()
  })
})
