import { systemClock } from '@botwright/clock'
import type { Log } from '@botwright/framework/cluster'
import { expect, test } from 'vitest'
import { checkServer, versionOf } from './check-server.ts'
import { RedisLink } from './connect.ts'
import { keysOf } from './keys.ts'
import { describeWithRedis, type RedisRig, type Settings, startRedis } from '../redis-rig.test.fixture.ts'

const keys = keysOf('http://127.0.0.1:1/v1', 'bot')

/** The result of the check: the lines of the log, or the refusal. */
async function verdict({ url }: RedisRig, code = 'ERR_CONFIG'): Promise<{ told: string[]; refused?: string }> {
  const told: string[] = []
  const log: Log = {
    debug() {},
    info: (facts, text) => void (expect(facts).not.toHaveProperty('code'), told.push(`info ${text}`)),
    warn: (facts, text) => void (expect(facts).toHaveProperty('code', 'ERR_CLUSTER'), told.push(text)),
    error() {},
  }
  await using link = await RedisLink.open({ url, log, clock: systemClock, name: 'check', startMs: 10_000 })
  try {
    await checkServer(link, keys, log)
    return { told }
  } catch (error) {
    expect(error).toMatchObject({ code })
    return { told, refused: (error as Error).message }
  }
}

async function verdictOf(settings: Settings, code?: string): Promise<{ told: string[]; refused?: string }> {
  await using redis = await startRedis(settings)
  return await verdict(redis, code)
}

describeWithRedis('the settings of a server', () => {
  test('logs nothing if each write goes to the disk at once', async () => {
    expect(await verdictOf({ appendfsync: 'always' })).toEqual({ told: [] })
  })

  test('logs what a power cut may undo if writes go to the disk each second, without a warning', async () => {
    expect(await verdictOf({})).toEqual({
      told: [
        expect.stringMatching(
          /^info redis:\/\/127\.0\.0\.1:\d+: appendfsync is everysec: a power cut may undo its last second/,
        ),
      ],
    })
  })

  test('when the operating system likes, and no file at all: refused, both at once', async () => {
    expect(await verdictOf({ appendfsync: 'no' })).toEqual({
      told: [],
      refused: expect.stringMatching(
        /^cluster: redis:\S+: appendfsync is no: .*half a minute.*set "appendfsync everysec"/,
      ),
    })
    expect(await verdictOf({ appendonly: 'no' })).toEqual({
      told: [],
      refused: expect.stringMatching(/: appendonly is off: .*; set "appendonly yes"$/),
    })
    expect((await verdictOf({ appendonly: 'no', 'maxmemory-policy': 'volatile-ttl' })).refused).toMatch(
      /\(1\) maxmemory-policy is volatile-ttl: .*; \(2\) appendonly is off/,
    )
  })

  test('one that drops keys is refused, with a limit and without one', async () => {
    const refused = expect.stringMatching(/maxmemory-policy is allkeys-lru: .*set "maxmemory-policy noeviction"$/)
    expect(await verdictOf({ 'maxmemory-policy': 'allkeys-lru' })).toEqual({ told: [], refused })
    expect(await verdictOf({ 'maxmemory-policy': 'allkeys-lru', maxmemory: '100mb' })).toEqual({ told: [], refused })
    expect(await verdictOf({ maxmemory: '100mb', appendfsync: 'always' })).toEqual({ told: [] })
  })

  test('reports a server whose memory is full', async () => {
    expect((await verdictOf({ maxmemory: '1' }, 'ERR_CLUSTER')).refused).toMatch(
      /it rejects a command that the bot requires: its memory is full \(maxmemory\)/,
    )
  })

  test('a replica is refused, with the address of its master', { tags: 'all/redis' }, async () => {
    await using master = await startRedis()
    expect((await verdictOf({ replicaof: `127.0.0.1 ${master.port}` })).refused).toMatch(
      new RegExp(
        `it is a replica, which accepts no writes; use the address of its master, 127\\.0\\.0\\.1:${master.port}$`,
      ),
    )
  })

  test('if CONFIG is forbidden, logs once which settings could not be checked, and still uses INFO', async () => {
    const managed = { user: 'default on nopass ~* &* +@all -config' }
    expect(await verdictOf(managed)).toEqual({
      told: [
        expect.stringMatching(
          /could not be checked: appendfsync everysec or always; make sure that its provider stores data durably/,
        ),
      ],
    })
    expect(await verdictOf({ ...managed, appendonly: 'no' })).toEqual({
      told: [expect.stringMatching(/could not be checked: appendonly yes, appendfsync everysec or always;/)],
    })
    expect((await verdictOf({ ...managed, 'maxmemory-policy': 'allkeys-lfu' })).refused).toMatch(/allkeys-lfu/)
    expect((await verdictOf({ 'rename-command': 'CONFIG ' })).told).toEqual([
      expect.stringMatching(/could not be checked/),
    ])
  })

  test('names the permission that the user lacks', async () => {
    const settings = { user: 'default on nopass ~* &* +@all -publish' }
    expect((await verdictOf(settings)).refused).toMatch(
      /it rejects a command that the bot requires: its user lacks a permission/,
    )
  })

  test(
    'a Redis Cluster is used where it holds the keys of the bot, and named where another does',
    { tags: 'all/redis' },
    async () => {
      await using redis = await startRedis({ 'cluster-enabled': 'yes', appendfsync: 'always' })
      expect((await verdict(redis)).refused).toMatch(
        /it rejects a command that the bot requires: it is a node of a Redis Cluster/,
      )
      await using link = await RedisLink.open({
        ...{ url: redis.url, clock: systemClock, name: 'admin' },
        log: { debug() {}, info() {}, warn() {}, error() {} },
      })
      await link.redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
      await expect.poll(() => verdict(redis)).toEqual({ told: [] })
      // The slot of the bot's keys is given to another node.
      const slot = await link.redis.call('CLUSTER', 'KEYSLOT', keys.layout)
      await using other = await startRedis({ 'cluster-enabled': 'yes' })
      await link.redis.call('CLUSTER', 'MEET', '127.0.0.1', String(other.port))
      const nodes = async () => String(await link.redis.call('CLUSTER', 'NODES'))
      await expect
        .poll(async () => (await nodes()).split('\n').filter((line) => / connected/.test(line)).length)
        .toBe(2)
      const id = (await nodes())
        .split('\n')
        .find((line) => !line.includes('myself'))!
        .split(' ')[0]!
      await link.redis.call('CLUSTER', 'SETSLOT', String(slot), 'NODE', id)
      await expect
        .poll(async () => (await verdict(redis)).refused)
        .toMatch(new RegExp(`a node of a Redis Cluster, and another node \\(127\\.0\\.0\\.1:${other.port}\\) holds`))
    },
  )
})

test('an old version is refused', () => {
  expect(versionOf({ redis_version: '5.0.14' })).toMatch(/it is Redis 5\.0\.14, but the bot requires 6\.2 or newer/)
  expect(versionOf({ redis_version: '6.0.16' })).toMatch(/6\.0\.16/)
  for (const version of ['6.2.0', '7.0.15', '8.10.1', '10.0'])
    expect(versionOf({ redis_version: version })).toBeUndefined()
  expect(versionOf({})).toBeUndefined()
})
