import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { expect, it } from 'vitest'
import { resolveWith } from './resolve.ts'

const A = 1
const AAAA = 28

/** A name server on this machine. It answers each query with records of its type, or not at all for `undefined`. */
async function nameServer(records: (name: string, type: number) => Buffer[] | undefined) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const labels: string[] = []
    let at = 12
    for (; question[at] !== 0; at += question[at]! + 1)
      labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!))
    const type = question.readUInt16BE(at + 1)
    asked.push(`${labels.join('.')} ${type}`)
    const found = records(labels.join('.'), type)
    if (found === undefined) return
    const head = Buffer.from(question.subarray(0, 12))
    head.writeUInt16BE(found.length > 0 ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(found.length, 6)
    head.writeUInt32BE(0, 8)
    const answers = found.map((data) => {
      const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
      return Buffer.concat([record, data])
    })
    socket.send(Buffer.concat([head, question.subarray(12, at + 5), ...answers]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const resolver = new Resolver({ tries: 1, timeout: 10_000 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return { asked, resolver, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())) }
}

const open = () => new AbortController().signal
const v4 = Buffer.from([192, 0, 2, 7])
const v6 = Buffer.from('20010db8000000000000000000000001', 'hex')

it('returns all addresses of both families, with one query per family', async () => {
  await using names = await nameServer((_, type) => (type === AAAA ? [v6] : [v4, Buffer.from([10, 0, 0, 1])]))
  const found = await resolveWith(names.resolver, 'both.example', open())
  expect(found).toEqual([
    { address: '192.0.2.7', family: 4 },
    { address: '10.0.0.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ])
  expect(names.asked.sort()).toEqual([`both.example ${A}`, `both.example ${AAAA}`])
})

it('succeeds with one family and fails without any address', async () => {
  await using names = await nameServer((name, type) => (name === 'four.example' && type === A ? [v4] : []))
  expect(await resolveWith(names.resolver, 'four.example', open())).toEqual([{ address: '192.0.2.7', family: 4 }])
  await expect(resolveWith(names.resolver, 'none.example', open())).rejects.toThrow('no address')
})

it('stops when it is aborted', async () => {
  const end = new AbortController()
  await using names = await nameServer(() => {
    end.abort()
    return undefined
  })
  await expect(resolveWith(names.resolver, 'slow.example', end.signal)).rejects.toThrow('no address')
})
