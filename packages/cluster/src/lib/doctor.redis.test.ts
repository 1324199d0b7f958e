// @module-tag all/redis
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotRig } from './bot-rig.test.fixture.ts'
import { describeWithRedis, startRedis } from './redis-rig.test.fixture.ts'

describeWithRedis('framework doctor', () => {
  test('looks at the Redis of a bot that runs on many instances, with the texts of its start', async () => {
    await using rig = await BotRig.start(startRedis({ requirepass: 'the-password' }))
    await using careless = await startRedis({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' })
    const at = (url: string) => rig.run(['doctor', '--json'], { BOT_CLUSTER_URL: url })
    const right = rig.redis.url.replace('//', '//:the-password@')
    const looks = [right, rig.redis.url, careless.url, 'redis://127.0.0.1:1'].map(at)
    await Promise.all(looks.map(({ ended }) => ended))
    const told = looks.map(({ output }) => {
      expect(output()).not.toContain('the-password')
      const { findings } = JSON.parse(output()) as { findings: { subject: string }[] }
      return findings.find(({ subject }) => subject === 'cluster')
    })
    const fault = (text: RegExp, code = 'ERR_CONFIG') => ({ state: 'fault', code, fact: expect.stringMatching(text) })
    expect(told).toMatchObject([
      { state: 'ok', fact: 'Redis responds and is configured correctly' },
      fault(/^redis:.*password/),
      fault(/\(1\) maxmemory-policy is allkeys-lru: .*; \(2\) appendonly is off/),
      fault(/ECONNREFUSED|nobody listens|refuse/i, 'ERR_CLUSTER'),
    ])
    expect(existsSync(join(rig.root, '.botwright/journal.db'))).toBe(false)
  })
})
