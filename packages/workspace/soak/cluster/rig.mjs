// Shared by the cluster's soak tests: a Redis that can be killed, and its content.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { freePort } from '../rig.mjs'

const { Redis } = createRequire(new URL('../../../cluster/package.json', import.meta.url))('ioredis')

/** A real Redis with its file, which can be killed and started again. `bind`: the addresses that it listens on. */
export async function startRedis(folder, { bind = ['127.0.0.1'], fsync = 'everysec' } = {}) {
  const port = await freePort()
  const dir = join(folder, 'redis')
  mkdirSync(dir, { recursive: true })
  const args = ['--port', port, '--dir', dir, '--bind', ...bind, '--protected-mode', 'no', '--appendonly', 'yes']
  let child
  const start = async () => {
    child = spawn(
      'redis-server',
      [...args, '--appendfsync', fsync, '--maxmemory-policy', 'noeviction', '--save', ''].map(String),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const running = child
    for await (const text of running.stdout.setEncoding('utf8')) if (text.includes('Ready to accept')) break
    running.stdout.resume()
  }
  const end = async (signal) => {
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
  await start()
  return {
    port,
    url: `redis://${bind.at(-1)}:${port}`,
    start,
    /** The stored values of a name, by channel id. */
    async stateOf(name) {
      const client = new Redis(port, '127.0.0.1')
      const mark = `:state:state:channel:${name}:`
      try {
        const keys = await client.keys(`*${mark}*`)
        const texts = keys.length > 0 ? await client.mget(keys) : []
        return new Map(
          keys.map((key, i) => [key.split(mark)[1], JSON.parse(texts[i].slice(texts[i].indexOf('{'))).value]),
        )
      } finally {
        client.disconnect()
      }
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

/** The id of the bot of a token. */
export async function botIdOf(service, token) {
  const answer = await fetch(`${service.base_url}/me`, { headers: { authorization: `Bot ${token}` } })
  return (await answer.json()).id
}

/**
 * A handler that records its start, works for a while, and records its end in the shared state, which rejects writes of an instance
 * without a lease and has one order for all notes of a channel. `judge` reads the notes.
 */
export const notingHandler = `const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
async function note(ctx, what) {
  for (;;)
    try {
      // After a missing response, the last note shows whether the write took effect.
      return await ctx.state.channel.update('notes', (notes = []) => (notes.at(-1) === what ? notes : [...notes, what]))
    } catch (error) {
      if (error.code !== 'ERR_STATE') throw error
      await sleep(100)
    }
}
export default async (ctx) => {
  const count = ctx.event.content.split(' ')[1]
  await note(ctx, 'start ' + count + (ctx.redelivered ? ' again' : ''))
  await sleep(5 + Math.random() * 45)
  await note(ctx, 'end ' + count)
}
`

/** The notes of each channel of the server Workshop, by the channel's name. */
export async function notesOf(redis, service) {
  const kept = await redis.stateOf('notes')
  const { channels } = service.world.servers.Workshop
  return new Map(Object.entries(channels).map(([name, id]) => [name, kept.get(id) ?? []]))
}
