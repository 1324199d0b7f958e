// Opens connections that send their headers slowly or not at all. Measures when the service closes each, and the effect on others.
//   SENDERS=500 node packages/workspace/soak/slow-senders.mjs
// Needs the build. Exit code 0: all were closed within 10 seconds, and valid requests were answered within 100 ms (p99) in the meantime.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { number } from './settings.mjs'

const SENDERS = number('SENDERS', 500)
const WITHIN_MS = 10_000
const P99_MS = 100

// A separate process, so that the senders do not delay the measured requests.
const program = fileURLToPath(new URL('../../service/dist/main.js', import.meta.url))
const service = spawn(process.execPath, [program, '--port', '0', '--memory'], { stdio: ['ignore', 'pipe', 'inherit'] })
const { url } = JSON.parse(String((await once(service.stdout, 'data'))[0]))
const port = Number(new URL(url).port)

const startedMs = performance.now()
const closedAfterMs = []
const answers = new Map()
const senders = Array.from({ length: SENDERS }, async (_, index) => {
  const socket = connect(port, '127.0.0.1')
  socket
    .setEncoding('utf8')
    .on('data', (text) => answers.set(text.slice(9, 12), (answers.get(text.slice(9, 12)) ?? 0) + 1))
  socket.on('error', () => {})
  if (index % 3 > 0) socket.write('GET /people/v1/sessions HTTP/1.1\r\nHost: localhost\r\n')
  const drip = setInterval(() => index % 3 === 1 && socket.write(`X-${index}: 1\r\n`), 500)
  await once(socket, 'close')
  clearInterval(drip)
  closedAfterMs.push(performance.now() - startedMs)
})
let open = true
const all = Promise.race([Promise.all(senders), sleep(2 * WITHIN_MS)]).then(() => (open = false))

const agent = new Agent({ keepAlive: true })
const waitsMs = []
while (open) {
  const before = performance.now()
  const [answer] = await once(get(`${url}/people/v1/sessions`, { agent }), 'response')
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 200) throw new Error(`a valid request was answered with ${answer.statusCode}`)
  waitsMs.push(performance.now() - before)
  await sleep(5)
}
await all
agent.destroy()
service.kill('SIGTERM')
const [code] = await once(service, 'exit')

waitsMs.sort((a, b) => a - b)
const result = {
  senders: SENDERS,
  closed: closedAfterMs.length,
  last_closed_ms: Math.round(Math.max(...closedAfterMs)),
  answers: Object.fromEntries(answers),
  good_requests: waitsMs.length,
  p50_ms: Number(waitsMs[Math.floor(waitsMs.length * 0.5)].toFixed(1)),
  p99_ms: Number(waitsMs[Math.floor(waitsMs.length * 0.99)].toFixed(1)),
  max_ms: Number(waitsMs.at(-1).toFixed(1)),
  exit_code: code,
}
console.log(JSON.stringify(result))
const good = result.closed === SENDERS && result.last_closed_ms < WITHIN_MS && result.p99_ms < P99_MS && code === 0
process.exit(good ? 0 : 1)
