// Abuses the local service: COUNT calls generated from its published documents, and COUNT byte sequences that are not a request. Needs the build.
//   COUNT=100000 SEED=1 PARALLEL=8 node packages/workspace/soak/malformed.mjs
// The service runs in its own process and reports its heap after garbage collection. Exit code 0: it never crashed, no response was
// a 500 or lacked its body, and it grew by less than 50 MB after the first tenth.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { number, SEED } from './settings.mjs'

const COUNT = number('COUNT', 100_000)
const PARALLEL = number('PARALLEL', 8)
const BATCH = 400
const MAX_GROWTH_MB = 50

if (process.send) await serve()
else process.exitCode = await abuse()

/** The child process: the service, with a clock that the parent advances. */
async function serve() {
  const { VirtualClock } = await import('@botwright/clock')
  const { startService } = await import('@botwright/service')
  const { abusedWorld } = await import('../dist/lib/fuzz/abused-service.test.fixture.js')
  const service = await startService({ port: 0, world: abusedWorld, clock: new VirtualClock(), controls: true })
  process.on('message', () => {
    globalThis.gc()
    globalThis.gc()
    const { heapUsed, rss, external } = process.memoryUsage()
    process.send({ heapUsed, rss, external })
  })
  process.once('disconnect', () => void service.close())
  process.send({ url: service.url, port: service.port, world: service.world })
}

async function abuse() {
  const { default: fc } = await import('fast-check')
  const abused = await import('../dist/lib/fuzz/abused-service.test.fixture.js')
  const calls = await import('../dist/lib/fuzz/schema-calls.test.fixture.js')
  const raw = await import('../dist/lib/fuzz/malformed.test.fixture.js')

  const child = fork(fileURLToPath(import.meta.url), { execArgv: ['--expose-gc'] })
  let exited
  child.once('exit', (code, signal) => (exited = `the service ended: ${code ?? signal}`))
  const [{ url, port, world }] = await once(child, 'message')
  const memory = async () => {
    child.send('memory')
    const [usage] = await once(child, 'message')
    return usage
  }
  const control = async (path, body = {}) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/controls/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  }
  const faults = new Map()
  const statuses = new Map()
  const note = (fault, shown) => {
    const key = fault.slice(0, 160)
    faults.set(key, { count: (faults.get(key)?.count ?? 0) + 1, first: faults.get(key)?.first ?? shown })
  }
  /** Runs `one` for every item, several at a time. */
  const each = async (items, one) => {
    let next = 0
    await Promise.all(
      Array.from({ length: PARALLEL }, async () => {
        while (next < items.length && !exited) await one(items[next++])
      }),
    )
  }

  const megabytes = (bytes) => Math.round((bytes / 2 ** 20) * 10) / 10
  const sample = async (made) => {
    const usage = await memory()
    samples.push(usage)
    console.log(
      `${String(made).padStart(7)} calls: heap ${megabytes(usage.heapUsed)} MB, rss ${megabytes(usage.rss)} MB`,
    )
  }

  const documents = await abused.documentsOf(url)
  const samples = []
  const begunMs = performance.now()
  for (let done = 0, batch = 0; done < COUNT && !exited; done += BATCH, batch++) {
    await control('reset')
    const ids = await abused.idsOf(url, world)
    const [side, authorizations] =
      batch % 4 === 3 ? ['people', abused.personAuthorizations] : ['bot', abused.botAuthorizations]
    const made = fc.sample(calls.callsOf(documents[side], ids, authorizations), { seed: SEED + batch, numRuns: BATCH })
    for (let from = 0; from < BATCH; from += 100) {
      await each(made.slice(from, from + 100), async (call) => {
        try {
          const answer = await calls.make(port, call)
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          const fault = calls.faultOf(call, answer)
          if (fault) note(fault, `seed ${SEED + batch}: ${abused.describeCall(call)} → ${answer.body.slice(0, 500)}`)
        } catch (error) {
          note(String(error), `seed ${SEED + batch}: ${abused.describeCall(call)}`)
        }
      })
      await control('clock', { advance_seconds: 61 })
    }
    const random = raw.randomOf(SEED + batch)
    await each(
      Array.from({ length: BATCH }, () => raw.malformed(random)),
      async (sent) => {
        const shown = () =>
          `seed ${SEED + batch}, ${sent.kind}: ${JSON.stringify(sent.bytes.subarray(0, 600).toString('latin1'))}`
        try {
          const came = await raw.sendBytes(port, sent.bytes)
          if (came.length === 0) {
            const key = `closed: ${sent.kind}`
            statuses.set(key, (statuses.get(key) ?? 0) + 1)
          }
          const fault = raw.connectionFault(sent, came)
          if (fault) note(fault, shown())
        } catch (error) {
          note(String(error), shown())
        }
      },
    )
    if (batch % Math.max(1, Math.ceil(COUNT / BATCH / 20)) === 0) await sample(done + BATCH)
  }
  const answers = await fetch(`${url}/v1/me`, { headers: { authorization: 'Bot token-of-helper' } }).then(
    ({ status }) => status,
    String,
  )
  if (!exited) await sample(COUNT)
  calls.closeAgent()

  const warm = samples[Math.min(samples.length - 1, Math.ceil(samples.length / 10))]
  const growth = megabytes(samples.at(-1).heapUsed - warm.heapUsed)
  const seconds = Math.round((performance.now() - begunMs) / 1000)
  console.log(
    JSON.stringify({
      seed: SEED,
      count: COUNT,
      seconds,
      statuses: Object.fromEntries(statuses),
      growth_mb: growth,
      afterwards: answers,
    }),
  )
  for (const [fault, { count, first }] of faults) console.log(`FAULT ${count}×: ${fault}\n  ${first}`)
  if (exited) console.log(exited)
  child.disconnect()
  return exited || faults.size > 0 || growth > MAX_GROWTH_MB || answers !== 200 ? 1 : 0
}
