import { fork, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
const N = Number(process.env.N ?? 12000),
  CH = 200,
  MS = Number(process.env.MS ?? 2),
  P = Number(process.env.P ?? 3)
if (process.argv[2] === 'child') {
  const { redisCluster } = await import('./dist/index.js')
  const { systemClock, Delivery } = await import('@botwright/framework/cluster')
  const log = { debug() {}, info() {}, warn: (o, m) => console.error(m), error: (o, m) => console.error(m) }
  let runs = 0,
    dup = 0,
    first = 0,
    last = 0
  const lat = []
  const m = await redisCluster(process.argv[3]).join({
    baseUrl: 'http://x',
    botId: 'b',
    version: '1',
    clock: systemClock,
    log,
    report() {},
    timeoutMs: 15000,
    handlerAttempts: 3,
  })
  m.start({
    async run(d) {
      lat.push(Date.now() - d.event.data.at)
      first ||= Date.now()
      runs++
      if (d.attempt > 1) dup++
      if (MS) await new Promise((r) => setTimeout(r, MS))
      last = Date.now()
    },
    async lead(term) {
      process.send({ lead: 1 })
      process.on('message', async (msg) => {
        if (!msg.go) return
        const rate = Number(process.env.RATE ?? 0)
        const t = Date.now()
        const one = (id) =>
          term.publish(
            new Delivery(
              {
                id,
                type: 'message',
                data: { channel_id: 'c' + (id % CH), author_id: 'a', content: 'hello there', at: Date.now() },
                created_at: '',
              },
              1,
            ),
          )
        if (rate) {
          let id = 1
          await new Promise((r) => {
            const i = setInterval(() => {
              const due = Math.min(N, Math.floor(((Date.now() - t) * rate) / 1000))
              while (id <= due) one(id++)
              if (id > N) {
                clearInterval(i)
                r()
              }
            }, 5)
          })
        } else
          for (let id = 1; id <= N; id += 100) {
            const ps = []
            for (let k = id; k < id + 100 && k <= N; k++) ps.push(one(k))
            await Promise.all(ps)
          }
        process.send({ published: Date.now() - t })
      })
    },
    async ack() {},
    async lost() {
      console.error('lost')
    },
    async gone() {},
    woken() {},
  })
  process.on('message', async (msg) => {
    if (msg.report) {
      lat.sort((a, b) => a - b)
      const c = process.cpuUsage()
      process.send({
        runs,
        dup,
        first,
        last,
        p50: lat[lat.length >> 1],
        p99: lat[Math.floor(lat.length * 0.99)],
        cpu: (c.user + c.system) / 1000,
      })
    }
    if (msg.end) {
      await m.stop({ graceMs: 0 })
      await m.close()
      process.disconnect()
    }
  })
  process.send({ ready: 1 })
} else {
  const dir = mkdtempSync('/tmp/core-bench-')
  const port = 7900 + Math.floor(Math.random() * 90)
  const r = spawn(
    'redis-server',
    [
      '--port',
      String(port),
      '--dir',
      dir,
      '--appendonly',
      'yes',
      '--appendfsync',
      'everysec',
      '--save',
      '',
      '--maxmemory-policy',
      'noeviction',
    ],
    { stdio: 'ignore' },
  )
  await new Promise((r) => setTimeout(r, 500))
  const kids = []
  let leader
  for (let i = 0; i < P; i++) {
    const k = fork(import.meta.filename, ['child', `redis://127.0.0.1:${port}`])
    kids.push(k)
    k.on('message', (m) => {
      if (m.lead) leader = k
      if (m.published) console.log('published in', m.published, 'ms')
    })
    await new Promise((r) => k.once('message', r))
  }
  await new Promise((r) => setTimeout(r, 1500))
  const t0 = Date.now()
  leader.send({ go: 1 })
  for (;;) {
    await new Promise((r) => setTimeout(r, 1000))
    const reps = await Promise.all(
      kids.map(
        (k) =>
          new Promise((r) => {
            k.on('message', function h(m) {
              if ('runs' in m) {
                k.off('message', h)
                r(m)
              }
            })
            k.send({ report: 1 })
          }),
      ),
    )
    const runs = reps.reduce((a, b) => a + b.runs, 0)
    if (runs >= N || Date.now() - t0 > 60000) {
      const last = Math.max(...reps.map((r) => r.last)),
        first = Math.min(...reps.filter((r) => r.first).map((r) => r.first))
      console.log(
        JSON.stringify({
          runs,
          rate: Math.round((runs / (last - first)) * 1000),
          each: reps.map((r) => r.runs),
          dup: reps.reduce((a, b) => a + b.dup, 0),
          p50: reps.map((r) => r.p50),
          p99: reps.map((r) => r.p99),
          cpu: reps.map((r) => Math.round(r.cpu)),
        }),
      )
      break
    }
  }
  for (const k of kids) k.send({ end: 1 })
  await Promise.all(kids.map((k) => new Promise((r) => k.once('exit', r))))
  r.kill()
}
