// @module-tag all/redis
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { botsOf, message, until } from './instances.test.fixture.ts'
import { describeWithRedis, type RedisRig, startRedis } from './redis-rig.test.fixture.ts'

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

describeWithRedis('a replica is promoted', () => {
  test.each([
    ['the master has died', (master: RedisRig) => master.kill()],
    [
      'the master has become its replica',
      async (_: RedisRig, master: Redis, port: number) => void (await master.replicaof('127.0.0.1', port)),
    ],
  ])('every event runs, in the order of its channel, and every repeat is marked: %s', async (_, demote) => {
    await using first = await startRedis({ 'repl-diskless-sync-delay': '0' })
    await using second = await startRedis({ replicaof: `127.0.0.1 ${first.port}` })
    await using address = await startAddress(first.port)
    const [master, replica] = [new Redis(first.port), new Redis(second.port)]
    for (const redis of [master, replica]) redis.on('error', () => {})
    const replicated = async () => {
      // WAIT covers what its own connection has written, and all before it.
      await master.set('written', 'last')
      expect(await master.wait(1, 10_000)).toBe(1)
    }
    await until(async () => (await master.info('replication')).includes('state=online'))
    await replicated()
    await using bots = botsOf({ ...first, url: address.url })
    const run = () => new Promise<void>((resolve) => setTimeout(resolve, 50))
    const instances = [await bots.start({ run }), await bots.start({ run })]
    const events = Array.from({ length: 200 }, (_event, i) => message(i + 1, `c${i % 10}`))
    await bots.publish(...events)
    const runs = () => instances.flatMap((one) => one.runs)
    await until(() => runs().length > 50)

    // Replication is asynchronous: a failover that an operator asks for waits until the replica has all.
    await replicated()
    address.pointTo(second.port)
    await replica.call('REPLICAOF', 'NO', 'ONE')
    await demote(first, master, second.port)
    for (const redis of [master, replica]) redis.disconnect()

    await until(() => new Set(runs().map(({ id }) => id)).size === events.length)
    for (const { log } of instances)
      await until(() => log.some((line) => /Redis is back after .* with a new server process/.test(line)))
    const seen = new Set<number>()
    for (const { id, redelivered } of instances.flatMap((one) => one.runs)) {
      if (seen.has(id)) expect(redelivered, `event ${id}`).toBe(true)
      seen.add(id)
    }
    for (let channel = 0; channel < 10; channel++)
      for (const one of instances) {
        const ids = one.runs.filter(({ id }) => (id - 1) % 10 === channel).map(({ id }) => id)
        expect(ids).toEqual([...ids].sort((a, b) => a - b))
      }
    await bots.publish(message(201))
    await until(() => runs().some(({ id }) => id === 201))
  })
})
