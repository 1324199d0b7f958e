import { EventEmitter } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { openDatabase } from '@botwright/sqlite'
import { expect, test } from 'vitest'
import { readArguments, runService } from './run-service.ts'
import { readWorld } from '../world/read-world.ts'

const start = () => {
  const io = { stdout: new PassThrough(), stderr: new PassThrough(), signals: new EventEmitter() }
  return { ...io, ended: runService({ port: 0 }, io) }
}
const names = ['SIGINT', 'SIGTERM'] as const

// Node ends a process that has no listener for a signal.
test.each(names)('a second signal after %s ends the program, even during startup', async (name) => {
  const { signals, ended } = start()
  expect(signals.emit(name)).toBe(true)
  expect(names.map((second) => signals.emit(second))).toEqual([false, false])
  await ended
})

test('a second signal ends the program during the shutdown', async () => {
  const { signals, stdout, ended } = start()
  await new Promise((resolve) => stdout.once('data', resolve))
  expect(signals.emit('SIGTERM')).toBe(true)
  expect(names.map((second) => signals.emit(second))).toEqual([false, false])
  await ended
})

test('a world file may begin with a byte order mark, and one in UTF-16 is refused with the fix', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'botwright-world-'))
  const file = join(folder, 'world.json')
  try {
    await writeFile(file, '\uFEFF{ "users": [] }')
    expect(readWorld(file)).toEqual({ users: [] })
    await writeFile(file, Buffer.from('{ "users": [] }', 'utf16le'))
    expect(() => readWorld(file)).toThrow('world.json: is in UTF-16; save it as UTF-8')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.each(['', ' ', '0x10', '1e3', '-1', '65536'])('the port %j is refused', (port) => {
  expect(() => readArguments([`--port=${port}`])).toThrow('service: --port must be a number from 0 to 65535')
})

test('names the lock of another program on the data file, and its fix', { tags: 'all/live' }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'botwright-locked-'))
  try {
    const data = join(folder, 'chat.db')
    using other = openDatabase(data)
    other.exec('BEGIN IMMEDIATE')
    const io = { stdout: new PassThrough(), stderr: new PassThrough(), signals: new EventEmitter() }
    await expect(runService({ port: 0, data }, io)).rejects.toThrow(
      `${data}: database is locked; end the program that has locked it, or set --data to another file`,
    )
    other.exec('ROLLBACK')
  } finally {
    await rm(folder, { recursive: true })
  }
})
