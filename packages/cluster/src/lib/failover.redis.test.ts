// @module-tag all/redis
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Delivery, systemClock } from '@botwright/framework/cluster'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { botsOf, message, until } from './instances.test.fixture.ts'
import { RedisLink } from './redis/connect.ts'
import { keysOf } from './redis/keys.ts'
import { describeWithRedis, startRedis } from './redis-rig.test.fixture.ts'
import { RedisStore } from './shared/redis-store.ts'

/** One address for whichever server is the master, as the DNS name of a managed service or a proxy in front of Sentinel. */
async function startAddress(port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => (sockets.delete(from), to.destroy()))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** New connections go there; those that exist stay, as after a change of DNS. */
    pointTo: (other: number) => void (port = other),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

type Pair = Awaited<ReturnType<typeof startPair>>

/** A master, a replica of it, and one address that leads to the master. */
async function startPair() {
  const first = await startRedis({ 'repl-diskless-sync-delay': '0' })
  const second = await startRedis({ replicaof: `127.0.0.1 ${first.port}` })
  const address = await startAddress(first.port)
  const [master, replica] = [new Redis(first.port), new Redis(second.port)]
  for (const redis of [master, replica]) redis.on('error', () => {})
  await until(async () => (await master.info('replication')).includes('state=online'))
  const replicated = async () => {
    // WAIT covers what its own connection has written, and all before it.
    await master.set('written', 'last')
    expect(await master.wait(1, 10_000)).toBe(1)
  }
  await replicated()
  return {
    first,
    master,
    replicaPort: second.port,
    rig: { ...first, url: address.url },
    replicated,
    /** Writes to the master after this are lost. */
    promote: () => replica.call('REPLICAOF', 'NO', 'ONE'),
    usePromoted: () => address.pointTo(second.port),
    async [Symbol.asyncDispose]() {
      for (const redis of [master, replica]) redis.disconnect()
      for (const rig of [address, second, first]) await rig[Symbol.asyncDispose]()
    },
  }
}

const isBack = (log: readonly string[]) =>
  log.some((line) => /Redis is back after .* with a new server process/.test(line))

describeWithRedis('a replica is promoted', () => {
  test.each([
    ['the master has died', ({ first }: Pair) => first.kill()],
    [
      'the master has become its replica',
      async ({ master, replicaPort }: Pair) => void (await master.replicaof('127.0.0.1', replicaPort)),
    ],
  ])('every event runs, in the order of its channel, and every repeat is marked: %s', async (_, demote) => {
    await using pair = await startPair()
    await using bots = botsOf(pair.rig)
    const run = () => new Promise<void>((resolve) => setTimeout(resolve, 50))
    const instances = [await bots.start({ run }), await bots.start({ run })]
    const events = Array.from({ length: 200 }, (_event, i) => message(i + 1, `c${i % 10}`))
    await bots.publish(...events)
    const runs = () => instances.flatMap((one) => one.runs)
    await until(() => runs().length > 50)

    // Replication is asynchronous: a failover that an operator asks for waits until the replica has all.
    await pair.replicated()
    pair.usePromoted()
    await pair.promote()
    await demote(pair)

    await until(() => new Set(runs().map(({ event }) => event.id)).size === events.length)
    for (const { log } of instances) await until(() => isBack(log))
    const seen = new Set<number>()
    for (const { event, attempt } of instances.flatMap((one) => one.runs)) {
      if (seen.has(event.id)) expect(attempt, `event ${event.id}`).toBeGreaterThan(1)
      seen.add(event.id)
    }
    for (let channel = 0; channel < 10; channel++)
      for (const one of instances) {
        const ids = one.runs.map(({ event }) => event.id).filter((id) => (id - 1) % 10 === channel)
        expect(ids).toEqual([...ids].sort((a, b) => a - b))
      }
    await bots.publish(message(201))
    await until(() => runs().some(({ event }) => event.id === 201))
  })

  test('a write to a master that has become a replica waits for the new one', async () => {
    await using pair = await startPair()
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    await using link = await RedisLink.open({ url: pair.rig.url, log, clock: systemClock, name: 'test' })
    const store = new RedisStore({ link, keys: keysOf('http://chat.test', 'bot'), clock: systemClock })
    expect(await store.set('a', 1)).toBe(true)
    await pair.replicated()
    pair.usePromoted()
    await pair.promote()
    await pair.master.replicaof('127.0.0.1', pair.replicaPort)
    expect(await store.set('a', 2)).toBe(true)
    expect(await store.get('a')).toMatchObject({ value: 2 })
  })

  test('an event whose end was not replicated does not run again behind later ones', async () => {
    await using pair = await startPair()
    await using bots = botsOf(pair.rig)
    const held = new Map<number, () => void>()
    const run = ({ event: { id } }: Delivery) => new Promise<void>((resolve) => void held.set(id, resolve))
    const one = await bots.start({ run })
    await bots.publish(message(1), message(2), message(3))
    await until(() => held.has(1))
    await pair.replicated()
    await pair.promote()
    held.get(1)!()
    // The master has noted that event 1 has ended; its former replica has not.
    await until(() => held.has(2))
    pair.usePromoted()
    await pair.first.kill()
    await until(() => isBack(one.log))
    held.get(2)!()
    await until(() => held.has(3))
    held.get(3)!()
    await bots.publish(message(4))
    await until(() => held.has(4))
    expect(one.runs.map(({ event }) => event.id)).toEqual([1, 2, 3, 4])
    held.get(4)!()
  })
})
