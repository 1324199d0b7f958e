// What people see of a machine whose Redis is away, or takes nothing more: `framework start --cluster`, asked as a probe asks it.

import { Redis } from 'ioredis'
import { describe, expect, test, vi } from 'vitest'
import { BotRig, type MachineProcess } from './bot-rig.test.fixture.ts'
import { redisServer, startRedis } from './redis-rig.test.fixture.ts'

vi.setConfig({ testTimeout: 60_000 })

const CANARY = 'canary-7f3a'
const PASSWORD = `${CANARY}/of redis`

/** A machine whose Redis asks for a password, and how its health stands. */
async function outage() {
  const redis = startRedis({ requirepass: CANARY }, { userinfo: `:${CANARY}` })
  const rig = await BotRig.start(redis)
  const ping = `${rig.note}export default (ctx) => note(ctx.typed + (ctx.redelivered ? ' again' : '')) ?? 'pong ' + ctx.typed`
  rig.build('one', { 'commands/ping.ts': ping }, 'export default { messageBudget: false }')
  const machine = await rig.machine('one', { BOT_HEALTH_PORT: '0', LOG_LEVEL: 'trace' })
  const ask = async (path: string) => {
    const answer = await fetch(/health is told on (\S+)"/.exec(machine.output())![1] + path)
    return { status: answer.status, body: await answer.text() }
  }
  const ready = async () => (await ask('/readyz')).status === 200
  return { rig, machine, ask, ready, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() }
}

describe.skipIf(redisServer === undefined)('Redis fails', () => {
  test.concurrent('oom', async () => {
    await using it = await outage()
    const { rig, machine, ask, ready } = it
    await rig.until(ready)
    const t0 = Date.now()
    const admin = new Redis(rig.redis.url)
    await admin.config('SET', 'maxmemory', '1')
    for (let n = 0; n < 5; n++) await rig.says(`/ping ${n}`)
    await rig.until(async () => !(await ready()))
    console.log(Date.now() - t0, await ask('/readyz'))
    await new Promise((r) => setTimeout(r, 4000))
    await admin.config('SET', 'maxmemory', '0')
    await rig.until(ready).catch(() => {})
    await rig.until(async () => (await rig.texts()).filter((t) => t.startsWith('pong')).length === 5).catch(() => {})
    console.log(Date.now() - t0, await ask('/readyz'), machine.output(), rig.notes())
    await rig.until(async () => (await rig.texts()).filter((t) => t.startsWith('pong')).length === 5)
    console.log(Date.now() - t0, machine.output(), rig.notes())
    admin.disconnect()
  })
  test.concurrent('misconf', async () => {
    await using it = await outage()
    const { rig, machine, ask, ready } = it
    await rig.until(ready)
    const t0 = Date.now()
    await rig.redis.fillDisk()
    for (let n = 0; n < 5; n++) await rig.says(`/ping ${n}`)
    await rig.until(async () => !(await ready()))
    console.log(Date.now() - t0, await ask('/readyz'))
    await new Promise((r) => setTimeout(r, 4000))
    await rig.redis.emptyDisk()
    await rig.until(ready)
    await rig.until(async () => (await rig.texts()).filter((t) => t.startsWith('pong')).length === 5)
    console.log(Date.now() - t0, machine.output(), rig.notes())
  })
  test.concurrent('away', async () => {
    await using it = await outage()
    const { rig, machine, ask, ready } = it
    await rig.until(ready)
    const t0 = Date.now()
    await rig.redis.kill()
    for (let n = 0; n < 5; n++) await rig.says(`/ping ${n}`)
    await rig.until(async () => !(await ready()))
    console.log(Date.now() - t0, await ask('/readyz'), await ask('/livez'))
    await new Promise((r) => setTimeout(r, 4000))
    await rig.redis.start()
    await rig.until(ready)
    await rig.until(async () => (await rig.texts()).filter((t) => t.startsWith('pong')).length === 5)
    console.log(Date.now() - t0, machine.output(), rig.notes())
  })
})
