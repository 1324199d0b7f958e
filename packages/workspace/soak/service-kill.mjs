// Kills the service repeatedly while people and a bot write, and checks that no acknowledged write is lost.
//   KILLS=200 SEED=1 node packages/workspace/soak/service-kill.mjs
// Needs the build. Exit code 0: no acknowledged write was lost, event ids rise, and SQLite's integrity check passes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '@botwright/sqlite'
import { newFolder } from './rig.mjs'
import { number, SEED, seeded } from './settings.mjs'

const KILLS = number('KILLS', 200)
const WRITERS = 4
const program = fileURLToPath(new URL('../../service/dist/main.js', import.meta.url))
const folder = newFolder('service')
const data = join(folder, 'chat.db')
const world = join(folder, 'world.json')
const people = Array.from({ length: WRITERS }, (_, i) => ({ username: `writer-${i}`, token: `token-of-writer-${i}` }))
writeFileSync(
  world,
  JSON.stringify({
    people,
    bots: [{ username: 'reader', owner: 'writer-0', token: 'token-of-reader' }],
    servers: [
      {
        name: 'Workshop',
        owner: 'writer-0',
        members: people.slice(1).map(({ username }) => username),
        bots: ['reader'],
        channels: people.map(({ username }) => ({ name: username })),
      },
    ],
  }),
)

const random = seeded(SEED)

async function start() {
  const args = [program, '--port', '0', '--data', data, '--world', world]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(child, 'exit')
  const first = await Promise.race([once(child.stdout, 'data'), exited.then(() => undefined)])
  if (first === undefined) throw new Error('the service did not start on its own file')
  return { child, exited, url: JSON.parse(String(first[0])).url }
}

const call = async (url, path, { auth, method = 'GET', body }) => {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: auth, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const json = await answer.json()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${json.error}`)
  return json
}

let running = await start()
const asWriter = (i) => `Person ${people[i].token}`
const { servers } = await call(running.url, '/people/v1/me', { auth: asWriter(0) })
const view = await call(running.url, `/people/v1/servers/${servers[0].id}`, { auth: asWriter(0) })
const channelIds = people.map(({ username }) => view.channels.find(({ name }) => name === username).id)
const acknowledged = { messages: new Map(), edits: new Map(), reactions: new Set(), deletions: new Set() }
const counts = { kills: 0, calls: 0, unanswered: 0, refused: 0 }
let stopped = false

/** One person writes, edits, reacts and deletes in their own channel. Records the calls with a response of 200. */
async function write(i) {
  const path = `/people/v1/channels/${channelIds[i]}/messages`
  for (let n = 0; !stopped; n++) {
    const { url } = running
    try {
      const content = `${people[i].username} ${n}`
      const { id } = await call(url, path, { auth: asWriter(i), method: 'POST', body: { content } })
      acknowledged.messages.set(id, { channel: i, content })
      counts.calls++
      if (n % 5 === 1) {
        await call(url, `${path}/${id}`, { auth: asWriter(i), method: 'PATCH', body: { content: `${content} edited` } })
        acknowledged.edits.set(id, `${content} edited`)
      }
      if (n % 5 === 2) {
        await call(url, `${path}/${id}/reactions/${encodeURIComponent('👍')}`, { auth: asWriter(i), method: 'PUT' })
        acknowledged.reactions.add(id)
      }
      if (n % 5 === 3) {
        // Recorded before the call: a deletion without a response may have happened.
        acknowledged.messages.delete(id)
        await call(url, `${path}/${id}`, { auth: asWriter(i), method: 'DELETE' })
        acknowledged.deletions.add(id)
      }
    } catch (error) {
      if (/^(GET|POST|PUT|PATCH|DELETE) /.test(error.message)) {
        counts.refused++
        console.error(error.message)
      } else counts.unanswered++
      await sleep(50)
    }
  }
}

const writers = people.map((_, i) => write(i))
while (counts.kills < KILLS) {
  // Wait for a response, so that each kill interrupts writes and not just the startup.
  const before = counts.calls
  while (counts.calls === before) await sleep(5)
  await sleep(random() * 200)
  running.child.kill('SIGKILL')
  await running.exited
  counts.kills++
  running = await start()
}
stopped = true
await Promise.all(writers)

// The bot received exactly one event for each written message, in order.
const seen = []
for (
  let after = 1, page;
  (page = await call(running.url, `/v1/events?after=${after}`, { auth: 'Bot token-of-reader' }));
) {
  if (page.events.length === 0) break
  seen.push(...page.events)
  after = page.last
}
running.child.kill('SIGTERM')
const [exitCode] = await running.exited

const db = openDatabase(data)
const rows = new Map(
  db
    .prepare('SELECT id, channel_id, content FROM messages')
    .all()
    .map((row) => [row.id, row]),
)
const reacted = new Set(
  db
    .prepare('SELECT message_id FROM reactions')
    .all()
    .map((row) => row.message_id),
)
const integrity = db.prepare('PRAGMA integrity_check').get().integrity_check
const broken = db.prepare('PRAGMA foreign_key_check').all().length
db.close()

const received = seen.filter(({ type }) => type === 'message').map(({ data: { id } }) => id)
let lost = 0
for (const [id, { channel, content }] of acknowledged.messages) {
  const row = rows.get(id)
  const wanted = acknowledged.edits.get(id) ?? content
  // An edit without a response may have happened.
  if (row?.channel_id !== channelIds[channel] || (row.content !== wanted && row.content !== `${wanted} edited`)) lost++
  if (!received.includes(id)) lost++
}
for (const id of acknowledged.reactions) if (rows.has(id) && !reacted.has(id)) lost++
for (const id of acknowledged.deletions) if (rows.has(id)) lost++
const result = {
  seed: SEED,
  ...counts,
  acknowledged: acknowledged.messages.size,
  lost,
  repeated_events: received.length - new Set(received).size,
  events_in_order: seen.every((event, index) => index === 0 || event.id > seen[index - 1].id),
  integrity,
  broken_references: broken,
  exit_code: exitCode,
}
console.log(JSON.stringify(result))
const good =
  lost === 0 &&
  result.repeated_events === 0 &&
  result.events_in_order &&
  integrity === 'ok' &&
  broken === 0 &&
  counts.refused === 0 &&
  exitCode === 0
if (good) rmSync(folder, { recursive: true, force: true })
else console.error(`a guarantee was broken; the file is ${data}`)
process.exit(good ? 0 : 1)
