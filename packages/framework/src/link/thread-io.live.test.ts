import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { pipeOutput } from './thread-io.ts'

const silent = () => Readable.from([])

test('reads no further while the reader of the output is slow', async () => {
  let next: (() => void) | undefined
  let text = ''
  const stdout = new Writable({
    highWaterMark: 4,
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      next = done
    },
  })
  let made = 0
  const from = new Readable({
    highWaterMark: 4,
    read() {
      this.push(made < 100 ? `${String(made++).padStart(3, '0')}\n` : null)
    },
  })
  pipeOutput({ stdout: from, stderr: silent() }, { stdout, stderr: new PassThrough() })
  await expect.poll(() => next !== undefined && from.isPaused()).toBe(true)
  expect(text).toBe('000\n')
  expect(made).toBeLessThan(5)
  const ended = once(from, 'end')
  while (made < 100 || stdout.writableLength > 0) {
    next?.()
    await new Promise(setImmediate)
  }
  await ended
  expect(text.split('\n').slice(0, -1).map(Number)).toEqual(Array.from({ length: 100 }, (_, at) => at))
  expect(stdout.writableEnded).toBe(false)
})

test('many threads can have one stream, which keeps nothing of those that ended', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  try {
    const output = new PassThrough()
    const before = () => [output.getMaxListeners(), ...output.eventNames().map((name) => output.listenerCount(name))]
    const [listeners, most] = [before(), output.getMaxListeners()]
    const threads = Array.from({ length: 30 }, () => ({ stdout: new PassThrough(), stderr: new PassThrough() }))
    for (const thread of threads) pipeOutput(thread, { stdout: output, stderr: output })
    await new Promise(setImmediate)
    expect(warnings).toEqual([])
    output.resume()
    await Promise.all(threads.flatMap(({ stdout, stderr }) => [stdout, stderr]).map((one) => once(one.end(), 'end')))
    expect(before()).toEqual(listeners)
    expect(output.getMaxListeners()).toBe(most)
  } finally {
    process.off('warning', note)
  }
})

test('after an error of the output, such as a closed pipe, a thread can write on, and nothing is kept', async () => {
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  const error = once(stdout, 'error')
  const from = new PassThrough({ highWaterMark: 4 })
  pipeOutput({ stdout: from, stderr: silent() }, { stdout, stderr: new PassThrough() })
  from.write('first')
  await error
  for (let n = 0; n < 100; n++) from.write('more')
  await expect.poll(() => from.readableLength + from.writableLength).toBe(0)
  from.end()
  await once(from, 'end')
})
