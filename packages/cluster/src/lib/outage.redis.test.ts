// @module-tag all/redis
// An instance whose Redis fails, seen from outside: `framework start --cluster`, with the requests of a probe. The password appears nowhere.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { BotRig } from './bot-rig.test.fixture.ts'
import { redisServer, startRedis } from './redis-rig.test.fixture.ts'

const CANARY = 'canary-7f3a'
const PASSWORD = `${CANARY}/of-redis`
const userinfo = `default:${encodeURIComponent(PASSWORD)}`
const EVENTS = 5

/** An instance whose Redis requires a password, and its state as seen from outside. */
async function start(args: (url: string) => string[], env: (url: string) => Record<string, string>) {
  const rig = await BotRig.start(startRedis({ requirepass: PASSWORD }, { userinfo }))
  try {
    return await startIn(rig, args(rig.redis.url), env(rig.redis.url))
  } catch (error) {
    await rig[Symbol.asyncDispose]()
    throw error
  }
}

async function startIn(rig: BotRig, args: string[], env: Record<string, string>) {
  const ping = `${rig.note}export default (ctx) => note(ctx.typed) ?? 'pong ' + ctx.typed`
  rig.build('one', { 'commands/ping.ts': ping }, 'export default { messageBudget: false }')
  const instance = rig.run(['start', 'one', ...args], { BOT_HEALTH_PORT: '0', LOG_LEVEL: 'trace', ...env })
  rig.instances.push(instance)
  await rig.until(() => instance.output().includes('is ready'))
  const ask = async (path: string) => {
    const answer = await fetch(/health endpoint listening on (\S+)"/.exec(instance.output())![1] + path)
    return { status: answer.status, body: await answer.text() }
  }
  const ready = async () => (await ask('/readyz')).status === 200
  await rig.until(ready)
  const lines = () =>
    instance
      .output()
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as { level: string; msg: string }] : []))
  return {
    rig,
    instance,
    ask,
    ready,
    /** The lines about Redis since the start. One line per attempt would be too many. */
    told: () => {
      const since = lines()
        .slice(lines().findIndex(({ msg }) => msg.includes('is ready')) + 1)
        .filter(({ level }) => level !== 'debug')
      expect(since.length, instance.output()).toBeLessThan(25)
      return since.flatMap(({ level, msg }) =>
        msg.startsWith('redis://') ? [`${level} ${msg.replace(/^redis:\S+/, 'URL:')}`] : [],
      )
    },
    /** Everything that happens while Redis fails: from the first failed probe until everything has run. */
    async lasts(fail: () => Promise<unknown>, mend: () => Promise<unknown>) {
      await fail()
      for (let n = 0; n < EVENTS; n++) await rig.says(`/ping ${n}`)
      await rig.until(async () => !(await ready()))
      await rig.until(() => instance.output().includes('this instance was disconnected'))
      // It tries several times to rejoin.
      await new Promise((end) => setTimeout(end, 1000))
      expect(await ask('/livez')).toEqual({ status: 200, body: '{"alive":true}' })
      expect(await ready()).toBe(false)
      expect(rig.notes()).toEqual([])
      await mend()
      await rig.until(ready)
      // The line is written before /readyz returns 200, but its pipe may be read later.
      await rig.until(() => instance.output().includes('this instance has rejoined'))
      const answers = async () => (await rig.texts()).filter((text) => text.startsWith('pong'))
      const numbers = Array.from({ length: EVENTS }, (_, n) => String(n))
      await rig.until(async () => (await answers()).length >= EVENTS)
      expect(rig.notes()).toEqual(numbers)
      expect(await answers()).toEqual(numbers.map((n) => `pong ${n}`))
    },
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  }
}

const inEnv = () =>
  start(
    () => [],
    (url) => ({ BOT_CLUSTER_URL: url }),
  )
const typed = () =>
  start(
    (url) => ['--cluster', url],
    () => ({}),
  )

