// @module-tag all/redis
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '@botwright/framework/cluster'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { botsOf, click, delivered, message, until } from './instances.test.fixture.ts'
import { describeWithRedis, makeAuthority, type Settings, startRedis } from './redis-rig.test.fixture.ts'

const guide = readFileSync(new URL('../../../framework/docs/cluster.md', import.meta.url), 'utf8')
/** The rules of the guide, as they are pasted. */
const rules = /```acl\n([^`]+)```/.exec(guide)![1]!
const rule = rules.split('\n').find((line) => line.startsWith('user botwright '))!

const folderFor = async (work: (folder: string) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-access-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A Redis with these users; `url` is that of the bot. */
const withRules = async (folder: string, lines: string, settings: Settings = {}, scheme = 'redis') => {
  const aclfile = join(folder, 'users.acl')
  writeFileSync(aclfile, lines)
  return startRedis({ ...settings, aclfile }, { scheme, userinfo: 'botwright:bot-password' })
}

describeWithRedis('access to Redis', () => {
  test.each([
    ['a Redis', {}],
    // All keys of a bot are in one hash slot, or this one refuses them.
    ['a node of a Redis Cluster', { 'cluster-enabled': 'yes' }],
  ])('on %s, the rules of the guide suffice for all that a cluster does, and Redis refuses nothing', (_, settings) =>
    folderFor(async (folder) => {
      await using redis = await withRules(folder, rules, settings)
      const admin = new Redis(redis.port, '127.0.0.1', { username: 'admin', password: 'admin-password' })
      try {
        if ('cluster-enabled' in settings) {
          await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
          await until(async () => String(await admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok'))
        }
        await using bots = botsOf(redis)
        const host = { messageBudget: { requests: 3, seconds: 0.2 } }
        const lead = async (term: { offers(hear: () => Promise<void>): void }) => term.offers(async () => {})
        const [one, two] = [await bots.start({ host, lead }), await bots.start({ host, lead })]
        const { instance, term } = await bots.leader()
        const events = Array.from({ length: 40 }, (_, i) => message(i + 1, `c${i % 8}`))
        await bots.publish(...events, click(41))
        const ran = () => one.runs.length + two.runs.length
        await until(() => ran() === 41)

        one.instance.waits('text:general:ann', true)
        // On the same connection: its answer comes after the change is known.
        await one.instance.living()
        await bots.publish(message(42))
        await until(() => one.runs.some(({ event }) => event.id === 42))
        one.instance.waits('text:general:ann', false)

        const due = { interactionId: 'i', token: 't', expiresAtMs: Date.now() + 60_000 }
        expect(await two.instance.unheard(due)).toBe(false)
        await two.instance.answering('other', 'answered')
        await term.publish(delivered({ ...click(46), data: { ...click(46).data, id: 'i' } }), {
          click: due,
          atMs: Date.now(),
        })
        await until(() => one.acks.length + two.acks.length > 0)

        const { store, limits } = two.instance
        await store.set('a', 1, { expiresAtMs: Date.now() + 60_000 })
        expect(await store.list('')).toMatchObject([{ key: 'a', value: 1 }])
        expect(await store.get('a')).toMatchObject({ value: 1 })
        expect(await store.delete('a')).toBe(true)
        for (let i = 0; i < 4; i++) {
          await limits.take('reply')
          limits.release(i % 2 === 0)
        }

        await two.instance.offer(message(43))
        two.instance.wake('timers')
        await until(() => [...one.woken, ...two.woken].length > 0)
        await two.instance.runs('code')
        expect(await two.instance.alone('something', async () => 1)).toBe(1)
        expect((await two.instance.living()).size).toBe(2)
        await two.instance.setAside(message(44), 'for the test')
        expect(await bots.cluster.replay(bots.bot, 'all')).toEqual([44])
        await until(() => ran() === 44)
        expect((await bots.cluster.status(bots.bot)).instances).toHaveLength(2)
        await bots.cluster.check(bots.bot, { debug() {}, info() {}, warn() {}, error() {} })

        const leader = bots.all.find((each) => each.instance === instance)!
        const other = leader === one ? two : one
        await leader.instance.stop({ graceMs: 1000 })
        await leader.instance.close()
        await until(() => other.term)
        await bots.publish(message(45))
        await until(() => other.runs.some(({ event }) => event.id === 45))

        expect(await admin.call('ACL', 'LOG')).toEqual([])
        expect([...one.log, ...two.log].filter((line) => /lacks a permission|NOPERM/.test(line))).toEqual([])
        // And the rules are needed: nothing outside of the prefix can be touched.
        const bot = new Redis(redis.url)
        for (const command of [
          ['GET', 'other'],
          ['PUBLISH', 'other', 'x'],
          ['FLUSHALL'],
          ['KEYS', 'botwright:*'],
          ['CONFIG', 'SET', 'appendonly', 'no'],
          ['SHUTDOWN'],
        ] as const)
          await expect(bot.call(...(command as unknown as [string]))).rejects.toThrow(/NOPERM/)
        bot.disconnect()
      } finally {
        admin.disconnect()
      }
    }),
  )

  test.each([
    ['the keys', (line: string) => line.replace('~botwright:*', '~other:*'), 'access (?:one of the keys|a key)'],
    ['the channels', (line: string) => line.replace('&botwright:*', '&other:*'), '(?:the|a|one of the) channels?'],
    ['a command', (line: string) => `${line} -evalsha -eval`, "the 'eval' command"],
    ['subscribing', (line: string) => `${line} -subscribe`, "the 'subscribe' command"],
  ])('a user without %s is refused at the start, with what to do', (_, change, refused) =>
    folderFor(async (folder) => {
      await using redis = await withRules(folder, `user default off\n${change(rule)}\n`)
      await using bots = botsOf(redis)
      await expect(bots.start()).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_C(?:LUSTER|ONFIG)$/),
        message: expect.stringMatching(
          new RegExp(`its user lacks a permission.*"Restrict access to Redis".*${refused}`),
        ),
      })
      expect(bots.all).toEqual([])
    }),
  )

  test('a cluster runs over TLS with a certificate that its authority signed, and refuses another authority', () =>
    folderFor(async (folder) => {
      const [own, other] = [await makeAuthority(join(folder, 'own')), await makeAuthority(join(folder, 'other'))]
      const files = { 'tls-cert-file': own.cert, 'tls-key-file': own.key, 'tls-ca-cert-file': own.ca }
      await using redis = await withRules(folder, rules, files, 'rediss')
      const client = `cert=${own.cert}&key=${own.key}`
      const start = (query: string) => botsOf({ ...redis, url: `${redis.url}?${query}` })

      await using bots = start(`ca=${own.ca}&${client}`)
      const [one, two] = [await bots.start(), await bots.start()]
      await bots.publish(...Array.from({ length: 10 }, (_, i) => message(i + 1, `c${i}`)))
      await until(() => one.runs.length + two.runs.length === 10)

      await expect(start(`ca=${other.ca}&${client}`).start()).rejects.toMatchObject({
        code: 'ERR_CONFIG',
        message: expect.stringMatching(
          /certificate was signed by an unknown authority; give the file of that authority/,
        ),
      })
      // The alert that names the reason is lost if the server resets the connection while the bot writes.
      await expect(start(`ca=${own.ca}`).start()).rejects.toMatchObject({
        message: expect.stringMatching(/it requires a client certificate[,;] give its files, \?cert=…&key=…/),
      })
      const foreign = `cert=${other.cert}&key=${other.key}`
      await expect(start(`ca=${own.ca}&${foreign}`).start()).rejects.toMatchObject({
        message: expect.stringMatching(
          /it does not accept the client certificate|its authority signed the client certificate/,
        ),
      })
    }))
})

describeWithRedis('an instance that cannot join', () => {
  test('leaves nothing behind that goes on', () =>
    folderFor(async (folder) => {
      await using redis = await withRules(folder, rules.replace('+@pubsub', '+publish'))
      let timers = 0
      const clock: Clock = {
        ...systemClock,
        after: (...given) => (timers++, systemClock.after(...given)),
      }
      await expect(botsOf(redis).start({ host: { clock } })).rejects.toMatchObject({ code: 'ERR_CLUSTER' })
      const before = timers
      await new Promise((resolve) => setTimeout(resolve, 1000))
      expect(timers).toBe(before)
      const admin = new Redis(redis.port, '127.0.0.1', { username: 'admin', password: 'admin-password' })
      expect(await admin.keys('*:member:*')).toEqual([])
      await admin.quit()
    }))
})