// Skipped without Redis, which the fixture logs (with CI set, that is an error), and on other systems than Linux: the tests fill a disk
// and read the command line of a process.
describe.skipIf(redisServer === undefined || process.platform !== 'linux')('Redis fails', () => {
  test.concurrent('while Redis is unavailable, an instance keeps running, is not ready, and logs it once; afterwards it runs the new events', async () => {
    await using it = await inEnv()
    const { redis } = it.rig
    await it.lasts(
      () => redis.kill(),
      () => redis.start(),
    )
    expect(it.told(), it.instance.output()).toEqual([
      expect.stringMatching(
        /^error URL: Redis is unavailable: .*; no new event starts until it is back, and nothing is lost$/,
      ),
      expect.stringMatching(/^info URL: Redis is back after \d+\.\d s, with a new server process$/),
    ])
  })

  test.concurrent('while the disk of Redis is full, an instance loses nothing, logs it once, and recovers by itself', async () => {
    await using it = await inEnv()
    const { redis } = it.rig
    await it.lasts(
      () => redis.fillDisk(),
      () => redis.emptyDisk(),
    )
    await it.rig.until(() => it.instance.output().includes('Redis accepts writes again'))
    expect(it.told(), it.instance.output()).toEqual([
      'error URL: Redis accepts no writes: it cannot write to disk; check its log for a full disk (MISCONF Errors writing to the AOF file: File too large); no new event starts until it does, and nothing is lost',
      expect.stringMatching(/^info URL: Redis accepts writes again after \d+\.\d s$/),
    ])
  })

  test.concurrent('the same applies while the memory of Redis is full; no output contains the password', async () => {
    await using it = await typed()
    const { rig, instance, ask } = it
    const admin = new Redis(rig.redis.url)
    admin.on('error', () => {})
    await it.lasts(
      () => admin.config('SET', 'maxmemory', '1'),
      () => admin.config('SET', 'maxmemory', '0'),
    )
    await rig.until(() => instance.output().includes('Redis accepts writes again'))
    expect(it.told(), it.instance.output()).toEqual([
      expect.stringMatching(
        /^error URL: Redis accepts no writes: its memory is full \(maxmemory\); give it more \(OOM command not allowed .*\); no new event starts until it does, and nothing is lost$/,
      ),
      expect.stringMatching(/^info URL: Redis accepts writes again after \d+\.\d s$/),
    ])
    const url = (userinfo: string, rest = `127.0.0.1:${rig.redis.port}`) => `redis://${userinfo}@${rest}`
    const right = rig.redis.url
    const looks = [
      ['cluster', 'status', '--json', '--cluster', right],
      ['cluster', 'replay', '--all', '--cluster', right],
      ['start', 'one', '--cluster', url(`default:wrong-${CANARY}`)],
      ['cluster', 'status', '--cluster', url(userinfo, 'nowhere.invalid')],
      ['cluster', 'status', '--cluster', url(userinfo, '127.0.0.1:1')],
      ['cluster', 'status', '--cluster', right.replace('redis:', 'rediss:')],
      ['start', 'one', '--cluster', url(userinfo, '127.0.0.1:port')],
      ['start', 'one', '--cluster', right, '--bogus', right],
    ].map((args) => rig.run(args, { LOG_LEVEL: 'trace' }))
    const codes = await Promise.all(looks.map(({ ended }) => ended))
    expect(codes).toEqual([0, 0, 78, 1, 1, 1, 78, 2])
    const outputs = looks.map(({ output }) => output())
    for (const [at, words] of [
      /"leader":"/,
      /^no event is set aside/,
      /rejects the user name or the password/,
      /unknown host/,
      /nothing is listening there/,
      /uses? TLS/,
      /cannot be parsed/,
      /bogus/,
    ].entries())
      expect(outputs[at]).toMatch(words)
    const files = readdirSync(join(rig.redis.folder, 'appendonlydir')).filter((name) => name.endsWith('.aof'))
    expect(files).toHaveLength(1)
    const seen = {
      log: instance.output(),
      metrics: (await ask('/metrics')).body,
      outputs: outputs.join('\n'),
      title: readFileSync(`/proc/${instance.child.pid}/cmdline`, 'utf8'),
      clients: String(await admin.client('LIST')),
      kept: files.map((name) => readFileSync(join(rig.redis.folder, 'appendonlydir', name), 'utf8')).join('\n'),
    }
    expect(seen.metrics).toContain('botwright_cluster_member 1')
    expect(seen.kept).toContain('instance-numbers')
    expect(seen.clients).toContain('botwright')
    expect(seen.title).toMatch(/^framework start/)
    for (const [where, text] of Object.entries(seen))
      expect({ where, text }).toEqual({ where, text: expect.not.stringContaining(CANARY) as string })
    admin.disconnect()
  })
})
